package schemas

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.json
var files embed.FS

// Names are the names of the schemas, sorted: batch-request, batch-result,
// bench-pair, bench-result, config, memory-entry, memory-export and so on.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil // an embedded root folder is always there
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i], _, _ = strings.Cut(e.Name(), ".")
	}
	return names
}

// Get is the JSON text of the newest schema of a name.
func Get(name string) ([]byte, error) {
	b, err := files.ReadFile(name + ".v1.json")
	if err != nil {
		return nil, fmt.Errorf("no schema %.60q: one of %s", name, strings.Join(Names(), ", "))
	}
	return b, nil
}
