package main

import (
	"fmt"
	"strings"

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
					out.Checks = append(out.Checks, explained{d.ID, d.Title, d.Text, d.Default, d.Fires, d.Quiet, d.Needs, d.Since, d.Advisory})
				}
				_, err = a.stdout.Write(encodeLine(out))
			case len(args) == 1:
				_, err = fmt.Fprint(a.stdout, explainOne(docs[0]))
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

func explainOne(d checks.Doc) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s\n", d.ID, d.Default, d.Title)
	part := func(name, text string) {
		text = strings.TrimSpace(text)
		switch {
		case text == "":
		case name == "":
			fmt.Fprintf(&b, "\n%s\n", text)
		case strings.Contains(text, "\n"):
			fmt.Fprintf(&b, "\n%s:\n    %s\n", name, strings.ReplaceAll(text, "\n", "\n    "))
		default:
			fmt.Fprintf(&b, "\n%s: %s\n", name, text)
		}
	}
	part("", d.Text)
	part("contradicted", d.Fires)
	part("not contradicted", d.Quiet)
	part("needs", d.Needs)
	part("advisory because", d.Advisory)
	part("since", d.Since)
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
