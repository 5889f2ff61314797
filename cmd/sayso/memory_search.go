package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/memory/gitstore"
	"github.com/saysolint/sayso/memory/search"
	"github.com/saysolint/sayso/report"
)

func newMemorySearch(a *app) *cobra.Command {
	var f memoryFlags
	var kinds, also []string
	var best, inactive, explain, expand, rerank bool
	var base string
	limit := search.DefaultResults
	cmd := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Find entries by their words",
		Long: `Find entries by their words: those that have every word of the query, the best
first. Words match whatever their case, their accents' form and their ending;
an identifier is found whole and by its parts. Only entries that hold are found,
--include-inactive adds what is proposed, superseded or stale, marked as such.

--best finds entries that have any of the words and ranks them by relevance.
--also gives another phrasing of the same question and fuses the rankings.

An index in the git folder makes it fast. It follows every change of the
entries and can be deleted at any time.`,
		Example: "  sayso memory search cents\n  sayso memory search --best why are prices whole numbers\n  sayso memory search --kind decision --json parsePrice\n  sayso memory search 'how long does a login last' --also 'session lifetime'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(commandName(cmd), "needs the words to look for", cmd.CommandPath()+" --help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOfEach(cmd, "kind", kinds, memory.Kinds); err != nil {
				return err
			}
			r := search.Request{
				Query: strings.Join(args, " "), More: also, Limit: min(max(limit, 1), search.MaxResults),
				IncludeInactive: inactive, Explain: explain, Mode: search.ModeAll,
			}
			for _, k := range kinds {
				r.Kinds = append(r.Kinds, memory.Kind(k))
			}
			switch {
			case len(also) > 0:
				r.Mode = search.ModeExpanded
			case best:
				r.Mode = search.ModeBest
			}
			for flag, to := range map[string]**bool{"expand": &r.Expand, "rerank": &r.Rerank} {
				value := flag == "expand" && expand || flag == "rerank" && rerank
				if !cmd.Flags().Changed(flag) {
					continue
				}
				if r.Mode == search.ModeAll {
					return usageError(commandName(cmd), "--"+flag+" needs --best or --also", "without them every word has to be in the entry as it was asked")
				}
				*to = &value
			}
			m, err := a.memory(cmd, &f)
			if err != nil {
				return err
			}
			defer m.close()
			var s *search.Searcher
			if base == "" {
				s, err = a.searcher(cmd.Context(), m)
			} else {
				var landed *memory.Set
				landed, err = memory.Load(cmd.Context(), gitstore.Tree(m.repo, base, m.conf.config.MemoryFolder()))
				if err == nil {
					s, err = search.FromSet(landed)
				}
			}
			if err != nil {
				return memoryError(cmd, err)
			}
			defer s.Close()
			got, err := s.Search(cmd.Context(), r, a.env.Now())
			if err != nil {
				return searchError(cmd, err)
			}
			out := search.Output{Schema: search.OutputSchema, Space: m.Space, Folder: m.Store.Folder(), Shared: m.Shared, Note: m.Note, Mode: r.Mode, SearchResult: got}
			if base != "" {
				out.Base = &base
			}
			if m.json {
				return a.writeJSON(out)
			}
			return a.sayHits(out)
		},
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&kinds, "kind", nil, "only entries of these kinds: run, handoff, decision, convention, fact, failure, pattern")
	flags.IntVar(&limit, "limit", search.DefaultResults, "at most `N` entries, 1 to 20")
	flags.BoolVar(&inactive, "include-inactive", false, "also entries that do not hold, marked as historical evidence")
	flags.BoolVar(&best, "best", false, "entries that have any of the words, ranked by relevance")
	flags.StringArrayVar(&also, "also", nil, "another `PHRASING` of the question, ranked like --best and fused; may be repeated")
	flags.BoolVar(&expand, "expand", false, "with --best or --also: also look for what words abbreviate, and for verbs of the same act")
	flags.BoolVar(&rerank, "rerank", false, "with --best or --also: prefer entries in which the words stand close together")
	flags.BoolVar(&explain, "explain", false, "say how each hit came about")
	flags.StringVar(&base, "base", "", "search the entries that `REV` has")
	return cmd
}

// searcher opens the store of a command for searching.
func (a *app) searcher(ctx context.Context, m *openMemory) (*search.Searcher, error) {
	v, revision := versionAndRevision()
	s, err := search.Open(ctx, m.Store, search.Options{
		Cache: filepath.Join(m.repo.CommonDir(), "sayso"), Key: m.Store.Key(), Build: v + " " + revision,
	}, a.env.Now())
	if err == nil && s.First().Failure != nil {
		a.log.Warn().Err(s.First().Failure).Msg("the index of the memory was not written")
	}
	return s, err
}

// searchError puts an error of a search into the words of the house.
func searchError(cmd *cobra.Command, err error) error {
	if errors.Is(err, search.ErrInactive) {
		return &userError{what: commandName(cmd), why: err.Error(), hint: "--include-inactive shows it", code: report.ExitUsage, err: err}
	}
	return memoryError(cmd, err)
}

