package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// KlideFolder is where Klide keeps its memory, from the top of its workspace.
const KlideFolder = ".klide/memory"

func (s *Store) dialect() dialect {
	if s.klide {
		return func(id string, f File, raw []byte) Entry { return ParseKlide(id, raw, f.ModTime) }
	}
	return ours
}

// ParseKlide reads a file of a Klide store by Klide's own line grammar, which is
// not YAML: "key: value" cut at the first colon, the last of several keys wins,
// keys without a value and unknown keys are passed over, lists that are no JSON
// are empty. A file without any key of version 1 is a reviewed handoff, as Klide
// has it. Where Klide trusts a file whose first line only looks like a fence,
// this does not. modified is the time of the file, for one without a date.
func ParseKlide(id string, raw []byte, modified time.Time) Entry {
	sum := sha256.Sum256(raw)
	e := Entry{ID: id, Title: id, Kind: KindHandoff, ReviewState: Reviewed, SchemaVersion: SchemaVersion, Version: 1, Hash: hex.EncodeToString(sum[:])}
	if len(raw) > MaxFileBytes {
		e.Stub, e.ReviewState = true, Stale
		e.fault(0, "size", true, "the file has %d bytes, at most %d are read", len(raw), MaxFileBytes)
		return e
	}
	if !modified.IsZero() {
		e.CreatedAtMs = max(0, modified.UnixMilli())
	}
	text := strings.ReplaceAll(strings.ToValidUTF8(string(raw), "\uFFFD"), "\r\n", "\n")
	first, rest, _ := strings.Cut(text, "\n")
	body := text
	if first == "---" {
		head, after, closed := strings.Cut("\n"+rest, "\n---\n")
		if !closed {
			head, closed = strings.CutSuffix("\n"+rest, "\n---")
			after = ""
		}
		if closed {
			e.klideKeys(head)
			body = after
		} else {
			e.fault(1, "fence", true, "the frontmatter is not closed by a line of exactly ---")
		}
	} else if strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(first, "\uFEFF")), "---") {
		e.fault(1, "fence", true, "the opening fence is not a first line of exactly ---")
	}
	if e.Stub {
		return Entry{
			ID: id, Title: e.Title, Date: e.Date, CreatedAtMs: e.CreatedAtMs, Kind: KindHandoff, ReviewState: Stale,
			SchemaVersion: e.SchemaVersion, Version: 1, Stub: true, Hash: e.Hash, Faults: e.Faults,
			Notes: "This entry declares a version of the format that this program does not read.",
		}
	}
	e.klideBody(body)
	if !e.Readable() {
		e.ReviewState = Stale
	}
	return e
}

func (e *Entry) klideKeys(head string) {
	values, lines := map[string]string{}, map[string]int{}
	for i, line := range strings.Split(head, "\n") {
		key, value, ok := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if ok && value != "" {
			values[key], lines[key] = value, i+1
		}
	}
	if v, ok := values["schemaVersion"]; ok {
		n, err := strconv.Atoi(v)
		if err != nil {
			n = SchemaVersion + 1
		}
		if e.SchemaVersion = n; n > SchemaVersion || n < 1 {
			e.Stub = true
			e.fault(lines["schemaVersion"], "version", true, "schemaVersion is %s, this program reads %d", quote(v), SchemaVersion)
		}
	}
	if v := values["date"]; v != "" {
		e.CreatedAtMs = 0
		if t, err := time.Parse(time.RFC3339, v); err == nil && t.UnixMilli() >= 0 {
			e.Date, e.CreatedAtMs = t.UTC().Format(time.RFC3339), t.UnixMilli()
		}
	}
	if v := Line(values["title"]); v != "" {
		e.Title = v
	}
	if v, ok := values["kind"]; ok {
		if k := Kind(strings.ToLower(v)); slices.Contains(Kinds, k) {
			e.Kind = k
		} else {
			e.fault(lines["kind"], "kind", true, "kind is %s", quote(v))
		}
	}
	if v, ok := values["reviewState"]; ok {
		if s := State(strings.ToLower(v)); slices.Contains(States, s) {
			e.ReviewState = s
		} else {
			e.fault(lines["reviewState"], "state", true, "reviewState is %s", quote(v))
		}
	}
	var tags []string
	if json.Unmarshal([]byte(values["tags"]), &tags) == nil {
		e.Tags = words(tags, true)
	}
	var refs []SourceRef
	if json.Unmarshal([]byte(values["sourceRefs"]), &refs) == nil {
		e.SourceRefs = refs
	}
	if id := values["supersedes"]; ValidID(id) {
		e.Supersedes = id
	}
	if slices.Contains(Modes, values["mode"]) {
		e.Mode = values["mode"]
	}
	e.RunID, e.Provider, e.Model, e.Status = Line(values["runId"]), Line(values["provider"]), Line(values["model"]), Line(values["status"])
}

// klideBody reads the six sections. Text below any other heading is not Klide's to recall.
func (e *Entry) klideBody(body string) {
	at, known := section(0), false
	var goal, notes []string
	for _, line := range strings.Split(body, "\n") {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			at, known = headings[strings.ToLower(strings.TrimSpace(name))]
			continue
		}
		s := strings.TrimSpace(line)
		if !known || s == "" {
			continue
		}
		item := Line(strings.TrimPrefix(s, "- "))
		switch at {
		case inGoal:
			goal = append(goal, s)
		case inNotes:
			notes = append(notes, line)
		case inPlan:
			e.Plan = append(e.Plan, item)
		case inDecisions:
			e.Decisions = append(e.Decisions, item)
		case inNext:
			e.NextSteps = append(e.NextSteps, item)
		case inFiles:
			e.FilesTouched = append(e.FilesTouched, strings.Trim(item, "`"))
		}
	}
	e.Goal, e.Notes = Line(strings.Join(goal, " ")), Block(strings.Join(notes, "\n"))
}
