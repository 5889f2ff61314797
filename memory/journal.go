package memory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// journalName is the file that holds what several writes that belong together
// are about to do. Once it has its name, they will be done: by the call that
// wrote it, or by the next writer. It is no entry and no reader looks at it.
const journalName = ".sayso-journal"

// maxJournal is the most bytes of a journal that are read back.
const maxJournal = 256 << 20

// journal is the content of that file.
type journal struct {
	Version int            `json:"version"` // 1
	Sum     string         `json:"sum"`     // SHA-256 of the JSON of Writes: a torn journal does not count
	Writes  []journalWrite `json:"writes"`
}

type journalWrite struct {
	ID  string `json:"id"`
	Old string `json:"old"` // SHA-256 of the file that is to be replaced, "" for none
	New []byte `json:"new"`
}

func sumOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// together does several writes so that all of them or none get done, whatever
// ends the process between them.
func (w *writer) together(writes []Write) error {
	switch len(writes) {
	case 0:
		return nil
	case 1:
		return w.put(writes[0].ID, writes[0].New)
	}
	j, raw, err := newJournal(writes)
	if err != nil {
		return err
	}
	aside, err := w.aside("journal", raw)
	if err != nil {
		return w.s.failure("writing", journalName, err)
	}
	if err := w.root.Rename(aside, journalName); err != nil {
		_ = w.root.Remove(aside)
		return w.s.failure("writing", journalName, err)
	}
	if err := syncDir(w.root); err != nil {
		return w.s.failure("writing", journalName, err)
	}
	return w.carryOut(j)
}

// newJournal is the journal of some writes, and its file.
func newJournal(writes []Write) (journal, []byte, error) {
	j := journal{Version: 1}
	for _, x := range writes {
		w := journalWrite{ID: x.ID, New: x.New}
		if x.Old != nil {
			w.Old = sumOf(x.Old)
		}
		j.Writes = append(j.Writes, w)
	}
	inner, err := json.Marshal(j.Writes)
	if err != nil {
		return j, nil, err
	}
	j.Sum = sumOf(inner)
	raw, err := json.Marshal(j)
	return j, raw, err
}

// finish does what the journal of an interrupted call still asks for.
func (w *writer) finish() error {
	if _, err := w.root.Lstat(journalName); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	raw, err := readIn(w.root, journalName, maxJournal)
	if err != nil {
		return w.s.failure("reading", journalName, err)
	}
	var j journal
	inner, ok := []byte(nil), json.Unmarshal(raw, &j) == nil && j.Version == 1
	if ok {
		inner, err = json.Marshal(j.Writes)
		ok = err == nil && sumOf(inner) == j.Sum
	}
	if !ok {
		// It got its name only after it was whole on the disk: this is somebody else's.
		return w.s.failure("reading", journalName, errors.New("it is not one that sayso wrote: move it away and run again"))
	}
	return w.carryOut(j)
}

// carryOut does the writes of a journal and takes the journal away. A file that
// is neither as it was nor as it is to be was edited since: it is left alone, and
// whoever publishes again merges with it.
func (w *writer) carryOut(j journal) error {
	for _, x := range j.Writes {
		if !ValidID(x.ID) {
			continue
		}
		cur, err := readIn(w.root, x.ID+".md", MaxFileBytes)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if x.Old != "" {
				continue
			}
		case err != nil:
			return w.s.failure("reading", x.ID+".md", err)
		case bytes.Equal(cur, x.New), x.Old != sumOf(cur):
			continue
		}
		if err := w.put(x.ID, x.New); err != nil {
			return err
		}
	}
	if err := w.root.Remove(journalName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return w.s.failure("removing", journalName, err)
	}
	return nil
}

// put gives a file its content: a new one, or one in the place of what is there.
func (w *writer) put(id string, raw []byte) error {
	if _, err := w.root.Lstat(id + ".md"); errors.Is(err, fs.ErrNotExist) {
		made, err := w.place(id, raw)
		if err == nil && !made {
			err = fmt.Errorf("%s: %w", id, ErrChanged)
		}
		return err
	}
	_, err := w.rewrite(id, func(Entry, []byte) ([]byte, error) { return raw, nil })
	return err
}

// files reads the files of some ids, a [Reader].
func (w *writer) files(ctx context.Context, ids []string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, id := range ids {
		if ctx.Err() != nil {
			return nil, w.s.failure("reading", "", context.Cause(ctx))
		}
		name := id + ".md"
		info, err := w.root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var raw []byte
		if err == nil && !info.Mode().IsRegular() {
			err = errors.New("not a plain file")
		}
		if err == nil {
			raw, err = readIn(w.root, name, MaxFileBytes)
		}
		if err != nil {
			return nil, w.s.failure("reading", name, err)
		}
		out[id] = raw
	}
	return out, nil
}
