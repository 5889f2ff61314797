package assert

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"strings"
	"sync"
)

// Dep is one direct dependency that a manifest declares.
type Dep struct {
	Name    string // as its registry knows it; group:artifact for Maven and Gradle
	Version string // as declared, "" where nothing is
	Line    int    // from 1
}

// Manifest says whether a path is one of a manifest that [Dependencies] reads.
func Manifest(file string) bool { return manifestKind(file) != "" }

func manifestKind(file string) string {
	b := strings.ToLower(path.Base(file))
	switch {
	case b == "package.json", b == "go.mod", b == "cargo.toml", b == "pyproject.toml", b == "pipfile", b == "pom.xml",
		b == "composer.json", b == "setup.py", b == "setup.cfg", b == "pubspec.yaml", b == "libs.versions.toml", b == "mix.exs":
		return b
	case b == "gemfile", b == "gems.rb", strings.HasSuffix(b, ".gemspec"):
		return "gemfile"
	case b == "build.gradle", b == "build.gradle.kts":
		return "build.gradle"
	case strings.HasSuffix(b, ".txt") && (strings.HasPrefix(b, "requirements") || strings.HasSuffix(b, "requirements.txt") || path.Base(path.Dir(strings.ToLower(file))) == "requirements"),
		strings.HasSuffix(b, ".in") && strings.Contains(b, "requirements"):
		return "requirements.txt"
	case strings.HasSuffix(b, ".csproj"), strings.HasSuffix(b, ".fsproj"), b == "directory.packages.props", b == "directory.build.props":
		return "csproj"
	}
	return ""
}

// Dependencies are the direct dependencies of a manifest in line order. ok is
// false where the file is none, or cannot be read: then nothing follows from absence.
func Dependencies(file string, src []byte) (deps []Dep, ok bool) {
	switch kind := manifestKind(file); kind {
	case "":
		return nil, false
	case "package.json":
		return jsonDeps(src, "dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
	case "composer.json":
		return jsonDeps(src, "require", "require-dev")
	case "pom.xml":
		return mavenDeps(src), true
	default:
		r := &lineReader{kind: kind}
		for i, line := range strings.Split(string(src), "\n") {
			if len(line) <= 2000 {
				r.line(strings.TrimRight(line, "\r"), i+1)
			}
		}
		return r.out, true
	}
}

// jsonDeps reads the objects under some keys of the top of a JSON document.
func jsonDeps(src []byte, keys ...string) ([]Dep, bool) {
	if len(bytes.TrimSpace(src)) == 0 {
		return nil, true
	}
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))))
	var out []Dep
	line, at := 1, int64(0)
	here := func() int {
		line += bytes.Count(src[at:min(d.InputOffset(), int64(len(src)))], []byte("\n"))
		at = min(d.InputOffset(), int64(len(src)))
		return line
	}
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, false
		}
		wanted := false
		for _, k := range keys {
			wanted = wanted || key == k
		}
		if !wanted {
			var skip json.RawMessage
			if d.Decode(&skip) != nil {
				return nil, false
			}
			continue
		}
		if t, err := d.Token(); err != nil {
			return nil, false
		} else if t != json.Delim('{') {
			if t == json.Delim('[') { // an empty list, as PHP writes an empty map
				for d.More() {
					var skip json.RawMessage
					if d.Decode(&skip) != nil {
						return nil, false
					}
				}
				_, _ = d.Token()
			}
			continue
		}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, false
			}
			n := here()
			var v any
			if d.Decode(&v) != nil {
				return nil, false
			}
			s, _ := name.(string)
			version, _ := v.(string)
			if alias, ok := strings.CutPrefix(version, "npm:"); ok { // "x": "npm:y@1" installs y
				if i := strings.LastIndexByte(alias, '@'); i > 0 {
					s, version = alias[:i], alias[i+1:]
				}
			}
			out = append(out, Dep{Name: s, Version: version, Line: n})
		}
		if _, err := d.Token(); err != nil {
			return nil, false
		}
	}
	return out, true
}

