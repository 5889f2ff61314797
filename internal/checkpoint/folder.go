package checkpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/secret"
	"github.com/saysolint/sayso/internal/transcript"
)

// The layouts of a checkpoint's folder, "ab/cdef012345" on the branch:
//
//	metadata.json        the checkpoint: files touched, tokens, list of sessions
//	N/metadata.json      one session, numbered from 0; numbers may be left out
//	N/full.jsonl         its transcript; "full.log" in the first versions
//	N/full.jsonl.001     further parts of a transcript over 50 MB
//	N/prompt.txt         its prompts, parted by lines "---"
//	N/context.md, N/content_hash.txt, N/tasks/…   not read
//
// The first versions kept one session in the folder itself, with metadata.json
// being the session's. Fields were renamed over time (transcriptStart,
// transcriptAfter); lists may be null; a session may have no transcript at all.

// Limits of what is read of one checkpoint.
const (
	metadataBytes   = 4 << 20
	promptBytes     = 8 << 20
	transcriptBytes = 64 << 20 // of one part
	transcriptLines = 500_000
	lineBytes       = 16 << 20
	messagesMost    = 5000
	textBytes       = 32 << 10
	filesMost       = 5000 // of a record, and of a turn
	sessionsMost    = 1000
)

// part is what one checkpoint's folder holds: the record without its commits, and
// the turns without those that are told by earlier checkpoints.
type part struct {
	Print  string // fingerprint of what it was read from, and how
	Record Record
	Turns  []Turn
	Count  counts
	Gone   []string // objects that the store lacks: when one comes, the part is read again
}

// counts are the numbers that a part adds to the coverage.
type counts struct {
	Sessions    int         `json:"s,omitempty"`
	Transcripts Transcripts `json:"t"`
	Lines       int         `json:"l,omitempty"`
	Skipped     int         `json:"k,omitempty"`
	Caps        []Cap       `json:"c,omitempty"`
}

// metadata is metadata.json of a checkpoint or of a session.
type metadata struct {
	SessionID    string          `json:"session_id"`
	SessionIDs   []string        `json:"session_ids"`
	Strategy     string          `json:"strategy"`
	CreatedAt    time.Time       `json:"created_at"`
	Branch       string          `json:"branch"`
	FilesTouched []string        `json:"files_touched"`
	Agent        string          `json:"agent"`
	Agents       json.RawMessage `json:"agents"` // a list, or one name
	TokenUsage   *tokenUsage     `json:"token_usage"`
	Start        int             `json:"checkpoint_transcript_start"`
	StartOld     int             `json:"transcript_lines_at_start"`
	After        string          `json:"transcript_identifier_at_start"`
	AfterOld     string          `json:"transcript_uuid_at_start"`
	Summary      *struct {
		Intent  string `json:"intent"`
		Outcome string `json:"outcome"`
	} `json:"summary"`
}

type tokenUsage struct {
	Input      int64       `json:"input_tokens"`
	CacheWrite int64       `json:"cache_creation_tokens"`
	CacheRead  int64       `json:"cache_read_tokens"`
	Output     int64       `json:"output_tokens"`
	Calls      int64       `json:"api_call_count"`
	Subagents  *tokenUsage `json:"subagent_tokens"`
}

// tokens adds up a usage and those of its sub-agents; negative numbers count as none.
func (u *tokenUsage) tokens() (t Tokens) {
	for range 8 {
		if u == nil {
			break
		}
		t.add(Tokens{max(0, u.Input), max(0, u.CacheWrite), max(0, u.CacheRead), max(0, u.Output), max(0, u.Calls)})
		u = u.Subagents
	}
	return t
}

