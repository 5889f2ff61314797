package reach

import (
	"encoding/binary"
	"errors"
	"sort"
)

// The encoding is a version byte, then numbers as unsigned varints and strings
// with their length: paths (each as what it shares with the one before and the
// rest), states, units, edges as differences, external names, roots, counts.
const binaryVersion = 1

var errCorrupt = errors.New("dependency graph: the stored form is damaged or of another version: build it again")

// MarshalBinary is the graph in a compact form; equal graphs give equal bytes.
func (g *Graph) MarshalBinary() ([]byte, error) {
	w := writer{binaryVersion}
	w.strings(g.paths)
	for _, s := range g.state {
		w = append(w, byte(s))
	}
	w.plain(g.units)
	for _, u := range g.unit {
		w.number(uint64(u + 1))
	}
	w.lists(g.deps)
	w.strings(g.names)
	w.lists(g.external)
	w.strings(g.roots)
	w.number(uint64(g.stats.Resolved))
	w.number(uint64(g.stats.External))
	w.number(uint64(g.stats.Lost))
	return w, nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Damaged input is an error and
// leaves the graph as it was.
func (g *Graph) UnmarshalBinary(data []byte) error {
	r := reader{b: data}
	if r.byte() != binaryVersion {
		return errCorrupt
	}
	var n Graph
	n.paths = r.strings(true)
	n.state = make([]state, len(n.paths))
	for i := range n.state {
		n.state[i] = state(r.byte())
		r.check(n.state[i] <= apart)
	}
	n.units = r.plain()
	n.unit = make([]int32, len(n.paths))
	for i := range n.unit {
		u := r.number(uint64(len(n.units)))
		n.unit[i] = int32(u) - 1
	}
	n.deps = r.lists(len(n.paths), len(n.paths)+len(n.units))
	n.names = r.strings(true)
	n.external = r.lists(len(n.paths), len(n.names))
	n.roots = r.strings(false)
	n.stats.Resolved = int(r.number(1 << 40))
	n.stats.External = int(r.number(1 << 40))
	n.stats.Lost = int(r.number(1 << 40))
	if r.bad || len(r.b) != 0 {
		return errCorrupt
	}
	n.finish()
	*g = n
	return nil
}

type writer []byte

func (w *writer) number(n uint64) { *w = binary.AppendUvarint(*w, n) }

func (w *writer) text(s string) {
	w.number(uint64(len(s)))
	*w = append(*w, s...)
}

// strings writes a list whose neighbours are alike.
func (w *writer) strings(list []string) {
	w.number(uint64(len(list)))
	prev := ""
	for _, s := range list {
		n := 0
		for n < len(s) && n < len(prev) && s[n] == prev[n] {
			n++
		}
		w.number(uint64(n))
		w.text(s[n:])
		prev = s
	}
}

func (w *writer) plain(list []string) {
	w.number(uint64(len(list)))
	for _, s := range list {
		w.text(s)
	}
}

// lists writes sorted numbers by their differences.
func (w *writer) lists(all [][]uint32) {
	for _, list := range all {
		w.number(uint64(len(list)))
		prev := uint32(0)
		for _, v := range list {
			w.number(uint64(v - prev))
			prev = v
		}
	}
}

// reader reads numbers within bounds; the first thing out of bounds makes it
// bad, and all that follows is zero.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) check(ok bool) {
	if !ok {
		r.bad = true
		r.b = nil
	}
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.check(false)
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) number(most uint64) uint64 {
	n, k := binary.Uvarint(r.b)
	if k <= 0 || n > most {
		r.check(false)
		return 0
	}
	r.b = r.b[k:]
	return n
}

// count is a number of things that take at least one byte each.
func (r *reader) count() int { return int(r.number(uint64(len(r.b)))) }

func (r *reader) text() string {
	n := r.count()
	if n > len(r.b) {
		r.check(false)
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

func (r *reader) strings(strict bool) []string {
	n := r.count()
	var out []string
	prev := ""
	total := 0
	for i := 0; i < n && !r.bad; i++ {
		k := int(r.number(uint64(len(prev))))
		s := prev[:k] + r.text()
		// Shared beginnings could unfold a small file into a huge one.
		total += len(s)
		r.check(total <= 1<<28 && len(s) <= 1<<16)
		if strict && i > 0 && s <= prev {
			r.check(false)
		}
		out = append(out, s)
		prev = s
	}
	if !strict && !sort.StringsAreSorted(out) {
		r.check(false)
	}
	return out
}

func (r *reader) plain() []string {
	n := r.count()
	var out []string
	for i := 0; i < n && !r.bad; i++ {
		out = append(out, r.text())
	}
	return out
}

func (r *reader) lists(n, below int) [][]uint32 {
	out := make([][]uint32, n)
	for i := 0; i < n && !r.bad; i++ {
		k := r.count()
		if k == 0 {
			continue
		}
		list := make([]uint32, 0, k)
		prev := uint64(0)
		for j := 0; j < k && !r.bad; j++ {
			d := r.number(uint64(below))
			r.check(j == 0 || d > 0)
			prev += d
			r.check(prev < uint64(below))
			list = append(list, uint32(prev))
		}
		out[i] = list
	}
	if r.bad {
		return make([][]uint32, n)
	}
	return out
}
