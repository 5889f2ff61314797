package checkpoint

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const local = "refs/heads/entire/checkpoints/v1"

const (
	rootMeta = `{"checkpoint_id":"aa0000000001","strategy":"manual-commit","branch":"main","files_touched":["lamp.go","sub/fuse.go"],"sessions":[{"metadata":"/aa/0000000001/0/metadata.json"}],"token_usage":{"input_tokens":10,"cache_creation_tokens":20,"cache_read_tokens":30,"output_tokens":40,"api_call_count":5,"subagent_tokens":{"input_tokens":1}}}`
	sessMeta = `{"checkpoint_id":"aa0000000001","session_id":"s1","created_at":"2026-01-01T00:30:00.123456Z","branch":"main","files_touched":null,"agent":"Claude Code"}`
	laterOne = `{"session_id":"s1","created_at":"2026-01-01T01:30:00Z","agent":"Claude Code","transcript_identifier_at_start":"u3","transcript_lines_at_start":1}`
)

var talk = []string{
	`{"type":"user","uuid":"u1","cwd":"/home/x/lamp","timestamp":"2026-01-01T00:10:00Z","message":{"content":"Make the lamp brighter"}}`,
	`{"type":"assistant","uuid":"u2","message":{"content":[{"type":"text","text":"Looking."},{"type":"tool_use","name":"Edit","input":{"file_path":"/home/x/lamp/sub/fuse.go"}}]}}`,
	`{"type":"assistant","uuid":"u3","timestamp":"2026-01-01T00:20:00Z","message":{"content":[{"type":"text","text":"Removed REDACTED from the fuse."}]}}`,
}

var more = append(append([]string{}, talk...),
	`{"type":"user","uuid":"u4","timestamp":"2026-01-01T01:10:00Z","message":{"content":"And test it"}}`,
	`{"type":"assistant","uuid":"u5","timestamp":"2026-01-01T01:20:00Z","message":{"content":[{"type":"text","text":"Added TestLamp."}]}}`,
)

// lamp is a repository with two checkpoints of one session.
func lamp(t testing.TB) *clone {
	c := newClone(t)
	c.commit("lamp.go", "Start")
	c.commit("sub/fuse.go", "Loosen the fuse\n\nEntire-Checkpoint: aa0000000001\n")
	c.commit("lamp_test.go", "Test the lamp\n\nEntire-Checkpoint: bb0000000002\n")
	c.checkpoints(local, map[string]string{
		"aa/0000000001/metadata.json":   rootMeta,
		"aa/0000000001/0/metadata.json": sessMeta,
		"aa/0000000001/0/full.jsonl":    lines(talk...),
		"aa/0000000001/0/prompt.txt":    "Make the lamp brighter",
		"bb/0000000002/metadata.json":   `{"files_touched":["lamp_test.go"]}`,
		"bb/0000000002/0/metadata.json": laterOne,
		"bb/0000000002/0/full.jsonl":    lines(more...),
		"bb/0000000002/0/prompt.txt":    "Make the lamp brighter\n\n---\n\nAnd test it",
		"cc/0000000003/metadata.json":   `{}`,
	})
	return c
}

// texts is what the turns of a record say, one a line: tier, text.
func texts(ix *Index, id string) string {
	var b strings.Builder
	for _, t := range ix.Turns {
		if ix.Records[t.Record].ID == id {
			b.WriteString(string(t.Tier) + ": " + t.Text + "\n")
		}
	}
	return b.String()
}

func utc(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return t
}

