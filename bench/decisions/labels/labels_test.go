package labels

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func load(t *testing.T, split string) []Statement {
	t.Helper()
	all, err := Load(split)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestEveryStatementIsWhole(t *testing.T) {
	hexadecimal := regexp.MustCompile(`^[0-9a-f]+$`)
	polarities := map[string]bool{"forbid": true, "require": true, "prefer": true, "keep": true, "location": true}
	seen := map[string]bool{}
	texts := map[string]string{}
	for _, split := range Splits() {
		for i, s := range load(t, split) {
			if want := fmt.Sprintf("%s-%03d", split, i+1); s.ID != want {
				t.Errorf("statement %d of %s is named %s", i+1, split, s.ID)
			}
			if seen[s.ID] {
				t.Errorf("%s is there twice", s.ID)
			}
			seen[s.ID] = true
			if other := texts[s.SHA256]; other != "" {
				t.Errorf("%s and %s have the same text", s.ID, other)
			}
			texts[s.SHA256] = s.ID
			if len(s.Commit) != 40 || !hexadecimal.MatchString(s.Commit) || len(s.SHA256) != 64 || !hexadecimal.MatchString(s.SHA256) {
				t.Errorf("%s: hashes %q and %q", s.ID, s.Commit, s.SHA256)
			}
			if strings.Count(s.Repo, "/") != 1 || s.Path == "" || s.Line < 1 || s.EndLine < s.Line || s.Start < 0 || s.End <= s.Start {
				t.Errorf("%s: its place is not one: %+v", s.ID, s)
			}
			if !s.Decision {
				if s.Polarity != "" || s.Terms != "" || s.Things != nil || s.Over != nil || s.Scope != "" || s.Changes.Break != nil || s.Changes.Keep != nil {
					t.Errorf("%s is no decision and has labels of one", s.ID)
				}
				checkChange(t, s.ID+" unrelated", s.Changes.Unrelated)
				continue
			}
			if !polarities[s.Polarity] || (s.Terms != "literal" && s.Terms != "meaning") || len(s.Things) == 0 || s.Scope == "" {
				t.Errorf("%s: labels are missing: %+v", s.ID, s)
			}
			if (s.Polarity == "prefer") != (len(s.Over) > 0) {
				t.Errorf("%s: over belongs to prefer and only there", s.ID)
			}
			if s.Changes.Unrelated != nil {
				t.Errorf("%s is a decision and has an unrelated change", s.ID)
			}
			checkChange(t, s.ID+" break", s.Changes.Break)
			checkChange(t, s.ID+" keep", s.Changes.Keep)
			if reflect.DeepEqual(s.Changes.Break, s.Changes.Keep) {
				t.Errorf("%s: the same change breaks and keeps it", s.ID)
			}
		}
	}
}

func checkChange(t *testing.T, name string, change []File) {
	t.Helper()
	if len(change) == 0 {
		t.Errorf("%s: no change", name)
	}
	for _, f := range change {
		if f.Path == "" || strings.HasPrefix(f.Path, "/") || strings.ContainsAny(f.Path, " \n⊕⊖⊞") {
			t.Errorf("%s: path %q", name, f.Path)
		}
		if len(f.Added)+len(f.Removed) == 0 {
			t.Errorf("%s: nothing changes in %s", name, f.Path)
		}
		if len(f.Added)+len(f.Removed) > 12 {
			t.Errorf("%s: %s is not small", name, f.Path)
		}
		for _, line := range append(append([]string(nil), f.Added...), f.Removed...) {
			if strings.ContainsAny(line, "\n\r⊕⊖⊞") {
				t.Errorf("%s: line %q", name, line)
			}
		}
		if reflect.DeepEqual(f.Added, f.Removed) {
			t.Errorf("%s: what is removed from %s is added again", name, f.Path)
		}
	}
}

func TestSplitsShareNoRepository(t *testing.T) {
	of := map[string]string{}
	for _, split := range Splits() {
		for _, s := range load(t, split) {
			if other, ok := of[s.Repo]; ok && other != split {
				t.Errorf("%s is in %s and in %s", s.Repo, other, split)
			}
			of[s.Repo] = split
		}
	}
	if len(of) < 40 {
		t.Errorf("%d repositories, want at least 40", len(of))
	}
}

// TestReadmeHasTheCounts makes each row of the README's table anew.
func TestReadmeHasTheCounts(t *testing.T) {
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]map[string]int{}
	for _, split := range Splits() {
		n := map[string]int{}
		repos := map[string]bool{}
		for _, s := range load(t, split) {
			n["statements"]++
			repos[s.Repo] = true
			if !s.Decision {
				n["not a decision"]++
				continue
			}
			n["decisions"]++
			n["terms: "+s.Terms]++
			n[s.Polarity]++
		}
		n["repositories"] = len(repos)
		counts[split] = n
	}
	for _, row := range []string{"repositories", "statements", "not a decision", "decisions", "forbid", "require", "prefer", "keep", "location", "terms: literal", "terms: meaning"} {
		dev, test := counts["dev"][row], counts["test"][row]
		want := fmt.Sprintf("| %s | %d | %d | %d |\n", row, dev, test, dev+test)
		if !strings.Contains(string(raw), want) {
			t.Errorf("README.md does not have the row %q", want)
		}
	}
}

func TestTextIsCutOutAndHeldAgainstItsHash(t *testing.T) {
	file := []byte("# Rules\r\n\r\n- Use tabs.\r\n  Never use\r\n  spaces.\r\n")
	text := "Never use spaces."
	sum := sha256.Sum256([]byte(text))
	good := Statement{ID: "x-001", Line: 3, EndLine: 5, Start: 12, End: 29, SHA256: hex.EncodeToString(sum[:])}
	if got, err := good.Text(file); err != nil || got != text {
		t.Errorf("got %q, %v", got, err)
	}
	for name, spoil := range map[string]func(*Statement){
		"another text":           func(s *Statement) { s.Start = 2 },
		"an end behind the text": func(s *Statement) { s.End = 99 },
		"an end before a start":  func(s *Statement) { s.End = 3 },
		"a start below zero":     func(s *Statement) { s.Start = -1 },
		"a line behind the file": func(s *Statement) { s.EndLine = 70 },
		"line zero":              func(s *Statement) { s.Line = 0 },
		"lines in reverse":       func(s *Statement) { s.EndLine = 2 },
	} {
		bad := good
		spoil(&bad)
		if got, err := bad.Text(file); err == nil {
			t.Errorf("%s: got %q and no error", name, got)
		}
	}
}

func TestLoadRefusesAnUnknownSplit(t *testing.T) {
	if _, err := Load("train"); err == nil || !strings.Contains(err.Error(), "dev and test") {
		t.Errorf("got %v", err)
	}
}
