package engine

import (
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
)

// Text is one text to hold against a change.
type Text struct {
	Source claim.Source
	Tier   claim.Tier
	Body   string
}

// Result is one judged subject: a commit, the staged change, a pull request, a transcript.
type Result struct {
	ID        string `json:"id"`   // commit hash, "staged", "<base>..<head>", or the id of a batch request
	Kind      string `json:"kind"` // commit | staged | pull-request | transcript
	Commit    string `json:"commit,omitempty"`
	Base      string `json:"base,omitempty"`       // what it was compared with
	Subject   string `json:"subject,omitempty"`    // first line of the text judged
	FirstFile string `json:"first_file,omitempty"` // anchor for findings without a line
	checks.Judgement
	Decisions []checks.Held `json:"decisions,omitempty"` // reviewed entries of the memory that bear on the change, contradicted ones first
	Notes     []string      `json:"notes,omitempty"`     // plain sentences: which base an amend was held against, what the fallback reader could not see
	Error     *Failure      `json:"error,omitempty"`     // set when the subject could not be judged; the rest is then zero
	MS        float64       `json:"ms"`                  // measured milliseconds, the only field that may differ between runs
}

// Failure is why a subject could not be judged.
type Failure struct {
	Code    string `json:"code"`           // not-a-repository, unknown-revision, missing, corrupt, bad-request, internal
	Message string `json:"message"`        // names the thing
	Hint    string `json:"hint,omitempty"` // the way out
}
