package reach

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/saysolint/sayso/internal/lang"
	"pgregory.net/rapid"
)

// tree builds the graph of a tree that is written as path -> content.
func tree(files map[string]string) *Graph {
	var list []File
	manifests := map[string][]byte{}
	for p, src := range files {
		if Manifests(p) {
			manifests[p] = []byte(src)
		}
		list = append(list, File{Path: p, Imports: lang.ByPath(p, nil).Imports([]byte(src))})
	}
	return Build(list, manifests)
}

func TestBuildResolvesImports(t *testing.T) {
	for _, c := range []struct {
		why   string
		files map[string]string
		from  string
		want  string // what it depends on
		ext   string // what is outside
	}{
		{"go: a package is a folder, several modules, a replacement", map[string]string{
			"go.mod":          "module example.org/a // x\n\nreplace (\n\texample.org/b => ./b\n)\nreplace example.org/c v1 => ./deep/c\n",
			"main.go":         "package main\nimport (\n\"fmt\"\n\"example.org/a/pkg\"\n\"example.org/b/x\"\n\"example.org/c\"\n\"example.org/d/y\"\n\"example.org/abc\"\n)\n",
			"pkg/a.go":        "package pkg\n",
			"pkg/a_test.go":   "package pkg\n",
			"b/x/x.go":        "package x\n",
			"deep/c/c.go":     "package c\n",
			"d/go.mod":        "module example.org/d\n",
			"d/y/y.go":        "package y\n",
			"vendor/fmt/f.go": "package fmt\n",
		}, "main.go", "b/x d/y deep/c pkg", "example.org/abc fmt"},
		{"go: the root package", map[string]string{"go.mod": "module m\n", "a.go": "package m\n", "sub/s.go": "package sub\nimport \"m\"\n"}, "sub/s.go", ".", ""},
		{"python: src layout, relative imports, names in modules", map[string]string{
			"src/app/__init__.py": "from .core import run\n", "src/app/core.py": "import os\nfrom . import util\nfrom .sub.deep import f\nfrom app import other\nimport app.sub\n",
			"src/app/util.py": "", "src/app/other.py": "", "src/app/sub/__init__.py": "", "src/app/sub/deep.py": "from ...app import util\n",
		}, "src/app/core.py", "src/app/other.py src/app/sub/__init__.py src/app/sub/deep.py src/app/util.py", "os"},
		{"python: what lies beside a script", map[string]string{"tools/run.py": "import helper\nimport json\n", "tools/helper.py": "", "pkg/json/x.py": ""}, "tools/run.py", "tools/helper.py", "json"},
		{"javascript: extensions, index files, compiled names", map[string]string{
			"a.ts": "import './b'\nimport './c'\nimport './d.js'\nimport './e.json'\nimport 'react'\nimport './f.vue'\nimport '.'\n",
			"b.ts": "", "c/index.tsx": "", "d.ts": "", "e.json": "", "f.vue": "", "index.js": "",
		}, "a.ts", "b.ts c/index.tsx d.ts e.json f.vue index.js", "react"},
		{"javascript: workspaces and tsconfig paths", map[string]string{
			"tsconfig.json":              "{\n // c\n \"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"#lib/*\": [\"lib/*/src\"], \"one\": [\"lib/one.ts\",],},},\n}",
			"packages/a/package.json":    `{"name": "@s/a", "main": "dist/a.js"}`,
			"packages/a/src/index.ts":    "",
			"packages/a/src/sub.ts":      "",
			"packages/b/package.json":    `{"name": "b", "main": "./main.js"}`,
			"packages/b/main.js":         "",
			"packages/c/src/c.ts":        "import '@s/a'\nimport '@s/a/sub'\nimport 'b'\nimport '#lib/x'\nimport 'one'\nimport 'lib/two'\nimport '@s/none'\nimport '@/local'\n",
			"packages/c/src/local.ts":    "",
			"lib/x/src.ts":               "",
			"lib/one.ts":                 "",
			"lib/two.ts":                 "",
			"node_modules/@s/none/in.js": "",
		}, "packages/c/src/c.ts", "lib/one.ts lib/two.ts lib/x/src.ts packages/a/src/index.ts packages/a/src/sub.ts packages/b/main.js packages/c/src/local.ts", "@s/none"},
		{"rust: modules, crates of the workspace, a root of its own", map[string]string{
			"Cargo.toml":              "[workspace]\n",
			"crates/x-y/Cargo.toml":   "[package]\nname = \"x-y\"\n",
			"crates/x-y/src/lib.rs":   "mod a;\npub mod b;\n",
			"crates/x-y/src/a.rs":     "use crate::b::c::T;\nuse super::b;\nuse std::io;\nmod tests { use super::*; }\n",
			"crates/x-y/src/b/mod.rs": "mod c;\n",
			"crates/x-y/src/b/c.rs":   "use super::super::a;\n",
			"app/Cargo.toml":          "[package]\nname = \"app\"\n[[bin]]\nname = \"app\"\npath = \"code/main.rs\"\n",
			"app/code/main.rs":        "mod cli;\nuse x_y::b::c;\nuse cli::args;\nuse serde::D;\n",
			"app/code/cli.rs":         "",
		}, "app/code/main.rs", "app/code/cli.rs crates/x-y/src/b/c.rs", "serde::D"},
		{"rust: from within a crate", map[string]string{
			"Cargo.toml": "[package]\nname = \"x\"\n", "src/lib.rs": "", "src/a.rs": "use crate::b::c::T;\nuse super::b;\nuse std::io;\nmod tests { use super::*; }\n", "src/b/mod.rs": "", "src/b/c.rs": "",
		}, "src/a.rs", "src/b/c.rs src/b/mod.rs", "std::io"},
		{"java: classes, nested ones, static imports, packages", map[string]string{
			"src/main/java/org/x/A.java":      "package org.x;\nimport org.x.y.B;\nimport org.x.y.C.Inner;\nimport static org.x.y.D.max;\nimport org.x.z.*;\nimport java.util.List;\n",
			"src/main/java/org/x/y/B.java":    "",
			"src/main/java/org/x/y/C.java":    "",
			"src/main/java/org/x/y/D.kt":      "",
			"src/main/java/org/x/z/E.java":    "",
			"src/main/java/other/util/F.java": "",
		}, "src/main/java/org/x/A.java", "src/main/java/org/x/y/B.java src/main/java/org/x/y/C.java src/main/java/org/x/y/D.kt src/main/java/org/x/z", "java.util.List"},
		{"c: beside the file, by its end, the nearest of several", map[string]string{
			"src/a.c": "#include \"a.h\"\n#include \"lib/b.h\"\n#include <proj/c.h>\n#include <stdio.h>\n#include \"twice.h\"\n", "src/a.h": "", "include/lib/b.h": "", "include/proj/c.h": "", "src/in/twice.h": "", "other/twice.h": "",
		}, "src/a.c", "include/lib/b.h include/proj/c.h src/a.h src/in/twice.h", "stdio.h"},
		{"ruby: load path and relative", map[string]string{"lib/a.rb": "require 'a/b'\nrequire 'json'\nrequire_relative 'c'\n", "lib/a/b.rb": "", "lib/c.rb": "", "a.gemspec": ""}, "lib/a.rb", "lib/a/b.rb lib/c.rb", "json"},
	} {
		g := tree(c.files)
		if got := strings.Join(g.DependsOn(c.from), " "); got != c.want {
			t.Errorf("%s:\n depends on %s\n       want %s", c.why, got, c.want)
		}
		if got := strings.Join(g.External(c.from), " "); got != c.ext {
			t.Errorf("%s: external %q, want %q", c.why, got, c.ext)
		}
	}
}

