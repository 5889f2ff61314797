package config

import (
	"slices"
	"strings"
	"time"
)

// FileName is where the configuration lives, from the root of the repository.
const FileName = ".sayso.yaml"

// Config is the whole of .sayso.yaml. The zero value is the default.
type Config struct {
	Checks     map[string]string   `yaml:"checks,omitempty" json:"checks,omitempty"`         // level of each check by its id: gate (may fail the run), advisory (shown, never fails it) or off
	Ignore     []string            `yaml:"ignore,omitempty" json:"ignore,omitempty"`         // path globs whose changes are left out of every check
	Scopes     map[string][]string `yaml:"scopes,omitempty" json:"scopes,omitempty"`         // conventional scope to the path globs that it covers
	Generated  []string            `yaml:"generated,omitempty" json:"generated,omitempty"`   // path globs of generated files, beside what .gitattributes and the usual conventions say
	Vendored   []string            `yaml:"vendored,omitempty" json:"vendored,omitempty"`     // path globs of other people's code kept in the repository
	Exceptions []Exception         `yaml:"exceptions,omitempty" json:"exceptions,omitempty"` // findings that are shown and do not fail the run until a day
	FailOn     []string            `yaml:"fail-on,omitempty" json:"fail-on,omitempty"`       // what fails the run: never, contradicted (strong ones), likely, decision, unverifiable; contradicted when left out
	Memory     Memory              `yaml:"memory,omitempty" json:"memory,omitzero"`          // where the project memory is
}

// Memory says where entries of the project memory are kept.
type Memory struct {
	Folder string            `yaml:"folder,omitempty" json:"folder,omitempty"` // folder of the repository's own entries, from its top; .sayso/memory when left out
	Spaces map[string]string `yaml:"spaces,omitempty" json:"spaces,omitempty"` // name of a further store to its folder: absolute, below the home folder with ~/, or from the top of the main checkout
}

// Exception lifts one check for some paths or commits until a day. With both
// it lifts the check only where both match, with neither everywhere.
type Exception struct {
	Check   string   `yaml:"check" json:"check"`                         // id of the check that is lifted
	Paths   []string `yaml:"paths,omitempty" json:"paths,omitempty"`     // path globs that it is lifted for
	Commits []string `yaml:"commits,omitempty" json:"commits,omitempty"` // commits that it is lifted for: full hashes or at least seven digits
	Reason  string   `yaml:"reason" json:"reason"`                       // why, for those who read the report
	Until   string   `yaml:"until" json:"until"`                         // last day on which it holds, YYYY-MM-DD
}

// Levels are the levels that a check can have.
var Levels = []string{"gate", "advisory", "off"}

// FailOnValues are the words that fail-on takes, in a configuration and on the
// command line alike.
var FailOnValues = []string{"never", "contradicted", "likely", "decision", "unverifiable"}

// DefaultMemoryFolder is where the entries of the memory are, where nothing says otherwise.
const DefaultMemoryFolder = ".sayso/memory"

const dateForm = "2006-01-02"

// Default is the configuration that holds without a file.
func Default() *Config { return &Config{} }

// Level is the configured level of a check, fallback where none is.
func (c *Config) Level(check, fallback string) string {
	if l, ok := c.Checks[check]; ok {
		return l
	}
	return fallback
}

// Gates is what fails the run: the configured words, else contradicted.
func (c *Config) Gates() []string {
	if len(c.FailOn) == 0 {
		return []string{"contradicted"}
	}
	return slices.Clone(c.FailOn)
}

// MemoryFolder is where the repository's own entries are, from its top.
func (c *Config) MemoryFolder() string {
	if c.Memory.Folder == "" {
		return DefaultMemoryFolder
	}
	return c.Memory.Folder
}

// Ignored says whether the changes of a path are left out. Paths are as git
// gives them, with forward slashes, from the root of the repository.
func (c *Config) Ignored(path string) bool { return matchAny(c.Ignore, path) }

// IsGenerated says whether the configuration calls a path generated.
func (c *Config) IsGenerated(path string) bool { return matchAny(c.Generated, path) }

// IsVendored says whether the configuration calls a path vendored.
func (c *Config) IsVendored(path string) bool { return matchAny(c.Vendored, path) }

// ScopeGlobs are the path globs that a conventional scope covers, without
// regard to case; nil where the configuration does not speak of the scope.
func (c *Config) ScopeGlobs(scope string) []string {
	if globs, ok := c.Scopes[scope]; ok {
		return globs
	}
	// The least of several spellings, so that the answer never depends on map order.
	best := ""
	for s := range c.Scopes {
		if strings.EqualFold(s, scope) && (best == "" || s < best) {
			best = s
		}
	}
	return c.Scopes[best]
}

// ScopeCovers says whether a path lies in a conventional scope; known is false
// where the configuration does not speak of the scope.
func (c *Config) ScopeCovers(scope, path string) (covers, known bool) {
	globs := c.ScopeGlobs(scope)
	return matchAny(globs, path), globs != nil
}

// ExceptionFor is the first exception in force on the given day that lifts
// check for a path ("" when the finding has none) of a commit ("" when there is none).
func (c *Config) ExceptionFor(check, path, commit string, today time.Time) (Exception, bool) {
	for _, e := range c.Exceptions {
		if e.Covers(check, path, commit) && !e.Expired(today) {
			return e, true
		}
	}
	return Exception{}, false
}

// Expired are the exceptions whose last day is before today, in order of the
// file. They lift nothing any more and are worth a word to their owner.
func (c *Config) Expired(today time.Time) []Exception {
	var out []Exception
	for _, e := range c.Exceptions {
		if e.Expired(today) {
			out = append(out, e)
		}
	}
	return out
}

// Covers says whether the exception speaks of a finding, whatever the day.
func (e Exception) Covers(check, path, commit string) bool {
	if e.Check != check {
		return false
	}
	if len(e.Paths) > 0 && (path == "" || !matchAny(e.Paths, path)) {
		return false
	}
	if len(e.Commits) == 0 {
		return true
	}
	return slices.ContainsFunc(e.Commits, func(c string) bool {
		return commit != "" && strings.HasPrefix(strings.ToLower(commit), strings.ToLower(c))
	})
}

// Expired says whether the last day of the exception is before today. A day
// that cannot be read has passed: an exception never lasts by mistake.
func (e Exception) Expired(today time.Time) bool {
	until, err := time.Parse(dateForm, e.Until)
	if err != nil {
		return true
	}
	y, m, d := today.Date()
	return until.Before(time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
}
