package checkpoint

// ReportSchema is the schema that a Report names.
const ReportSchema = "sayso.ingest/v1"

// Report is what a run says to machines, the coverage before everything else.
type Report struct {
	Schema    string   `json:"schema"`    // always sayso.ingest/v1
	Coverage  Coverage `json:"coverage"`  // how much of what was asked for was there
	Source    string   `json:"source"`    // entire, or what the document calls itself
	Unchanged bool     `json:"unchanged"` // nothing has changed since the last run
	Read      int      `json:"read"`      // checkpoints that were read
	Reused    int      `json:"reused"`    // checkpoints whose earlier reading still holds
}

// Report is the result for machines.
func (r *Result) Report() Report {
	return Report{Schema: ReportSchema, Coverage: r.Coverage, Source: r.Source, Unchanged: r.Unchanged, Read: r.Read, Reused: r.Reused}
}
