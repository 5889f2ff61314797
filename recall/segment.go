package recall

import (
	"encoding/binary"
	"slices"
	"sort"
)

// Segment is an inverted index of documents, read in place: opening one costs a
// checksum, a question the postings of its terms. It is immutable.
type Segment struct {
	key      string
	coverage []byte   // what the writer knew of its sources, as JSON
	lengths  []uint32 // of each document in terms
	total    uint64   // their sum

	docAt []uint32 // where each document begins in docs; one more than there are
	docs  []byte

	termAt []uint32 // where each term begins in terms, sorted; one more than there are
	terms  []byte
	postAt []uint32 // where the postings of each term begin in posts; one more than there are
	posts  []byte
}

// headWeight is how often a term of a subject or title counts.
const headWeight = 2

// newSegment indexes documents. Each gets the number that it has in the list.
func newSegment(key string, coverage []byte, docs []Document) *Segment {
	s := &Segment{key: key, coverage: coverage, docAt: []uint32{0}, termAt: []uint32{0}, postAt: []uint32{0}}
	type list struct {
		bytes []byte
		last  int
	}
	lists := map[string]*list{}
	counts := map[string]int{}
	for n := range docs {
		d := &docs[n]
		clear(counts)
		length := 0
		count := func(weight int) func(string) {
			return func(t string) { counts[t] += weight; length += weight }
		}
		eachTerm(d.Head, count(headWeight))
		eachTerm(d.Body, count(1))
		for t, c := range counts {
			l := lists[t]
			if l == nil {
				l = &list{last: -1}
				lists[t] = l
			}
			l.bytes = binary.AppendUvarint(l.bytes, uint64(n-l.last))
			l.bytes = binary.AppendUvarint(l.bytes, uint64(c))
			l.last = n
		}
		s.lengths = append(s.lengths, uint32(length))
		s.total += uint64(length)
		s.docs = appendDocument(s.docs, d)
		s.docAt = append(s.docAt, uint32(len(s.docs)))
	}
	names := make([]string, 0, len(lists))
	for t := range lists {
		names = append(names, t)
	}
	slices.Sort(names)
	for _, t := range names {
		s.terms = append(s.terms, t...)
		s.termAt = append(s.termAt, uint32(len(s.terms)))
		s.posts = append(s.posts, lists[t].bytes...)
		s.postAt = append(s.postAt, uint32(len(s.posts)))
	}
	return s
}

// len is the number of documents.
func (s *Segment) len() int { return len(s.lengths) }

// document is one of them; a damaged one is the zero Document.
func (s *Segment) document(n int) Document {
	d, _ := decodeDocument(s.docs[s.docAt[n]:s.docAt[n+1]])
	return d
}

// posting is one document that has a term.
type posting struct {
	doc, count int
}

// postings are the documents that have a term, in order.
func (s *Segment) postings(term string) []posting {
	n := len(s.termAt) - 1
	at := sort.Search(n, func(i int) bool { return string(s.terms[s.termAt[i]:s.termAt[i+1]]) >= term })
	if at == n || string(s.terms[s.termAt[at]:s.termAt[at+1]]) != term {
		return nil
	}
	var out []posting
	b := s.posts[s.postAt[at]:s.postAt[at+1]]
	doc := -1
	for len(b) > 0 {
		step, n1 := binary.Uvarint(b)
		if n1 <= 0 {
			break
		}
		count, n2 := binary.Uvarint(b[n1:])
		if n2 <= 0 || step == 0 || step > uint64(s.len()-1-doc) {
			break
		}
		b = b[n1+n2:]
		doc += int(step)
		out = append(out, posting{doc, int(min(count, 1<<20))})
	}
	return out
}
