package reach

import (
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/saysolint/sayso/internal/lang"
)

// Manifests says whether Build wants the content of the file at path.
func Manifests(path string) bool {
	base := path[strings.LastIndexByte(path, '/')+1:]
	switch base {
	case "go.mod", "package.json", "Cargo.toml", "pyproject.toml", "setup.py", "setup.cfg", "tsconfig.json", "jsconfig.json":
		return true
	}
	return strings.HasPrefix(base, "tsconfig.") && strings.HasSuffix(base, ".json") || strings.HasSuffix(base, ".gemspec")
}

// Build resolves the imports of files to files of the same tree. files are all
// files of the tree, in any order, those without imports as well: what is not
// among them cannot be resolved to. manifests holds the content of those for
// which Manifests is true, as far as they could be read. Vendored files neither
// import nor are imported.
func Build(files []File, manifests map[string][]byte) *Graph {
	files = slices.Clone(files)
	sort.SliceStable(files, func(i, j int) bool { return files[i].Path < files[j].Path })
	files = slices.CompactFunc(files, func(a, b File) bool { return a.Path == b.Path })
	g := &Graph{}
	b := &builder{g: g, unitIDs: map[string]int32{}, names: map[string]uint32{}, stems: map[string][]int{}, dirs: map[string][]string{}}
	for _, f := range files {
		g.paths = append(g.paths, f.Path)
		g.state = append(g.state, stateOf(f.Path))
	}
	n := len(g.paths)
	g.unit = make([]int32, n)
	g.deps = make([][]uint32, n)
	g.external = make([][]uint32, n)
	b.look()
	b.read(manifests)
	for i, f := range files {
		b.resolve(i, f)
	}
	b.sortNames()
	g.finish()
	return g
}

// builder holds what resolving needs and the graph does not.
type builder struct {
	g       *Graph
	unitIDs map[string]int32    // folder + family
	names   map[string]uint32   // external
	stems   map[string][]int    // base name without regard to its folder -> files
	dirs    map[string][]string // last part of a folder -> folders
	dirSet  map[string]bool

	goModules []goModule
	pyRoots   []string
	jsNames   map[string]jsPackage
	aliases   []alias
	crates    []crate
	rbRoots   []string
}

// look makes the look-up tables of the tree.
func (b *builder) look() {
	g := b.g
	b.dirSet = map[string]bool{"": true}
	for i, p := range g.paths {
		base := p[strings.LastIndexByte(p, '/')+1:]
		b.stems[base] = append(b.stems[base], i)
		for d := dirOf(p); d != "" && !b.dirSet[d]; d = dirOf(d) {
			b.dirSet[d] = true
			last := d[strings.LastIndexByte(d, '/')+1:]
			b.dirs[last] = append(b.dirs[last], d)
		}
		g.unit[i] = -1
		if fam := family(p); fam != "" && g.state[i] == covered && !lang.IsVendored(p) {
			key := dirOf(p) + "\x00" + fam
			id, ok := b.unitIDs[key]
			if !ok {
				id = int32(len(g.units))
				b.unitIDs[key] = id
				d := dirOf(p)
				if d == "" {
					d = "."
				}
				g.units = append(g.units, d)
			}
			g.unit[i] = id
		}
	}
}

// family names the kind of package that a file belongs to as a whole: those
// that are imported by folder. A Go test file cannot be imported.
func family(p string) string {
	switch {
	case strings.HasSuffix(p, "_test.go"):
		return ""
	case strings.HasSuffix(p, ".go"):
		return "go"
	case strings.HasSuffix(p, ".java"), strings.HasSuffix(p, ".kt"), strings.HasSuffix(p, ".scala"), strings.HasSuffix(p, ".groovy"):
		return "jvm"
	}
	return ""
}

// outcome of one import: its targets; or external; or lost, when it looks
// internal and leads nowhere.
type outcome struct {
	targets []uint32
	lost    bool
}