// patterns of the manifests that are read line by line.
var forms = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"go":      regexp.MustCompile(`^\s*(?:require\s+)?([\w.~-]+(?:/[\w.~-]+)*)\s+(v\d\S*)\s*(//.*)?$`),
		"toml":    regexp.MustCompile(`^\s*(?:"([^"]+)"|'([^']+)'|([\w.-]+))\s*=\s*(.*)$`),
		"string":  regexp.MustCompile(`"([^"]*)"|'([^']*)'`),
		"pep508":  regexp.MustCompile(`^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(.*)$`),
		"gem":     regexp.MustCompile(`^\s*(?:gem|\w+\.add(?:_runtime|_development)?_dependency)[\s(]+["']([\w.-]+)["']\s*(?:,\s*["']([^"']*)["'])?`),
		"gradle":  regexp.MustCompile(`^\s*(?:implementation|api|compile|testImplementation|testCompile|compileOnly|compileOnlyApi|runtimeOnly|testRuntimeOnly|annotationProcessor|kapt|ksp|androidTestImplementation|debugImplementation|classpath)\s*\(?\s*(?:platform\()?["']([\w.-]+:[\w.-]+)(?::([^"'@]+))?`),
		"csproj":  regexp.MustCompile(`<Package(?:Reference|Version)\s[^>]*Include\s*=\s*"([^"]+)"(?:[^>]*Version\s*=\s*"([^"]*)")?`),
		"mix":     regexp.MustCompile(`^\s*\{\s*:(\w+)\s*,\s*(?:"([^"]*)")?`),
		"pubspec": regexp.MustCompile(`^  ([\w-]+):\s*(.*)$`),
		"field":   regexp.MustCompile(`(?:^|[{,\s])(version|package|module|group|name)\s*=\s*["']([^"']*)["']`),
		"header":  regexp.MustCompile(`^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$`),
	}
})

// lineReader reads one manifest line by line.
type lineReader struct {
	kind    string
	section string // of TOML and the like
	listing bool   // inside a list of requirement strings
	block   bool   // inside require ( ... ) of go.mod
	out     []Dep
}

func (r *lineReader) add(name, version string, line int) {
	if name != "" {
		r.out = append(r.out, Dep{Name: name, Version: strings.TrimSpace(version), Line: line})
	}
}

func (r *lineReader) line(s string, n int) {
	f := forms()
	switch r.kind {
	case "go.mod":
		r.gomod(s, n)
	case "cargo.toml", "pipfile", "pyproject.toml", "libs.versions.toml":
		r.toml(s, n)
	case "requirements.txt":
		s, _, _ = strings.Cut(s, "#")
		if t := strings.TrimSpace(s); t != "" && t[0] != '-' && !strings.Contains(t, "://") {
			r.requirement(t, n)
		}
	case "setup.py", "setup.cfg":
		r.setup(s, n)
	case "gemfile":
		if m := f["gem"].FindStringSubmatch(s); m != nil {
			r.add(m[1], m[2], n)
		}
	case "build.gradle":
		if m := f["gradle"].FindStringSubmatch(s); m != nil {
			r.add(m[1], m[2], n)
		}
	case "csproj":
		if m := f["csproj"].FindStringSubmatch(s); m != nil {
			r.add(m[1], m[2], n)
		}
	case "mix.exs":
		if m := f["mix"].FindStringSubmatch(s); m != nil {
			r.add(m[1], m[2], n)
		}
	case "pubspec.yaml":
		if s != "" && s[0] != ' ' && s[0] != '#' {
			r.section = strings.TrimSuffix(strings.TrimSpace(s), ":")
		}
		if m := f["pubspec"].FindStringSubmatch(s); m != nil && (r.section == "dependencies" || r.section == "dev_dependencies") {
			r.add(m[1], m[2], n)
		}
	}
}

// gomod reads requirements that the module itself asks for: what only others
// need ("// indirect") is not its decision.
func (r *lineReader) gomod(s string, n int) {
	t := strings.TrimSpace(s)
	switch {
	case r.block && t == ")":
		r.block = false
		return
	case strings.HasPrefix(t, "require") && strings.HasSuffix(t, "("):
		r.block = true
		return
	case !r.block && !strings.HasPrefix(t, "require "):
		return
	}
	if m := forms()["go"].FindStringSubmatch(s); m != nil && !strings.Contains(m[3], "indirect") {
		r.add(m[1], m[2], n)
	}
}

