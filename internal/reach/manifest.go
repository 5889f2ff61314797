package reach

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"
)

// read takes from the manifests what resolving needs. What does not parse is
// passed over: the tree speaks for itself then.
func (b *builder) read(manifests map[string][]byte) {
	paths := make([]string, 0, len(manifests))
	for p := range manifests {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	b.jsNames = map[string]jsPackage{}
	b.pyRoots = []string{"", "src"}
	b.rbRoots = []string{"lib", ""}
	for _, p := range paths {
		src, dir := manifests[p], dirOf(p)
		base := p[strings.LastIndexByte(p, '/')+1:]
		switch {
		case base == "go.mod":
			b.goMod(dir, src)
		case base == "package.json":
			b.packageJSON(dir, src)
		case strings.HasPrefix(base, "tsconfig") || base == "jsconfig.json":
			b.tsconfig(dir, src)
		case base == "Cargo.toml":
			b.cargo(dir, src)
		case base == "pyproject.toml" || base == "setup.py" || base == "setup.cfg":
			for _, d := range [...]string{dir, dir + "/src", dir + "/lib"} {
				d = strings.TrimPrefix(d, "/")
				if d != "" && b.dirSet[d] {
					b.pyRoots = append(b.pyRoots, d)
				}
			}
		case strings.HasSuffix(base, ".gemspec"):
			if d := strings.TrimPrefix(dir+"/lib", "/"); b.dirSet[d] {
				b.rbRoots = append(b.rbRoots, d)
			}
		}
	}
	// The longest module path, the deepest folder come first.
	sort.SliceStable(b.goModules, func(i, j int) bool { return len(b.goModules[i].path) > len(b.goModules[j].path) })
	sort.SliceStable(b.aliases, func(i, j int) bool {
		if len(b.aliases[i].dir) != len(b.aliases[j].dir) {
			return len(b.aliases[i].dir) > len(b.aliases[j].dir)
		}
		return len(b.aliases[i].from) > len(b.aliases[j].from)
	})
	sort.SliceStable(b.crates, func(i, j int) bool { return len(b.crates[i].dir) > len(b.crates[j].dir) })
	sort.Strings(b.g.roots)
}

func (b *builder) goMod(dir string, src []byte) {
	inReplace := false
	for _, line := range strings.Split(string(src), "\n") {
		if i := strings.Index(line, "//"); i >= 0 {
			line = line[:i]
		}
		f := strings.Fields(line)
		switch {
		case len(f) >= 2 && f[0] == "module":
			b.goModules = append(b.goModules, goModule{strings.Trim(f[1], "\"`"), dir})
		case len(f) == 2 && f[0] == "replace" && f[1] == "(":
			inReplace = true
		case len(f) == 1 && f[0] == ")":
			inReplace = false
		case len(f) > 0 && (f[0] == "replace" || inReplace):
			if f[0] == "replace" {
				f = f[1:]
			}
			for k, w := range f {
				if w == "=>" && k > 0 && k+1 < len(f) && strings.HasPrefix(f[k+1], ".") {
					if d, ok := join(dir, strings.Trim(f[k+1], "\"`")); ok {
						b.goModules = append(b.goModules, goModule{strings.Trim(f[0], "\"`"), d})
					}
				}
			}
		}
	}
}

func (b *builder) packageJSON(dir string, src []byte) {
	var m struct {
		Name    string          `json:"name"`
		Main    any             `json:"main"`
		Module  any             `json:"module"`
		Types   any             `json:"types"`
		Source  any             `json:"source"`
		Exports json.RawMessage `json:"exports"`
	}
	if json.Unmarshal(src, &m) != nil {
		return
	}
	if dir != "" {
		b.g.roots = append(b.g.roots, dir)
	}
	pk := jsPackage{dir: dir}
	for _, v := range []any{m.Source, m.Main, m.Module, m.Types} {
		if s, ok := v.(string); ok && s != "" {
			if p, ok := join(dir, s); ok {
				pk.entry = append(pk.entry, p)
			}
		}
	}
	if m.Name != "" {
		if _, taken := b.jsNames[m.Name]; !taken {
			b.jsNames[m.Name] = pk
			return
		}
	}
	if len(pk.entry) > 0 {
		b.jsNames["\x00"+dir] = pk // for its folder alone
	}
}

func (b *builder) tsconfig(dir string, src []byte) {
	var m struct {
		Options struct {
			BaseURL string              `json:"baseUrl"`
			Paths   map[string][]string `json:"paths"`
		} `json:"compilerOptions"`
	}
	if json.Unmarshal(plainJSON(src), &m) != nil {
		return
	}
	base := dir
	if m.Options.BaseURL != "" {
		d, ok := join(dir, m.Options.BaseURL)
		if !ok {
			return
		}
		base = d
		b.aliases = append(b.aliases, alias{dir: dir, base: base, wholeDir: true})
	}
	keys := make([]string, 0, len(m.Options.Paths))
	for k := range m.Options.Paths {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		a := alias{dir: dir, base: base, from: k, to: m.Options.Paths[k]}
		if i := strings.IndexByte(k, '*'); i >= 0 {
			a.star, a.from, a.tail = true, k[:i], k[i+1:]
		}
		b.aliases = append(b.aliases, a)
	}
}

// plainJSON takes comments and trailing commas out of the JSON that TypeScript accepts.
func plainJSON(src []byte) []byte {
	out := make([]byte, 0, len(src))
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '"':
			j := i + 1
			for j < len(src) && src[j] != '"' {
				if src[j] == '\\' {
					j++
				}
				j++
			}
			j = min(j, len(src)-1)
			out = append(out, src[i:j+1]...)
			i = j
		case c == '/' && i+1 < len(src) && src[i+1] == '/':
			for i < len(src) && src[i] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(src) && src[i+1] == '*':
			e := bytes.Index(src[i+2:], []byte("*/"))
			if e < 0 {
				return out
			}
			i += 2 + e + 1
		case c == '}' || c == ']':
			k := len(out)
			for k > 0 && (out[k-1] == ' ' || out[k-1] == '\n' || out[k-1] == '\t' || out[k-1] == '\r') {
				k--
			}
			if k > 0 && out[k-1] == ',' {
				out = append(out[:k-1], out[k:]...)
			}
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return out
}

// cargo reads the few lines of a Cargo.toml that say where a crate's roots are.
func (b *builder) cargo(dir string, src []byte) {
	c := crate{dir: dir}
	section, libPath, libName := "", "", ""
	for _, line := range strings.Split(string(src), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.Trim(line, "[] \t\r")
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if len(value) < 2 || value[0] != '"' && value[0] != '\'' {
			continue
		}
		end := strings.IndexByte(value[1:], value[0])
		if end < 0 {
			continue
		}
		value = value[1 : 1+end]
		switch {
		case section == "package" && key == "name":
			c.name = strings.ReplaceAll(value, "-", "_")
		case section == "lib" && key == "path":
			libPath = value
		case section == "lib" && key == "name":
			libName = strings.ReplaceAll(value, "-", "_")
		case (section == "bin" || section == "test" || section == "bench" || section == "example") && key == "path":
			if p, ok := join(dir, value); ok {
				c.bins = append(c.bins, p)
			}
		}
	}
	if c.name == "" {
		return // a workspace alone
	}
	if libName != "" {
		c.name = libName
	}
	if libPath == "" {
		libPath = "src/lib.rs"
	}
	if p, ok := join(dir, libPath); ok {
		if _, ok := b.file(p); ok {
			c.lib = p
		}
	}
	if p, _ := join(dir, "src/main.rs"); true {
		if _, ok := b.file(p); ok {
			c.bins = append(c.bins, p)
		}
	}
	// The roots in the deepest folders first, so that a file finds its own.
	sort.SliceStable(c.bins, func(i, j int) bool { return len(dirOf(c.bins[i])) > len(dirOf(c.bins[j])) })
	if dir != "" {
		b.g.roots = append(b.g.roots, dir)
	}
	b.crates = append(b.crates, c)
}
