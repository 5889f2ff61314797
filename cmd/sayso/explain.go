package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
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
			docs := checkDocs()
			if len(args) > 1 {
				return usageError("explain", "one check at a time", "sayso explain lists them")
			}
			if len(args) == 1 {
				doc, err := findDoc(docs, args[0])
				if err != nil {
					return err
				}
				docs = []checkDoc{doc}
			}
			switch {
			case asJSON:
				type entry struct {
					ID    string `json:"id"`
					Title string `json:"title"`
					Text  string `json:"text,omitempty"`
					Level string `json:"level"`
				}
				out := struct {
					Checks []entry `json:"checks"`
				}{[]entry{}}
				for _, d := range docs {
					out.Checks = append(out.Checks, entry(d))
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

func findDoc(docs []checkDoc, id string) (checkDoc, error) {
	for _, d := range docs {
		if d.ID == id {
			return d, nil
		}
	}
	hint := "sayso explain lists them"
	if near := nearest(id, checkIDs()); near != "" {
		hint = "did you mean " + near + "?"
	}
	return checkDoc{}, usageError("explain", "no check "+id, hint)
}

func explainOne(d checkDoc) string {
	s := fmt.Sprintf("%s (%s): %s\n", d.ID, d.Level, d.Title)
	if text := strings.TrimSpace(d.Text); text != "" {
		s += "\n" + text + "\n"
	}
	return s
}

func explainAll(docs []checkDoc) string {
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