// parseMetadata reads metadata.json. A field of an odd type costs only itself.
func parseMetadata(data []byte) (metadata, error) {
	var m metadata
	err := json.Unmarshal(data, &m)
	var odd *json.UnmarshalTypeError
	if errors.As(err, &odd) {
		err = nil // the other fields are read
	}
	if err != nil {
		var bare map[string]json.RawMessage // a time that is none ends the reading
		if json.Unmarshal(data, &bare) != nil {
			return metadata{}, err
		}
		delete(bare, "created_at")
		again, _ := json.Marshal(bare)
		if err = json.Unmarshal(again, &m); errors.As(err, &odd) {
			err = nil
		}
	}
	return m, err
}

func (m metadata) agents() []string {
	var list []string
	if json.Unmarshal(m.Agents, &list) != nil {
		var one string
		if json.Unmarshal(m.Agents, &one) == nil {
			list = []string{one}
		}
	}
	return append(list, m.Agent)
}

// session is the files of one session, by their names in its folder.
type session struct {
	dir   string // "0", or "" for the checkpoint's own folder
	files folder
}

// sessionsOf parts a folder into its sessions, in the order of their numbers.
func sessionsOf(f folder) []session {
	byDir := map[string]folder{}
	for name, object := range f {
		dir, base := "", name
		if i := strings.IndexByte(name, '/'); i >= 0 {
			dir, base = name[:i], name[i+1:]
			if _, err := strconv.ParseUint(dir, 10, 31); err != nil || strings.Contains(base, "/") {
				continue
			}
		}
		if byDir[dir] == nil {
			byDir[dir] = folder{}
		}
		byDir[dir][base] = object
	}
	own := byDir[""]
	if len(transcriptParts(own)) == 0 && own["prompt.txt"] == "" {
		delete(byDir, "")
	}
	list := make([]session, 0, len(byDir))
	for dir, files := range byDir {
		list = append(list, session{dir, files})
	}
	slices.SortFunc(list, func(a, b session) int {
		return cmp.Or(cmp.Compare(len(a.dir), len(b.dir)), strings.Compare(a.dir, b.dir))
	})
	return list
}

