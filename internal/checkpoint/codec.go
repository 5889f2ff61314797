package checkpoint

import (
	"encoding/binary"
	"time"
)

// encoder writes values one after the other: numbers as varints, strings behind
// their length.
type encoder struct{ b []byte }

func (e *encoder) num(n int)    { e.b = binary.AppendVarint(e.b, int64(n)) }
func (e *encoder) str(s string) { e.num(len(s)); e.b = append(e.b, s...) }

func (e *encoder) flags(bits ...bool) {
	n := 0
	for i, b := range bits {
		if b {
			n |= 1 << i
		}
	}
	e.num(n)
}

func (e *encoder) strs(list []string) {
	e.num(len(list))
	for _, s := range list {
		e.str(s)
	}
}

// time keeps milliseconds; the zero time is 0.
func (e *encoder) time(t time.Time) {
	if t.IsZero() {
		e.num(0)
		return
	}
	e.num(int(t.UnixMilli()))
}

// decoder reads what an encoder wrote. Strings share the text that they stand in.
// After the first bad value bad is set and every further one is zero.
type decoder struct {
	s   string
	bad bool
}

func (d *decoder) num() int {
	var n uint64
	for i := 0; i < len(d.s) && i < binary.MaxVarintLen64; i++ {
		c := d.s[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			d.s = d.s[i+1:]
			v := int64(n >> 1)
			if n&1 != 0 {
				v = ^v
			}
			return int(v)
		}
	}
	d.s, d.bad = "", true
	return 0
}

func (d *decoder) str() string {
	n := d.num()
	if n < 0 || n > len(d.s) {
		d.s, d.bad = "", true
		return ""
	}
	s := d.s[:n]
	d.s = d.s[n:]
	return s
}

// count is a length: everything that is counted takes at least one byte.
func (d *decoder) count() int {
	n := d.num()
	if n < 0 || n > len(d.s) {
		d.s, d.bad = "", true
		return 0
	}
	return n
}

func (d *decoder) strs() []string {
	n := d.count()
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = d.str()
	}
	return list
}

func (d *decoder) time() time.Time {
	ms := d.num()
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}