func (b *builder) file(p string) (uint32, bool) {
	i, ok := b.g.index(p)
	return uint32(i), ok
}

func (b *builder) unitTarget(dir, fam string) (uint32, bool) {
	id, ok := b.unitIDs[dir+"\x00"+fam]
	return uint32(len(b.g.paths)) + uint32(id), ok
}

func (b *builder) resolve(i int, f File) {
	g := b.g
	if g.state[i] != covered || lang.IsVendored(f.Path) || len(f.Imports) == 0 {
		return
	}
	how := b.resolver(f.Path)
	if how == nil {
		return
	}
	var targets, ext []uint32
	for _, im := range f.Imports {
		o := how(f.Path, im)
		switch {
		case len(o.targets) > 0:
			g.stats.Resolved++
			for _, t := range o.targets {
				if int(t) != i && !(int(t) >= len(g.paths) && g.unit[i] == int32(int(t)-len(g.paths))) {
					targets = append(targets, t)
				}
			}
		case o.lost:
			g.stats.Lost++
		default:
			g.stats.External++
			ext = append(ext, b.name(im.Path))
		}
	}
	slices.Sort(targets)
	slices.Sort(ext)
	g.deps[i] = slices.Compact(targets)
	g.external[i] = slices.Compact(ext)
}

func (b *builder) name(s string) uint32 {
	if n, ok := b.names[s]; ok {
		return n
	}
	n := uint32(len(b.g.names))
	b.names[s] = n
	b.g.names = append(b.g.names, s)
	return n
}

// sortNames puts the external names in order, so that equal trees give equal graphs.
func (b *builder) sortNames() {
	g := b.g
	order := make([]int, len(g.names))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return g.names[order[i]] < g.names[order[j]] })
	place := make([]uint32, len(order))
	sorted := make([]string, len(order))
	for to, from := range order {
		place[from] = uint32(to)
		sorted[to] = g.names[from]
	}
	g.names = sorted
	for _, list := range g.external {
		for k := range list {
			list[k] = place[list[k]]
		}
		slices.Sort(list)
	}
}

func (b *builder) resolver(p string) func(string, lang.Import) outcome {
	switch lang.ByPath(p, nil).Name() {
	case "Go":
		return b.resolveGo
	case "Python":
		return b.resolvePython
	case "JavaScript", "TypeScript", "Vue", "Svelte", "Astro":
		return b.resolveScript
	case "Rust":
		return b.resolveRust
	case "Java", "Kotlin", "Scala", "Groovy":
		return b.resolveJVM
	case "C", "C++", "Objective-C":
		return b.resolveC
	case "Ruby":
		return b.resolveRuby
	}
	return nil
}

func (b *builder) one(t uint32) outcome { return outcome{targets: []uint32{t}} }

// join is path.Join that tells a way out of the tree: ok is false for it.
func join(dir, rel string) (string, bool) {
	p := path.Join(dir, rel)
	if p == "." {
		return "", true
	}
	return p, p != ".." && !strings.HasPrefix(p, "../") && !strings.HasPrefix(p, "/")
}

// Go: the module with the longest path that the import begins with.

type goModule struct{ path, dir string }

func (b *builder) resolveGo(from string, im lang.Import) outcome {
	if im.Relative {
		if d, ok := join(dirOf(from), im.Path); ok {
			if t, ok := b.unitTarget(d, "go"); ok {
				return b.one(t)
			}
		}
		return outcome{lost: true}
	}
	for _, m := range b.goModules {
		if im.Path != m.path && !strings.HasPrefix(im.Path, m.path+"/") {
			continue
		}
		d, _ := join(m.dir, strings.TrimPrefix(im.Path[len(m.path):], "/"))
		if t, ok := b.unitTarget(d, "go"); ok {
			return b.one(t)
		}
		return outcome{lost: true}
	}
	return outcome{}
}

// Python: modules below the roots, or relative to the file.

