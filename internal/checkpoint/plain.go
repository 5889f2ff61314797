package checkpoint

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/secret"
)

// InputSchema is the schema that an Input names.
const InputSchema = "sayso.checkpoints/v1"

// inputBytes is how large a document of another tool may be.
const inputBytes = 256 << 20

// ErrInput is wrapped when a document is not an Input.
var ErrInput = errors.New("not a document of checkpoints")

// Input is a document of checkpoints that another tool made. One document holds
// everything of its source: it takes the place of the one before.
type Input struct {
	Schema      string            `json:"schema"`      // always sayso.checkpoints/v1
	Source      string            `json:"source"`      // name of the tool: lower-case letters, digits and "-", at most 40; not "entire"
	Checkpoints []InputCheckpoint `json:"checkpoints"` // in any order
}

// InputCheckpoint is one checkpoint of another tool.
type InputCheckpoint struct {
	ID          string      `json:"id"`                    // unique in the document: letters, digits, "-", "_" and ".", at most 100
	Commits     []string    `json:"commits"`               // full hashes of the commits that it led to
	Time        time.Time   `json:"time,omitzero"`         // when it was made, RFC 3339
	Branch      string      `json:"branch,omitempty"`      // where it was made
	Agent       string      `json:"agent,omitempty"`       // such as "Claude Code"
	Session     string      `json:"session,omitempty"`     // identifier of the session
	Files       []string    `json:"files,omitempty"`       // touched, from the root of the repository
	Tokens      *Tokens     `json:"tokens,omitempty"`      // what it cost
	Turns       []InputTurn `json:"turns,omitempty"`       // what was said, in order
	Unavailable []string    `json:"unavailable,omitempty"` // what the tool could not give: metadata, transcript, prompt, files
}

// InputTurn is one thing that was said.
type InputTurn struct {
	Role  string    `json:"role"`            // who spoke: person or assistant
	Text  string    `json:"text"`            // what was said
	Time  time.Time `json:"time,omitzero"`   // when, RFC 3339
	Files []string  `json:"files,omitempty"` // changed right after it, from the root of the repository
}

// ParseInput reads a document and checks it against everything that the schema says.
func ParseInput(r io.Reader) (*Input, error) {
	data, err := io.ReadAll(io.LimitReader(r, inputBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read checkpoints: %w", err)
	}
	if len(data) > inputBytes {
		return nil, fmt.Errorf("%w: over %d bytes", ErrInput, inputBytes)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var in Input
	if err := dec.Decode(&in); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInput, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something stands behind the document", ErrInput)
	}
	return &in, in.check()
}

func (in *Input) check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrInput}, args...)...)
	}
	switch {
	case in.Schema != InputSchema:
		return bad("schema is %.60q, not %q", in.Schema, InputSchema)
	case !validSource(in.Source) || in.Source == Entire:
		return bad("source %.60q: 1 to 40 of a-z, 0-9 and -, and not %q", in.Source, Entire)
	}
	seen := map[string]bool{}
	for i, c := range in.Checkpoints {
		at := fmt.Sprintf("checkpoints[%d]", i)
		switch {
		case c.ID == "" || len(c.ID) > 100 || strings.Trim(c.ID, idLetters) != "":
			return bad("%s.id %.60q: 1 to 100 letters, digits, -, _ and .", at, c.ID)
		case seen[c.ID]:
			return bad("%s.id %q stands twice", at, c.ID)
		}
		seen[c.ID] = true
		for _, h := range c.Commits {
			if len(h) != 40 && len(h) != 64 || strings.Trim(h, "0123456789abcdef") != "" {
				return bad("%s.commits: %.80q is no full hash", at, h)
			}
		}
		for _, u := range c.Unavailable {
			if !slices.Contains(InputUnavailable, u) {
				return bad("%s.unavailable: %.60q is none of %s", at, u, strings.Join(InputUnavailable, ", "))
			}
		}
		for k, t := range c.Turns {
			if t.Role != "person" && t.Role != "assistant" {
				return bad("%s.turns[%d].role is %.60q, not person or assistant", at, k, t.Role)
			}
		}
	}
	return nil
}

const idLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."

// InputUnavailable are the fields that a document can declare missing.
var InputUnavailable = []string{MissingMetadata, MissingTranscript, MissingPrompt, MissingFiles}

