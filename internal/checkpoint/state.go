package checkpoint

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/natefinch/atomic"
)

// A state file holds one source: a magic, a checksum of the rest, and then the
// coverage, the inputs, the commits, the records and their turns.
const (
	magic  = "saysoCP\x01" // the last byte is the version: readers of another one refuse, and ingest writes anew
	prefix = "checkpoints-"
	suffix = ".v1"
)

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) } // the table is made once by the library

// Dir is where the states of a repository lie, below its common git folder.
func Dir(commonDir string) string { return filepath.Join(commonDir, "sayso") }

// inputs are what a state was made of. The same inputs, and nothing gone that has
// come back, give the same state.
type inputs struct {
	Scope       string   `json:"scope"`
	Head        string   `json:"head"`
	Tips        []string `json:"tips"`        // hashes, sorted
	Refs        []string `json:"refs"`        // "hash name" of the branches with checkpoints, in order
	Transcripts bool     `json:"transcripts"` // asked for
	Budget      int      `json:"budget"`
	Gone        []string `json:"gone"`  // objects that the store lacked
	Store       string   `json:"store"` // print of the store in which they were looked for
}

// state is a state file in memory.
type state struct {
	name     string // of the source
	coverage Coverage
	inputs   inputs
	parts    []*part  // in the order of the index; Record.Commits are filled in
	repeats  [][]bool // for each part, which of its turns earlier checkpoints tell
}

// Load reads everything that was ingested into dir (see Dir).
func Load(dir string) (*Index, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	ix := &Index{}
	var states []*state
	for _, e := range entries {
		name, ok := sourceOf(e.Name())
		if !ok {
			continue
		}
		s, err := readState(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		s.name = name
		if name == Entire {
			ix.entire = &s.inputs
		}
		states = append(states, s)
	}
	if len(states) == 0 {
		return nil, fmt.Errorf("%w: run sayso ingest", ErrNoIndex)
	}
	type row struct {
		s *state
		i int
	}
	var rows []row
	turns := 0
	for _, s := range states {
		ix.Sources = append(ix.Sources, Source{Name: s.name, Scope: s.inputs.Scope, Head: s.inputs.Head, Refs: s.inputs.Refs, Coverage: s.coverage})
		ix.Coverage = ix.Coverage.add(s.coverage)
		for i, p := range s.parts {
			rows = append(rows, row{s, i})
			turns += len(p.Turns)
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return byAge(&a.s.parts[a.i].Record, &b.s.parts[b.i].Record) })
	ix.Records = make([]Record, 0, len(rows))
	ix.Turns = make([]Turn, 0, turns)
	for n, r := range rows {
		p := r.s.parts[r.i]
		ix.Records = append(ix.Records, p.Record)
		for k, t := range p.Turns {
			if r.s.repeats[r.i][k] {
				continue
			}
			t.Record = n
			ix.Turns = append(ix.Turns, t)
		}
	}
	return ix, nil
}

// sourceOf is the source that a file's name stands for.
func sourceOf(file string) (string, bool) {
	name, ok := strings.CutPrefix(file, prefix)
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, suffix)
	return name, ok && validSource(name)
}

// validSource says whether a name can be a source's: it becomes part of a file name.
func validSource(s string) bool {
	return s != "" && len(s) <= 40 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && s[0] != '-'
}

func statePath(dir, source string) string { return filepath.Join(dir, prefix+source+suffix) }

// readState reads a state file. Anything but a regular file is refused.
func readState(file string) (*state, error) {
	info, err := os.Lstat(file)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: file, Err: fs.ErrInvalid}
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s, err := decodeState(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: run sayso ingest again", filepath.Base(file), err)
	}
	return s, nil
}

// write puts a state in its place: written aside, synced, renamed.
func (s *state) write(dir string) (int, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, fmt.Errorf("state not written: %w", err)
	}
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "write", Path: dir, Err: fs.ErrInvalid}
	}
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(dir, 0o700)
	}
	if err != nil {
		return 0, fmt.Errorf("state not written: %w", err)
	}
	data := encodeState(s)
	file := statePath(dir, s.name)
	if err := atomic.WriteFile(file, bytes.NewReader(data)); err != nil {
		return 0, fmt.Errorf("state not written: %w", err)
	}
	// A file of an earlier run keeps its mode when it is replaced.
	if err := os.Chmod(file, 0o600); err != nil {
		return 0, fmt.Errorf("state not written: %w", err)
	}
	return len(data), nil
}

func encodeState(s *state) []byte {
	e := &encoder{b: make([]byte, 0, 1<<20)}
	e.str(string(mustJSON(s.coverage)))
	e.str(string(mustJSON(s.inputs)))
	// Commits stand once: several checkpoints may name the same one.
	number := map[string]int{}
	var commits []Commit
	for _, p := range s.parts {
		for _, c := range p.Record.Commits {
			if _, ok := number[c.Hash]; !ok {
				number[c.Hash] = len(commits)
				commits = append(commits, c)
			}
		}
	}
	e.num(len(commits))
	for i := range commits {
		e.commit(&commits[i])
	}
	e.num(len(s.parts))
	for i, p := range s.parts {
		e.record(&p.Record, number)
		e.str(p.Print)
		e.str(string(mustJSON(p.Count)))
		e.strs(p.Gone)
		// Session, exchange and the folder of the place hardly change from turn to turn.
		e.num(len(p.Turns))
		for k := range p.Turns {
			e.turn(&p.Turns[k], s.repeats[i][k])
		}
	}
	return seal(e.b)
}