func TestWhatLooksInternalAndLeadsNowhereIsLost(t *testing.T) {
	g := tree(map[string]string{
		"go.mod": "module m\n", "a.go": "package m\nimport \"m/gone\"\n",
		"p/__init__.py": "", "p/a.py": "from .gone import x\n",
		"w/a.js": "import './gone'\n", "w/b.js": "import '../../out'\n",
	})
	if got := g.Stats(); got != (Stats{External: 1, Lost: 3}) {
		t.Errorf("%+v", got)
	}
}

func TestDependents(t *testing.T) {
	g := tree(map[string]string{
		"go.mod": "module m\n", "core/a.go": "package core\n", "core/b.go": "package core\n",
		"mid/m.go": "package mid\nimport \"m/core\"\n", "top/t.go": "package top\nimport \"m/mid\"\n", "top/t_test.go": "package top\nimport \"m/core\"\n", "alone/x.go": "package alone\n",
		"web/a.js": "import './b'\n", "web/b.js": "import './a'\n",
	})
	var got []string
	for _, e := range g.Dependents([]string{"core/a.go", "not/there.go"}, 0) {
		got = append(got, fmt.Sprint(e))
	}
	want := []string{"{mid/m.go core 1}", "{top/t_test.go core 1}", "{top/t.go mid 2}"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := g.Dependents([]string{"core/a.go"}, 1); len(got) != 1 || got[0].Path != "mid/m.go" {
		t.Errorf("the bound was not kept: %v", got)
	}
	if got := g.Dependents([]string{"web/a.js"}, 0); len(got) != 1 || got[0] != (Edge{"web/b.js", "web/a.js", 1}) {
		t.Errorf("a ring: %v", got)
	}
	if got := g.Dependents([]string{"alone/x.go"}, 0); len(got) != 0 {
		t.Errorf("nobody imports it, but %v", got)
	}
}

func TestWhatTheGraphCannotSpeakOfIsNamed(t *testing.T) {
	g := tree(map[string]string{"a.go": "", "b.lua": "", "c.ex": "", "README.md": "", "d.yaml": "", "e.css": "", "f.html": ""})
	if d := cmp.Diff([]string{"b.lua", "c.ex", "gone.go"}, g.NotCovered([]string{"a.go", "c.ex", "b.lua", "README.md", "d.yaml", "e.css", "f.html", "gone.go", "gone.md"})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"Go"}, g.Languages()); d != "" {
		t.Error(d)
	}
	if !g.Has("a.go") || g.Has("b.lua") || g.Has("gone.go") {
		t.Error("Has must be true of covered files alone")
	}
}

