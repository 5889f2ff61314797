package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/memory"
)

// entryFlags are the fields of an entry on the command line.
type entryFlags struct {
	title, kind, goal, notes, notesFile, assertsFile, supersedes, status, author, summary string
	runID, provider, model, mode                                                          string
	tags, plan, decisions, next, files, appliesTo, sources                                []string
}

func (f *entryFlags) register(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&f.title, "title", "", "one line that says it, at most 240 characters")
	s.StringVar(&f.kind, "kind", "", "run, handoff, decision, convention, fact, failure or pattern")
	s.StringVar(&f.goal, "goal", "", "what was to be reached")
	s.StringArrayVar(&f.decisions, "decision", nil, "what was decided (may be given again)")
	s.StringArrayVar(&f.plan, "plan", nil, "a step that was planned (may be given again)")
	s.StringArrayVar(&f.next, "next", nil, "what is left to do (may be given again)")
	s.StringArrayVar(&f.files, "file", nil, "a `PATH` it is about, from the top of the repository (may be given again)")
	s.StringArrayVar(&f.tags, "tag", nil, "a small hint for retrieval (may be given again)")
	s.StringArrayVar(&f.appliesTo, "applies-to", nil, "a path `GLOB` that it holds for (may be given again; default: everything)")
	s.StringArrayVar(&f.sources, "source", nil, "where it comes from: commit:`ID`, run:ID, transcript:ID, or file:ID@PATH:FIRST-LAST (may be given again)")
	s.StringVar(&f.notes, "notes", "", "Markdown")
	s.StringVar(&f.notesFile, "notes-file", "", "Markdown from `FILE`, - for standard input")
	s.StringVar(&f.assertsFile, "asserts-file", "", "the assertion list, YAML under the key asserts, from `FILE`, - for standard input")
	s.StringVar(&f.status, "status", "", "how the run ended, or the status of an imported record")
	s.StringVar(&f.author, "author", "", "who wrote it down")
	s.StringVar(&f.runID, "run-id", "", "the run that left it")
	s.StringVar(&f.provider, "provider", "", "whose model ran")
	s.StringVar(&f.model, "model", "", "which model ran")
	s.StringVar(&f.mode, "mode", "", "how the run was held: chat, plan, goal")
}

// patch are the fields that were given.
func (f *entryFlags) patch(a *app, cmd *cobra.Command) (memory.Patch, error) {
	var p memory.Patch
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	text := func(name string, to **string, from *string) {
		if given(name) {
			*to = from
		}
	}
	items := func(name string, to **[]string, from *[]string) {
		if given(name) {
			*to = from
		}
	}
	text("title", &p.Title, &f.title)
	text("goal", &p.Goal, &f.goal)
	text("notes", &p.Notes, &f.notes)
	text("status", &p.Status, &f.status)
	text("author", &p.Author, &f.author)
	text("run-id", &p.RunID, &f.runID)
	text("provider", &p.Provider, &f.provider)
	text("model", &p.Model, &f.model)
	text("mode", &p.Mode, &f.mode)
	if cmd.Flags().Lookup("supersedes") != nil {
		text("supersedes", &p.Supersedes, &f.supersedes)
	}
	if cmd.Flags().Lookup("summary") != nil {
		text("summary", &p.Summary, &f.summary)
	}
	items("tag", &p.Tags, &f.tags)
	items("plan", &p.Plan, &f.plan)
	items("decision", &p.Decisions, &f.decisions)
	items("next", &p.NextSteps, &f.next)
	items("file", &p.FilesTouched, &f.files)
	items("applies-to", &p.AppliesTo, &f.appliesTo)
	if given("kind") {
		if err := oneOfEach(cmd, "kind", []string{f.kind}, memory.Kinds); err != nil {
			return p, err
		}
		kind := memory.Kind(f.kind)
		p.Kind = &kind
	}
	if given("source") {
		refs := []memory.SourceRef{}
		for _, s := range f.sources {
			r, err := parseSource(s)
			if err != nil {
				return p, usageError(commandName(cmd), err.Error(), "--source commit:ID, run:ID, transcript:ID or file:ID@PATH:FIRST-LAST")
			}
			refs = append(refs, r)
		}
		p.SourceRefs = &refs
	}
	if given("notes") && given("notes-file") {
		return p, usageError(commandName(cmd), "--notes and --notes-file exclude each other", "")
	}
	for name, to := range map[string]**string{"notes-file": &p.Notes, "asserts-file": &p.Asserts} {
		if !given(name) {
			continue
		}
		file, _ := cmd.Flags().GetString(name)
		data, err := a.readInput(cmd.Context(), "--"+name, file, memory.MaxFileBytes)
		if err != nil {
			return p, err
		}
		s := string(data)
		*to = &s
	}
	return p, nil
}

