package recall

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/checkpoint"
)

// counting is a judge that counts how often it is asked.
type counting struct {
	asked  int
	ruling Ruling
}

func (c *counting) Judge(context.Context, string, Tier, string) (Ruling, error) {
	c.asked++
	return c.ruling, nil
}

func TestARulingIsMadeOnce(t *testing.T) {
	name := func(dir string) string { return filepath.Join(checkpoint.Dir(dir), verdictsName) }
	for _, c := range []struct {
		what    string
		ruling  Ruling
		between func(dir string) string // gives the basis of the second run
		asked   int
	}{
		{"and kept", Ruling{Verdict: checks.Contradicted, Strength: checks.Strong, Why: "no line says so"}, func(string) string { return "a" }, 1},
		{"for one basis", Ruling{Verdict: checks.Neutral}, func(string) string { return "b" }, 2},
		{"unless something was missing", Ruling{Verdict: checks.Neutral, Missing: []string{"diff"}}, func(string) string { return "a" }, 2},
		{"unless it could not be checked", Ruling{Verdict: checks.Unverifiable}, func(string) string { return "a" }, 2},
		{"unless its line was torn", Ruling{Verdict: checks.Neutral}, func(dir string) string {
			info, err := os.Stat(name(dir))
			if err == nil {
				err = os.Truncate(name(dir), info.Size()-3)
			}
			if err != nil {
				t.Fatal(err)
			}
			return "a"
		}, 2},
		{"unless the file is somebody else's", Ruling{Verdict: checks.Neutral}, func(dir string) string {
			if err := os.WriteFile(name(dir), []byte("hello\n{}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			return "a"
		}, 2},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := t.TempDir()
			judge := &counting{ruling: c.ruling}
			basis := "a"
			for run := range 2 {
				k := Keep(dir, basis, judge)
				r, err := k.Judge(context.Background(), "c", Chat, "I did it")
				if err != nil || r.Verdict != c.ruling.Verdict || r.Strength != c.ruling.Strength || r.Why != c.ruling.Why {
					t.Errorf("got %+v, %v", r, err)
				}
				if err := k.Save(); err != nil {
					t.Fatal(err)
				}
				if run == 0 {
					basis = c.between(dir)
				}
			}
			if judge.asked != c.asked {
				t.Errorf("asked %d times, want %d", judge.asked, c.asked)
			}
			if len(Keep(dir, basis, judge).known) > 0 && (len(c.ruling.Missing) > 0 || c.ruling.Verdict == checks.Unverifiable) {
				t.Error("a doubtful ruling was kept")
			}
		})
	}
}
