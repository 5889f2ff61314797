package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/memory"
)

// mostDocuments is how many files one import reads.
const mostDocuments = 5000

// mostExport is the size of the largest export that is read back, in bytes.
const mostExport = 256 << 20

func newMemoryImport(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Make proposed entries of what is written down elsewhere",
		Long: `Make proposed entries of what is written down elsewhere. What is imported holds
nothing until it is accepted; what was out of force there stays out of force.
Importing the same text again adds nothing.`,
		Args: cobra.ArbitraryArgs,
		RunE: onlySubcommands,
	}
	cmd.AddCommand(
		newImporter(a, &cobra.Command{
			Use: "klide [DIR]", Short: "Import a Klide store (default: .klide/memory)",
			Example: "  sayso memory import klide",
			Args:    atMostOne,
		}, "klide", importKlide),
		newImporter(a, &cobra.Command{
			Use: "adr DIR|FILE...", Short: "Import architecture decision records (MADR, Nygard, log4brains)",
			Example: "  sayso memory import adr docs/adr\n  sayso memory import adr docs/adr --dry-run --json",
			Args:    cobra.ArbitraryArgs,
		}, "adr", importADRs),
		newRulesImporter(a),
		newImporter(a, &cobra.Command{
			Use: "json FILE|-", Short: "Import what sayso memory export --json wrote",
			Example: "  sayso memory import json entries.json",
			Args:    cobra.ArbitraryArgs,
		}, "json", importJSON),
	)
	return cmd
}

// importer reads what an import was given.
type importer func(ctx context.Context, a *app, cmd *cobra.Command, m *openMemory, args []string) (memory.Drafted, error)

func newImporter(a *app, cmd *cobra.Command, from string, read importer) *cobra.Command {
	var f memoryFlags
	var dry bool
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m, err := a.memory(cmd, &f)
		if err != nil {
			return err
		}
		defer m.close()
		drafts, err := read(cmd.Context(), a, cmd, m, args)
		if err != nil {
			return err
		}
		out := memory.ImportOutput{Schema: memory.ImportSchema, From: from, Space: m.Space, DryRun: dry, Written: []memory.Record{}, Masked: []memory.SecretFound{}}
		do := m.Store.Import
		if dry {
			do = m.Store.Plan
		}
		done, err := do(cmd.Context(), drafts, a.env.Now())
		if err != nil {
			return memoryError(cmd, err)
		}
		for _, r := range done.Receipts {
			out.Written = append(out.Written, r.Entry.Record())
			out.Masked = append(out.Masked, r.Masked...)
		}
		out.Known, out.Left = done.Known, done.Left
		out.Known, out.Left = orEmpty(out.Known), orEmpty(out.Left)
		if m.json {
			return a.writeJSON(out)
		}
		return a.sayImport(out)
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "write nothing, show what would be")
	return cmd
}

func (a *app) sayImport(out memory.ImportOutput) error {
	verb := "wrote"
	if out.DryRun {
		verb = "would write"
	}
	lines := []string{fmt.Sprintf("%s %d entries; %d were there already; nothing was made of %d", verb, len(out.Written), len(out.Known), len(out.Left))}
	for _, e := range out.Written {
		lines = append(lines, fmt.Sprintf("%-10s  %s", e.ReviewState, e.RelPath))
	}
	for _, l := range out.Left {
		at := l.Path
		if l.Line > 0 {
			at += fmt.Sprintf(":%d", l.Line)
		}
		lines = append(lines, "left "+at+": "+l.Reason)
	}
	for _, s := range out.Masked {
		lines = append(lines, fmt.Sprintf("masked a secret (%s) in %s", s.Rule, s.Field))
	}
	return a.say(lines...)
}

func importKlide(ctx context.Context, a *app, cmd *cobra.Command, m *openMemory, args []string) (memory.Drafted, error) {
	top, folder := m.repo.Root(), memory.KlideFolder
	if len(args) == 1 {
		dir := a.path(args[0])
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return memory.Drafted{}, usageError(commandName(cmd), args[0]+" is no folder", "")
		}
		if !strings.HasSuffix(filepath.ToSlash(filepath.Clean(dir)), "/"+memory.KlideFolder) {
			dir = filepath.Join(dir, filepath.FromSlash(memory.KlideFolder))
		}
		top = filepath.Dir(filepath.Dir(filepath.Clean(dir)))
	}
	store, err := memory.OpenKlide(top, folder)
	if err != nil {
		return memory.Drafted{}, memoryError(cmd, err)
	}
	set, err := store.Load(ctx)
	if err != nil {
		return memory.Drafted{}, memoryError(cmd, err)
	}
	if len(set.Entries)+len(set.Skipped) == 0 {
		return memory.Drafted{}, usageError(commandName(cmd), "there is no Klide store", "name the folder that holds "+memory.KlideFolder)
	}
	return memory.FromKlide(set), nil
}

func importADRs(ctx context.Context, a *app, cmd *cobra.Command, m *openMemory, args []string) (memory.Drafted, error) {
	if len(args) == 0 {
		return memory.Drafted{}, usageError(commandName(cmd), "needs a folder or files", cmd.CommandPath()+" --help")
	}
	docs, left, err := a.documents(ctx, cmd, m, args)
	if err != nil {
		return memory.Drafted{}, err
	}
	d := memory.FromADRs(docs)
	d.Left = append(d.Left, left...)
	return d, nil
}

