package recall

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func sample() []Document {
	return []Document{
		{Kind: KindCommit, Tier: Ledger, ID: "aa", Commit: "aa", Head: "Bound the cache", Body: "An unbounded cache ate the memory of the parseHeader loop.", When: time.Unix(100, 0).UTC(), Paths: []string{"cache.go"}},
		{Kind: KindTurn, Tier: Chat, ID: "entire:c1#1", Body: "Why is the header parsed twice?", Partial: []string{"transcript"}},
		{Kind: KindEntry, Tier: Reviewed, ID: "e1", Head: "Caches have bounds", Globs: []string{"**/*.go"}, Links: []string{"e0"}, Tag: "e1  v2"},
	}
}

func TestASegmentReadsBackAsItWasWritten(t *testing.T) {
	docs := sample()
	s := newSegment("key", []byte(`{"a":1}`), docs)
	got, err := decodeSegment(s.encode())
	if err != nil {
		t.Fatal(err)
	}
	if got.key != "key" || string(got.coverage) != `{"a":1}` {
		t.Errorf("key %q, coverage %q", got.key, got.coverage)
	}
	for i := range docs {
		if d := cmp.Diff(docs[i], got.document(i)); d != "" {
			t.Errorf("document %d: %s", i, d)
		}
	}
	for _, q := range []string{"why is the cache bounded", "parseHeader", "header"} {
		a, b := search([]*Segment{s}, Terms(q)), search([]*Segment{got}, Terms(q))
		if !slices.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s: %v and %v", q, a, b)
		}
	}
	if string(newSegment("key", []byte(`{"a":1}`), docs).encode()) != string(s.encode()) {
		t.Error("the same documents give other bytes")
	}
}

func TestADamagedSegmentIsRefused(t *testing.T) {
	good := newSegment("key", nil, sample()).encode()
	for i := range good {
		bad := slices.Clone(good)
		bad[i] ^= 0x40
		if _, err := decodeSegment(bad); err == nil {
			t.Fatalf("a flipped bit at %d went unnoticed", i)
		}
	}
	for n := range good {
		if _, err := decodeSegment(good[:n]); err == nil {
			t.Fatalf("%d of %d bytes went for whole", n, len(good))
		}
	}
}

func TestSeveralSegmentsRankAsOne(t *testing.T) {
	var docs []Document
	for i := range 40 {
		docs = append(docs, Document{Kind: KindCommit, ID: fmt.Sprintf("%02d", i), Head: fmt.Sprintf("Change word%d of part%d", i%7, i%3), Body: "bound the cache"[:i%15]})
	}
	whole := search([]*Segment{newSegment("", nil, docs)}, Terms("cache bound word3 part1"))
	parts := search([]*Segment{newSegment("", nil, docs[:13]), newSegment("", nil, docs[13:])}, Terms("cache bound word3 part1"))
	if len(whole) != len(parts) {
		t.Fatalf("%d and %d documents", len(whole), len(parts))
	}
	for i := range whole {
		if n := parts[i].doc + 13*parts[i].segment; n != whole[i].doc || parts[i].relevance != whole[i].relevance {
			t.Errorf("at %d: document %d with %v, and %d with %v", i, whole[i].doc, whole[i].relevance, n, parts[i].relevance)
		}
	}
}

func TestTermsOfAQuestion(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"words that only ask are dropped", "Why did we bound the caches?", []string{"bound", "cach"}},
		{"unless nothing else is there", "why not", []string{"why", "not"}},
		{"names are kept whole and in parts", "parseHeader in go.mod", []string{"pars", "header", "parseheader", "go", "mod", "go.mod"}},
		{"numbers of two digits count", "issue 404 and 5", []string{"issu", "404"}},
		{"a composed and a decomposed accent are one", "de\u0301cision d\u00e9cision", []string{"d\u00e9cision"}},
		{"case folds beyond ASCII", "D\u00c9CISION", []string{"d\u00e9cision"}},
		{"hostile bytes pass", "\xff\x00cache\x1b[31m", []string{"cach", "31m"}},
		{"nothing is nothing", " ?! ", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Terms(c.text); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzSegment holds that no file, however made, brings the reader down.
func FuzzSegment(f *testing.F) {
	f.Add(newSegment("key", []byte("{}"), sample()).encode(), "cache header")
	f.Fuzz(func(t *testing.T, data []byte, question string) {
		s, err := decodeSegment(data)
		if err != nil {
			// Past the checksum, so that the parts behind it are reached too.
			if s, err = decodeSegment(sealed(data)); err != nil {
				return
			}
		}
		for _, found := range search([]*Segment{s}, Terms(question)) {
			s.document(found.doc)
		}
		for n := range s.len() {
			s.document(n)
		}
	})
}

// sealed is data as the parts of a file with the right checksum.
func sealed(data []byte) []byte {
	s := &Segment{key: string(data)}
	b := s.encode()[:len(magic)+4]
	body := data
	if len(body) > len(magic)+4 {
		body = body[len(magic)+4:]
	}
	return seal(append(b, body...))
}