// IngestPlain writes the state of another tool's document. Commits that it names
// are read from the repository; one that is not there is declared missing.
func IngestPlain(ctx context.Context, repo *git.Repo, in *Input, opts Options) (*Result, error) {
	s := &state{name: in.Source, inputs: inputs{Transcripts: !opts.NoTranscripts}}
	w := &walked{byID: map[string][]Commit{}, parents: map[string]string{}}
	commits := map[string]*Commit{}
	for i := range in.Checkpoints {
		for _, h := range in.Checkpoints[i].Commits {
			if _, ok := commits[h]; ok {
				continue
			}
			c, err := repo.Commit(ctx, h)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				commits[h] = nil
				continue
			}
			commits[h] = ownCommit(c)
			w.commits++
			w.parents[h] = append(c.Parents, "")[0]
		}
	}
	files, err := changedFiles(ctx, repo, w.parents)
	if err != nil {
		return nil, err
	}
	for h, c := range commits {
		if c != nil {
			list, ok := files[h]
			c.Files, c.FilesGone = list, !ok
		}
	}
	for i := range in.Checkpoints {
		c := &in.Checkpoints[i]
		p := plainPart(in.Source, c, !opts.NoTranscripts)
		var mine []Commit
		for _, h := range c.Commits {
			if commits[h] == nil {
				p.Record.Missing = append(p.Record.Missing, MissingCommit)
			} else if !slices.ContainsFunc(mine, func(o Commit) bool { return o.Hash == h }) {
				mine = append(mine, *commits[h])
			}
		}
		p.Record = withCommits(p.Record, mine)
		s.parts = append(s.parts, p)
	}
	s.close(w, 0, repo.Shallow(), !opts.NoTranscripts)
	res := &Result{Source: in.Source, Coverage: s.coverage, Read: len(s.parts)}
	res.Bytes, err = s.write(Dir(repo.CommonDir()))
	return res, err
}

// ownCommit is a commit as records have it.
func ownCommit(c *git.Commit) *Commit {
	own := &Commit{
		Hash: c.Hash, Author: printable(c.Author.Name), Email: printable(c.Author.Email),
		Authored: c.Author.When.UTC(), Committed: c.Committer.When.UTC(),
	}
	message := strings.TrimRight(strings.ToValidUTF8(c.Message, "\uFFFD"), "\n")
	if len(message) > messageBytes {
		message, own.MessageCut = strings.ToValidUTF8(message[:messageBytes], ""), true
	}
	own.Message, own.SecretsGone = secret.Mask(message)
	return own
}

// plainPart makes the part of one checkpoint of another tool.
func plainPart(source string, c *InputCheckpoint, transcripts bool) *part {
	p := &part{Record: Record{
		ID: c.ID, Source: source, Branch: printable(c.Branch), Missing: slices.Clone(c.Unavailable),
	}}
	rec := &p.Record
	if a := printable(c.Agent); a != "" {
		rec.Agents = []string{a}
	}
	session := printable(c.Session)
	if session != "" {
		rec.Sessions = []string{session}
		p.Count.Sessions = 1
	}
	if sane(c.Time) {
		rec.Created = c.Time.UTC().Truncate(time.Millisecond)
	}
	rec.Files = insideAll(c.Files)
	if c.Tokens != nil {
		rec.Tokens = Tokens{max(0, c.Tokens.Input), max(0, c.Tokens.CacheWrite), max(0, c.Tokens.CacheRead), max(0, c.Tokens.Output), max(0, c.Tokens.Calls)}
	}
	switch {
	case len(c.Turns) == 0:
		p.Count.Transcripts.Absent = 1
		return p
	case !transcripts:
		p.Count.Transcripts.NotAsked = 1
		rec.Missing = append(rec.Missing, MissingTranscript, MissingPrompt)
		return p
	}
	p.Count.Transcripts.Opened = 1
	exchange := 0
	for i, said := range c.Turns {
		t := Turn{Tier: Chat, Text: said.Text, Session: session, Place: source + ".json#" + c.ID + ":" + strconv.Itoa(i+1), Files: insideAll(said.Files)}
		if sane(said.Time) {
			t.Time = said.Time.UTC().Truncate(time.Millisecond)
		}
		if said.Role == "person" {
			t.Tier = Intent
			exchange++
		} else {
			t.Last = !slices.ContainsFunc(c.Turns[i+1:min(len(c.Turns), i+2)], func(o InputTurn) bool { return o.Role == "assistant" })
		}
		t.Exchange = exchange
		if !dress(&t) {
			continue
		}
		if t.Cut {
			addCap(&p.Count.Caps, Cap{"text-bytes", textBytes, 1})
		}
		t.Order = len(p.Turns) + 1
		p.Turns = append(p.Turns, t)
	}
	return p
}

func insideAll(list []string) []string {
	var files []string
	for _, f := range list {
		if f = inside(f); f != "" {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, cmp.Compare[string])
	files = slices.Compact(files)
	return files[:min(len(files), filesMost)]
}