func newRulesImporter(a *app) *cobra.Command {
	var all bool
	cmd := newImporter(a, &cobra.Command{
		Use: "rules [FILE...]", Short: "Import the conventions of AGENTS.md, CLAUDE.md and the like",
		Long: `Import the conventions of files that tell agents and people how to work: each item
of a list that says what to do, with its lines. Without FILE: AGENTS.md and
CLAUDE.md at the top of the work tree, those that are there.`,
		Example: "  sayso memory import rules\n  sayso memory import rules CONTRIBUTING.md",
		Args:    cobra.ArbitraryArgs,
	}, "rules", func(ctx context.Context, a *app, cmd *cobra.Command, m *openMemory, args []string) (memory.Drafted, error) {
		if len(args) == 0 {
			for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
				path := filepath.Join(m.repo.Root(), name)
				if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
					args = append(args, path)
				}
			}
			if len(args) == 0 {
				return memory.Drafted{}, usageError(commandName(cmd), "there is neither AGENTS.md nor CLAUDE.md", "name a file")
			}
		}
		docs, left, err := a.documents(ctx, cmd, m, args)
		if err != nil {
			return memory.Drafted{}, err
		}
		out := memory.Drafted{Left: left}
		for _, d := range docs {
			made := memory.FromRules(d, all)
			out.Entries, out.Left = append(out.Entries, made.Entries...), append(out.Left, made.Left...)
		}
		return out, nil
	})
	cmd.Flags().BoolVar(&all, "all", false, "every item of a list, whatever it says")
	return cmd
}

func importJSON(ctx context.Context, a *app, cmd *cobra.Command, m *openMemory, args []string) (memory.Drafted, error) {
	if len(args) != 1 {
		return memory.Drafted{}, usageError(commandName(cmd), "needs one file", "- for standard input")
	}
	data, err := a.readInput(ctx, commandName(cmd), args[0], mostExport)
	if err != nil {
		return memory.Drafted{}, err
	}
	d, err := memory.FromExport(data)
	return d, memoryError(cmd, err)
}

// documents reads the Markdown files of the command line, folders with all that
// is below them.
func (a *app) documents(ctx context.Context, cmd *cobra.Command, m *openMemory, args []string) (docs []memory.Document, left []memory.Left, err error) {
	var paths []string
	for _, arg := range args {
		path := a.path(arg)
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, nil, openError(commandName(cmd), arg, err)
		case !info.IsDir():
			paths = append(paths, path)
			continue
		}
		var below []string
		err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			if err != nil || ctx.Err() != nil {
				return errors.Join(err, context.Cause(ctx))
			}
			if d.IsDir() && p != path && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
				return filepath.SkipDir
			}
			if d.Type().IsRegular() && strings.EqualFold(filepath.Ext(p), ".md") {
				below = append(below, p)
			}
			if len(below) > mostDocuments {
				return fmt.Errorf("over %d Markdown files below it", mostDocuments)
			}
			return nil
		})
		if err != nil {
			return nil, nil, openError(commandName(cmd), arg, err)
		}
		if len(below) == 0 {
			return nil, nil, usageError(commandName(cmd), arg+" holds no Markdown file", "")
		}
		paths = append(paths, below...)
	}
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		name := documentName(m.repo.Root(), path)
		data, err := a.readInput(ctx, commandName(cmd), path, memory.MaxFileBytes)
		if err != nil {
			left = append(left, memory.Left{Path: name, Reason: "cannot be read, or over 1 MiB"})
			continue
		}
		docs = append(docs, memory.Document{Path: name, Text: data})
	}
	return docs, left, nil
}

// documentName is the path of a file from the top of the repository, its bare
// name where it lies outside: no path of this machine gets into an entry.
func documentName(root, path string) string {
	for _, r := range []string{root, realPath(root)} {
		for _, p := range []string{path, realPath(path)} {
			if rel, err := filepath.Rel(r, p); err == nil && filepath.IsLocal(rel) {
				return filepath.ToSlash(rel)
			}
		}
	}
	return filepath.Base(path)
}

func newMemoryExport(a *app) *cobra.Command {
	var f memoryFlags
	var states []string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the entries of the memory to standard output",
		Long: `Write the entries of the memory to standard output: as JSON that memory import
reads back, or as one Markdown text of what holds.`,
		Example: "  sayso memory export --json > entries.json\n  sayso memory export --state reviewed",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := oneOfEach(cmd, "state", states, memory.States); err != nil {
				return err
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
			if !m.json && len(states) == 0 {
				states = []string{string(memory.Reviewed)}
			}
			var entries []memory.Entry
			for _, e := range set.Entries {
				if len(states) == 0 || slices.Contains(states, string(set.State(e.ID))) {
					entries = append(entries, e)
				}
			}
			if !m.json {
				_, err := a.stdout.Write([]byte(memory.Digest(entries)))
				if err != nil {
					return ioError("standard output", plainIOError(err))
				}
				return nil
			}
			out := memory.ExportOutput{Schema: memory.ExportSchema, Space: m.Space, Entries: []memory.Record{}}
			for _, e := range entries {
				out.Entries = append(out.Entries, e.Record())
			}
			return a.writeJSON(out)
		},
	}
	f.register(cmd)
	cmd.Flags().StringSliceVar(&states, "state", nil, "only entries in one of these states (default: all as JSON, reviewed as text)")
	return cmd
}
