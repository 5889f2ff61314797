package action

import (
	"fmt"
	"strings"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/internal/git"
)

// changeOf makes a change of the rows that the API lists for it. A row that says
// nothing of its file is a gap: it must never look like a file that did not change.
func changeOf(id, base string, rows Listing[File]) (*change.Change, error) {
	var b strings.Builder
	truncated := map[string]File{}
	for _, f := range rows.Items {
		writeDiff(&b, f)
		if f.Truncated {
			truncated[f.Path] = f
		}
	}
	ch, err := change.Parse(strings.NewReader(b.String()), change.Limits{})
	if err != nil {
		return nil, fmt.Errorf("the files that the API lists: %w", err)
	}
	ch.ID, ch.Base = id, base
	if isHash(id) {
		ch.Commit = id
	}
	for i := range ch.Files {
		f := &ch.Files[i]
		row, cut := truncated[f.Path]
		if !cut || f.Unread != "" {
			continue
		}
		f.Unread = change.ReasonCapped
		f.Added, f.Removed = row.Additions, row.Deletions
		ch.Gaps = append(ch.Gaps, change.Gap{Path: f.Path, Reason: change.ReasonCapped, Detail: "the API left its diff out"})
	}
	if rows.Capped {
		ch.Gaps = append(ch.Gaps, change.Gap{Reason: change.ReasonCapped, Detail: fmt.Sprintf("the API lists no more than %d files", len(rows.Items))})
	}
	return ch, nil
}

// writeDiff writes a row as git would. Modes are not in the answer: plain files.
func writeDiff(b *strings.Builder, f File) {
	from, to := f.Path, f.Path
	if f.Previous != "" && (f.Status == "renamed" || f.Status == "copied") {
		from = f.Previous
	}
	a, z := git.Quote("a/"+from), git.Quote("b/"+to)
	fmt.Fprintf(b, "diff --git %s %s\n", a, z)
	switch f.Status {
	case "added":
		b.WriteString("new file mode 100644\n")
		a = "/dev/null"
	case "removed":
		b.WriteString("deleted file mode 100644\n")
		z = "/dev/null"
	case "renamed":
		fmt.Fprintf(b, "similarity index %d%%\nrename from %s\nrename to %s\n", similarity(f), git.Quote(from), git.Quote(to))
	case "copied":
		fmt.Fprintf(b, "similarity index %d%%\ncopy from %s\ncopy to %s\n", similarity(f), git.Quote(from), git.Quote(to))
	}
	if f.Patch == "" || f.Truncated {
		return
	}
	fmt.Fprintf(b, "--- %s\n+++ %s\n%s\n", a, z, strings.TrimSuffix(f.Patch, "\n"))
}

// similarity is a guess where the API gives none: whole without a changed line.
func similarity(f File) int {
	if f.Additions+f.Deletions == 0 {
		return 100
	}
	return 90
}
