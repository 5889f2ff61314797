package bench

import (
	"regexp"
	"sync"
)

// lazily compiles a pattern when it is first needed, so that a program that
// links this package and measures nothing pays nothing for it.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
