package engine

import (
	"context"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/index"
	"github.com/saysolint/sayso/internal/reach"
)

// maxManifest is the size above which a manifest is not read.
const maxManifest = 1 << 20

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