// toml reads the tables that hold dependencies, in Cargo's, Poetry's, pip's and Gradle's ways.
func (r *lineReader) toml(s string, n int) {
	f := forms()
	if m := f["header"].FindStringSubmatch(s); m != nil && !r.listing {
		r.section = m[1]
		// [dependencies.serde] is a dependency with a table of its own.
		if i := strings.LastIndex(r.section, "dependencies."); r.kind == "cargo.toml" && i >= 0 {
			r.add(strings.Trim(r.section[i+len("dependencies."):], `"' `), "", n)
		}
		return
	}
	if r.listing {
		r.strings(s, n)
		return
	}
	m := f["toml"].FindStringSubmatch(s)
	if m == nil {
		return
	}
	key, value := m[1]+m[2]+m[3], strings.TrimSpace(m[4])
	low := strings.ToLower(r.section)
	switch {
	case r.kind == "cargo.toml" && strings.Contains(low, "dependencies."):
		if last := len(r.out) - 1; last >= 0 && (key == "version" || key == "package") {
			v := strings.Trim(value, `"' `)
			if key == "package" {
				r.out[last].Name = v
			} else {
				r.out[last].Version = v
			}
		}
	case r.kind == "cargo.toml" && strings.HasSuffix(low, "dependencies"),
		r.kind == "pipfile" && (low == "packages" || low == "dev-packages"),
		r.kind == "pyproject.toml" && strings.HasPrefix(low, "tool.poetry.") && strings.HasSuffix(low, "dependencies"):
		key, _, _ = strings.Cut(key, ".") // serde.workspace = true
		if key == "python" && r.kind == "pyproject.toml" {
			return
		}
		version := ""
		if q := f["string"].FindStringSubmatch(value); q != nil && !strings.HasPrefix(value, "{") {
			version = q[1] + q[2]
		}
		for _, x := range f["field"].FindAllStringSubmatch(value, -1) {
			switch x[1] {
			case "version":
				version = x[2]
			case "package":
				key = x[2]
			}
		}
		r.add(key, version, n)
	case r.kind == "pyproject.toml" && (low == "project" && key == "dependencies" || low == "project.optional-dependencies" || low == "dependency-groups" || low == "build-system" && key == "requires"):
		r.strings(value, n)
		r.listing = strings.HasPrefix(value, "[") && !closed(value)
	case r.kind == "libs.versions.toml" && (low == "libraries"):
		fields := map[string]string{}
		for _, x := range f["field"].FindAllStringSubmatch(value, -1) {
			fields[x[1]] = x[2]
		}
		name := fields["module"]
		if name == "" && fields["group"] != "" {
			name = fields["group"] + ":" + fields["name"]
		}
		if q := f["string"].FindStringSubmatch(value); q != nil && name == "" && !strings.HasPrefix(value, "{") {
			if p := strings.Split(q[1]+q[2], ":"); len(p) >= 2 {
				name = p[0] + ":" + p[1]
				if len(p) > 2 {
					fields["version"] = p[2]
				}
			}
		}
		r.add(name, fields["version"], n)
	}
}

// strings reads requirement strings of a list, up to its end.
func (r *lineReader) strings(s string, n int) {
	bare := forms()["string"].ReplaceAllString(s, "")
	if i := strings.IndexByte(bare, '#'); i >= 0 {
		if k := strings.IndexByte(s, '#'); strings.Count(s[:k], `"`)%2 == 0 && strings.Count(s[:k], `'`)%2 == 0 {
			s = s[:k]
		}
		bare = bare[:i]
	}
	for _, q := range forms()["string"].FindAllStringSubmatch(s, -1) {
		r.requirement(q[1]+q[2], n)
	}
	if strings.Contains(bare, "]") {
		r.listing = false
	}
}

func closed(s string) bool {
	return strings.Contains(forms()["string"].ReplaceAllString(s, ""), "]")
}

