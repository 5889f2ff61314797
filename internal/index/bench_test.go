package index

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/saysolint/sayso/internal/git"
)

// large is a made-up repository of 10,000 files and 20,100 commits, the size
// that the bounds are stated for. It is made once for each run of the tests.
type large struct {
	dir   string
	tips  []string // hashes, oldest first
	names []string // names that its files define
}

const (
	largeFiles   = 10_000
	largeCommits = 20_000
	largeAhead   = 100
)

var (
	largeOnce sync.Once
	largeRepo large
	largeErr  error
)

func TestMain(m *testing.M) {
	code := m.Run()
	if largeRepo.dir != "" {
		os.RemoveAll(largeRepo.dir)
	}
	os.Exit(code)
}

func openLarge(b *testing.B) (*git.Repo, *large) {
	b.Helper()
	largeOnce.Do(func() { largeErr = makeLarge(&largeRepo) })
	if largeErr != nil {
		b.Fatal(largeErr)
	}
	return openRepo(b, largeRepo.dir), &largeRepo
}

func makeLarge(l *large) error {
	dir, err := os.MkdirTemp("", "index-bench")
	if err != nil {
		return err
	}
	l.dir = dir
	if out, err := exec.Command("git", "init", "-q", "--bare", "-b", "main", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	c := exec.Command("git", "-C", dir, "fast-import", "--quiet", "--export-marks=marks", "--depth=20")
	c.Env = testEnv()
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	w := bufio.NewWriterSize(in, 1<<20)
	writeLarge(w, l)
	if err := w.Flush(); err != nil {
		return err
	}
	in.Close()
	if err := c.Wait(); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(dir, "marks"))
	if err != nil {
		return err
	}
	l.tips = make([]string, largeCommits+largeAhead)
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var n int
		var h string
		if _, err := fmt.Sscanf(line, ":%d %s", &n, &h); err != nil {
			return err
		}
		l.tips[n-1] = h
	}
	return nil
}

func writeLarge(w *bufio.Writer, l *large) {
	r := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("ab ac ad am an ar at be bo ca ce co da de di do el en er fa fi fo ga ge go ha he hi in io ka ke la le li lo ma me mi mo na ne ni no or pa pe po ra re ri ro sa se si so ta te ti to un va ve vi")
	word := func() string {
		var b strings.Builder
		for range 2 + r.IntN(3) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		return b.String()
	}
	vocabulary := make([]string, 20_000)
	for i := range vocabulary {
		vocabulary[i] = word()
	}
	pick := func() string { // common words are common
		f := r.Float64()
		return vocabulary[int(f*f*f*float64(len(vocabulary)))]
	}
	title := func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
	areas := make([]string, 60)
	for i := range areas {
		areas[i] = word()
	}
	paths := make([]string, largeFiles)
	defs := make([]string, largeFiles)
	exts := []string{"go", "go", "py", "ts"}
	for i := range paths {
		paths[i] = fmt.Sprintf("%s/%s/%s_%d.%s", areas[r.IntN(len(areas))], vocabulary[r.IntN(300)], word(), i, exts[i%len(exts)])
		defs[i] = title(pick()) + title(pick()) + title(word())
		if i%100 == 0 {
			l.names = append(l.names, defs[i])
		}
	}
	var body strings.Builder
	content := func(i int) string {
		body.Reset()
		switch exts[i%len(exts)] {
		case "go":
			fmt.Fprintf(&body, "package %s\n\nimport (\n\t\"fmt\"\n\t\"example.com/big/%s\"\n)\n\n", pick(), areas[i%len(areas)])
			for k := range 8 {
				fmt.Fprintf(&body, "// %s %s the %s of %s.\nfunc %s%d(%s %s) error {\n", title(pick()), pick(), pick(), pick(), defs[i], k, pick(), title(pick()))
				for range 8 {
					fmt.Fprintf(&body, "\t%s := %s.%s(%s, \"%s %s\")\n", pick(), pick(), title(pick()), pick()+title(pick()), pick(), pick())
				}
				body.WriteString("\treturn nil\n}\n\n")
			}
		case "py":
			fmt.Fprintf(&body, "import os\nfrom %s import %s\n\n", areas[i%len(areas)], pick())
			for k := range 10 {
				fmt.Fprintf(&body, "def %s%d(%s, %s):\n", strings.ToLower(defs[i]), k, pick(), pick())
				for range 6 {
					fmt.Fprintf(&body, "    %s = %s.%s(%s)  # %s %s\n", pick(), pick(), pick(), pick()+"_"+pick(), pick(), pick())
				}
			}
		default:
			fmt.Fprintf(&body, "import { %s } from '../%s/%s'\n\n", pick(), areas[i%len(areas)], pick())
			for k := range 9 {
				fmt.Fprintf(&body, "export function %s%d(%s: %s) {\n", defs[i], k, pick(), title(pick()))
				for range 7 {
					fmt.Fprintf(&body, "  const %s = %s.%s(%s)\n", pick(), pick(), pick()+title(pick()), pick())
				}
				body.WriteString("}\n\n")
			}
		}
		return body.String()
	}
	types := []string{"feat", "fix", "refactor", "perf", "docs"}
	for n := 1; n <= largeCommits+largeAhead; n++ {
		var touched []int
		subject := "Initial import"
		if n == 1 {
			for i := range paths {
				touched = append(touched, i)
			}
		} else {
			first := r.IntN(largeFiles)
			for range 1 + r.IntN(4) {
				touched = append(touched, (first+r.IntN(40))%largeFiles)
			}
			subject = fmt.Sprintf("%s(%s): %s %s %s", types[r.IntN(len(types))], dirOf(dirOf(paths[first])), pick(), pick(), pick())
		}
		fmt.Fprintf(w, "commit refs/heads/main\nmark :%d\ncommitter A <a@example.com> %d +0000\ndata %d\n%s\n", n, 1500000000+600*n, len(subject), subject)
		for _, i := range touched {
			c := content(i)
			fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", paths[i], len(c), c)
		}
		w.WriteByte('\n')
	}
}

