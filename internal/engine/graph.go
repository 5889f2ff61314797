package engine

import (
	"context"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/index"
)

// graph is the dependency graph of the view's tree, nil where there is none.
func (e *Engine) graph(context.Context, *index.View) (checks.Graph, error) { return nil, nil }
