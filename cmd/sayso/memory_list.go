package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/memory/gitstore"
)

func newMemoryList(a *app) *cobra.Command {
	var f memoryFlags
	var states, kinds []string
	var base string
	var all bool
	limit := 0
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the entries of the memory, the newest first",
		Long: `List the entries of the memory, the newest first: those that hold and those that
are proposed. --all lists what was superseded or went stale as well.

With --base REV, what is in force is read from that revision: what the working
tree adds or edits is listed as proposed, whatever its file says.`,
		Example: "  sayso memory list\n  sayso memory list --state proposed\n  sayso memory list --kind decision,convention --json\n  sayso memory list --base main",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all && cmd.Flags().Changed("state") {
				return usageError(commandName(cmd), "--all and --state exclude each other", "")
			}
			if all {
				states = nil
			}
			if err := oneOfEach(cmd, "state", states, memory.States); err != nil {
				return err
			}
			if err := oneOfEach(cmd, "kind", kinds, memory.Kinds); err != nil {
				return err
			}
			if limit < 0 {
				return usageError(commandName(cmd), "--limit is below 0", "0 lists all")
			}
			m, err := a.memory(cmd, &f)
			if err != nil {
				return err
			}
			defer m.close()
			set, err := m.Store.Load(cmd.Context())
			if err != nil {
				return memoryError(cmd, err)
			}
			var pending []memory.Entry
			if base != "" {
				landed, err := memory.Load(cmd.Context(), gitstore.Tree(m.repo, base, m.conf.config.MemoryFolder()))
				if err != nil {
					return err
				}
				l := memory.Land(landed, set)
				pending, l.InForce.Skipped = l.Pending, set.Skipped
				set = l.InForce
			}
			out := set.List(pending, func(e *memory.Entry, s memory.State) bool {
				return (len(states) == 0 || slices.Contains(states, string(s))) && (len(kinds) == 0 || slices.Contains(kinds, string(e.Kind)))
			}, limit)
			out.Space, out.Folder, out.Shared, out.Note = m.Space, m.Store.Folder(), m.Shared, m.Note
			if base != "" {
				out.Base = &base
			}
			if m.json {
				return a.writeJSON(out)
			}
			return a.sayList(out)
		},
	}
	f.register(cmd)
	cmd.Flags().StringSliceVar(&states, "state", []string{"reviewed", "proposed"}, "only entries in one of these states: proposed, reviewed, superseded, stale")
	cmd.Flags().StringSliceVar(&kinds, "kind", nil, "only entries of these kinds: run, handoff, decision, convention, fact, failure, pattern")
	cmd.Flags().BoolVar(&all, "all", false, "entries in every state")
	cmd.Flags().StringVar(&base, "base", "", "what is in force is what `REV` has")
	cmd.Flags().IntVar(&limit, "limit", 0, "at most `N` entries (default: all)")
	return cmd
}

// oneOfEach checks the words of a list flag.
func oneOfEach[T ~string](cmd *cobra.Command, flag string, words []string, known []T) error {
	var names []string
	for _, k := range known {
		names = append(names, string(k))
	}
	for _, w := range words {
		if !slices.Contains(names, w) {
			hint := "one of " + strings.Join(names, ", ")
			if near := nearest(w, names); near != "" {
				hint = "did you mean " + near + "?"
			}
			return usageError(commandName(cmd), fmt.Sprintf("unknown %s %s", flag, w), hint)
		}
	}
	return nil
}

// sayList writes a list for people: first how much there is.
func (a *app) sayList(out memory.ListOutput) error {
	var counts []string
	for _, s := range []memory.State{memory.Reviewed, memory.Proposed, memory.Superseded, memory.Stale} {
		counts = append(counts, fmt.Sprintf("%d %s", out.Counts[string(s)], s))
	}
	where := out.Folder
	if out.Space != gitstore.RepoSpace {
		where = "space " + out.Space
	}
	if out.Shared {
		where += " of the main checkout"
	}
	head := fmt.Sprintf("%s: %s", where, strings.Join(counts, ", "))
	if out.Base != nil {
		head += "; in force is what " + *out.Base + " has"
	}
	if len(out.Skipped) > 0 {
		head += fmt.Sprintf("; %d files are no entries", len(out.Skipped))
	}
	lines := []string{head}
	if out.Note != "" {
		lines = append(lines, "note: "+out.Note)
	}
	wide := 0
	for _, l := range out.Entries {
		wide = max(wide, len(l.Entry.ID))
	}
	for _, l := range out.Entries {
		line := fmt.Sprintf("%-10s  %-10s  %-*s  %s", l.State, l.Entry.Kind, wide, l.Entry.ID, l.Entry.Title)
		switch {
		case l.SupersededBy != nil:
			line += " [superseded by " + *l.SupersededBy + "]"
		case l.Entry.PendingRevision != nil:
			line += " [revises " + *l.Entry.PendingRevision + "]"
		}
		if l.Faults > 0 {
			line += fmt.Sprintf(" [faults: %d]", l.Faults)
		}
		lines = append(lines, line)
	}
	if more := out.Total - len(out.Entries); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return a.say(lines...)
}