func TestComponent(t *testing.T) {
	g := tree(map[string]string{"package.json": "{}", "packages/a/package.json": "{}", "packages/a/src/x/y.ts": "", "crates/b/Cargo.toml": "[package]\nname = \"b\"\n", "crates/b/src/z/mod.rs": "", "go/p/q.go": "", "r.py": ""})
	for p, want := range map[string]string{"packages/a/src/x/y.ts": "packages/a", "crates/b/src/z/mod.rs": "crates/b", "go/p/q.go": "go/p", "r.py": ".", "lib/u.js": "lib"} {
		if got := g.Component(p); got != want {
			t.Errorf("%s: %s, want %s", p, got, want)
		}
	}
}

var equal = cmp.Options{cmp.AllowUnexported(Graph{}), cmp.Comparer(func(a, b []uint32) bool { return len(a) == len(b) && fmt.Sprint(a) == fmt.Sprint(b) }), cmp.Comparer(func(a, b []string) bool { return len(a) == len(b) && fmt.Sprintf("%q", a) == fmt.Sprintf("%q", b) })}

// randomTree draws a tree of JavaScript and Go files that import each other.
func randomTree(t *rapid.T) map[string]string {
	n := rapid.IntRange(0, 25).Draw(t, "files")
	files := map[string]string{"go.mod": "module m\n"}
	for i := range n {
		d := rapid.IntRange(0, 3).Draw(t, "dir")
		other := rapid.IntRange(0, 25).Draw(t, "import")
		if rapid.Bool().Draw(t, "go") {
			files[fmt.Sprintf("d%d/f%d.go", d, i)] = fmt.Sprintf("package d\nimport \"m/d%d\"\nimport \"x%d\"\n", other%4, other)
		} else {
			files[fmt.Sprintf("d%d/f%d.js", d, i)] = fmt.Sprintf("import '../d%d/f%d'\nimport 'y%d'\n", other%4, other, other)
		}
	}
	return files
}

func TestStoredGraphsComeBackEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := tree(randomTree(t))
		data, err := g.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var back Graph
		if err := back.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(g, &back, equal); d != "" {
			t.Fatal(d)
		}
		again, _ := back.MarshalBinary()
		if !bytes.Equal(data, again) {
			t.Fatal("equal graphs gave other bytes")
		}
	})
}

func TestTheOrderOfFilesDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := randomTree(t)
		a, _ := tree(files).MarshalBinary()
		b, _ := tree(files).MarshalBinary() // a map gives another order each time
		if !bytes.Equal(a, b) {
			t.Fatal("another order of files gave another graph")
		}
	})
}

func TestDependentsAreWhoReachesTheFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := tree(randomTree(t))
		if g.Len() == 0 {
			return
		}
		start := g.paths[rapid.IntRange(0, g.Len()-1).Draw(t, "start")]
		// By hand: a file reaches the start if one of its targets is it, or the folder of it, or does.
		reached := map[string]bool{start: true}
		for changed := true; changed; {
			changed = false
			for i, p := range g.paths {
				if reached[p] {
					continue
				}
				for _, target := range g.deps[i] {
					hit := false
					if int(target) < len(g.paths) {
						hit = reached[g.paths[target]]
					} else {
						for j, q := range g.paths {
							hit = hit || reached[q] && g.unit[j] == int32(int(target)-len(g.paths))
						}
					}
					if hit {
						reached[p], changed = true, true
						break
					}
				}
			}
		}
		got := g.Dependents([]string{start}, 0)
		if len(got) != len(reached)-1 {
			t.Fatalf("%d dependents of %s, want %d", len(got), start, len(reached)-1)
		}
		for _, e := range got {
			if !reached[e.Path] {
				t.Fatalf("%v does not reach %s", e, start)
			}
		}
	})
}

