package search

// This file is what `sayso memory search`, `show` and `index` write as JSON.

// Names of the shapes; the number changes when a field changes its meaning or goes.
const (
	OutputSchema = "sayso.memory-search/v1"
	ShowSchema   = "sayso.memory-show/v1"
	IndexSchema  = "sayso.memory-index/v1"
)

// Output is what `sayso memory search --json` writes.
type Output struct {
	Schema string  `json:"schema"`         // name and version of this shape
	Space  string  `json:"space"`          // name of the store
	Folder string  `json:"folder"`         // of the store, from the top of its repository or space
	Shared bool    `json:"shared"`         // the store is the main checkout's
	Base   *string `json:"base"`           // revision whose entries were searched; null: the files as they are
	Note   string  `json:"note,omitempty"` // what a person should know about the choice of the store
	Mode   Mode    `json:"mode"`           // how the words were held against entries: all, best, expanded
	SearchResult
}

// ShowOutput is what `sayso memory show --json` writes.
type ShowOutput struct {
	Schema string `json:"schema"` // name and version of this shape
	Space  string `json:"space"`  // name of the store
	ReadResult
}

// IndexOutput is what `sayso memory index --json` writes.
type IndexOutput struct {
	Schema  string `json:"schema"`  // name and version of this shape
	Space   string `json:"space"`   // name of the store
	Entries int    `json:"entries"` // entries of the store
	Active  int    `json:"active"`  // entries that hold
	Rebuilt bool   `json:"rebuilt"` // there was no index that could be used
	Written bool   `json:"written"` // the index was written
	Changed int    `json:"changed"` // entries that were new or differed
	Gone    int    `json:"gone"`    // entries that were no more
	Touched int    `json:"touched"` // files that were read again and said the same
}
