package config

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Match says whether a glob covers a path. A glob without a slash covers the
// name at any depth, one that names a folder covers all that is in it, and a
// leading slash ties it to the root; *, **, ?, [abc] and {a,b} are as in
// doublestar. A glob that cannot be read covers nothing.
func Match(glob, path string) bool {
	glob = strings.TrimPrefix(glob, "./")
	rooted := strings.Contains(strings.TrimSuffix(glob, "/"), "/")
	folder := strings.HasSuffix(glob, "/")
	glob = strings.Trim(glob, "/")
	if glob == "" || path == "" {
		return false
	}
	if !rooted {
		glob = "**/" + glob
	}
	if !folder {
		if ok, err := doublestar.Match(glob, path); ok || err != nil {
			return err == nil
		}
	}
	// Not "/**": doublestar lets that match the folder's own name as well.
	ok, err := doublestar.Match(glob+"/*/**", path)
	return ok && err == nil
}

func matchAny(globs []string, path string) bool {
	for _, g := range globs {
		if Match(g, path) {
			return true
		}
	}
	return false
}