// transcriptParts are the names of a transcript's files, in order.
func transcriptParts(files folder) []string {
	for _, base := range []string{"full.jsonl", "full.log"} {
		var names []string
		for name := range files {
			number, ok := strings.CutPrefix(name, base)
			if ok && (number == "" || len(number) >= 4 && number[0] == '.' && strings.Trim(number[1:], "0123456789") == "") {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
			return names
		}
	}
	return nil
}

// reader reads the folder of one checkpoint.
type reader struct {
	repo        *git.Repo
	transcripts bool
	part        *part
	missing     map[string]bool
}

// readFolder reads a checkpoint. The error is of the run, not of the checkpoint.
func readFolder(ctx context.Context, repo *git.Repo, id string, f folder, transcripts bool) (*part, error) {
	r := &reader{repo: repo, transcripts: transcripts, missing: map[string]bool{}}
	r.part = &part{Record: Record{ID: id, Source: Entire}}
	rec := &r.part.Record
	var root metadata
	haveRoot := false
	if object := f["metadata.json"]; object != "" {
		data, err := r.blob(ctx, object, metadataBytes)
		if err != nil {
			return nil, err
		}
		if m, err := parseMetadata(data); err == nil && data != nil {
			root, haveRoot = m, true
		}
	}
	if !haveRoot {
		r.missing[MissingMetadata] = true
	}
	sessions := sessionsOf(f)
	if over := len(sessions) - sessionsMost; over > 0 {
		sessions = sessions[:sessionsMost]
		r.cap("sessions", sessionsMost, over)
	}
	metas := make([]metadata, len(sessions))
	for i, s := range sessions {
		m, err := r.sessionMetadata(ctx, s, root)
		if err != nil {
			return nil, err
		}
		metas[i] = m
	}
	r.fill(rec, root, metas)
	for i, s := range sessions {
		r.part.Count.Sessions++
		if err := r.session(ctx, s, metas[i]); err != nil {
			return nil, err
		}
	}
	if len(sessions) == 0 {
		r.missing[MissingTranscript], r.missing[MissingPrompt] = true, true
	}
	for field := range r.missing {
		rec.Missing = append(rec.Missing, field)
	}
	slices.Sort(rec.Missing)
	slices.Sort(r.part.Gone)
	r.part.Gone = slices.Compact(r.part.Gone)
	for i := range r.part.Turns {
		r.part.Turns[i].Order = i + 1
	}
	return r.part, nil
}

// sessionMetadata reads a session's own metadata; for a session in the
// checkpoint's folder it is the checkpoint's.
func (r *reader) sessionMetadata(ctx context.Context, s session, root metadata) (metadata, error) {
	if s.dir == "" {
		return root, nil
	}
	object := s.files["metadata.json"]
	if object == "" {
		r.missing[MissingMetadata] = true
		return metadata{}, nil
	}
	data, err := r.blob(ctx, object, metadataBytes)
	if err != nil {
		return metadata{}, err
	}
	m, err := parseMetadata(data)
	if data == nil || err != nil {
		r.missing[MissingMetadata] = true
		return metadata{}, nil
	}
	return m, nil
}

// fill puts together what metadata says of the whole checkpoint.
func (r *reader) fill(rec *Record, root metadata, sessions []metadata) {
	rec.Branch, rec.Strategy = printable(root.Branch), printable(root.Strategy)
	files := slices.Clone(root.FilesTouched)
	var sum Tokens
	for _, m := range append([]metadata{root}, sessions...) {
		for _, a := range m.agents() {
			if a = printable(a); a != "" {
				rec.Agents = append(rec.Agents, a)
			}
		}
		for _, id := range append(slices.Clone(m.SessionIDs), m.SessionID) {
			if id = printable(id); id != "" && !slices.Contains(rec.Sessions, id) && len(rec.Sessions) < sessionsMost {
				rec.Sessions = append(rec.Sessions, id)
			}
		}
		if m.CreatedAt.After(rec.Created) && sane(m.CreatedAt) {
			rec.Created = m.CreatedAt.UTC().Truncate(time.Millisecond) // as it is stored
		}
		rec.Branch = cmp.Or(rec.Branch, printable(m.Branch))
		rec.Strategy = cmp.Or(rec.Strategy, printable(m.Strategy))
		if root.FilesTouched == nil {
			files = append(files, m.FilesTouched...)
		}
	}
	for _, m := range sessions {
		sum.add(m.TokenUsage.tokens())
	}
	if rec.Tokens = root.TokenUsage.tokens(); rec.Tokens == (Tokens{}) {
		rec.Tokens = sum
	}
	slices.Sort(rec.Agents)
	rec.Agents = slices.Compact(rec.Agents)
	for _, f := range files {
		if f = inside(f); f != "" {
			rec.Files = append(rec.Files, f)
		}
	}
	slices.Sort(rec.Files)
	rec.Files = slices.Compact(rec.Files)
	if over := len(rec.Files) - filesMost; over > 0 {
		rec.Files = rec.Files[:filesMost]
		r.cap("files", filesMost, over)
	}
}

// sane keeps times that milliseconds can hold.
func sane(t time.Time) bool { return t.Year() >= 1970 && t.Year() < 3000 }

// session reads the prompts and the transcript of a session.
func (r *reader) session(ctx context.Context, s session, m metadata) error {
	count := &r.part.Count.Transcripts
	names := transcriptParts(s.files)
	if !r.transcripts {
		if len(names) > 0 {
			count.NotAsked++
		} else {
			count.Absent++
		}
		r.missing[MissingTranscript], r.missing[MissingPrompt] = true, true
		return nil
	}
	if m.Summary != nil {
		at := r.place(s, "metadata.json")
		r.turn(Turn{Tier: Chat, Text: m.Summary.Intent, Summary: true, Place: at}, m)
		r.turn(Turn{Tier: Chat, Text: m.Summary.Outcome, Summary: true, Place: at}, m)
	}
	if len(names) == 0 {
		count.Absent++
		r.missing[MissingTranscript] = true
		return r.prompts(ctx, s, m)
	}
	chunks := make([][]byte, 0, len(names))
	for _, name := range names {
		before := len(r.part.Gone)
		data, err := r.blob(ctx, s.files[name], transcriptBytes)
		if err != nil {
			return err
		}
		if data == nil { // half a transcript is not read as a whole one
			if len(r.part.Gone) > before {
				count.Gone++
			} else {
				count.Unreadable++
			}
			r.missing[MissingTranscript] = true
			return r.prompts(ctx, s, m)
		}
		chunks = append(chunks, data)
	}
	said, err := transcript.ReadMessages(transcript.Options{
		From: cmp.Or(m.Start, m.StartOld), After: cmp.Or(m.After, m.AfterOld),
		Lines: transcriptLines, LineBytes: lineBytes, Messages: messagesMost, TextBytes: textBytes,
	}, chunks...)
	if err != nil {
		count.Unreadable++
		r.missing[MissingTranscript] = true
		return r.prompts(ctx, s, m)
	}
	count.Opened++
	r.part.Count.Lines += said.Lines
	r.part.Count.Skipped += said.Skipped
	r.cap("transcript-lines", transcriptLines, said.Unread)
	r.cap("messages", messagesMost, said.Dropped)
	r.messages(said.Messages, m, r.place(s, names[0])+":")
	return nil
}

// messages makes turns of what was said.
func (r *reader) messages(said []transcript.Message, m metadata, place string) {
	names := newNamer(r.part.Record.Files, said)
	for i, msg := range said {
		t := Turn{
			Tier: Chat, Text: msg.Text, Time: msg.Time, Exchange: msg.Turn, Cut: msg.Cut,
			Place: place + strconv.Itoa(msg.Line), Files: names.all(msg),
		}
		if t.Time = t.Time.Truncate(time.Millisecond); !sane(t.Time) {
			t.Time = time.Time{}
		}
		if msg.Role == transcript.RolePerson {
			t.Tier = Intent
		} else {
			next := slices.IndexFunc(said[i+1:], func(o transcript.Message) bool { return o.Role == transcript.RoleAssistant || o.Turn != msg.Turn })
			t.Last = next < 0 || said[i+1+next].Turn != msg.Turn
		}
		r.turn(t, m)
	}
}

// prompts reads prompt.txt, which holds the prompts of the whole session: what
// there is where the transcript can not be read.
func (r *reader) prompts(ctx context.Context, s session, m metadata) error {
	object := s.files["prompt.txt"]
	if object == "" {
		r.missing[MissingPrompt] = true
		return nil
	}
	data, err := r.blob(ctx, object, promptBytes)
	if err != nil {
		return err
	}
	if data == nil {
		r.missing[MissingPrompt] = true
		return nil
	}
	n := 0
	for _, text := range splitPrompts(string(data)) {
		if text = transcript.CleanPrompt(text); text == "" {
			continue
		}
		n++
		if n > messagesMost {
			r.cap("messages", messagesMost, 1)
			continue
		}
		r.turn(Turn{Tier: Intent, Text: text, Exchange: n, Place: r.place(s, "prompt.txt") + "#" + strconv.Itoa(n)}, m)
	}
	return nil
}

// splitPrompts parts prompt.txt at its lines "---" between blank lines.
func splitPrompts(text string) []string {
	return strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n---\n\n")
}

// turn adds a turn, its text made fit to be kept.
func (r *reader) turn(t Turn, m metadata) {
	t.Session = printable(m.SessionID)
	if dress(&t) {
		r.part.Turns = append(r.part.Turns, t)
	}
	if t.Cut {
		r.cap("text-bytes", textBytes, 1)
	}
}

// dress masks and bounds a turn's text. It returns false when nothing is left.
func dress(t *Turn) bool {
	text := strings.TrimSpace(strings.ToValidUTF8(t.Text, "\uFFFD"))
	text, t.Masked = secret.Mask(text)
	if len(text) > textBytes {
		text, t.Cut = strings.ToValidUTF8(text[:textBytes], ""), true
	}
	t.Text, t.Redacted = text, transcript.CountRedacted(text)
	if len(t.Files) > filesMost {
		t.Files = t.Files[:filesMost]
	}
	return text != ""
}

func (r *reader) place(s session, name string) string {
	return path.Join(shard(r.part.Record.ID), s.dir, name)
}

func (r *reader) cap(name string, limit, hits int) {
	addCap(&r.part.Count.Caps, Cap{name, limit, hits})
}

// addCap adds hits to the cap of the same name, keeping the list sorted.
func addCap(caps *[]Cap, c Cap) {
	if c.Hits == 0 {
		return
	}
	i, found := slices.BinarySearchFunc(*caps, c, func(a, b Cap) int { return strings.Compare(a.Name, b.Name) })
	if found {
		(*caps)[i].Hits += c.Hits
		return
	}
	*caps = slices.Insert(*caps, i, c)
}

// blob reads an object. nil without an error is one that can not be read; one
// that the store lacks is noted.
func (r *reader) blob(ctx context.Context, object string, most int64) ([]byte, error) {
	data, err := r.repo.Blob(ctx, object, most)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	switch {
	case err == nil:
		if data == nil {
			data = []byte{} // an empty file is there
		}
		return data, nil
	case errors.Is(err, git.ErrTooLarge):
		r.cap("object-bytes", int(most), 1)
	case errors.Is(err, git.ErrMissing):
		r.part.Gone = append(r.part.Gone, object)
	case !unreadable(err):
		return nil, err
	}
	return nil, nil
}

// inside cleans a path that is said to be inside the repository; "" where it is not.
func inside(p string) string {
	p = strings.ReplaceAll(printable(p), `\`, "/")
	if p == "" || strings.HasPrefix(p, "/") || len(p) > 1 && p[1] == ':' {
		return ""
	}
	p = path.Clean(p)
	if p == "." || p == ".." || strings.HasPrefix(p, "../") {
		return ""
	}
	return p
}

// namer turns the paths that an agent used, most of them absolute, into paths from
// the root of the repository. Where the root was then is told by a path that ends
// in one of the checkpoint's files, else by the folder of the session.
type namer struct {
	root  string
	bases map[string][]string // files of the checkpoint by their last element
}

func newNamer(files []string, said []transcript.Message) *namer {
	n := &namer{bases: map[string][]string{}}
	for _, f := range files {
		n.bases[path.Base(f)] = append(n.bases[path.Base(f)], f)
	}
	for _, m := range said {
		for _, p := range m.Files {
			p = strings.ReplaceAll(p, `\`, "/")
			if f := n.known(p); f != "" && p != f {
				n.root = strings.TrimSuffix(p, f)
				return n
			}
		}
	}
	for _, m := range said {
		if m.Cwd != "" {
			n.root = strings.TrimRight(strings.ReplaceAll(m.Cwd, `\`, "/"), "/") + "/"
			return n
		}
	}
	return n
}

// known is the longest of the checkpoint's files that p ends in.
func (n *namer) known(p string) string {
	best := ""
	for _, f := range n.bases[path.Base(p)] {
		if (p == f || strings.HasSuffix(p, "/"+f)) && len(f) > len(best) {
			best = f
		}
	}
	return best
}

func (n *namer) all(m transcript.Message) []string {
	var list []string
	for _, p := range m.Files {
		p = strings.ReplaceAll(p, `\`, "/")
		f := n.known(p)
		if f == "" && n.root != "" {
			if rest, ok := strings.CutPrefix(p, n.root); ok {
				p = rest
			}
		}
		if f = cmp.Or(f, inside(p)); f != "" {
			list = append(list, f)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
