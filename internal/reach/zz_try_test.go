package reach

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/saysolint/sayso/internal/lang"
)

func TestZZTry(t *testing.T) {
	root := os.Getenv("TRY")
	if root == "" {
		return
	}
	var files []File
	man := map[string][]byte{}
	filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if e.IsDir() {
			return nil
		}
		rel, _ := filepath.Rel(root, p)
		f := File{Path: rel}
		l := lang.ByPath(rel, nil)
		if l.HasImports() || Manifests(rel) {
			b, _ := os.ReadFile(p)
			if Manifests(rel) {
				man[rel] = b
			}
			f.Imports = l.Imports(b)
		}
		files = append(files, f)
		return nil
	})
	g := Build(files, man)
	fmt.Printf("%d files %+v %v\n", g.Len(), g.Stats(), g.Languages())
	if p := os.Getenv("SHOW"); p != "" {
		fmt.Println(g.DependsOn(p), g.External(p), g.Component(p))
		for _, e := range g.Dependents([]string{p}, 20) {
			fmt.Println(e)
		}
	}
}
