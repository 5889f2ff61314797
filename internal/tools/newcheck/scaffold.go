package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// errName is a name that cannot become a check.
var errName = errors.New("bad name")

var form = regexp.MustCompile(`^[a-z][a-z0-9]+(-[a-z0-9]+)*$`)

// The file of the package checks that lists all checks, and the function that does.
const (
	listFile = "judge.go"
	listFunc = "All"
)

// scaffold writes the files of a check below root, the folder of go.mod, and
// returns what is left to do, a line each. Nothing is written where it fails.
func scaffold(root, id string) ([]string, error) {
	dir := filepath.Join(root, "checks")
	if err := refuse(dir, id); err != nil {
		return nil, err
	}
	n := namesOf(id)
	list := filepath.Join(dir, listFile)
	before, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	after, err := enter(before, n.Lower+"Check")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", list, err)
	}
	files := map[string][]byte{
		filepath.Join(dir, fileName(id)):                                           n.fill(codeTemplate),
		filepath.Join(dir, filepath.FromSlash(n.Folder), "fires", "example.txtar"): n.fill(firesTemplate),
		filepath.Join(dir, filepath.FromSlash(n.Folder), "quiet", "example.txtar"): n.fill(quietTemplate),
	}
	if err := create(files); err != nil {
		return nil, err
	}
	if err := os.WriteFile(list, after, 0o644); err != nil {
		return nil, errors.Join(err, discard(files))
	}
	return []string{
		"wrote checks/" + fileName(id) + ", and one case each in checks/" + n.Folder + "/fires and checks/" + n.Folder + "/quiet",
		"entered " + n.Lower + "Check in " + listFunc + "() of checks/" + listFile,
		"",
		"next:",
		"  1. let claim.Parse read claims of the kind \"" + id + "\": a constant in claim/claim.go, the reading in claim/extract.go",
		"  2. write the two cases, and then the documentation and judge" + n.Upper + " in checks/" + fileName(id),
		"  3. go test ./checks            (the case that must fire fails until then)",
		"  4. go test ./checks -run Docs -update   writes docs/checks/" + id + ".md",
	}, nil
}

func fileName(id string) string { return "check_" + strings.ReplaceAll(id, "-", "_") + ".go" }

// refuse says why the name cannot become a check, nil when it can.
func refuse(dir, id string) error {
	if !form.MatchString(id) || len(id) > 30 {
		return fmt.Errorf("%w %q: two to thirty lower-case letters and digits, a letter first, single hyphens inside", errName, id)
	}
	name := fileName(id)
	// check_test.go and check_windows.go mean something to the go command.
	anywhere := build.Context{GOOS: "none", GOARCH: "none", Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package checks\n")), nil
	}}
	if ok, err := anywhere.MatchFile(dir, name); err != nil || !ok || strings.HasSuffix(name, "_test.go") {
		return fmt.Errorf("%w %q: the go command would not build %s everywhere", errName, id, name)
	}
	n := namesOf(id)
	declared, ids, err := declarations(dir)
	if err != nil {
		return err
	}
	if slices.Contains(ids, id) {
		return fmt.Errorf("%w %q: there is a check of this name", errName, id)
	}
	for _, word := range []string{n.Lower + "Check", "judge" + n.Upper} {
		if declared[word] {
			return fmt.Errorf("%w %q: checks declares %s already", errName, id, word)
		}
	}
	for _, p := range []string{filepath.Join(dir, name), filepath.Join(dir, filepath.FromSlash(n.Folder))} {
		if _, err := os.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w %q: %s is there already", errName, id, p)
		}
	}
	return nil
}

// declarations reads the names that the package declares, and the ids of its checks.
func declarations(dir string) (declared map[string]bool, ids []string, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(paths) == 0 {
		return nil, nil, fmt.Errorf("%s holds no package: run it in the folder of go.mod, or say -C FOLDER", dir)
	}
	declared = map[string]bool{}
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					declared[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.ValueSpec:
						for _, name := range s.Names {
							declared[name.Name] = true
						}
					case *ast.TypeSpec:
						declared[s.Name.Name] = true
					}
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			pair, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			key, isName := pair.Key.(*ast.Ident)
			value, isText := pair.Value.(*ast.BasicLit)
			if isName && isText && key.Name == "ID" && value.Kind == token.STRING {
				ids = append(ids, strings.Trim(value.Value, "\"`"))
			}
			return true
		})
	}
	return declared, ids, nil
}

// enter adds a check at the end of the list that All returns.
func enter(src []byte, check string) ([]byte, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Name.Name != listFunc || fn.Body == nil || len(fn.Body.List) == 0 {
			continue
		}
		ret, ok := fn.Body.List[len(fn.Body.List)-1].(*ast.ReturnStmt)
		if !ok || len(ret.Results) != 1 {
			continue
		}
		if list, ok := ret.Results[0].(*ast.CompositeLit); ok && len(list.Elts) > 0 {
			at := set.Position(list.Elts[len(list.Elts)-1].End()).Offset
			return slices.Concat(src[:at], []byte(", "+check), src[at:]), nil
		}
	}
	return nil, fmt.Errorf("no list of checks to enter %s in: func %s must end in return []Check{...}", check, listFunc)
}

// create writes new files, all or none.
func create(files map[string][]byte) error {
	for _, p := range slices.Sorted(maps.Keys(files)) {
		err := os.MkdirAll(filepath.Dir(p), 0o755)
		if err == nil {
			err = writeNew(p, files[p])
		}
		if err != nil {
			return errors.Join(err, discard(files))
		}
	}
	return nil
}

func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, bytes.NewReader(data))
	return errors.Join(err, f.Close())
}

// discard takes the files away that hold what create would have written.
func discard(files map[string][]byte) error {
	var failed error
	for p, data := range files {
		if have, err := os.ReadFile(p); err == nil && bytes.Equal(have, data) {
			failed = errors.Join(failed, os.Remove(p))
		}
	}
	return failed
}
