package bench

import (
	"regexp"
	"strings"
	"sync"
)

// lazily compiles a pattern when it is first needed, so that a program that
// links this package and measures nothing pays nothing for it.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// listed is a list of words, taken apart when it is first needed.
func listed(words string) func() []string {
	return sync.OnceValue(func() []string { return strings.Fields(words) })
}