// parseSource reads TYPE:ID[@PATH[:FIRST[-LAST]]].
func parseSource(s string) (memory.SourceRef, error) {
	kind, rest, ok := strings.Cut(s, ":")
	if !ok || rest == "" {
		return memory.SourceRef{}, fmt.Errorf("source %q has no type and id", s)
	}
	r := memory.SourceRef{Type: kind}
	id, path, hasPath := strings.Cut(rest, "@")
	r.ID = id
	if !hasPath {
		return r, nil
	}
	r.Path = path
	if at := strings.LastIndexByte(path, ':'); at > 0 {
		first, last, ranged := strings.Cut(path[at+1:], "-")
		n, err := strconv.Atoi(first)
		if err != nil || n < 1 {
			return r, fmt.Errorf("source %q: no line from 1 behind the path", s)
		}
		r.Path, r.LineStart, r.LineEnd = path[:at], n, n
		if ranged {
			if r.LineEnd, err = strconv.Atoi(last); err != nil || r.LineEnd < n {
				return r, fmt.Errorf("source %q: the last line is before the first", s)
			}
		}
	}
	return r, nil
}

func newMemoryPropose(a *app) *cobra.Command {
	var f memoryFlags
	var e entryFlags
	cmd := &cobra.Command{
		Use:   "propose [FILE|-]",
		Short: "Write down a proposed entry",
		Long: `Write down a proposed entry. It holds nothing until a person accepts it. With FILE
(- for standard input) the entry is read from Markdown with or without
frontmatter; flags win over what it says. Its state and id do not count.`,
		Example: "  sayso memory propose --kind decision --title 'Prices are integers of cents' --applies-to 'shop/**'\n  sayso memory propose --title 'T' --supersedes 2026-01-02-0304-prices-0a1b2c3d\n  sayso memory propose draft.md",
		Args:    atMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := e.patch(a, cmd)
			if err != nil {
				return err
			}
			var draft memory.Entry
			if len(args) == 1 {
				data, err := a.readInput(cmd.Context(), commandName(cmd), args[0], memory.MaxFileBytes)
				if err != nil {
					return err
				}
				if draft, err = draftOf(cmd, data); err != nil {
					return err
				}
			} else if p.Title == nil {
				return usageError(commandName(cmd), "needs --title or a file", cmd.CommandPath()+" --help")
			}
			m, err := a.memory(cmd, &f)
			if err != nil {
				return err
			}
			defer m.close()
			r, err := m.Store.Propose(cmd.Context(), p.Apply(draft), a.env.Now())
			if err != nil {
				return memoryError(cmd, err)
			}
			return a.receipt(m, "propose", r)
		},
	}
	f.register(cmd)
	e.register(cmd)
	cmd.Flags().StringVar(&e.supersedes, "supersedes", "", "`ID` of the entry whose place it takes once it is accepted")
	return cmd
}

func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) <= 1 {
		return nil
	}
	return usageError(commandName(cmd), "takes one file, was given "+strconv.Itoa(len(args)), cmd.CommandPath()+" --help")
}

// draftOf reads a draft from Markdown. What is doubtful is told, not guessed.
func draftOf(cmd *cobra.Command, data []byte) (memory.Entry, error) {
	const noTitle = "draft"
	d := memory.Parse(noTitle, data)
	if !d.Readable() {
		return d, usageError(commandName(cmd), fmt.Sprintf("line %d: %s", d.Faults[0].Line, d.Faults[0].Text), "")
	}
	if d.Title == noTitle {
		d.Title = ""
	}
	d.ID, d.Date, d.Version, d.PendingRevision, d.MergedFrom = "", "", 1, "", nil
	d.StateReason, d.StateDate = "", ""
	return d, nil
}

// reviewFlags say who decided and why.
type reviewFlags struct{ by, reason string }

func (f *reviewFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.by, "by", "", "`NAME` of who decides (default: git's user.name)")
	cmd.Flags().StringVar(&f.reason, "reason", "", "why, for those who read the entry")
}