// sayHits writes hits for people: first how much was looked at.
func (a *app) sayHits(out search.Output) error {
	where := out.Folder
	if out.Space != gitstore.RepoSpace {
		where = "space " + out.Space
	}
	if out.Shared {
		where += " of the main checkout"
	}
	if out.Base != nil {
		where += " of " + *out.Base
	}
	lines := []string{where + ": " + out.Coverage.Note}
	if out.Note != "" {
		lines = append(lines, "note: "+out.Note)
	}
	if len(out.Hits) == 0 {
		lines = append(lines, "nothing found")
		if out.Mode == search.ModeAll && strings.Contains(strings.TrimSpace(out.Query), " ") {
			lines = append(lines, "hint: --best finds entries that have some of the words")
		}
	}
	for _, h := range out.Hits {
		line := fmt.Sprintf("%s  %s  (%s; score %d; in %s)", h.Entry.ID, h.Entry.Title, h.Entry.Kind, h.Score, strings.Join(h.MatchedFields, ", "))
		lines = append(lines, line)
		if h.Marker != "" {
			lines = append(lines, "  "+h.Marker)
		}
		if h.Excerpt != "" && h.Excerpt != h.Entry.Title {
			lines = append(lines, "  "+h.Excerpt)
		}
		if x := h.Explain; x != nil {
			for _, w := range x.Words {
				by := w.By
				if by != "word" && by != "stem" && by != "parts" {
					by = "related: " + by
				}
				lines = append(lines, fmt.Sprintf("    %s (%s) in %s: %.2f", w.Word, by, strings.Join(w.Fields, ", "), w.Score))
			}
			if len(x.Missing) > 0 {
				lines = append(lines, "    missing: "+strings.Join(x.Missing, ", "))
			}
			if len(x.Ranks) > 0 {
				lines = append(lines, fmt.Sprintf("    ranks by phrasing: %v", x.Ranks))
			}
			if x.Reranked > 0 {
				lines = append(lines, fmt.Sprintf("    words close together: × %.2f", x.Reranked))
			}
		}
	}
	return a.say(lines...)
}

func newMemoryShow(a *app) *cobra.Command {
	var f memoryFlags
	var inactive bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print one entry",
		Long: `Print one entry as its file has it. What does not hold is printed with
--include-inactive only, behind a line that says why it is evidence of the past.`,
		Example: "  sayso memory show 2026-05-04-1200-prices-are-cents-0a1b2c3d\n  sayso memory show --include-inactive --json ID",
		Args:    exactly(1, "the id of an entry"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := a.memory(cmd, &f)
			if err != nil {
				return err
			}
			defer m.close()
			s, err := a.searcher(cmd.Context(), m)
			if err != nil {
				return memoryError(cmd, err)
			}
			defer s.Close()
			got, err := s.Read(cmd.Context(), search.ReadInput{MemoryID: args[0], IncludeInactive: inactive}, a.env.Now())
			if err != nil {
				return searchError(cmd, err)
			}
			if m.json {
				return a.writeJSON(search.ShowOutput{Schema: search.ShowSchema, Space: m.Space, ReadResult: got})
			}
			lines := strings.Split(strings.TrimSuffix(got.Text, "\n"), "\n")
			return a.say(lines...)
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&inactive, "include-inactive", false, "also an entry that does not hold, marked as historical evidence")
	return cmd
}

func newMemoryIndex(a *app) *cobra.Command {
	var f memoryFlags
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Build or update the index of the memory",
		Long: `Build or update the index that memory search and memory show use. They do the
same by themselves; this is for a machine that prepares a repository for others.`,
		Example: "  sayso memory index\n  sayso memory index --space team --json",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := a.memory(cmd, &f)
			if err != nil {
				return err
			}
			defer m.close()
			s, err := a.searcher(cmd.Context(), m)
			if err != nil {
				return memoryError(cmd, err)
			}
			defer s.Close()
			ch := s.First()
			if !ch.Written && ch.Failure == nil {
				more, err := s.Write(cmd.Context(), a.env.Now())
				if err != nil {
					return memoryError(cmd, err)
				}
				ch.Written, ch.Bytes, ch.Failure = more.Written, more.Bytes, more.Failure
			}
			if ch.Failure != nil {
				return &userError{
					what: commandName(cmd), why: oneLine(ch.Failure.Error()),
					hint: "everything works without it, slower; see who may write to the git folder", code: report.ExitIncomplete, err: ch.Failure,
				}
			}
			out := search.IndexOutput{Schema: search.IndexSchema, Space: m.Space, Rebuilt: ch.Rebuilt, Written: ch.Written, Changed: ch.Changed, Gone: ch.Gone, Touched: ch.Touched}
			out.Entries, out.Active = s.Size()
			if m.json {
				return a.writeJSON(out)
			}
			what := "up to date"
			switch {
			case ch.Rebuilt:
				what = "built"
			case ch.Written:
				what = "updated"
			}
			return a.say(fmt.Sprintf("%s: %d entries, %d hold; %d read, %d gone", what, out.Entries, out.Active, out.Changed, out.Gone))
		},
	}
	f.register(cmd)
	return cmd
}