func (b *builder) resolvePython(from string, im lang.Import) outcome {
	if im.Relative {
		p := strings.TrimLeft(im.Path, ".")
		dir := dirOf(from)
		for n := len(im.Path) - len(p); n > 1; n-- {
			if dir == "" {
				return outcome{lost: true}
			}
			dir = dirOf(dir)
		}
		if t, ok := b.pyModule(dir, p); ok {
			return b.one(t)
		}
		return outcome{lost: true}
	}
	if im.Path == "" {
		return outcome{}
	}
	top := im.Path
	if i := strings.IndexByte(top, '.'); i >= 0 {
		top = top[:i]
	}
	lost := false
	try := func(root string) (uint32, bool) {
		d, _ := join(root, top)
		if _, ok := b.file(d + ".py"); !ok && !b.dirSet[d] {
			return 0, false
		}
		t, ok := b.pyModule(root, im.Path)
		if !ok {
			_, init := b.file(d + "/__init__.py")
			lost = lost || init
		}
		return t, ok
	}
	for _, root := range b.pyRoots {
		if t, ok := try(root); ok {
			return b.one(t)
		}
	}
	// Scripts and tests import what lies beside them, or beside a folder above.
	for d, n := dirOf(from), 0; n < 12; n++ {
		if t, ok := try(d); ok {
			return b.one(t)
		}
		if d == "" {
			break
		}
		d = dirOf(d)
	}
	return outcome{lost: lost}
}

// pyModule finds a.b.c below dir: the module of that name, or the one that
// holds its last part as a name.
func (b *builder) pyModule(dir, dotted string) (uint32, bool) {
	rel := strings.ReplaceAll(dotted, ".", "/")
	p, ok := join(dir, rel)
	if !ok {
		return 0, false
	}
	for n := 0; n < 2; n++ {
		for _, tail := range [...]string{".py", "/__init__.py", ".pyi", "/__init__.pyi", ".pyx", ".pxd"} {
			q := p + tail
			if p == "" {
				q = strings.TrimPrefix(tail, "/")
				if q[0] == '.' {
					continue
				}
			}
			if t, ok := b.file(q); ok {
				return t, true
			}
		}
		if rel == "" || p == dir {
			return 0, false
		}
		p = dirOf(p)
	}
	return 0, false
}

// JavaScript and TypeScript.

type jsPackage struct {
	dir   string
	entry []string // files that its manifest names
}

// alias is a mapping of import paths that a tsconfig.json declares.
type alias struct {
	dir      string // of the tsconfig
	base     string // folder that its targets are relative to
	from     string // up to the star
	tail     string // behind the star
	star     bool
	to       []string
	wholeDir bool // baseUrl alone: any path
}

var scriptTails = [...]string{"", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".astro", ".json",
	"/index.ts", "/index.tsx", "/index.js", "/index.jsx", "/index.mjs", "/index.cjs", "/index.d.ts", "/index.vue", "/index.mts"}

func (b *builder) script(p string) (uint32, bool) {
	if i := strings.IndexAny(p, "?#"); i >= 0 {
		p = p[:i]
	}
	for _, tail := range scriptTails {
		if p == "" && (tail == "" || tail[0] == '.') {
			continue
		}
		q := p + tail
		if p == "" {
			q = tail[1:]
		}
		if t, ok := b.file(q); ok {
			return t, true
		}
	}
	// TypeScript is imported by the name of what it compiles to.
	for _, c := range [...][2]string{{".js", ".ts"}, {".js", ".tsx"}, {".jsx", ".tsx"}, {".mjs", ".mts"}, {".cjs", ".cts"}} {
		if strings.HasSuffix(p, c[0]) {
			if t, ok := b.file(strings.TrimSuffix(p, c[0]) + c[1]); ok {
				return t, true
			}
		}
	}
	return 0, false
}