// requirement reads "name[extra] >=1.0; marker".
func (r *lineReader) requirement(s string, n int) {
	s, _, _ = strings.Cut(s, ";")
	if m := forms()["pep508"].FindStringSubmatch(s); m != nil {
		rest := strings.Trim(m[2], "() ")
		if rest != "" && strings.IndexByte("=<>~!@", rest[0]) < 0 {
			return // words, not a requirement
		}
		r.add(m[1], rest, n)
	}
}

// setup reads the lists of requirements of setuptools.
func (r *lineReader) setup(s string, n int) {
	t := strings.TrimSpace(s)
	if r.kind == "setup.cfg" {
		if m := forms()["header"].FindStringSubmatch(s); m != nil {
			r.section, r.listing = m[1], false
			return
		}
		if s != "" && s[0] != ' ' && s[0] != '\t' {
			key, value, _ := strings.Cut(s, "=")
			key = strings.TrimSpace(key)
			r.listing = key == "install_requires" || key == "tests_require" || key == "setup_requires" || r.section == "options.extras_require"
			t = strings.TrimSpace(value)
		}
		if r.listing && t != "" && t[0] != '#' {
			r.requirement(t, n)
		}
		return
	}
	if !r.listing {
		i := strings.Index(s, "_require")
		if i < 0 {
			return
		}
		k := strings.IndexByte(s[i:], '[')
		if k < 0 || !strings.Contains(s[i:i+k], "=") {
			return
		}
		s = s[i+k:]
		r.listing = true
	}
	r.strings(s, n)
}

var pomForms = sync.OnceValue(func() [3]*regexp.Regexp {
	return [3]*regexp.Regexp{
		regexp.MustCompile(`(?s)<!--.*?-->`),
		regexp.MustCompile(`(?s)<dependency>.*?</dependency>`),
		regexp.MustCompile(`<(groupId|artifactId|version)>\s*([^<]*?)\s*</`),
	}
})

func mavenDeps(src []byte) []Dep {
	f := pomForms()
	text := f[0].ReplaceAllFunc(src, func(b []byte) []byte { return bytes.Repeat([]byte("\n"), bytes.Count(b, []byte("\n"))) })
	var out []Dep
	line, from := 1, 0
	for _, at := range f[1].FindAllIndex(text, -1) {
		fields := map[string]string{}
		start := at[0]
		for _, m := range f[2].FindAllSubmatchIndex(text[at[0]:at[1]], -1) {
			key := string(text[at[0]+m[2] : at[0]+m[3]])
			if fields[key] == "" { // the first: exclusions come later
				fields[key] = string(text[at[0]+m[4] : at[0]+m[5]])
				if key == "artifactId" {
					start = at[0] + m[2]
				}
			}
		}
		line += bytes.Count(text[from:start], []byte("\n"))
		from = start
		if fields["artifactId"] != "" {
			out = append(out, Dep{Name: fields["groupId"] + ":" + fields["artifactId"], Version: fields["version"], Line: line})
		}
	}
	return out
}

// names says whether a pattern of a rule stands for a dependency. Case, and in
// Python - _ and ., make no difference; a Go module stands for its later major versions
// as well; for Maven and Gradle the artifact alone is enough.
func (d Dep) names(pattern, file string) bool {
	name := strings.ToLower(d.Name)
	pattern = strings.ToLower(pattern)
	switch manifestKind(file) {
	case "requirements.txt", "pyproject.toml", "setup.py", "setup.cfg", "pipfile":
		norm := strings.NewReplacer("_", "-", ".", "-")
		name, pattern = norm.Replace(name), norm.Replace(pattern)
	case "cargo.toml":
		norm := strings.NewReplacer("_", "-")
		name, pattern = norm.Replace(name), norm.Replace(pattern)
	case "go.mod":
		if globs(pattern, name) {
			return true
		}
		if i := strings.LastIndex(name, "/v"); i > 0 && strings.Trim(name[i+2:], "0123456789") == "" {
			return globs(pattern, name[:i])
		}
		return false
	case "pom.xml", "build.gradle", "libs.versions.toml":
		if _, artifact, ok := strings.Cut(name, ":"); ok && !strings.Contains(pattern, ":") {
			return globs(pattern, artifact)
		}
	}
	return globs(pattern, name)
}
