package main

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/internal/text"
)

// The bounds of the history of a case.
const (
	caseHistory      = 5000 // earlier commits that are looked at
	caseHistoryLines = 12   // different subjects that are shown
	caseHistorySize  = 900  // commits that the lines stand for together
	caseHistoryPaths = 3    // paths of one subject
)

// earlier is a line of the history of a case: so many commits of one kind.
type earlier struct {
	subject string
	paths   []string
	times   int
}

// history adds what the check went by: earlier commits that say the words of the
// claim, one line for each kind with its number, and one line each for those
// others that touched and did not touch the folders of the change.
func (b *caseBuilder) history(ctx context.Context) error {
	if !b.needsHistory() || len(b.commit.Parents) == 0 {
		return nil
	}
	touched := b.folders()
	scopes, words := b.saidBefore()
	kinds := map[string]*earlier{}
	var order []string
	err := b.repo.Log(ctx, git.LogOptions{Include: b.commit.Parents[:1], Max: caseHistory, Paths: true}, func(c git.LogCommit) error {
		if len(c.Parents) > 1 || len(c.Entries) == 0 {
			return nil
		}
		said := saidIn(c.Subject, scopes, words)
		touches := slices.ContainsFunc(c.Entries, func(e git.RawEntry) bool { return inFolders(e.Path, touched) })
		named := slices.ContainsFunc(c.Entries, func(e git.RawEntry) bool { return hasPart(e.Path, scopes) })
		key := fmt.Sprint(said, touches, named && len(said) > 0)
		if k := kinds[key]; k != nil {
			k.times++
			return nil
		}
		paths := b.somePaths(c.Entries, touches, touched, named && len(said) > 0, scopes)
		if len(paths) == 0 {
			return nil
		}
		subject := "Earlier work"
		if len(said) > 0 {
			subject = strings.Join(strings.Fields(b.text(c.Subject)), " ")
		}
		kinds[key] = &earlier{subject: subject, paths: paths, times: 1}
		order = append(order, key)
		return nil
	})
	if err != nil {
		return err
	}
	// The commonest kinds; those that say nothing of the claim are the measure of all others.
	slices.SortStableFunc(order, func(x, y string) int { return kinds[y].times - kinds[x].times })
	total := 0
	for _, key := range order {
		k := kinds[key]
		if len(b.c.history) < caseHistoryLines || k.subject == "Earlier work" {
			b.c.history = append(b.c.history, *k)
			total += k.times
		}
	}
	for i := range b.c.history {
		if k := &b.c.history[i]; total > caseHistorySize {
			k.times = max(1, k.times*caseHistorySize/total)
		}
	}
	return nil
}

// folders is the folders that the change touches, as the checks count them: a file in the root stands for itself.
func (b *caseBuilder) folders() []string {
	var out []string
	for i := range b.change.Files {
		for _, p := range []string{b.change.Files[i].Path, b.change.Files[i].OldPath} {
			if d := path.Dir(p); d != "." {
				p = d
			}
			if p != "" && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

func inFolders(p string, folders []string) bool {
	return slices.ContainsFunc(folders, func(d string) bool { return p == d || strings.HasPrefix(p, d+"/") })
}

// hasPart says whether one of the names is a whole part of the path, or the stem of its file.
func hasPart(p string, names []string) bool {
	for _, part := range strings.Split(p, "/") {
		stem, _, _ := strings.Cut(part, ".")
		if slices.Contains(names, bare(part)) || slices.Contains(names, bare(stem)) {
			return true
		}
	}
	return false
}

// saidBefore is the components and the stems of words that the alarms are about.
func (b *caseBuilder) saidBefore() (scopes, stems []string) {
	for _, f := range b.findings {
		switch f.Kind {
		case claim.KindComponent:
			scopes = append(scopes, bare(f.Name))
			if !f.InHeader {
				stems = append(stems, text.Stem(strings.ToLower(f.Name)))
			}
		case claim.KindPurpose:
			for _, w := range strings.FieldsFunc(b.message[f.Start:f.End], func(r rune) bool { return !isWordRune(r) }) {
				if len(w) > 2 && !claim.Stop()[strings.ToLower(w)] {
					stems = append(stems, text.Stem(strings.ToLower(w)))
				}
			}
		}
	}
	return scopes, stems
}

// saidIn is which of the components and stems a subject says.
func saidIn(subject string, scopes, stems []string) []string {
	var said []string
	head, _, isHeader := strings.Cut(subject, ":")
	if isHeader {
		if _, inner, ok := strings.Cut(head, "("); ok {
			head = strings.TrimRight(inner, ")!")
		}
		for _, part := range strings.FieldsFunc(head, func(r rune) bool { return r == ',' || r == '/' }) {
			if s := bare(part); slices.Contains(scopes, s) {
				said = append(said, s)
			}
		}
		if s := bare(head); slices.Contains(scopes, s) && !slices.Contains(said, s) {
			said = append(said, s)
		}
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(subject), func(r rune) bool { return !isWordRune(r) }) {
		if s := text.Stem(w); slices.Contains(stems, s) && !slices.Contains(said, s) {
			said = append(said, s)
		}
	}
	slices.Sort(said)
	return said
}

// somePaths is a few of the paths of a commit, redacted: one that tells what kind it is of, and the first others.
func (b *caseBuilder) somePaths(entries []git.RawEntry, touches bool, folders []string, named bool, scopes []string) []string {
	var out []string
	add := func(p string) {
		p = b.redact.path(cleanPath(p))
		if fs.ValidPath(p) && !strings.ContainsAny(p, ",\t") && !slices.Contains(out, p) && len(out) < caseHistoryPaths {
			out = append(out, p)
		}
	}
	first := func(is func(p string) bool) {
		for _, e := range entries {
			if is(e.Path) {
				add(e.Path)
				return
			}
		}
	}
	if touches {
		first(func(p string) bool { return inFolders(p, folders) })
	}
	if named {
		first(func(p string) bool { return hasPart(p, scopes) })
	}
	for _, e := range entries[:min(len(entries), caseHistoryPaths)] {
		add(e.Path)
	}
	return out
}