func (b *builder) resolveScript(from string, im lang.Import) outcome {
	p := im.Path
	if im.Relative {
		q, ok := join(dirOf(from), p)
		if !ok {
			return outcome{}
		}
		if t, ok := b.script(q); ok {
			return b.one(t)
		}
		// What the folder's own manifest names.
		for _, e := range b.entryOf(q) {
			if t, ok := b.script(e); ok {
				return b.one(t)
			}
		}
		return outcome{lost: true}
	}
	internal := false
	for _, a := range b.aliases {
		if a.dir != "" && !strings.HasPrefix(from, a.dir+"/") {
			continue
		}
		if a.wholeDir {
			q, ok := join(a.base, p)
			if ok {
				if t, ok := b.script(q); ok {
					return b.one(t)
				}
			}
			continue
		}
		mid := ""
		switch {
		case !a.star && p == a.from:
		case a.star && len(p) >= len(a.from)+len(a.tail) && strings.HasPrefix(p, a.from) && strings.HasSuffix(p, a.tail):
			mid = p[len(a.from) : len(p)-len(a.tail)]
		default:
			continue
		}
		internal = internal || strings.HasPrefix(a.from, "@/") || strings.HasPrefix(a.from, "~") || strings.HasPrefix(a.from, "#")
		for _, to := range a.to {
			q, ok := join(a.base, strings.Replace(to, "*", mid, 1))
			if !ok {
				continue
			}
			if t, ok := b.script(q); ok {
				return b.one(t)
			}
		}
	}
	name, sub := p, ""
	if i := strings.IndexByte(p, '/'); i >= 0 {
		if p[0] == '@' {
			if j := strings.IndexByte(p[i+1:], '/'); j >= 0 {
				name, sub = p[:i+1+j], p[i+2+j:]
			}
		} else {
			name, sub = p[:i], p[i+1:]
		}
	}
	if pk, ok := b.jsNames[name]; ok {
		if sub == "" {
			for _, e := range pk.entry {
				if t, ok := b.script(e); ok {
					return b.one(t)
				}
			}
			for _, e := range [...]string{"src/index", "index", "src/main", "lib/index", "src", "lib"} {
				if q, ok := join(pk.dir, e); ok {
					if t, ok := b.script(q); ok {
						return b.one(t)
					}
				}
			}
			return outcome{lost: true}
		}
		for _, in := range [...]string{"", "src", "lib"} {
			if q, ok := join(pk.dir, path.Join(in, sub)); ok {
				if t, ok := b.script(q); ok {
					return b.one(t)
				}
			}
		}
		return outcome{lost: true}
	}
	// The usual alias of bundlers, where no tsconfig says so.
	if strings.HasPrefix(p, "@/") || strings.HasPrefix(p, "~/") {
		for d := dirOf(from); ; d = dirOf(d) {
			if q, ok := join(d, "src/"+p[2:]); ok {
				if t, ok := b.script(q); ok {
					return b.one(t)
				}
			}
			if d == "" {
				break
			}
		}
		return outcome{lost: true}
	}
	return outcome{lost: internal}
}

func (b *builder) entryOf(dir string) []string {
	for _, pk := range b.jsNames {
		if pk.dir == dir {
			return pk.entry
		}
	}
	return nil
}

// Rust: crates and the files of their modules.

type crate struct {
	name string   // with underscores
	dir  string   // of Cargo.toml
	lib  string   // root file of the library, "" if none
	bins []string // other root files that the manifest names
}

// crateOf finds the crate of a file and the folder that crate:: begins at.
func (b *builder) crateOf(from string) (root string, dir string) {
	for _, c := range b.crates { // the deepest folder first
		if c.dir != "" && !strings.HasPrefix(from, c.dir+"/") {
			continue
		}
		for _, r := range append(append([]string{}, c.bins...), c.lib) {
			if r == "" {
				continue
			}
			if d := dirOf(r); from == r || d == "" || strings.HasPrefix(from, d+"/") {
				if sub := strings.TrimPrefix(from, d+"/"); strings.HasPrefix(sub, "bin/") && from != r {
					continue
				}
				return r, d
			}
		}
		// A test, bench, example or bin of its own.
		for _, d := range [...]string{"tests", "benches", "examples", "src/bin"} {
			if full, _ := join(c.dir, d); strings.HasPrefix(from, full+"/") {
				rest := from[len(full)+1:]
				if i := strings.IndexByte(rest, '/'); i >= 0 {
					if _, ok := b.file(full + "/" + rest[:i] + "/main.rs"); ok {
						return full + "/" + rest[:i] + "/main.rs", full + "/" + rest[:i]
					}
					return "", full
				}
				return from, full
			}
		}
		return "", dirOf(from)
	}
	return "", dirOf(from)
}

