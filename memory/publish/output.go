package publish

import "github.com/saysolint/sayso/memory"

// Schema is the name and version of [Output].
const Schema = "sayso.publish/v1"

// Output is what `sayso publish --json` writes.
type Output struct {
	Schema   string      `json:"schema"`   // name and version of this shape
	Target   OutputPlace `json:"target"`   // where the entries were to go
	DryRun   bool        `json:"dryRun"`   // nothing was written
	Commit   *string     `json:"commit"`   // that holds them, on top of tip; null where none was made
	Tip      *string     `json:"tip"`      // commit of the branch that was looked at; null where there was none, and for a work tree
	Attempts int         `json:"attempts"` // how often the branch was looked at: once more than it was found moved
	Files    int         `json:"files"`    // files that were written
	Entries  []Published `json:"entries"`  // what was to be published, in the order asked for
	Left     []Left      `json:"left"`     // what was not to be published, and why
}

// OutputPlace is a target.
type OutputPlace struct {
	Kind   string `json:"kind"`             // worktree, branch or remote
	Remote string `json:"remote,omitempty"` // address of the other repository without passwords; of one on this machine the last part of its path
	Branch string `json:"branch,omitempty"` // that was published to; empty for the one that is checked out there
	Space  string `json:"space,omitempty"`  // name of the store of the work tree
	Folder string `json:"folder"`           // of the store, from the top of that repository or space
}

// Published is what became of one entry.
type Published struct {
	ID        string               `json:"id"`        // of the entry
	Title     string               `json:"title"`     // as the target has it
	State     memory.State         `json:"state"`     // likewise
	Fate      memory.Fate          `json:"fate"`      // added, updated, kept (it was there already) or held (it cannot be there)
	Revision  *string              `json:"revision"`  // id of the pending revision that holds what both sides changed differently
	Conflicts []string             `json:"conflicts"` // these fields
	Warnings  []string             `json:"warnings"`  // what deserves a look
	Masked    []memory.SecretFound `json:"masked"`    // secrets that were masked
}

// Left is what was not to be published.
type Left struct {
	ID     string `json:"id"`     // of the entry or draft
	Reason string `json:"reason"` // one clause
}

// Output is a result as JSON has it.
func (r Result) Output(left []Left, dryRun bool, space string) Output {
	null := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	o := Output{
		Schema: Schema, DryRun: dryRun, Commit: null(r.Commit), Tip: null(r.Tip), Attempts: r.Attempts, Files: r.Files,
		Target:  OutputPlace{Kind: "worktree", Branch: r.Target.Branch, Folder: r.Target.Folder},
		Entries: []Published{}, Left: left,
	}
	switch {
	case r.Target.Remote != "":
		o.Target.Kind, o.Target.Remote = "remote", r.Target.Address()
	case r.Target.Branch != "":
		o.Target.Kind = "branch"
	default:
		o.Target.Space = space
	}
	if o.Left == nil {
		o.Left = []Left{}
	}
	for _, x := range r.Outcomes {
		p := Published{ID: x.Entry.ID, Title: x.Entry.Title, State: x.Entry.ReviewState, Fate: x.Fate, Revision: null(x.Revision), Conflicts: x.Conflicts, Warnings: x.Warnings, Masked: x.Masked}
		if p.Conflicts == nil {
			p.Conflicts = []string{}
		}
		if p.Warnings == nil {
			p.Warnings = []string{}
		}
		if p.Masked == nil {
			p.Masked = []memory.SecretFound{}
		}
		o.Entries = append(o.Entries, p)
	}
	return o
}
