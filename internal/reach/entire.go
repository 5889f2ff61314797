package reach

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
)

// Runner runs the command "entire" with arguments and hands its standard output
// to read as it comes; the error is read's own, or else that of the command.
type Runner func(ctx context.Context, read func(io.Reader) error, args ...string) error

// errForeign is the common beginning of what is wrong with an answer.
var errForeign = errors.New("entire graph")

// FromEntire builds a graph from the answer of "entire graph snapshot", the
// command of an optional plugin that knows more languages than Build. repo is the folder of the
// repository; commit is the full hash that the graph is wanted for: the plugin
// speaks of the commit that is checked out alone, and an answer about another one is
// refused ("" accepts any). The stream is NDJSON of schema 1.x and read as it
// comes: one header, file, symbol, external and relation records, one summary at
// the end; records and fields of other names are passed over, as the schema demands
// of its readers. A stream without summary was cut off, and one whose summary names
// less than the whole tree is no better: both are refused.
//
// A file depends on another when one of its symbols, or it itself, imports,
// calls, constructs, extends, implements, overrides, tests or uses the type or
// field of a symbol of the other. Relations that the plugin guessed from a name
// alone are left out: two functions that happen to share a name do not depend on each
// other. Files in languages that the plugin only takes stock of count as not covered.
func FromEntire(ctx context.Context, run Runner, repo, commit string) (*Graph, error) {
	var g *Graph
	err := run(ctx, func(out io.Reader) error {
		var err error
		g, err = fromSnapshot(out, commit)
		return err
	}, "graph", "snapshot", "--repo", repo, "--format", "ndjson", "--no-network")
	switch {
	case errors.Is(err, errForeign):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: snapshot: %w", errForeign, err)
	case g == nil:
		return nil, fmt.Errorf("%w: snapshot: no output", errForeign)
	}
	return g, nil
}

// record holds the fields of all record types that are of use here.
type record struct {
	Type     string `json:"record_type"`
	ID       string `json:"id"`
	Path     string `json:"path"`
	FilePath string `json:"file_path"`
	Language string `json:"language"`
	Kind     string `json:"kind"`
	Value    string `json:"value"`

	From     string `json:"from_id"`
	To       string `json:"to_id"`
	Relation string `json:"type"`
	How      string `json:"resolution"` // how the second end was found

	Schema string            `json:"schema_version"`
	Commit string            `json:"commit"`
	Tiers  map[string]string `json:"language_tiers"`
	Stats  struct {
		Level string `json:"completeness_level"` // of the summary: ok, or how much is lacking
	} `json:"stats"`
}

// dependence holds the relations in which the first end needs the second.
func dependence(relation string) bool {
	switch relation {
	case "IMPORTS", "CALLS", "ASYNC_CALLS", "CONSTRUCTS", "EXTENDS", "INHERITS", "IMPLEMENTS", "OVERRIDES", "TESTS",
		"USES_TYPE", "PARAM_TYPE", "RETURNS_TYPE", "READS_FIELD", "WRITES_FIELD", "ACCESSES":
		return true
	}
	return false
}

func fromSnapshot(in io.Reader, commit string) (*Graph, error) {
	type edge struct {
		from, to string
		guessed  bool
	}
	var (
		owner    = map[string]string{} // record -> its file
		language = map[string]string{} // file -> language
		outside  = map[string]string{} // external record -> what it is called
		tiers    map[string]string
		edges    []edge
		header   bool
		summary  bool
	)
	sc := bufio.NewScanner(in)
	sc.Buffer(make([]byte, 0, 1<<16), 64<<20)
	for line := 1; sc.Scan(); line++ {
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		var r record
		// A field of another shape is the affair of a record type that is not known here.
		var shape *json.UnmarshalTypeError
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil && !errors.As(err, &shape) {
			return nil, fmt.Errorf("%w: line %d of the snapshot is no record: %w", errForeign, line, err)
		}
		if !header {
			if major, _, _ := strings.Cut(r.Schema, "."); major != "1" {
				return nil, fmt.Errorf("%w: the snapshot has schema version %.40q, 1.x is understood: install a plugin of that line", errForeign, r.Schema)
			}
			if commit != "" && r.Commit != commit {
				return nil, fmt.Errorf("%w: the snapshot is of commit %.64q, %s is asked for: check it out, or use the built-in graph", errForeign, r.Commit, commit)
			}
			header = true
		}
		if len(r.Tiers) > 0 {
			tiers = r.Tiers
		}
		switch r.Type {
		case "file":
			owner[r.ID] = r.Path
			language[r.Path] = r.Language
		case "symbol":
			owner[r.ID] = r.FilePath
		case "external":
			if r.Kind == "import" {
				outside[r.ID] = r.Value
			}
		case "relation":
			if dependence(r.Relation) {
				edges = append(edges, edge{r.From, r.To, r.How == "name_only"})
			}
		case "summary":
			summary = true
			if l := r.Stats.Level; l != "" && l != "ok" {
				return nil, fmt.Errorf("%w: the snapshot covers a part of the tree only (%.40q)", errForeign, l)
			}
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("%w: reading the snapshot: %w", errForeign, err)
	}
	if !summary {
		return nil, fmt.Errorf("%w: the snapshot ends without a summary: it was cut off", errForeign)
	}

	g := &Graph{}
	for p := range language {
		if p != "" {
			g.paths = append(g.paths, p)
		}
	}
	sort.Strings(g.paths)
	for _, p := range g.paths { // the folders that Component knows, without reading what is in the manifests
		if base := p[strings.LastIndexByte(p, '/')+1:]; (base == "package.json" || base == "Cargo.toml") && dirOf(p) != "" {
			g.roots = append(g.roots, dirOf(p))
		}
	}
	sort.Strings(g.roots)
	g.roots = slices.Compact(g.roots)
	n := len(g.paths)
	g.unit = make([]int32, n)
	g.deps = make([][]uint32, n)
	g.external = make([][]uint32, n)
	for i, p := range g.paths {
		g.unit[i] = -1
		s := stateOf(p)
		switch {
		case tiers[language[p]] == "semantic":
			s = covered
		case s == covered:
			s = uncovered
		}
		g.state = append(g.state, s)
	}
	b := &builder{g: g, names: map[string]uint32{}}
	for _, e := range edges {
		from, ok := g.index(owner[e.from])
		if !ok {
			continue
		}
		if to, ok := g.index(owner[e.to]); ok {
			if e.guessed {
				continue
			}
			g.stats.Resolved++
			if to != from {
				g.deps[from] = append(g.deps[from], uint32(to))
			}
			continue
		}
		if name, ok := outside[e.to]; ok && name != "" {
			g.stats.External++
			g.external[from] = append(g.external[from], b.name(name))
		}
	}
	b.sortNames()
	for i := range g.paths {
		slices.Sort(g.deps[i])
		g.deps[i] = slices.Compact(g.deps[i])
		g.external[i] = slices.Compact(g.external[i])
	}
	g.finish()
	return g, nil
}
