package change

import "bytes"

// Images are the content of a file before and after a change; nil where the file is
// not there.
type Images struct{ Old, New []byte }

// Between is the change that images by path make, without git. It is for whoever
// measures or explains a check: no file of it moved, and none has an object name.
func Between(files map[string]Images) *Change {
	ch := &Change{ID: "between"}
	r := NewReader(nil, Limits{})
	for path, im := range files {
		f := File{Path: path, Status: Modified, OldMode: "100644", NewMode: "100644"}
		switch {
		case im.Old == nil && im.New == nil || im.Old != nil && im.New != nil && bytes.Equal(im.Old, im.New):
			continue
		case im.Old == nil:
			f.Status, f.OldMode = Added, ""
		case im.New == nil:
			f.Status, f.NewMode = Deleted, ""
		}
		r.take(ch, &f, lineDiff(string(im.Old), string(im.New)))
		f.Old, f.New, f.ImagesRead = im.Old, im.New, true
		ch.Files = append(ch.Files, f)
	}
	finish(ch)
	return ch
}
