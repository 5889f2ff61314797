package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/saysolint/sayso/memory"
)

// manyEntries writes a store of n entries of about 150 words each, whose words
// are as unevenly frequent as those of a language.
func manyEntries(b *testing.B, n int) *disk {
	b.Helper()
	d := newDisk(b)
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 5, 30_000)
	words := func(n int) string {
		var s strings.Builder
		for range n {
			fmt.Fprintf(&s, "w%d ", zipf.Uint64())
		}
		return s.String()
	}
	old := noon.Add(-time.Hour)
	for i := range n {
		e := entry(fmt.Sprintf("2026-05-04-%06d-entry", i), words(6), goal(words(25)), decided(words(12), words(12), words(12)), notes(words(80)))
		e.Tags = []string{"area" + strconv.Itoa(i%50)}
		e.FilesTouched = []string{fmt.Sprintf("internal/part%d/file%d.go", i%40, i%400)}
		d.write(b, e, old)
	}
	return d
}

// benchSize is the size of the large store: SAYSO_BENCH_ENTRIES, else 10,000.
func benchSize(b *testing.B) int {
	if n, err := strconv.Atoi(os.Getenv("SAYSO_BENCH_ENTRIES")); err == nil && n > 0 {
		return n
	}
	return 10_000
}

var benchQueries = []Request{
	{Query: "w3 w40"},
	{Query: "w0 w1 w2 w900", Mode: ModeBest},
	{Query: "w10 w200 w3000 w25", Mode: ModeBest},
	{Query: "part3 file43"},
	{Query: "w17 w170 w1700", Mode: ModeExpanded, More: []string{"w18 w180", "w19 w190"}},
}

// BenchmarkQuery is a query in a running process between two looks at the store.
func BenchmarkQuery(b *testing.B) {
	d := manyEntries(b, benchSize(b))
	s := d.open(b, noon)
	for _, r := range benchQueries {
		b.Run(string(r.Mode)+" "+r.Query, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if out, err := s.Search(context.Background(), r, noon); err != nil || len(out.Hits) == 0 {
					b.Fatal(err, "or nothing found")
				}
			}
		})
	}
}

// BenchmarkOpen is what a process does that starts with the index there: read it, look
// at every file, answer.
func BenchmarkOpen(b *testing.B) {
	d := manyEntries(b, benchSize(b))
	d.open(b, noon)
	b.ReportAllocs()
	for b.Loop() {
		s, err := Open(context.Background(), d, d.cache, noon)
		if err != nil || s.First() != (Changes{}) {
			b.Fatal(err, s.First())
		}
		if _, err := s.Search(context.Background(), benchQueries[0], noon); err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/1e6, "MB")
}

// BenchmarkBuild is the first search of all: every file is read and cut.
func BenchmarkBuild(b *testing.B) {
	d := manyEntries(b, benchSize(b))
	for b.Loop() {
		_ = os.Remove(d.file())
		s, err := Open(context.Background(), d, d.cache, noon)
		if err != nil || !s.First().Written {
			b.Fatal(err, s.First())
		}
		s.Close()
	}
	if info, err := os.Stat(d.file()); err == nil {
		b.ReportMetric(float64(info.Size())/1e6, "MB-index")
	}
}

// BenchmarkRefresh is a look at the store by a running process, with one file changed.
func BenchmarkRefresh(b *testing.B) {
	d := manyEntries(b, benchSize(b))
	s := d.open(b, noon)
	for i := 0; b.Loop(); i++ {
		d.write(b, entry("2026-05-04-000007-entry", "changed", notes(strconv.Itoa(i))), noon.Add(-time.Hour).Add(time.Duration(i)*time.Microsecond))
		if _, err := s.refresh(context.Background(), noon, false); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWords(b *testing.B) {
	e := entry("x", "How prices are kept", goal(strings.Repeat("We keep prices as whole cents in internal/shop/price.go, never parseFloat64. ", 20)))
	r := e.Record()
	b.SetBytes(int64(len(r.Goal)))
	d := newDictionary()
	for b.Loop() {
		d.count(&r, func(uint32, *posting) {})
	}
}

var _ Store = (*memory.Store)(nil)