func BenchmarkBuildCold(b *testing.B) {
	r, l := openLarge(b)
	for b.Loop() {
		os.Remove(fileOf(r))
		ix := mustBuild(b, r, Options{Commit: l.tips[largeCommits-1]})
		b.ReportMetric(float64(ix.Size())/1e6, "MB")
	}
}

func BenchmarkBuildAfter100Commits(b *testing.B) {
	r, l := openLarge(b)
	os.Remove(fileOf(r))
	mustBuild(b, r, Options{Commit: l.tips[largeCommits-1]})
	saved, err := os.ReadFile(fileOf(r))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		if err := os.WriteFile(fileOf(r), saved, 0o600); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		mustBuild(b, r, Options{Commit: l.tips[largeCommits+largeAhead-1]})
	}
}

// builtAt is the index of the large repository, 100 commits behind its tip.
func builtAt(b *testing.B) (*git.Repo, *large, *Index) {
	r, l := openLarge(b)
	ix := mustBuild(b, r, Options{Commit: l.tips[largeCommits-1]})
	return r, l, ix
}

func BenchmarkLoad(b *testing.B) {
	r, _, _ := builtAt(b)
	for b.Loop() {
		ix, err := Load(context.Background(), r)
		if err != nil {
			b.Fatal(err)
		}
		if ix.past() == nil {
			b.Fatal("no history")
		}
		ix.Close()
	}
}

// BenchmarkHook is all that a hook asks of the index, in a new process as it were:
// load, view 100 commits ahead, five names, paths, history.
func BenchmarkHook(b *testing.B) {
	r, l, _ := builtAt(b)
	ctx := context.Background()
	head := l.tips[len(l.tips)-1]
	for b.Loop() {
		ix, err := Load(ctx, r)
		if err != nil {
			b.Fatal(err)
		}
		v := mustView(b, ix, r, head, AtOptions{HistoryAt: head}, l.names[0]+"1", l.names[4]+"2", l.names[8]+"3", "noSuchName", "FooBar")
		h := mustHistory(b, v)
		if h.Commits() < largeCommits || !v.HasExtension("go") {
			b.Fatal(h.Commits())
		}
		v.FilesNamed("none.go")
		ix.Close()
	}
}

func BenchmarkViewParts(b *testing.B) {
	r, l, _ := builtAt(b)
	ctx := context.Background()
	head := l.tips[len(l.tips)-1]
	names := []string{l.names[0] + "1", "noSuchName"}
	load := func() *Index {
		ix, err := Load(ctx, r)
		if err != nil {
			b.Fatal(err)
		}
		return ix
	}
	b.Run("at", func(b *testing.B) {
		for b.Loop() {
			ix := load()
			mustView(b, ix, r, head, AtOptions{})
			ix.Close()
		}
	})
	b.Run("prefetch", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			ix := load()
			v := mustView(b, ix, r, head, AtOptions{})
			b.StartTimer()
			if err := v.Prefetch(ctx, names); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			ix.Close()
			b.StartTimer()
		}
	})
	b.Run("history", func(b *testing.B) {
		ix := load()
		defer ix.Close()
		v := mustView(b, ix, r, head, AtOptions{HistoryAt: head})
		for b.Loop() {
			mustHistory(b, v)
		}
	})
}

// BenchmarkRange is what 1,000 commits cost, both trees of each.
func BenchmarkRange(b *testing.B) {
	r, l, _ := builtAt(b)
	for b.Loop() {
		ix, err := Load(context.Background(), r)
		if err != nil {
			b.Fatal(err)
		}
		for i := largeCommits - 1000; i < largeCommits; i++ {
			mustView(b, ix, r, l.tips[i-1], AtOptions{}, l.names[i%100]+"1")
			v := mustView(b, ix, r, l.tips[i], AtOptions{}, l.names[i%100]+"1", "noSuchName")
			mustHistory(b, v)
		}
		ix.Close()
	}
}

func BenchmarkQueries(b *testing.B) {
	r, l, ix := builtAt(b)
	v := mustView(b, ix, r, l.tips[largeCommits-500], AtOptions{})
	h := mustHistory(b, v)
	var path string
	v.EachPath(func(p string) bool { path = p; return false })
	dir := dirOf(path)
	area := dirOf(dir)
	v.FilesNamed("x")
	for name, fn := range map[string]func(){
		"HasFile":       func() { v.HasFile(path) },
		"HasDir":        func() { v.HasDir(dir) },
		"FilesNamed":    func() { v.FilesNamed(baseOf(path)) },
		"FilesStemmed":  func() { v.FilesStemmed(stemOf(baseOf(path))) },
		"DirsNamed":     func() { v.DirsNamed(baseOf(dir)) },
		"HasExtension":  func() { v.HasExtension("go") },
		"Scope":         func() { h.Scope(area) },
		"ScopeTouching": func() { h.ScopeTouching(area, []string{dir, area}) },
		"Word":          func() { h.Word("abac") },
		"TouchingCold":  func() { h.Touching([]string{dir, area}); h.Touching([]string{area}) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				fn()
			}
		})
	}
}