// mustJSON encodes values of this package that have nothing which JSON cannot hold.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func (e *encoder) commit(c *Commit) {
	e.str(c.Hash)
	e.str(c.Author)
	e.str(c.Email)
	e.time(c.Authored)
	e.time(c.Committed)
	e.str(c.Message)
	e.strs(c.Files)
	e.flags(c.FilesGone, c.MessageCut)
	e.num(c.SecretsGone)
}

func (e *encoder) record(r *Record, number map[string]int) {
	e.str(r.ID)
	e.str(r.Source)
	e.num(len(r.Commits))
	for _, c := range r.Commits {
		e.num(number[c.Hash])
	}
	e.str(r.Branch)
	e.strs(r.Agents)
	e.strs(r.Sessions)
	e.str(r.Strategy)
	e.time(r.Created)
	e.strs(r.Files)
	for _, n := range []int64{r.Tokens.Input, r.Tokens.CacheWrite, r.Tokens.CacheRead, r.Tokens.Output, r.Tokens.Calls} {
		e.num(int(n))
	}
	e.strs(r.Missing)
}

func (e *encoder) turn(t *Turn, repeat bool) {
	e.flags(t.Tier == Intent, t.Last, t.Summary, t.Cut, repeat)
	e.str(t.Text)
	e.time(t.Time)
	e.str(t.Session)
	e.num(t.Order)
	e.num(t.Exchange)
	e.str(t.Place)
	e.strs(t.Files)
	e.num(t.Redacted)
	e.num(t.Masked)
}

// decodeState reads what encodeState wrote. The coverage comes first: without one
// there is no index.
func decodeState(data []byte) (*state, error) {
	if len(data) < len(magic)+4 || string(data[:len(magic)-1]) != magic[:len(magic)-1] {
		return nil, ErrDamaged
	}
	if data[len(magic)-1] != magic[len(magic)-1] {
		return nil, ErrVersion
	}
	if binary.LittleEndian.Uint32(data[len(magic):]) != checksum(data[len(magic)+4:]) {
		return nil, ErrDamaged
	}
	d := &decoder{s: string(data[len(magic)+4:])}
	coverage := d.str()
	if d.bad || coverage == "" || coverage == "null" {
		return nil, ErrNoCoverage
	}
	s := &state{}
	if json.Unmarshal([]byte(coverage), &s.coverage) != nil || s.coverage.Missing == nil {
		return nil, ErrNoCoverage
	}
	if json.Unmarshal([]byte(d.str()), &s.inputs) != nil {
		return nil, ErrDamaged
	}
	commits := make([]Commit, d.count())
	for i := range commits {
		commits[i] = d.commit()
	}
	n := d.count()
	s.parts, s.repeats = make([]*part, n), make([][]bool, n)
	for i := range n {
		p := &part{Record: d.record(commits), Print: d.str()}
		if json.Unmarshal([]byte(d.str()), &p.Count) != nil {
			return nil, ErrDamaged
		}
		p.Gone = d.strs()
		p.Turns = make([]Turn, d.count())
		s.repeats[i] = make([]bool, len(p.Turns))
		for k := range p.Turns {
			p.Turns[k], s.repeats[i][k] = d.turn()
		}
		s.parts[i] = p
	}
	if d.bad || d.s != "" {
		return nil, ErrDamaged
	}
	return s, nil
}

func (d *decoder) commit() (c Commit) {
	c.Hash, c.Author, c.Email = d.str(), d.str(), d.str()
	c.Authored, c.Committed = d.time(), d.time()
	c.Message, c.Files = d.str(), d.strs()
	bits := d.num()
	c.FilesGone, c.MessageCut = bits&1 != 0, bits&2 != 0
	c.SecretsGone = d.num()
	return c
}

func (d *decoder) record(commits []Commit) (r Record) {
	r.ID, r.Source = d.str(), d.str()
	for range d.count() {
		n := d.num()
		if n < 0 || n >= len(commits) {
			d.s, d.bad = "", true
			break
		}
		r.Commits = append(r.Commits, commits[n])
	}
	r.Branch, r.Agents, r.Sessions, r.Strategy, r.Created, r.Files = d.str(), d.strs(), d.strs(), d.str(), d.time(), d.strs()
	for _, n := range []*int64{&r.Tokens.Input, &r.Tokens.CacheWrite, &r.Tokens.CacheRead, &r.Tokens.Output, &r.Tokens.Calls} {
		*n = int64(d.num())
	}
	r.Missing = d.strs()
	return r
}

func (d *decoder) turn() (t Turn, repeat bool) {
	bits := d.num()
	t.Tier = Chat
	if bits&1 != 0 {
		t.Tier = Intent
	}
	t.Last, t.Summary, t.Cut, repeat = bits&2 != 0, bits&4 != 0, bits&8 != 0, bits&16 != 0
	t.Text, t.Time, t.Session = d.str(), d.time(), d.str()
	t.Order, t.Exchange = d.num(), d.num()
	t.Place, t.Files = d.str(), d.strs()
	t.Redacted, t.Masked = d.num(), d.num()
	return t, repeat
}

// seal puts the magic and the checksum in front of what a state holds.
func seal(body []byte) []byte {
	b := append([]byte(magic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(b[len(magic):], checksum(body))
	return append(b, body...)
}