func (f *reviewFlags) review(a *app, cmd *cobra.Command, m *openMemory) memory.Review {
	return memory.Review{By: m.reviewer(cmd.Context(), f.by), At: a.env.Now(), Reason: f.reason}
}

// newReviewCommand makes accept and reject, which take one id.
func newReviewCommand(a *app, cmd *cobra.Command, do func(context.Context, *memory.Store, string, memory.Review) (memory.Receipt, error)) *cobra.Command {
	var f memoryFlags
	var v reviewFlags
	cmd.Args = exactly(1, "the id of an entry")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m, err := a.memory(cmd, &f)
		if err != nil {
			return err
		}
		defer m.close()
		r, err := do(cmd.Context(), m.Store, args[0], v.review(a, cmd, m))
		if err != nil {
			return memoryError(cmd, err)
		}
		return a.receipt(m, cmd.Name(), r)
	}
	f.register(cmd)
	v.register(cmd)
	return cmd
}

func newMemoryAccept(a *app) *cobra.Command {
	return newReviewCommand(a, &cobra.Command{
		Use:   "accept ID",
		Short: "Make a proposed entry reviewed",
		Long: `Make a proposed entry reviewed: from then on it holds. An entry that supersedes,
merges or revises others takes their place; their files stay, and only the line
with their state changes. Accepting again finishes what was interrupted.`,
		Example: "  sayso memory accept 2026-01-02-0304-prices-0a1b2c3d\n  sayso memory accept ID --reason 'agreed in the review of the shop'",
	}, func(ctx context.Context, s *memory.Store, id string, by memory.Review) (memory.Receipt, error) {
		return s.Accept(ctx, id, by)
	})
}

func newMemoryReject(a *app) *cobra.Command {
	return newReviewCommand(a, &cobra.Command{
		Use:   "reject ID",
		Short: "Say that an entry does not hold",
		Long: `Say that an entry does not hold: a proposal that is not wanted, or a reviewed entry
that turned out wrong. Its state becomes stale, with the day and the reason; the
file stays.`,
		Example: "  sayso memory reject ID --reason 'we measured it: not so'",
	}, func(ctx context.Context, s *memory.Store, id string, by memory.Review) (memory.Receipt, error) {
		return s.Reject(ctx, id, by)
	})
}

func newMemoryEdit(a *app) *cobra.Command {
	var f memoryFlags
	var e entryFlags
	cmd := &cobra.Command{
		Use:   "edit ID",
		Short: "Change fields of an entry in its file",
		Long: `Change fields of an entry in its file. Only the lines of these fields change. List
flags replace the whole list; an empty value takes a field out. A reviewed entry
stays reviewed and becomes the next version of itself.`,
		Example: "  sayso memory edit ID --title 'Prices are integers of cents'\n  sayso memory edit ID --tag money --tag prices",
		Args:    exactly(1, "the id of an entry"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := e.patch(a, cmd)
			if err != nil {
				return err
			}
			if p.Empty() {
				return usageError(commandName(cmd), "nothing to change", cmd.CommandPath()+" --help")
			}
			m, err := a.memory(cmd, &f)
			if err != nil {
				return err
			}
			defer m.close()
			r, err := m.Store.Edit(cmd.Context(), args[0], p)
			if err != nil {
				return memoryError(cmd, err)
			}
			return a.receipt(m, "edit", r)
		},
	}
	f.register(cmd)
	e.register(cmd)
	cmd.Flags().StringVar(&e.supersedes, "supersedes", "", "`ID` of the entry whose place it takes once it is accepted")
	cmd.Flags().StringVar(&e.summary, "summary", "", "what this version changes (default: the fields that differ)")
	return cmd
}