func TestIngestReadsACheckpointWhole(t *testing.T) {
	c := lamp(t)
	res, ix := c.ingest(Options{})
	want := Record{
		ID: "aa0000000001", Source: "entire", Branch: "main", Agents: []string{"Claude Code"}, Sessions: []string{"s1"}, Strategy: "manual-commit",
		Created: utc("2026-01-01T00:30:00.123Z"), Files: []string{"lamp.go", "sub/fuse.go"}, Tokens: Tokens{11, 20, 30, 40, 5},
		Commits: []Commit{{
			Hash: c.git("", "rev-parse", "HEAD~1"), Author: "A", Email: "a@example.com", Message: "Loosen the fuse\n\nEntire-Checkpoint: aa0000000001", Files: []string{"sub/fuse.go"},
		}},
	}
	if d := cmp.Diff(want, ix.Records[0], cmpopts.IgnoreFields(Commit{}, "Authored", "Committed")); d != "" {
		t.Errorf("record (-want +got):\n%s", d)
	}
	turns := []Turn{
		{Order: 1, Tier: Intent, Text: "Make the lamp brighter", Time: utc("2026-01-01T00:10:00Z"), Session: "s1", Exchange: 1, Place: "aa/0000000001/0/full.jsonl:1"},
		{Order: 2, Tier: Chat, Text: "Looking.", Session: "s1", Exchange: 1, Place: "aa/0000000001/0/full.jsonl:2", Files: []string{"sub/fuse.go"}},
		{Order: 3, Tier: Chat, Text: "Removed REDACTED from the fuse.", Time: utc("2026-01-01T00:20:00Z"), Session: "s1", Exchange: 1, Last: true, Place: "aa/0000000001/0/full.jsonl:3", Redacted: 1},
	}
	if d := cmp.Diff(turns, ix.Turns[:3]); d != "" {
		t.Errorf("turns (-want +got):\n%s", d)
	}
	coverage := Coverage{
		Complete: true, WithTranscripts: true, Commits: 3, Trailers: 2, Unnamed: 1, Checkpoints: 2, Whole: 2, Missing: map[string]int{},
		Sessions: 2, Transcripts: Transcripts{Opened: 2}, Lines: 5, Intent: 2, Chat: 3, Redacted: 1, Caps: []Cap{},
	}
	if d := cmp.Diff(coverage, ix.Coverage); d != "" || !cmp.Equal(res.Coverage, coverage) {
		t.Errorf("coverage (-want +got):\n%s", d)
	}
}

