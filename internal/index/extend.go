package index

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// extend puts rows that came after a history behind it, without taking what is
// there apart: old commits keep their numbers, and a posting that no new commit
// is in is copied as it lies.
func (h *past) extend(rows []row, s *[sectionCount][]byte) error {
	b := newPastBuilder(h.width)
	for _, r := range rows {
		if h.number(r.id) == none {
			b.add(r)
		}
	}
	numberOf, ordered := b.topological()
	n := h.n + len(ordered)
	if err := h.extendCommits(b, numberOf, ordered, s); err != nil {
		return err
	}

	fresh := make([]string, 0, len(b.posts))
	for k := range b.posts {
		fresh = append(fresh, k)
	}
	slices.Sort(fresh)
	keys := make([]byte, 0, len(h.keys.data)*9/8)
	keyEnds := make([]uint32, 1, h.keys.n+len(fresh)+1)
	posts := make([]byte, 0, len(h.posts)*9/8)
	ends := make([]uint32, 0, h.keys.n+len(fresh))
	var list []uint32
	for k := 0; k < h.keys.n || len(fresh) > 0; {
		order := -1 // of the old key against the new one
		switch {
		case k == h.keys.n:
			order = 1
		case len(fresh) > 0:
			order = strings.Compare(string(h.keys.at(k)), fresh[0])
		}
		if order < 0 {
			raw := h.raw(k)
			keys = append(keys, h.keys.at(k)...)
			posts = append(posts, raw...)
			switch {
			case len(raw) == 0:
				return fmt.Errorf("%w: history posting", errBroken)
			case raw[0] == postBits:
				posts = append(posts, make([]byte, max(0, 1+(n+7)/8-len(raw)))...)
			}
			k++
		} else {
			list = list[:0]
			if order == 0 {
				var err error
				if list, err = h.posting(k, list); err != nil {
					return err
				}
				k++
			}
			old := len(list)
			for _, at := range b.posts[fresh[0]] {
				list = append(list, uint32(h.n)+numberOf[at])
			}
			slices.Sort(list[old:])
			keys = append(keys, fresh[0]...)
			posts = appendNumbers(posts, list, n)
			fresh = fresh[1:]
		}
		keyEnds = append(keyEnds, uint32(len(keys)))
		ends = append(ends, uint32(len(posts)))
	}
	count := le.AppendUint32(nil, uint32(len(ends)))
	s[secKeys] = slices.Concat(count, encodeU32s(keyEnds), keys)
	s[secPosts] = append(encodeU32s(ends), posts...)
	return nil
}

// extendCommits makes the section of commits: those of h, then the new ones.
func (h *past) extendCommits(b *pastBuilder, numberOf, ordered []uint32, s *[sectionCount][]byte) error {
	n := h.n + len(ordered)
	sorted := slices.Clone(ordered)
	slices.SortFunc(sorted, func(x, y uint32) int { return strings.Compare(b.ids[x], b.ids[y]) })

	c := make([]byte, 0, 4+n*(h.width+17))
	c = le.AppendUint32(c, uint32(n))
	numbers, order := make([]uint32, 0, n), make([]uint32, n)
	put := func(id []byte, number uint32) {
		order[number] = uint32(len(numbers))
		numbers = append(numbers, number)
		c = append(c, id...)
	}
	at := 0
	old := func(below []byte) { // nil: all that are left
		for ; at < h.n; at++ {
			id := h.ids[at*h.width : (at+1)*h.width]
			if below != nil && bytes.Compare(id, below) >= 0 {
				return
			}
			put(id, uint32(h.numbers.at(at)))
		}
	}
	for _, i := range sorted {
		id, err := hex.DecodeString(b.ids[i])
		if err != nil {
			return fmt.Errorf("commit %q: %w", b.ids[i], err)
		}
		old(id)
		put(id, uint32(h.n)+numberOf[i])
	}
	old(nil)
	c = append(c, encodeU32s(numbers)...)
	c = append(c, encodeU32s(order)...)

	var more []byte
	extra := 0
	edge := func(from int, to uint32) {
		more = binary.AppendUvarint(more, uint64(from))
		more = binary.AppendUvarint(more, uint64(to))
		extra++
	}
	merge := make([]byte, (n+7)/8)
	for i := range h.n {
		if h.merge.has(uint32(i)) {
			merge[i>>3] |= 1 << (i & 7)
		}
		for _, p := range h.more[uint32(i)] {
			edge(i, p)
		}
	}
	first, second := slices.Clone(h.first), slices.Clone(h.second)
	for k, i := range ordered {
		number := h.n + k
		parents := [2]uint32{none, none}
		has := 0
		for _, p := range b.par[i] {
			to := none
			if q, ok := b.num[p]; ok {
				to = uint32(h.n) + numberOf[q]
			} else {
				to = h.number(p)
			}
			if to == none || to >= uint32(number) { // a cycle cannot come from git
				continue
			}
			if has < 2 {
				parents[has] = to
			} else {
				edge(number, to)
			}
			has++
		}
		first, second = le.AppendUint32(first, parents[0]), le.AppendUint32(second, parents[1])
		if b.merge[i] {
			merge[number>>3] |= 1 << (number & 7)
		}
	}
	c = append(append(append(c, first...), second...), merge...)
	c = binary.AppendUvarint(c, uint64(extra))
	s[secCommits] = append(c, more...)
	return nil
}