// rustModule finds the file of the module a::b::c below dir: the longest part
// that is one.
func (b *builder) rustModule(dir string, parts []string) (uint32, bool) {
	for n := len(parts); n > 0; n-- {
		p, ok := join(dir, strings.Join(parts[:n], "/"))
		if !ok {
			continue
		}
		if t, ok := b.file(p + ".rs"); ok {
			return t, true
		}
		if t, ok := b.file(p + "/mod.rs"); ok {
			return t, true
		}
	}
	return 0, false
}

// rustHome is the folder that holds the children of the file's own module.
func rustHome(from, root string) string {
	base := from[strings.LastIndexByte(from, '/')+1:]
	if from == root || base == "mod.rs" || base == "lib.rs" || base == "main.rs" {
		return dirOf(from)
	}
	return strings.TrimSuffix(from, ".rs")
}

func (b *builder) resolveRust(from string, im lang.Import) outcome {
	if strings.HasSuffix(im.Path, ".rs") && im.Relative {
		if p, ok := join(dirOf(from), im.Path); ok {
			if t, ok := b.file(p); ok {
				return b.one(t)
			}
		}
		return outcome{lost: true}
	}
	root, dir := b.crateOf(from)
	home := rustHome(from, root)
	parts := strings.Split(im.Path, "::")
	rootFile := func() outcome {
		if t, ok := b.file(root); root != "" && ok {
			return b.one(t)
		}
		return outcome{lost: true}
	}
	switch parts[0] {
	case "crate":
		if t, ok := b.rustModule(dir, parts[1:]); ok {
			return b.one(t)
		}
		return rootFile()
	case "self":
		if t, ok := b.rustModule(home, parts[1:]); ok {
			return b.one(t)
		}
		t, _ := b.file(from)
		return b.one(t)
	case "super":
		at := home
		n := 0
		for n < len(parts) && parts[n] == "super" {
			if at == dir {
				return rootFile()
			}
			at = dirOf(at)
			n++
		}
		if t, ok := b.rustModule(at, parts[n:]); ok {
			return b.one(t)
		}
		if at == dir {
			return rootFile()
		}
		if t, ok := b.file(at + ".rs"); ok {
			return b.one(t)
		}
		if t, ok := b.file(at + "/mod.rs"); ok {
			return b.one(t)
		}
		return outcome{lost: true}
	}
	for _, c := range b.crates {
		if c.name != parts[0] || c.lib == "" {
			continue
		}
		if t, ok := b.rustModule(dirOf(c.lib), parts[1:]); ok {
			return b.one(t)
		}
		if t, ok := b.file(c.lib); ok {
			return b.one(t)
		}
		return outcome{lost: true}
	}
	// A module declared in this very file may be named without self.
	if t, ok := b.rustModule(home, parts[:1]); ok {
		if u, ok := b.rustModule(home, parts); ok {
			return b.one(u)
		}
		return b.one(t)
	}
	return outcome{}
}

// Java, Kotlin, Scala, Groovy: a class by the end of its path.

var jvmTails = [...]string{".java", ".kt", ".scala", ".groovy"}