func TestIngestTellsOnlyTheCheckpointsOwnPart(t *testing.T) {
	for name, meta := range map[string]string{
		"by the identifier that it began after":   laterOne,
		"by the number of lines":                  `{"session_id":"s1","created_at":"2026-01-01T01:30:00Z","checkpoint_transcript_start":3}`,
		"where it does not say, by what was told": `{"session_id":"s1","created_at":"2026-01-01T01:30:00Z"}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := lamp(t)
			c.checkpoints(local, map[string]string{
				"aa/0000000001/metadata.json": rootMeta, "aa/0000000001/0/metadata.json": sessMeta, "aa/0000000001/0/full.jsonl": lines(talk...),
				"bb/0000000002/metadata.json": `{}`, "bb/0000000002/0/metadata.json": meta, "bb/0000000002/0/full.jsonl": lines(more...),
			})
			_, ix := c.ingest(Options{})
			if got := texts(ix, "bb0000000002"); got != "intent: And test it\nchat: Added TestLamp.\n" {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

func TestIngestDeclaresWhatIsMissing(t *testing.T) {
	files := map[string]string{
		"aa/0000000001/metadata.json": rootMeta, "aa/0000000001/0/metadata.json": sessMeta,
		"aa/0000000001/0/full.jsonl": lines(talk...), "aa/0000000001/0/prompt.txt": "Make the lamp brighter\n\n---\n\n<command-name>/cost</command-name>\n\n---\n\nThen dim it",
	}
	with := func(change map[string]string) map[string]string {
		all := map[string]string{}
		for k, v := range files {
			all[k] = v
		}
		for k, v := range change {
			if all[k] = v; v == "" {
				delete(all, k)
			}
		}
		return all
	}
	const prompts = "intent: Make the lamp brighter\nintent: Then dim it\n"
	whole := "intent: Make the lamp brighter\nchat: Looking.\nchat: Removed REDACTED from the fuse.\n"
	for _, tt := range []struct {
		name    string
		files   map[string]string
		lose    string
		opts    Options
		missing []string
		turns   string
		count   Transcripts
	}{
		{name: "no folder", files: map[string]string{"cc/0000000003/metadata.json": "{}"}, missing: []string{"checkpoint"}},
		{name: "transcript gone from the store: the prompts are read", files: files, lose: "aa/0000000001/0/full.jsonl", missing: []string{"transcript"}, turns: prompts, count: Transcripts{Gone: 1}},
		{name: "no transcript in the tree", files: with(map[string]string{"aa/0000000001/0/full.jsonl": ""}), missing: []string{"transcript"}, turns: prompts, count: Transcripts{Absent: 1}},
		{name: "transcript of no known shape", files: with(map[string]string{"aa/0000000001/0/full.jsonl": `{"a":1}`}), missing: []string{"transcript"}, turns: prompts, count: Transcripts{Unreadable: 1}},
		{name: "neither", files: with(map[string]string{"aa/0000000001/0/full.jsonl": "", "aa/0000000001/0/prompt.txt": ""}), missing: []string{"prompt", "transcript"}, count: Transcripts{Absent: 1}},
		{name: "a part of a transcript gone", files: with(map[string]string{"aa/0000000001/0/full.jsonl.001": "{}"}), lose: "aa/0000000001/0/full.jsonl.001", missing: []string{"transcript"}, turns: prompts, count: Transcripts{Gone: 1}},
		{name: "session's metadata gone", files: files, lose: "aa/0000000001/0/metadata.json", missing: []string{"metadata"}, turns: whole, count: Transcripts{Opened: 1}},
		{name: "metadata that is no JSON", files: with(map[string]string{"aa/0000000001/metadata.json": "\x00{"}), missing: []string{"metadata"}, turns: whole, count: Transcripts{Opened: 1}},
		{name: "no sessions", files: map[string]string{"aa/0000000001/metadata.json": rootMeta}, missing: []string{"prompt", "transcript"}},
		{name: "not asked for", files: files, opts: Options{NoTranscripts: true}, missing: []string{"prompt", "transcript"}, count: Transcripts{NotAsked: 1}},
		{name: "the oldest layout: one session in the folder itself, full.log", files: map[string]string{
			"aa/0000000001/metadata.json": sessMeta, "aa/0000000001/full.log": lines(talk...), "aa/0000000001/tasks/t/checkpoint.json": "{}",
		}, turns: whole, count: Transcripts{Opened: 1}},
		{name: "a transcript in parts", files: with(map[string]string{
			"aa/0000000001/0/full.jsonl": talk[0], "aa/0000000001/0/full.jsonl.001": talk[1], "aa/0000000001/0/full.jsonl.002": talk[2],
		}), turns: whole, count: Transcripts{Opened: 1}},
		{name: "fields of odd types cost only themselves", files: with(map[string]string{
			"aa/0000000001/0/metadata.json": `{"session_id":7,"created_at":"yesterday","agents":"Codex","token_usage":[],"files_touched":["/etc/passwd","../x","ok.go"]}`,
		}), turns: whole, count: Transcripts{Opened: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newClone(t)
			c.commit("lamp.go", "Loosen the fuse\n\nEntire-Checkpoint: aa0000000001\n")
			c.checkpoints(local, tt.files)
			if tt.lose != "" {
				c.lose(c.git("", "rev-parse", local+":"+tt.lose))
			}
			_, ix := c.ingest(tt.opts)
			if len(ix.Records) != 1 || len(ix.Records[0].Commits) != 1 || ix.Records[0].Commits[0].Message == "" {
				t.Fatalf("the ledger is not whole: %+v", ix.Records)
			}
			if d := cmp.Diff(tt.missing, ix.Records[0].Missing, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("missing (-want +got):\n%s", d)
			}
			if got := texts(ix, "aa0000000001"); got != tt.turns {
				t.Errorf("turns:\n%swant:\n%s", got, tt.turns)
			}
			if ix.Coverage.Transcripts != tt.count || ix.Coverage.Complete != (len(tt.missing) == 0) {
				t.Errorf("coverage %+v", ix.Coverage)
			}
		})
	}
}

func TestWithoutTranscriptsNoObjectWithWordsIsOpened(t *testing.T) {
	c := lamp(t)
	for _, name := range []string{"aa/0000000001/0/full.jsonl", "aa/0000000001/0/prompt.txt", "bb/0000000002/0/full.jsonl", "bb/0000000002/0/prompt.txt"} {
		c.lose(c.git("", "rev-parse", local+":"+name)) // whoever opened one would note that it is gone
	}
	_, ix := c.ingest(Options{NoTranscripts: true})
	if ix.Coverage.Transcripts != (Transcripts{NotAsked: 2}) || len(ix.Turns) != 0 || len(ix.entire.Gone) != 0 {
		t.Errorf("coverage %+v, %d turns, gone %v", ix.Coverage, len(ix.Turns), ix.entire.Gone)
	}
}

func TestIngestReadsAgainOnlyWhatChanged(t *testing.T) {
	c := lamp(t)
	first, _ := c.ingest(Options{})
	again, before := c.ingest(Options{})
	if first.Read != 2 || !again.Unchanged || again.Reused != 2 {
		t.Errorf("first %+v, again %+v", first, again)
	}
	c.commit("x.go", "Third\n\nEntire-Checkpoint: cc0000000003\n")
	if ok, err := before.Current(context.Background(), c.open()); ok || err != nil {
		t.Errorf("an index that is behind says current: %v, %v", ok, err)
	}
	third, ix := c.ingest(Options{})
	if third.Read != 1 || third.Reused != 2 || len(ix.Records) != 3 {
		t.Errorf("third %+v, %d records", third, len(ix.Records))
	}
	if ok, err := ix.Current(context.Background(), c.open()); !ok || err != nil {
		t.Errorf("a fresh index is not current: %v, %v", ok, err)
	}
	_, fresh := c.ingest(Options{Rebuild: true})
	if d := cmp.Diff(ix, fresh, cmp.AllowUnexported(Index{}, inputs{})); d != "" {
		t.Errorf("what was kept differs from what is read anew (-kept +anew):\n%s", d)
	}
}

func TestIngestSeesObjectsThatComeBack(t *testing.T) {
	c := lamp(t)
	object := c.git("", "rev-parse", local+":bb/0000000002/0/full.jsonl")
	c.lose(object)
	_, ix := c.ingest(Options{})
	if ix.Coverage.Transcripts.Gone != 1 {
		t.Fatalf("coverage %+v", ix.Coverage)
	}
	if res, _ := c.ingest(Options{}); !res.Unchanged {
		t.Errorf("read again though nothing came: %+v", res)
	}
	c.git(lines(more...), "hash-object", "-w", "--stdin")
	res, ix := c.ingest(Options{})
	if res.Unchanged || res.Read != 1 || !ix.Coverage.Complete {
		t.Errorf("got %+v", res)
	}
}

func TestIngestWalksWhatItIsTold(t *testing.T) {
	c := lamp(t)
	c.git("", "checkout", "-q", "-b", "side", "HEAD~1")
	c.commit("side.go", "Side\n\nEntire-Checkpoint: cc0000000003\n")
	c.git("", "checkout", "-q", "main")
	c.git("", "update-ref", "refs/remotes/origin/entire/checkpoints/v1", local)
	c.git("", "update-ref", "-d", local)
	if _, ix := c.ingest(Options{}); ix.Coverage.Checkpoints != 2 || ix.Coverage.Unnamed != 1 || !ix.Coverage.Complete {
		t.Errorf("current branch, checkpoints on a remote-tracking branch: %+v", ix.Coverage)
	}
	if _, ix := c.ingest(Options{All: true}); ix.Coverage.Checkpoints != 3 || ix.Coverage.Commits != 4 || ix.Sources[0].Scope != "all" {
		t.Errorf("all: %+v", ix.Coverage)
	}
	_, ix := c.ingest(Options{Budget: 1})
	if d := cmp.Diff([]Cap{{"commits", 1, 1}}, ix.Coverage.Caps); d != "" || ix.Coverage.Complete || ix.Coverage.Checkpoints != 1 {
		t.Errorf("budget: %s %+v", d, ix.Coverage)
	}
}

func TestIngestKeepsNoSecretAndNoAbsolutePath(t *testing.T) {
	key := "AKIA" + "ABCDEFGHIJKLMNOP"
	c := newClone(t)
	c.commit("a.go", "Use "+key+"\n\nEntire-Checkpoint: aa0000000001\n")
	c.checkpoints(local, map[string]string{
		"aa/0000000001/metadata.json":   `{"files_touched":["a.go"]}`,
		"aa/0000000001/0/metadata.json": `{"session_id":"s\u001b[31m","summary":{"intent":"Store ` + key + `","outcome":""}}`,
		"aa/0000000001/0/full.jsonl": lines(
			`{"type":"user","cwd":"/home/x/lamp","message":{"content":"The key is `+key+`"}}`,
			`{"type":"assistant","message":{"content":[{"type":"text","text":"Ok."},{"type":"tool_use","name":"Write","input":{"file_path":"/home/x/lamp/b.go"}},{"type":"tool_use","name":"Write","input":{"file_path":"/etc/hosts"}}]}}`),
	})
	_, ix := c.ingest(Options{})
	data, err := os.ReadFile(statePath(Dir(filepath.Join(c.dir, ".git")), Entire))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{key, "/home/x", "/etc", "\x1b"} {
		if strings.Contains(string(data), bad) {
			t.Errorf("the state holds %q", bad)
		}
	}
	if ix.Coverage.Masked != 3 || !ix.Turns[0].Summary {
		t.Errorf("masked %d, first turn %+v", ix.Coverage.Masked, ix.Turns[0])
	}
	if d := cmp.Diff([]string{"b.go"}, ix.Turns[2].Files); d != "" {
		t.Error(d)
	}
}

func TestStateIsPrivateAndRefusedWhenItIsNotWhole(t *testing.T) {
	c := lamp(t)
	c.ingest(Options{})
	dir := Dir(filepath.Join(c.dir, ".git"))
	for path, want := range map[string]os.FileMode{dir: 0o700, statePath(dir, Entire): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", filepath.Base(path), info.Mode(), err)
		}
	}
	s, err := readState(statePath(dir, Entire))
	if err != nil {
		t.Fatal(err)
	}
	write := func(data []byte) {
		if err := os.WriteFile(statePath(dir, Entire), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	good := encodeState(s)
	bare := *s
	bare.coverage = Coverage{}
	version := append([]byte{}, good...)
	version[len(magic)-1] = 99
	for name, tt := range map[string]struct {
		data []byte
		want error
	}{
		"without coverage": {encodeState(&bare), ErrNoCoverage},
		"cut off":          {good[:len(good)/2], ErrDamaged},
		"another version":  {version, ErrVersion},
		"empty":            {nil, ErrDamaged},
	} {
		write(tt.data)
		if _, err := Load(dir); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), "sayso ingest") {
			t.Errorf("%s: %v", name, err)
		}
		if res, _ := c.ingest(Options{}); res.Read != 2 {
			t.Errorf("%s: not rebuilt: %+v", name, res)
		}
	}
	if _, err := Load(t.TempDir()); !errors.Is(err, ErrNoIndex) {
		t.Errorf("empty folder: %v", err)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); !errors.Is(err, ErrNoIndex) {
		t.Errorf("no folder: %v", err)
	}
}

func TestConcurrentRunsLeaveOneWholeState(t *testing.T) {
	c := lamp(t)
	dir := Dir(filepath.Join(c.dir, ".git"))
	var wg sync.WaitGroup
	for range 4 {
		repo := c.open()
		wg.Go(func() {
			if _, err := Ingest(context.Background(), repo, Options{Rebuild: true}); err != nil {
				t.Error(err)
			}
			if _, err := Load(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestIngestEndsWithItsContext(t *testing.T) {
	c := lamp(t)
	ctx, cancel := context.WithCancel(context.Background())
	repo := c.open()
	cancel()
	if _, err := Ingest(ctx, repo, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if _, err := os.Stat(Dir(repo.CommonDir())); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}

func TestPlainInput(t *testing.T) {
	c := lamp(t)
	c.ingest(Options{})
	head := c.git("", "rev-parse", "HEAD")
	doc := `{"schema":"sayso.checkpoints/v1","source":"my-tool","checkpoints":[{"id":"one","commits":["` + head + `","` + strings.Repeat("a", 40) + `"],
		"time":"2026-01-02T00:00:00Z","agent":"Robot","session":"z","files":["lamp_test.go","/abs"],"tokens":{"input":1,"cacheWrite":0,"cacheRead":0,"output":2,"calls":1},
		"turns":[{"role":"person","text":"Test it"},{"role":"assistant","text":"Done.","files":["lamp_test.go"]}],"unavailable":["metadata"]}]}`
	in, err := ParseInput(strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	repo := c.open()
	if _, err := IngestPlain(context.Background(), repo, in, Options{}); err != nil {
		t.Fatal(err)
	}
	ix, err := Load(Dir(repo.CommonDir()))
	if err != nil {
		t.Fatal(err)
	}
	r := ix.Records[2]
	if r.Source != "my-tool" || len(ix.Sources) != 2 || len(r.Commits) != 1 || r.Commits[0].Files[0] != "lamp_test.go" {
		t.Errorf("record %+v", r)
	}
	if d := cmp.Diff([]string{"commit", "metadata"}, r.Missing); d != "" {
		t.Error(d)
	}
	if got := texts(ix, "one"); got != "intent: Test it\nchat: Done.\n" {
		t.Errorf("turns:\n%s", got)
	}
	if ix.Coverage.Checkpoints != 3 || ix.Coverage.Complete || ix.Coverage.Intent != 3 {
		t.Errorf("coverage of both: %+v", ix.Coverage)
	}
}

func TestPlainInputIsRefused(t *testing.T) {
	for name, doc := range map[string]string{
		"no JSON":             `x`,
		"other schema":        `{"schema":"x","source":"a","checkpoints":[]}`,
		"source with a slash": `{"schema":"sayso.checkpoints/v1","source":"a/../b","checkpoints":[]}`,
		"entire's own name":   `{"schema":"sayso.checkpoints/v1","source":"entire","checkpoints":[]}`,
		"unknown field":       `{"schema":"sayso.checkpoints/v1","source":"a","checkpoints":[],"more":1}`,
		"same id twice":       `{"schema":"sayso.checkpoints/v1","source":"a","checkpoints":[{"id":"1","commits":[]},{"id":"1","commits":[]}]}`,
		"short hash":          `{"schema":"sayso.checkpoints/v1","source":"a","checkpoints":[{"id":"1","commits":["abc"]}]}`,
		"unknown role":        `{"schema":"sayso.checkpoints/v1","source":"a","checkpoints":[{"id":"1","commits":[],"turns":[{"role":"x","text":"y"}]}]}`,
		"unknown field gone":  `{"schema":"sayso.checkpoints/v1","source":"a","checkpoints":[{"id":"1","commits":[],"unavailable":["x"]}]}`,
		"something behind":    `{"schema":"sayso.checkpoints/v1","source":"a","checkpoints":[]} {}`,
	} {
		if _, err := ParseInput(strings.NewReader(doc)); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzMetadata(f *testing.F) {
	for _, s := range []string{rootMeta, sessMeta, laterOne, `{"created_at":"x","agents":[1]}`, `{"token_usage":{"subagent_tokens":{"subagent_tokens":null}}}`, "\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseMetadata(data)
		if err != nil {
			return
		}
		r := &reader{part: &part{}, missing: map[string]bool{}}
		r.fill(&r.part.Record, m, []metadata{m})
		rec := r.part.Record
		for _, file := range rec.Files {
			if strings.HasPrefix(file, "/") || strings.HasPrefix(file, "..") || strings.ContainsAny(file, "\x00\n") {
				t.Errorf("file %q", file)
			}
		}
		if rec.Tokens.Input < 0 && m.TokenUsage != nil && m.TokenUsage.Subagents == nil {
			t.Errorf("tokens %+v", rec.Tokens)
		}
	})
}

func FuzzState(f *testing.F) {
	s := &state{coverage: Coverage{Missing: map[string]int{}}, parts: []*part{{Record: Record{ID: "a", Commits: []Commit{{Hash: "h", Files: []string{"f"}}}}, Turns: []Turn{{Text: "x", Tier: Intent, Place: "p"}}}}, repeats: [][]bool{{false}}}
	f.Add(encodeState(s)[len(magic)+4:])
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := decodeState(seal(body))
		if err != nil {
			return
		}
		if len(got.parts) != len(got.repeats) {
			t.Errorf("%d parts, %d lists of repeats", len(got.parts), len(got.repeats))
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	s := &state{name: Entire, coverage: Coverage{Missing: map[string]int{}}}
	for i := range 500 {
		p := &part{Record: Record{ID: "x", Created: time.UnixMilli(int64(i + 1)), Commits: []Commit{{Hash: strings.Repeat("a", i%40+1), Message: strings.Repeat("m", 400)}}, Files: []string{"a", "b"}}}
		for range 25 {
			p.Turns = append(p.Turns, Turn{Text: strings.Repeat("word ", 130), Place: "ab/cdef012345/0/full.jsonl:1", Session: "s"})
		}
		s.parts, s.repeats = append(s.parts, p), append(s.repeats, make([]bool, len(p.Turns)))
	}
	dir := Dir(b.TempDir())
	n, err := s.write(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(n))
	for b.Loop() {
		if _, err := Load(dir); err != nil {
			b.Fatal(err)
		}
	}
}