func TestDamagedBytesAreRefusedAndChangeNothing(t *testing.T) {
	g := tree(map[string]string{"go.mod": "module m\n", "a/a.go": "package a\nimport \"m/b\"\n", "b/b.go": "package b\nimport \"x\"\n"})
	data, _ := g.MarshalBinary()
	for n := range data {
		var back Graph
		if err := back.UnmarshalBinary(data[:n]); !errors.Is(err, errCorrupt) {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if back.Len() != 0 {
			t.Fatalf("cut at %d: the graph was changed", n)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	g := tree(map[string]string{"go.mod": "module m\n", "a/a.go": "package a\nimport \"m/b\"\n", "b/b.go": "package b\nimport \"x\"\n"})
	data, _ := g.MarshalBinary()
	f.Add(data)
	f.Add([]byte{binaryVersion})
	f.Fuzz(func(t *testing.T, data []byte) {
		var g Graph
		if g.UnmarshalBinary(data) != nil {
			return
		}
		g.Dependents(g.paths, 10)
		for _, p := range g.paths {
			g.DependsOn(p)
			g.External(p)
			g.Component(p)
		}
		again, _ := g.MarshalBinary()
		var back Graph
		if err := back.UnmarshalBinary(again); err != nil {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
	})
}

func FuzzBuild(f *testing.F) {
	f.Add("a/b.ts", "./c", "tsconfig.json", "{\"compilerOptions\":{\"paths\":{\"*\":[\"*\"]}}}")
	f.Add("a.rs", "super::super::x", "Cargo.toml", "[package]\nname=\"x\"\n[lib]\npath=\"../a.rs\"")
	f.Add("p/a.py", "....x.y", "pyproject.toml", "")
	f.Add("x.go", "../..", "go.mod", "module \nreplace a => ./../..\nmodule x")
	f.Add("src/A.java", "..*.", "package.json", "{\"main\": 1, \"name\": \"/\"}")
	f.Add("a.c", "../../../", "a.gemspec", "")
	f.Fuzz(func(t *testing.T, path, imported, manifest, content string) {
		files := []File{{Path: path, Imports: []lang.Import{{Path: imported, Line: 1, Relative: strings.HasPrefix(imported, ".")}, {Path: imported, Line: 2, Relative: true}}}, {Path: manifest}, {Path: "a.ts"}, {Path: "src/lib.rs"}, {Path: "x/__init__.py"}, {Path: "a/A.java"}, {Path: "b/x.h"}}
		g := Build(files, map[string][]byte{manifest: []byte(content)})
		for _, p := range g.paths {
			g.DependsOn(p)
			g.External(p)
			g.Component(p)
		}
		g.Dependents(g.paths[:1], 0)
		if data, err := g.MarshalBinary(); err != nil {
			t.Fatal(err)
		} else if err := new(Graph).UnmarshalBinary(data); err != nil && !strings.ContainsAny(path+manifest+imported, "\x00") && len(path)+len(manifest)+len(imported) < 1<<15 {
			t.Fatalf("what was written cannot be read: %v", err)
		}
	})
}

const snapshot = `{"schema_version":"1.1","provider":"entire-graph","commit":"c1","languages":[]}
{"record_type":"file","id":"f:a","path":"a.lua","language":"Lua"}
{"record_type":"file","id":"f:b","path":"b.lua","language":"Lua"}
{"record_type":"file","id":"f:c","path":"c.go","language":"Go"}
{"record_type":"file","id":"f:r","path":"README.md","language":"Markdown"}
{"record_type":"symbol","id":"s:a","file_path":"a.lua","name":"run"}
{"record_type":"symbol","id":"s:b","file_path":"b.lua","name":"go"}
{"record_type":"external","id":"external:import:os","kind":"import","value":"os"}
{"record_type":"relation","from_id":"s:a","to_id":"s:b","type":"CALLS","confidence":1}
{"record_type":"relation","from_id":"f:a","to_id":"external:import:os","type":"IMPORTS"}
{"record_type":"relation","from_id":"f:b","to_id":"s:b","type":"DEFINES"}
{"record_type":"relation","from_id":"f:c","to_id":"f:a","type":"SIMILAR_TO"}
{"record_type":"relation","from_id":"f:c","to_id":"s:b","type":"CALLS","resolution":"name_only"}
{"record_type":"novelty","id":1.5e3}
`

const tail = `{"record_type":"summary","language_tiers":{"Lua":"semantic","Go":"inventory-only"}}` + "\n"

func TestFromEntire(t *testing.T) {
	var asked []string
	answer := func(out string) Runner {
		return func(_ context.Context, read func(io.Reader) error, args ...string) error {
			asked = args
			return read(strings.NewReader(out))
		}
	}
	whole := snapshot + tail
	g, err := FromEntire(t.Context(), answer(whole), "/repo", "c1")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(asked, " "); got != "graph snapshot --repo /repo --format ndjson --no-network" {
		t.Errorf("asked for %q", got)
	}
	if d := cmp.Diff([]Edge{{"a.lua", "b.lua", 1}}, g.Dependents([]string{"b.lua"}, 0)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"os"}, g.External("a.lua")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"c.go"}, g.NotCovered([]string{"a.lua", "c.go", "README.md"})); d != "" {
		t.Error(d)
	}
	for why, c := range map[string]struct{ out, commit, says string }{
		"another commit":       {whole, "c2", "c2"},
		"another major schema": {strings.Replace(whole, `"1.1"`, `"2.0"`, 1), "c1", "2.0"},
		"a stream cut off":     {strings.TrimSuffix(whole, tail), "c1", "cut off"},
		"a broken line":        {whole + "{", "c1", "line 16"},
		"nothing":              {"", "c1", "cut off"},
		"a part of the tree":   {snapshot + strings.Replace(tail, "{", `{"stats":{"completeness_level":"partial"},`, 1), "c1", "a part of the tree"},
	} {
		if _, err := FromEntire(t.Context(), answer(c.out), "/repo", c.commit); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", why, err)
		}
	}
	failing := func(context.Context, func(io.Reader) error, ...string) error { return context.Canceled }
	if _, err := FromEntire(t.Context(), failing, "/repo", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("the cause was lost: %v", err)
	}
}

// The recording is what entire-graph 1.1 printed of a module of three files.
func TestFromEntireReadsWhatTheProgramPrinted(t *testing.T) {
	const commit = "eec0d9b9aeb54162c8e44e950cc1c445d8dbc6c1"
	recorded := func(_ context.Context, read func(io.Reader) error, _ ...string) error {
		f, err := os.Open("testdata/entire-graph.ndjson")
		if err != nil {
			return err
		}
		defer f.Close()
		return read(f)
	}
	g, err := FromEntire(t.Context(), recorded, "/repo", commit)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range g.Dependents([]string{"store/size.go"}, 0) {
		got = append(got, e.Path)
	}
	if d := cmp.Diff([]string{"cmd/main.go", "store/store.go"}, got); d != "" {
		t.Error(d)
	}
	if len(g.Dependents([]string{"cmd/main.go"}, 0)) != 0 || len(g.NotCovered([]string{"cmd/main.go", "store/store.go"})) != 0 {
		t.Errorf("main.go is depended on by %v", g.Dependents([]string{"cmd/main.go"}, 0))
	}
	// The built-in graph of the same files says the same.
	own := Build([]File{
		{Path: "cmd/main.go", Imports: []lang.Import{{Path: "example.org/orchard/store", Line: 3}}},
		{Path: "go.mod"}, {Path: "store/size.go"}, {Path: "store/store.go"},
	}, map[string][]byte{"go.mod": []byte("module example.org/orchard\n")})
	if deps := own.Dependents([]string{"store/size.go"}, 0); len(deps) != 1 || deps[0].Path != "cmd/main.go" {
		t.Errorf("the built-in graph says %v", deps)
	}
	if _, err := FromEntire(t.Context(), recorded, "/repo", strings.Repeat("0", 40)); err == nil || !strings.Contains(err.Error(), commit) {
		t.Errorf("a snapshot of another commit: %v", err)
	}
}

func BenchmarkBuild(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var files []File
	for i := range 10000 {
		f := File{Path: fmt.Sprintf("pkg%d/sub%d/f%d.go", i%50, i%200, i)}
		for range 8 {
			f.Imports = append(f.Imports, lang.Import{Path: fmt.Sprintf("m/pkg%d/sub%d", r.IntN(50), r.IntN(200))})
		}
		files = append(files, f)
	}
	man := map[string][]byte{"go.mod": []byte("module m\n")}
	for b.Loop() {
		Build(files, man)
	}
}
