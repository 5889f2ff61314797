package engine

import (
	"context"
	"sync"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/index"
	"github.com/saysolint/sayso/internal/reach"
)

// maxManifest is the size above which a manifest is not read.
const maxManifest = 1 << 20

// BuiltInGraph is what a graph that was built from the imports of the tree is called in the coverage.
const BuiltInGraph = "built-in"

// Foreign is a dependency graph that another program builds.
type Foreign struct {
	Name string // what the coverage calls it: "entire graph"
	// Graph is the graph of the tree that is checked out, which has to be that of the commit.
	Graph func(ctx context.Context, commit string) (*reach.Graph, error)
}

// foreign is the answer of the other program, asked once.
type foreign struct {
	once  sync.Once
	head  string // the commit that is checked out, "" where that is not known
	graph *reach.Graph
	err   error
}

// provideGraph finds the dependency graph of a tree: another program's where there
// is one and it can speak of the commit, else the built-in one.
func (e *Engine) provideGraph(ctx context.Context, s subject, v *index.View, in *checks.Input) error {
	why := ""
	if f := e.opts.Foreign; f != nil && !s.staged && s.tree != "" {
		e.foreign.once.Do(func() {
			if e.foreign.head, _ = e.repo.Resolve(ctx, "HEAD"); e.foreign.head == s.tree {
				e.foreign.graph, e.foreign.err = f.Graph(ctx, s.tree)
			}
		})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case e.foreign.head != s.tree:
			why = f.Name + " speaks of the commit that is checked out alone"
		case e.foreign.err != nil:
			why = e.foreign.err.Error()
		case e.foreign.graph != nil:
			in.Graph, in.GraphFrom = graph{e.foreign.graph}, f.Name
			return nil
		default:
			why = f.Name + " speaks of the commit that is checked out alone"
		}
	}
	g, err := e.graph(ctx, v)
	if err != nil || g == nil {
		return err
	}
	in.Graph, in.GraphFrom = g, BuiltInGraph
	if why != "" {
		in.GraphFrom += " (" + why + ")"
	}
	return nil
}

// graph is the dependency graph of the view's tree, nil where its imports are not known.
func (e *Engine) graph(ctx context.Context, v *index.View) (checks.Graph, error) {
	imports, err := v.Imports(ctx)
	if err != nil {
		return nil, ctx.Err() // no index: the check says so
	}
	files := make([]reach.File, 0, len(imports))
	for _, f := range imports {
		files = append(files, reach.File{Path: f.Path, Imports: f.Imports})
	}
	var paths []string
	v.EachPath(func(path string) bool {
		if reach.Manifests(path) {
			paths = append(paths, path)
		}
		return true
	})
	manifests := map[string][]byte{}
	for _, p := range paths {
		blob, ok := v.BlobOf(p)
		if !ok {
			continue
		}
		data, err := e.repo.Blob(ctx, blob, maxManifest)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue
		}
		manifests[p] = data
	}
	return graph{reach.Build(files, manifests)}, nil
}

// graph adapts a dependency graph to what the checks ask.
type graph struct{ *reach.Graph }

// Dependents is the files that import the given ones, directly or not.
func (g graph) Dependents(paths []string) ([]string, bool) {
	const most = 2000
	var out []string
	for _, e := range g.Graph.Dependents(paths, most) {
		out = append(out, e.Path)
	}
	return out, len(g.NotCovered(paths)) == 0
}

// Unit is the package or folder that a file belongs to.
func (g graph) Unit(path string) string { return g.Component(path) }