func newMemorySupersede(a *app) *cobra.Command {
	var f memoryFlags
	var e entryFlags
	var v reviewFlags
	cmd := &cobra.Command{
		Use:     "supersede ID --title TEXT",
		Short:   "Write a reviewed entry that takes the place of another",
		Long:    "Write a reviewed entry that takes the place of another. The new one stands before\nthe old one is demoted, so that an interruption loses nothing.",
		Example: "  sayso memory supersede ID --title 'Prices are decimals' --decision 'Use the decimal type' --reason 'a currency without cents'",
		Args:    exactly(1, "the id of an entry"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := e.patch(a, cmd)
			if err != nil {
				return err
			}
			if p.Title == nil {
				return usageError(commandName(cmd), "needs --title", cmd.CommandPath()+" --help")
			}
			m, err := a.memory(cmd, &f)
			if err != nil {
				return err
			}
			defer m.close()
			r, err := m.Store.Supersede(cmd.Context(), args[0], p.Apply(memory.Entry{}), v.review(a, cmd, m))
			if err != nil {
				return memoryError(cmd, err)
			}
			return a.receipt(m, "supersede", r)
		},
	}
	f.register(cmd)
	e.register(cmd)
	v.register(cmd)
	return cmd
}

func newMemoryMerge(a *app) *cobra.Command {
	var f memoryFlags
	var e entryFlags
	var v reviewFlags
	cmd := &cobra.Command{
		Use:     "merge ID ID...",
		Short:   "Write a reviewed entry that takes the place of several",
		Long:    "Write a reviewed entry that takes the place of several. What no flag gives comes from\nthem, in the order of the command line.",
		Example: "  sayso memory merge ID1 ID2 --title 'One word on prices'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usageError(commandName(cmd), "needs two ids or more", cmd.CommandPath()+" --help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := e.patch(a, cmd)
			if err != nil {
				return err
			}
			m, err := a.memory(cmd, &f)
			if err != nil {
				return err
			}
			defer m.close()
			r, err := m.Store.Merge(cmd.Context(), args, p.Apply(memory.Entry{}), v.review(a, cmd, m))
			if err != nil {
				return memoryError(cmd, err)
			}
			return a.receipt(m, "merge", r)
		},
	}
	f.register(cmd)
	e.register(cmd)
	v.register(cmd)
	return cmd
}

func newMemoryRevise(a *app) *cobra.Command {
	var f memoryFlags
	var e entryFlags
	var v reviewFlags
	var accept, dismiss bool
	cmd := &cobra.Command{
		Use:   "revise ID",
		Short: "Propose a revision of an entry, or accept or dismiss one",
		Long: `Propose a revision of an entry: a pending entry that holds all of it with the
fields that the flags change. The entry itself holds on. --accept puts the
revision in its place, --dismiss leaves it as a proposal of its own; both take the
id of the revision, or of the entry for its newest one. Neither file is lost.`,
		Example: "  sayso memory revise ID --decision 'Cents, rounded to even'\n  sayso memory revise ID --accept\n  sayso memory revise ID --dismiss --reason 'already said elsewhere'",
		Args:    exactly(1, "the id of an entry"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := e.patch(a, cmd)
			switch {
			case err != nil:
				return err
			case accept && dismiss:
				return usageError(commandName(cmd), "--accept and --dismiss exclude each other", "")
			case (accept || dismiss) && !p.Empty():
				return usageError(commandName(cmd), "a revision is accepted or dismissed as it is", "sayso memory edit changes it before")
			case !accept && !dismiss && p.Empty():
				return usageError(commandName(cmd), "nothing would change", cmd.CommandPath()+" --help")
			}
			m, err := a.memory(cmd, &f)
			if err != nil {
				return err
			}
			defer m.close()
			action := "revise"
			var r memory.Receipt
			switch {
			case accept:
				action = "accept"
				var set *memory.Set
				if set, err = m.Store.Load(cmd.Context()); err == nil {
					var rev *memory.Entry
					if rev, err = set.Revision(args[0]); err == nil {
						r, err = m.Store.Accept(cmd.Context(), rev.ID, v.review(a, cmd, m))
					}
				}
			case dismiss:
				action = "dismiss"
				r, err = m.Store.Dismiss(cmd.Context(), args[0], v.review(a, cmd, m))
			default:
				r, err = m.Store.Revise(cmd.Context(), args[0], p, a.env.Now())
			}
			if err != nil {
				return memoryError(cmd, err)
			}
			return a.receipt(m, action, r)
		},
	}
	f.register(cmd)
	e.register(cmd)
	v.register(cmd)
	cmd.Flags().BoolVar(&accept, "accept", false, "put the pending revision in the place of what it revises")
	cmd.Flags().BoolVar(&dismiss, "dismiss", false, "unlink the pending revision and keep both")
	cmd.Flags().StringVar(&e.summary, "summary", "", "what the revision changes (default: the fields that differ)")
	return cmd
}
