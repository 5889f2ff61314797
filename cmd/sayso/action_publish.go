package main

import (
	"os"
	"path/filepath"

	"github.com/saysolint/sayso/action"
)

// actionPublishers says where findings are shown, those that need no token last:
// they tell what the others could not show. The comment is also what remembers what
// people decided, whether it is written or not.
func (a *app) actionPublishers(r *action.Runner, client *action.Client, f actionFlags) {
	comment := &action.StickyComment{API: client}
	r.Ledger = comment
	if f.comment == "true" {
		r.Publishers = append(r.Publishers, comment)
	}
	if f.checkRun == "true" {
		r.Publishers = append(r.Publishers, &action.CheckRunPublisher{API: client, Check: r.OwnCheck, FailOn: r.FailOn})
	}
	if f.review == "true" {
		r.Publishers = append(r.Publishers, &action.ReviewPublisher{API: client})
	}
	if f.annotate == "true" {
		r.Publishers = append(r.Publishers, action.Annotations{W: a.stdout})
	}
	if path := a.getenv("GITHUB_STEP_SUMMARY"); f.summary == "true" && path != "" {
		r.Publishers = append(r.Publishers, action.Summary{W: &fileWriter{path, os.O_APPEND}})
	}
	if f.sarif != "" {
		r.Publishers = append(r.Publishers, action.SARIF{W: &fileWriter{a.path(f.sarif), os.O_TRUNC}})
	}
	if f.reportFile != "" {
		r.Publishers = append(r.Publishers, action.JSON{W: &fileWriter{a.path(f.reportFile), os.O_TRUNC}})
	}
}

// fileWriter opens its file for each write, with the folders on the way: nothing is
// there of a run that had nothing to write. how is os.O_APPEND or os.O_TRUNC.
type fileWriter struct {
	path string
	how  int
}

// Write writes all of p.
func (w *fileWriter) Write(p []byte) (int, error) {
	if err := os.MkdirAll(filepath.Dir(w.path), 0o755); err != nil {
		return 0, err
	}
	file, err := os.OpenFile(w.path, w.how|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return 0, err
	}
	n, err := file.Write(p)
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	return n, err
}