func (b *builder) resolveJVM(from string, im lang.Import) outcome {
	star := strings.HasSuffix(im.Path, ".*")
	parts := strings.Split(strings.TrimSuffix(im.Path, ".*"), ".")
	for n := len(parts); n > 0; n-- {
		if n == len(parts) && star {
			if o, ok := b.jvmPackage(parts); ok {
				return o
			}
		}
		if t, ok := b.jvmClass(parts[:n], from); ok {
			return b.one(t)
		}
	}
	// A function at the top of a Kotlin file.
	if len(parts) > 2 && !star {
		if last := parts[len(parts)-1]; last != "" && last[0] >= 'a' && last[0] <= 'z' {
			if o, ok := b.jvmPackage(parts[:len(parts)-1]); ok {
				return o
			}
		}
	}
	_, internal := b.jvmPackage(parts[:max(1, len(parts)-1)])
	return outcome{lost: internal && len(parts) > 2}
}

func (b *builder) jvmClass(parts []string, from string) (uint32, bool) {
	if len(parts) < 2 {
		return 0, false
	}
	want := strings.Join(parts, "/")
	best, score := -1, -1
	for _, tail := range jvmTails {
		for _, i := range b.stems[parts[len(parts)-1]+tail] {
			p := b.g.paths[i]
			if q := want + tail; p == q || strings.HasSuffix(p, "/"+q) {
				if s := common(p, from); s > score {
					best, score = i, s
				}
			}
		}
	}
	return uint32(best), best >= 0
}

func (b *builder) jvmPackage(parts []string) (outcome, bool) {
	if len(parts) < 2 {
		return outcome{}, false
	}
	want := strings.Join(parts, "/")
	var o outcome
	for _, d := range b.dirs[parts[len(parts)-1]] {
		if d == want || strings.HasSuffix(d, "/"+want) {
			if t, ok := b.unitTarget(d, "jvm"); ok {
				o.targets = append(o.targets, t)
			}
		}
	}
	return o, len(o.targets) > 0
}

// common is how many leading folders two paths share.
func common(a, c string) int {
	n := 0
	for i := 0; i < len(a) && i < len(c) && a[i] == c[i]; i++ {
		if a[i] == '/' {
			n++
		}
	}
	return n
}

// C and C++: beside the file, else the only file with that end.

func (b *builder) resolveC(from string, im lang.Import) outcome {
	if im.Relative {
		if p, ok := join(dirOf(from), im.Path); ok {
			if t, ok := b.file(p); ok {
				return b.one(t)
			}
		}
	}
	p := path.Clean("/" + im.Path)[1:]
	for strings.HasPrefix(p, "../") {
		p = p[3:]
	}
	var found []int
	for _, i := range b.stems[p[strings.LastIndexByte(p, '/')+1:]] {
		if q := b.g.paths[i]; (q == p || strings.HasSuffix(q, "/"+p)) && !lang.IsVendored(q) {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 1 && (im.Relative || strings.Contains(p, "/") || strings.Contains("/"+b.g.paths[found[0]], "/include/")):
		return b.one(uint32(found[0]))
	case len(found) > 1:
		// The nearest, where one is nearer than all others.
		best, score, tie := -1, -1, false
		for _, i := range found {
			s := common(b.g.paths[i], from)
			switch {
			case s > score:
				best, score, tie = i, s, false
			case s == score:
				tie = true
			}
		}
		if !tie {
			return b.one(uint32(best))
		}
		return outcome{lost: true}
	}
	return outcome{lost: im.Relative}
}

// Ruby: beside the file, or below a lib folder.

func (b *builder) resolveRuby(from string, im lang.Import) outcome {
	rb := func(p string) (uint32, bool) {
		if t, ok := b.file(p + ".rb"); ok {
			return t, true
		}
		return b.file(p)
	}
	if im.Relative {
		if p, ok := join(dirOf(from), im.Path); ok {
			if t, ok := rb(p); ok {
				return b.one(t)
			}
		}
		return outcome{lost: true}
	}
	for _, root := range b.rbRoots {
		if p, ok := join(root, im.Path); ok {
			if t, ok := rb(p); ok {
				return b.one(t)
			}
		}
	}
	return outcome{}
}
