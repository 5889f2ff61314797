package checks

import (
	"fmt"

	"github.com/saysolint/sayso/claim"
)

var revertCheck = Check{
	Doc: Doc{
		ID: "revert", Title: "\"This reverts commit X\": the diff is the inverse of X's", Default: "gate", Since: "0.1",
		Needs: "the named commit and its diff",
		Text: `A revert takes back what the named commit did. The claim is corroborated when the diff is the inverse of that commit's, neutral when it takes a part of it back
(a conflict was resolved, a file had moved on), and contradicted when it takes nothing back. A commit that cannot be found or read makes it unverifiable.`,
		Fires: "This reverts commit 1a2b3c4 (the commit raised the workers; this change edits the queue)",
		Quiet: "Revert \"Revert \"Cache the list of ports\"\" (adds lines again, rightly)",
	},
	kind:  claim.KindRevert,
	judge: judgeRevert,
}

func judgeRevert(x *judging, c *claim.Claim) outcome {
	r, ok := x.in.References[c.Name]
	switch {
	case !ok || !r.Known || !r.Exists:
		return unverifiable("the commit %s is not in this repository", quote(c.Name))
	case !r.Read:
		return unverifiable("the diff of %s could not be read", quote(c.Name))
	case !x.f.Complete:
		return x.incomplete()
	case r.Lines == 0:
		return neutral("the commit %s changed no line of text", quote(c.Name))
	case r.Undone > 0.999:
		return corroborated(0.98, "the diff is the inverse of the commit's", Evidence{Fact: fmt.Sprintf("every changed line of %q is taken back", clip(r.Subject, 60)), For: true, Path: firstPath(x.f.Change), Weight: -4})
	case c.Mixed:
		return neutral("the sentence may come from one of the commits that were squashed")
	case r.Undone > 0:
		return neutral("the change takes back %d %% of the commit", int(r.Undone*100))
	}
	return outcome{suspicion: 4.2,
		reason:   fmt.Sprintf("says that it reverts %q; no line of that commit is taken back", clip(r.Subject, 60)),
		fix:      "name the commit that is reverted, or say what changes",
		evidence: []Evidence{{Fact: fmt.Sprintf("none of the %s of that commit is taken back", plural(r.Lines, "changed line")), Path: firstPath(x.f.Change), Weight: 4.2}},
	}
}

var trailerCheck = Check{
	Doc: Doc{
		ID: "trailer", Title: "Fixes: and friends name a commit that exists and is an ancestor", Default: "gate", Since: "0.1",
		Needs: "the commit history",
		Text: `"Fixes: <hash>" is there for tools that carry fixes to where the fault is. A hash that names no commit, in a history that is whole, is contradicted; one that is no ancestor is likely
wrong, unless the message says that it was picked from another branch. In a shallow clone the claim is unverifiable.`,
		Fires: "Fixes: 0badc0ffee42 (\"Read the header lazily\") (no such commit)",
		Quiet: "Fixes: #12 (an issue, not a commit)",
	},
	kind:  claim.KindTrailer,
	judge: judgeTrailer,
}

func judgeTrailer(x *judging, c *claim.Claim) outcome {
	r, ok := x.in.References[c.Name]
	switch {
	case !ok || !r.Known:
		return unverifiable("the history is not whole: %s cannot be looked for", quote(c.Name))
	case !r.Exists:
		return outcome{suspicion: 3.6,
			reason:   fmt.Sprintf("names commit %s, which does not exist in this repository", quote(c.Name)),
			fix:      "name the commit by a hash that `git log` shows",
			evidence: []Evidence{{Fact: fmt.Sprintf("no commit's name begins with %s", quote(c.Name)), Side: "history", Weight: 3.6}},
		}
	case !r.Ancestor:
		if x.m.CherryPick {
			return neutral("%s is on another branch", quote(c.Name))
		}
		return outcome{suspicion: 1.9, weak: true,
			reason:   fmt.Sprintf("names commit %s, which is not an ancestor of this one", quote(c.Name)),
			fix:      "name the commit on this branch",
			evidence: []Evidence{{Fact: fmt.Sprintf("%q is on another branch", clip(r.Subject, 60)), Side: "history", Weight: 1.9}},
		}
	}
	return corroborated(0.95, "the commit exists and is an ancestor", Evidence{Fact: fmt.Sprintf("%q", clip(r.Subject, 60)), For: true, Side: "history", Weight: -2})
}
