package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/recall"
)

func newBrief(a *app) *cobra.Command {
	var space, format string
	var asJSON bool
	tokens := recall.DefaultTokens
	cmd := &cobra.Command{
		Use:   "brief",
		Short: "Sum up what holds here, what changed, and what waits for a review",
		Long: `Sum up the memory for a newcomer, person or agent: the decisions and conventions
that hold, the last changes to the memory, and what waits for a review. An entry
has room in the budget whole or not at all; the first line says what was left out.`,
		Example: "  sayso brief\n  sayso brief --tokens 500 --json",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			asJSON, err := jsonOnly(cmd, format, asJSON)
			if err != nil {
				return err
			}
			if tokens < 1 {
				return usageError("brief", fmt.Sprintf("--tokens is %d", tokens), "a number above 0")
			}
			repo, err := a.open(cmd.Context(), "")
			if err != nil {
				return err
			}
			defer repo.Close()
			conf, err := a.trustWorktree(cmd.Context(), repo)
			if err != nil {
				return err
			}
			mem, err := a.memorySet(cmd.Context(), "brief", repo, conf, space)
			if err != nil {
				return err
			}
			b := recall.NewBrief(mem.together(), tokens)
			if asJSON {
				return a.writeJSON(b)
			}
			return a.sayBrief(b)
		},
	}
	cmd.Flags().IntVar(&tokens, "tokens", recall.DefaultTokens, "at most `N` tokens, of four bytes each")
	cmd.Flags().StringVar(&space, "space", "", "the store called `NAME` in the configuration (default: the repository's own)")
	cmd.Flags().StringVar(&format, "format", "text", "output `FORMAT`: text, json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	return cmd
}

// sayBrief writes a brief for people: the coverage, then each part that has something.
func (a *app) sayBrief(b *recall.Brief) error {
	c := &b.Coverage
	head := fmt.Sprintf("coverage: %s, %d in force, %d others", c.State, c.Entries.InForce, c.Entries.Others)
	if c.Left > 0 {
		head += fmt.Sprintf("; %d left out, the budget is %d tokens", c.Left, c.Budget)
	}
	if n := c.Entries.Stubs + c.Entries.Skipped; n > 0 {
		head += fmt.Sprintf("; %s not read", count(n, "file"))
	}
	lines := []string{head}
	for _, part := range []struct {
		title string
		items []recall.BriefItem
	}{{"in force", b.InForce}, {"last changes", b.Changes}, {"waiting for a review", b.Pending}} {
		if len(part.items) == 0 {
			continue
		}
		lines = append(lines, part.title+":")
		for i := range part.items {
			it := &part.items[i]
			if it.Tag != "" {
				lines = append(lines, "  "+it.Tag)
			}
			line := fmt.Sprintf("  %s %s: %s", it.Kind, it.ID, it.Title)
			if part.title == "last changes" {
				line = fmt.Sprintf("  %s %s %s: %s", it.Date, it.State, it.ID, it.Title)
			}
			if it.Text != "" {
				line += " — " + it.Text
			}
			lines = append(lines, line)
		}
	}
	return a.say(lines...)
}
