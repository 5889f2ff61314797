package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/checks"
)

func newExplain(a *app) *cobra.Command {
	var format string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "explain [CHECK]",
		Short:   "Say what a check looks for",
		Example: "  sayso explain\n  sayso explain scope",
		Args:    cobra.ArbitraryArgs,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return checkIDs(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := jsonOnly(cmd, format, asJSON)
			if err != nil {
				return err
			}
			docs := checks.Docs()
			if len(args) > 1 {
				return usageError("explain", "one check at a time", "sayso explain lists them")
			}
			if len(args) == 1 {
				doc, err := findDoc(docs, args[0])
				if err != nil {
					return err
				}
				docs = []checks.Doc{doc}
			}
			switch {
			case asJSON:
				out := struct {
					Checks []explained `json:"checks"`
				}{[]explained{}}
				for _, d := range docs {
					out.Checks = append(out.Checks, explained{d.ID, d.Title, joinLines(d.Text), d.Default, joinLines(d.Fires), joinLines(d.Quiet), joinLines(d.Needs), d.Since, joinLines(d.Advisory)})
				}
				_, err = a.stdout.Write(encodeLine(out))
			case len(args) == 1:
				_, err = fmt.Fprint(a.stdout, explainOne(docs[0], a.columns()))
			default:
				_, err = fmt.Fprint(a.stdout, explainAll(docs))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "output `FORMAT`: text, json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	return cmd
}

func findDoc(docs []checks.Doc, id string) (checks.Doc, error) {
	for _, d := range docs {
		if d.ID == id {
			return d, nil
		}
	}
	hint := "sayso explain lists them"
	if near := nearest(id, checkIDs()); near != "" {
		hint = "did you mean " + near + "?"
	}
	return checks.Doc{}, usageError("explain", "no check "+id, hint)
}

// explained is the documentation of a check in JSON.
type explained struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Text     string `json:"text"`
	Level    string `json:"level"` // gate, advisory or off, unless configured
	Fires    string `json:"fires,omitempty"`
	Quiet    string `json:"quiet,omitempty"`
	Needs    string `json:"needs,omitempty"`
	Since    string `json:"since,omitempty"`
	Advisory string `json:"advisory,omitempty"`
}

// columns is the width of prose: that of the terminal, at most 100 so that lines
// can be read, and 80 where there is none.
func (a *app) columns() int {
	if n := a.width(); n > 0 {
		return min(n, 100)
	}
	return 80
}

func explainOne(d checks.Doc, columns int) string {
	var b strings.Builder
	b.WriteString(fold(fmt.Sprintf("%s (%s): %s", d.ID, d.Default, d.Title), columns) + "\n")
	part := func(name, text string) {
		if text = joinLines(text); text == "" {
			return
		}
		if name != "" {
			text = name + ": " + text
		}
		for _, paragraph := range strings.Split(text, "\n\n") {
			b.WriteString("\n" + fold(paragraph, columns) + "\n")
		}
	}
	part("", d.Text)
	part("contradicted", d.Fires)
	part("not contradicted", d.Quiet)
	part("needs", d.Needs)
	switch {
	case d.Advisory != "":
		part("advisory, never meets the gate", d.Advisory)
	case d.Default == "advisory":
		part("", "Advisory: it is shown and never meets the gate.")
	}
	part("since", d.Since)
	return b.String()
}

// fold breaks a paragraph at spaces so that no line is wider than columns where a break can help.
func fold(s string, columns int) string {
	var b strings.Builder
	col := 0
	for i, word := range strings.Fields(s) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case col+1+n > columns:
			b.WriteByte('\n')
			col = 0
		default:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(word)
		col += n
	}
	return b.String()
}

func explainAll(docs []checks.Doc) string {
	width := 0
	for _, d := range docs {
		width = max(width, len(d.ID))
	}
	var b strings.Builder
	for _, d := range docs {
		fmt.Fprintf(&b, "%-*s  %s\n", width, d.ID, d.Title)
	}
	return b.String()
}
