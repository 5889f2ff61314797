package claim

import (
	"strings"
	"testing"
)

// Typical messages, invented: what most histories are made of.
var typical = []struct{ name, text string }{
	{"ShortSubject", "Fix crash when the cache directory is missing"},
	{"Conventional", `feat(store): add an eviction limit to the page cache

The cache grew without bound on long-running servers. This commit adds a
limit and drops the least recently used page once it is reached.

- Add ` + "`maxPages`" + ` to ` + "`CacheOptions`" + `
- Rename store/lru.go to store/evict.go
- Cover the limit with unit tests

No functional change for callers that set no limit.

Fixes: #412
Signed-off-by: A Person <a.person@example.org>
`},
	{"Template", `## What

This pull request only touches ` + "`internal/render`" + `. It moves the table writer out of
report.go and removes the copy of it in ` + "`cmd/show.go`" + `.

<!-- Describe the change. Keep it short.
     Delete what does not apply. -->

## Why

Both copies had drifted apart. The one in the command still wrote tabs.

## How it was tested

` + "```" + `
$ go test ./internal/render
ok
` + "```" + `

## Checklist

- [x] I have added tests
- [ ] I have updated the documentation
- [ ] This is a breaking change

| before | after |
|--------|-------|
| 12 ms  | 3 ms  |

Closes #98
`},
}

func BenchmarkParse(b *testing.B) {
	for _, m := range typical {
		b.Run(m.name, func(b *testing.B) {
			o := Options{Source: SourceMessage, NoSubject: m.name == "Template"}
			b.ReportAllocs()
			b.SetBytes(int64(len(m.text)))
			for b.Loop() {
				Parse(m.text, o)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "µs/op")
		})
	}
}

// The worst line for a parser that looks back: one line, everything on it.
func BenchmarkHugeLine(b *testing.B) {
	text := "Huge\n\n" + strings.Repeat("Add `foo`, remove bar_baz. ", 10<<10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Parse(text, Options{})
	}
}
