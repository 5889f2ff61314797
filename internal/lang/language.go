package lang

import (
	"bytes"
	"strings"
	"sync"
)

// Language is one row of the language table: how its text falls into tokens,
// what defines a name in it, what an import looks like. A nil *Language stands
// for an unknown one; all methods accept it.
type Language struct {
	name   string
	lines  []string  // what opens a comment that ends with the line
	blocks []block   // comments with an end of their own
	strs   []strRule // the longest opening first
	extra  string    // bytes beside letters, digits, "_" and non-ASCII that belong to identifiers
	tail   string    // bytes that may end an identifier once: "?!" in Ruby
	flags  flags
	defs   defStyle
	refs   refStyle

	once  sync.Once
	table *[256]byteClass // made on first use: nothing at start-up
}

type block struct {
	open, close string
	nests       bool
	lineStart   bool // only in the first column
}

// strRule is one way of writing a string.
type strRule struct {
	open, close string
	esc         byte   // escapes the next byte; 0 for none
	multi       bool   // may run over line ends
	double      bool   // a doubled closing mark stands for itself
	interp      string // opens code inside; "" for none
	until       byte   // closes that code
}

type flags uint32

const (
	regexLit     flags = 1 << iota // /re/ where a value is expected
	rustQuotes                     // lifetimes, r#"..."#, b'...'
	charQuotes                     // ' opens a character, at most a few bytes; else it is a digit separator or a prime
	cppRaw                         // R"x(...)x"
	luaLong                        // [[...]], [==[...]==], --[[...]]
	swiftRaw                       // #"..."#
	shellHeredoc                   // <<EOF
	rubyHeredoc                    // <<~EOF
	phpHeredoc                     // <<<EOF
	hashWord                       // a line comment opens only at the start of a word
	quoteWord                      // a string opens only at the start of a word
	commentStart                   // a line comment opens only as first thing on its line
	noColonSlash                   // "//" after ":" is part of an address
	endMark                        // __END__ ends the program
	zigLines                       // \\ opens a string that ends with the line
	markup                         // tags and text, with scripts inside
	document                       // prose for people
	dataStrings                    // the content of strings are the names: JSON
	docstrings                     // a string that stands alone is a comment
	directives                     // # lines of C
	foldCase                       // keywords in any case: SQL
)

type defStyle uint8

const (
	noDefs defStyle = iota
	goDefs
	pyDefs
	jsDefs
	rustDefs
	wordDefs // keyword, then name: Kotlin, Swift, Scala, PHP, Zig ...
	typeDefs // type, then name: Java, C#, Dart, Groovy
	cDefs
	endDefs // def ... end: Ruby, Lua, Elixir
	shellDefs
	sqlDefs
	lineDefs // a name at the head of a line: Makefile, Clojure, Haskell, Terraform ...
	markupDefs
)

type refStyle uint8

const (
	noRefs refStyle = iota
	goRefs
	pyRefs
	jsRefs
	rustRefs
	javaRefs
	cRefs
	rubyRefs
	markupRefs
)

// Name is the usual name of the language, "" for nil.
func (l *Language) Name() string {
	if l == nil {
		return ""
	}
	return l.name
}

// Document says whether files of the language are prose for people rather than code.
func (l *Language) Document() bool { return l != nil && l.flags&document != 0 }

// HasImports says whether Imports knows the language at all: false means that
// no import is no evidence.
func (l *Language) HasImports() bool { return l != nil && l.refs != noRefs }

// HasDefs says whether Defs knows the language at all.
func (l *Language) HasDefs() bool { return l != nil && l.defs != noDefs }

// Common string rules.
var (
	dq       = strRule{open: `"`, close: `"`, esc: '\\'}
	sq       = strRule{open: `'`, close: `'`, esc: '\\'}
	dqMulti  = strRule{open: `"`, close: `"`, esc: '\\', multi: true}
	sqMulti  = strRule{open: `'`, close: `'`, esc: '\\', multi: true}
	dqDouble = strRule{open: `"`, close: `"`, double: true, multi: true}
	sqDouble = strRule{open: `'`, close: `'`, double: true, multi: true}
	dq3      = strRule{open: `"""`, close: `"""`, esc: '\\', multi: true}
	sq3      = strRule{open: `'''`, close: `'''`, esc: '\\', multi: true}
)

var (
	slashes = []string{"//"}
	hash    = []string{"#"}
	cBlock  = []block{{open: "/*", close: "*/"}}
	nested  = []block{{open: "/*", close: "*/", nests: true}}
	cQuotes = []strRule{dq, sq}
	jsStrs  = []strRule{{open: "`", close: "`", esc: '\\', multi: true, interp: "${", until: '}'}, dq, sq}
	shStrs  = []strRule{{open: "$'", close: "'", esc: '\\', multi: true}, {open: `"`, close: `"`, esc: '\\', multi: true, interp: "$(", until: ')'}, {open: `'`, close: `'`, multi: true}}
	rbStrs  = []strRule{{open: `"`, close: `"`, esc: '\\', multi: true, interp: "#{", until: '}'}, sqMulti, {open: "`", close: "`", esc: '\\', interp: "#{", until: '}'}}
	jvmStrs = []strRule{dq3, dq, sq}
)

// The table. Each is a variable of its own, so that it is laid out at compile time.
var (
	langGo         = Language{name: "Go", lines: slashes, blocks: cBlock, strs: []strRule{{open: "`", close: "`", multi: true}, dq, sq}, defs: goDefs, refs: goRefs}
	langPython     = Language{name: "Python", lines: hash, strs: []strRule{dq3, sq3, dq, sq}, flags: docstrings, defs: pyDefs, refs: pyRefs}
	langJavaScript = Language{name: "JavaScript", lines: slashes, blocks: cBlock, strs: jsStrs, extra: "$", flags: regexLit, defs: jsDefs, refs: jsRefs}
	langTypeScript = Language{name: "TypeScript", lines: slashes, blocks: cBlock, strs: jsStrs, extra: "$", flags: regexLit, defs: jsDefs, refs: jsRefs}
	langVue        = Language{name: "Vue", flags: markup, defs: markupDefs, refs: markupRefs}
	langSvelte     = Language{name: "Svelte", flags: markup, defs: markupDefs, refs: markupRefs}
	langAstro      = Language{name: "Astro", flags: markup, defs: markupDefs, refs: markupRefs}
	langHTML       = Language{name: "HTML", flags: markup, defs: markupDefs}
	langXML        = Language{name: "XML", flags: markup}
	langRust       = Language{name: "Rust", lines: slashes, blocks: nested, strs: []strRule{dqMulti}, flags: rustQuotes, defs: rustDefs, refs: rustRefs}
	langJava       = Language{name: "Java", lines: slashes, blocks: cBlock, strs: jvmStrs, extra: "$", defs: typeDefs, refs: javaRefs}
	langKotlin     = Language{name: "Kotlin", lines: slashes, blocks: nested, strs: []strRule{{open: `"""`, close: `"""`, multi: true, interp: "${", until: '}'}, {open: `"`, close: `"`, esc: '\\', interp: "${", until: '}'}, sq}, defs: wordDefs, refs: javaRefs}
	langScala      = Language{name: "Scala", lines: slashes, blocks: nested, strs: []strRule{{open: `"""`, close: `"""`, multi: true}, dq}, flags: charQuotes, defs: wordDefs, refs: javaRefs}
	langGroovy     = Language{name: "Groovy", lines: slashes, blocks: cBlock, strs: []strRule{dq3, sq3, dq, sq}, defs: typeDefs, refs: javaRefs}
	langCSharp     = Language{name: "C#", lines: slashes, blocks: cBlock, strs: []strRule{{open: `"""`, close: `"""`, multi: true}, {open: `$@"`, close: `"`, double: true, multi: true}, {open: `@$"`, close: `"`, double: true, multi: true}, {open: `@"`, close: `"`, double: true, multi: true}, dq, sq}, flags: directives, defs: typeDefs}
	langDart       = Language{name: "Dart", lines: slashes, blocks: nested, strs: []strRule{dq3, sq3, dq, sq}, extra: "$", defs: typeDefs}
	langC          = Language{name: "C", lines: slashes, blocks: cBlock, strs: []strRule{dq}, flags: charQuotes | directives, defs: cDefs, refs: cRefs}
	langCPP        = Language{name: "C++", lines: slashes, blocks: cBlock, strs: []strRule{dq}, flags: charQuotes | directives | cppRaw, defs: cDefs, refs: cRefs}
	langObjC       = Language{name: "Objective-C", lines: slashes, blocks: cBlock, strs: []strRule{dq}, flags: charQuotes | directives, defs: cDefs, refs: cRefs}
	langSwift      = Language{name: "Swift", lines: slashes, blocks: nested, strs: []strRule{{open: `"""`, close: `"""`, esc: '\\', multi: true}, {open: `"`, close: `"`, esc: '\\'}}, flags: swiftRaw, defs: wordDefs}
	langPHP        = Language{name: "PHP", lines: []string{"//", "#"}, blocks: cBlock, strs: []strRule{dqMulti, sqMulti}, extra: "$", flags: phpHeredoc, defs: wordDefs}
	langRuby       = Language{name: "Ruby", lines: hash, blocks: []block{{open: "=begin", close: "\n=end", lineStart: true}}, strs: rbStrs, tail: "?!", flags: regexLit | rubyHeredoc | endMark, defs: endDefs, refs: rubyRefs}
	langElixir     = Language{name: "Elixir", lines: hash, strs: []strRule{dq3, sq3, {open: `"`, close: `"`, esc: '\\', multi: true, interp: "#{", until: '}'}, sq}, tail: "?!", defs: endDefs}
	langLua        = Language{name: "Lua", lines: []string{"--"}, strs: cQuotes, flags: luaLong, defs: endDefs}
	langShell      = Language{name: "Shell", lines: hash, strs: shStrs, flags: hashWord | shellHeredoc, defs: shellDefs}
	langFish       = Language{name: "Fish", lines: hash, strs: []strRule{dqMulti, sqMulti}, flags: hashWord, defs: shellDefs}
	langPowerShell = Language{name: "PowerShell", lines: hash, blocks: []block{{open: "<#", close: "#>"}}, strs: []strRule{{open: "@\"\n", close: "\n\"@", multi: true}, {open: "@'\n", close: "\n'@", multi: true}, {open: `"`, close: `"`, esc: '`', multi: true}, sqDouble}, extra: "-", flags: foldCase, defs: wordDefs}
	langPerl       = Language{name: "Perl", lines: hash, blocks: []block{{open: "=pod", close: "\n=cut", lineStart: true}, {open: "=head", close: "\n=cut", lineStart: true}, {open: "=over", close: "\n=cut", lineStart: true}, {open: "=item", close: "\n=cut", lineStart: true}, {open: "=begin", close: "\n=cut", lineStart: true}, {open: "=encoding", close: "\n=cut", lineStart: true}}, strs: cQuotes, flags: hashWord | endMark, defs: wordDefs}
	langR          = Language{name: "R", lines: hash, strs: []strRule{dqMulti, sqMulti}, extra: ".", defs: lineDefs}
	langJulia      = Language{name: "Julia", lines: hash, blocks: []block{{open: "#=", close: "=#", nests: true}}, strs: []strRule{dq3, dqMulti}, flags: charQuotes, tail: "!", defs: endDefs}
	langSQL        = Language{name: "SQL", lines: []string{"--"}, blocks: cBlock, strs: []strRule{sqDouble, dqDouble, {open: "`", close: "`"}}, flags: foldCase, defs: sqlDefs}
	langCSS        = Language{name: "CSS", blocks: cBlock, strs: cQuotes, extra: "-"}
	langSCSS       = Language{name: "SCSS", lines: slashes, blocks: cBlock, strs: cQuotes, extra: "-", flags: noColonSlash, defs: wordDefs}
	langYAML       = Language{name: "YAML", lines: hash, strs: []strRule{dq, {open: `'`, close: `'`, double: true}}, extra: "-", flags: hashWord | quoteWord | dataStrings}
	langTOML       = Language{name: "TOML", lines: hash, strs: []strRule{dq3, {open: `'''`, close: `'''`, multi: true}, dq, {open: `'`, close: `'`}}, extra: "-", flags: dataStrings}
	langJSON       = Language{name: "JSON", lines: slashes, blocks: cBlock, strs: []strRule{dq}, flags: dataStrings}
	langINI        = Language{name: "INI", lines: []string{"#", ";"}, strs: []strRule{dq}, extra: "-.", flags: commentStart | quoteWord}
	langDockerfile = Language{name: "Dockerfile", lines: hash, strs: cQuotes, flags: commentStart | quoteWord, extra: "-"}
	langMakefile   = Language{name: "Makefile", lines: hash, strs: cQuotes, flags: quoteWord, extra: "-", defs: lineDefs}
	langCMake      = Language{name: "CMake", lines: hash, blocks: []block{{open: "#[[", close: "]]"}}, strs: []strRule{dqMulti}, flags: foldCase, defs: lineDefs}
	langProto      = Language{name: "Protocol Buffers", lines: slashes, blocks: cBlock, strs: cQuotes, defs: wordDefs}
	langThrift     = Language{name: "Thrift", lines: []string{"//", "#"}, blocks: cBlock, strs: cQuotes, defs: wordDefs}
	langGraphQL    = Language{name: "GraphQL", lines: hash, strs: []strRule{dq3, dq}, flags: docstrings, defs: wordDefs}
	langErlang     = Language{name: "Erlang", lines: []string{"%"}, strs: []strRule{dqMulti, sq}, defs: lineDefs}
	langHaskell    = Language{name: "Haskell", lines: []string{"--"}, blocks: []block{{open: "{-", close: "-}", nests: true}}, strs: []strRule{dqMulti}, extra: "'", flags: charQuotes, defs: lineDefs}
	langElm        = Language{name: "Elm", lines: []string{"--"}, blocks: []block{{open: "{-", close: "-}", nests: true}}, strs: []strRule{dq3, dq}, flags: charQuotes, defs: lineDefs}
	langOCaml      = Language{name: "OCaml", blocks: []block{{open: "(*", close: "*)", nests: true}}, strs: []strRule{dqMulti}, flags: charQuotes, defs: lineDefs}
	langFSharp     = Language{name: "F#", lines: slashes, blocks: []block{{open: "(*", close: "*)", nests: true}}, strs: []strRule{dq3, dqMulti}, flags: charQuotes, defs: lineDefs}
	langClojure    = Language{name: "Clojure", lines: []string{";"}, strs: []strRule{dqMulti}, extra: "-?!*+<>", defs: lineDefs}
	langLisp       = Language{name: "Lisp", lines: []string{";"}, blocks: []block{{open: "#|", close: "|#", nests: true}}, strs: []strRule{dqMulti}, extra: "-?!*+<>", defs: lineDefs}
	langZig        = Language{name: "Zig", lines: slashes, strs: cQuotes, flags: zigLines, defs: wordDefs}
	langNim        = Language{name: "Nim", lines: hash, blocks: []block{{open: "#[", close: "]#", nests: true}}, strs: []strRule{dq3, dq}, flags: charQuotes, defs: lineDefs}
	langTerraform  = Language{name: "Terraform", lines: []string{"#", "//"}, blocks: cBlock, strs: []strRule{dq}, extra: "-", flags: shellHeredoc, defs: lineDefs}
	langNix        = Language{name: "Nix", lines: hash, blocks: cBlock, strs: []strRule{{open: "''", close: "''", multi: true}, dqMulti}, extra: "-'"}
	langVim        = Language{name: "Vim script", lines: []string{`"`}, flags: commentStart}
	langAwk        = Language{name: "AWK", lines: hash, strs: []strRule{dq}, flags: hashWord, defs: wordDefs}
	langBatch      = Language{name: "Batch", lines: []string{"::", "rem ", "REM ", "@rem "}, flags: commentStart}
	langAssembly   = Language{name: "Assembly", lines: []string{"//", ";", "#"}, blocks: cBlock, strs: []strRule{dq}, flags: hashWord}
	langMarkdown   = Language{name: "Markdown", flags: document}
	langRST        = Language{name: "reStructuredText", flags: document}
	langText       = Language{name: "Text", flags: document}
)

// ByPath is the language of a file by its extension, its name, or else the
// interpreter line or the marks in head (the start of its content, may be nil).
// It is nil for a language that the table does not know.
func ByPath(path string, head []byte) *Language {
	base := path[strings.LastIndexByte(path, '/')+1:]
	base = lowerASCII(base)
	if l := byName(base); l != nil {
		return l
	}
	ext := ""
	if i := strings.LastIndexByte(base, '.'); i >= 0 {
		ext = base[i+1:]
		switch ext {
		// Templates are in the language that they make.
		case "tmpl", "tpl", "j2", "jinja", "jinja2", "in", "erb", "gotmpl", "template", "dist", "sample", "example":
			if inner := base[:i]; strings.ContainsRune(inner, '.') {
				if l := byName(inner); l != nil {
					return l
				}
				ext = inner[strings.LastIndexByte(inner, '.')+1:]
			}
		}
	}
	switch ext {
	case "h":
		if looksCPP(head) {
			return &langCPP
		}
	case "ts":
		// A translation file of Qt is XML.
		if bytes.HasPrefix(bytes.TrimSpace(head), []byte("<?xml")) {
			return &langXML
		}
	}
	if l := byExtension(ext); l != nil {
		return l
	}
	if l := byShebang(head); l != nil {
		return l
	}
	if ext == "" && docName(base) {
		return &langText
	}
	return nil
}

func byName(base string) *Language {
	switch base {
	case "dockerfile", "containerfile":
		return &langDockerfile
	case "makefile", "gnumakefile", "bsdmakefile", "makefile.am", "makefile.in":
		return &langMakefile
	case "cmakelists.txt":
		return &langCMake
	case "rakefile", "gemfile", "podfile", "vagrantfile", "brewfile", "guardfile", "fastfile", "capfile":
		return &langRuby
	case "jenkinsfile":
		return &langGroovy
	case "justfile":
		return &langMakefile
	case "sconstruct", "sconscript", "build.bazel", "workspace.bazel", "module.bazel", "tiltfile":
		return &langPython
	case ".bashrc", ".bash_profile", ".profile", ".zshrc", ".zprofile", "gradlew", "mvnw", "configure", "pkgbuild", ".envrc", "autogen.sh":
		return &langShell
	case ".gitignore", ".dockerignore", ".npmignore", ".eslintignore", ".prettierignore", ".gitattributes", "codeowners", ".mailmap", ".helmignore":
		return &langINI
	case ".editorconfig", ".npmrc", ".gitconfig", ".gitmodules", ".flake8", ".pylintrc", ".coveragerc", ".env":
		return &langINI
	case ".prettierrc", ".eslintrc", ".babelrc", ".swcrc", "composer.lock", ".jshintrc", "pipfile.lock", "flake.lock", "package.resolved":
		return &langJSON
	case "cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "pipfile", "gopkg.lock":
		return &langTOML
	case ".clang-format", ".clang-tidy", ".clangd", "pubspec.lock", "yarn.lock":
		return &langYAML
	case "go.mod", "go.work", "go.sum":
		return &langGoMod
	case ".vimrc":
		return &langVim
	}
	if strings.HasPrefix(base, "dockerfile.") || strings.HasPrefix(base, "dockerfile-") {
		return &langDockerfile
	}
	if strings.HasPrefix(base, "makefile.") {
		return &langMakefile
	}
	return nil
}

// langGoMod reads go.mod and go.work: lines of words with // comments.
var langGoMod = Language{name: "Go Module", lines: slashes, strs: []strRule{dq, {open: "`", close: "`"}}, extra: "-.", flags: hashWord}

func byExtension(ext string) *Language {
	switch ext {
	case "go":
		return &langGo
	case "py", "pyi", "pyw", "pyx", "pxd", "bzl", "star", "gyp", "gypi":
		return &langPython
	case "js", "mjs", "cjs", "jsx", "es6":
		return &langJavaScript
	case "ts", "mts", "cts", "tsx":
		return &langTypeScript
	case "vue":
		return &langVue
	case "svelte":
		return &langSvelte
	case "astro":
		return &langAstro
	case "html", "htm", "xhtml", "ejs", "hbs", "handlebars", "mustache", "njk", "twig", "gohtml", "liquid", "jsp", "cshtml":
		return &langHTML
	case "xml", "svg", "xsd", "xsl", "xslt", "plist", "csproj", "fsproj", "vbproj", "vcxproj", "props", "targets", "resx", "xaml", "nuspec", "storyboard", "xib":
		return &langXML
	case "rs":
		return &langRust
	case "java":
		return &langJava
	case "kt", "kts":
		return &langKotlin
	case "scala", "sc", "sbt":
		return &langScala
	case "groovy", "gradle", "gvy":
		return &langGroovy
	case "cs", "csx":
		return &langCSharp
	case "dart":
		return &langDart
	case "c", "h", "y", "l":
		return &langC
	case "cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx", "h++", "inl", "ipp", "tpp", "ino", "cu", "cuh", "cppm", "ixx":
		return &langCPP
	case "m", "mm":
		return &langObjC
	case "swift":
		return &langSwift
	case "php", "phtml", "php5":
		return &langPHP
	case "rb", "rake", "gemspec", "ru", "podspec", "jbuilder":
		return &langRuby
	case "ex", "exs":
		return &langElixir
	case "lua":
		return &langLua
	case "sh", "bash", "zsh", "ksh", "bats", "ebuild", "command":
		return &langShell
	case "fish":
		return &langFish
	case "ps1", "psm1", "psd1":
		return &langPowerShell
	case "pl", "pm", "t", "pod":
		return &langPerl
	case "r":
		return &langR
	case "jl":
		return &langJulia
	case "sql", "psql", "ddl":
		return &langSQL
	case "css":
		return &langCSS
	case "scss", "sass", "less", "styl":
		return &langSCSS
	case "yaml", "yml", "clang-format", "cff":
		return &langYAML
	case "toml":
		return &langTOML
	case "json", "jsonc", "json5", "geojson", "webmanifest", "jsonl", "ndjson", "ipynb", "map", "har":
		return &langJSON
	case "ini", "cfg", "conf", "properties", "env", "editorconfig", "service", "desktop", "reg":
		return &langINI
	case "dockerfile":
		return &langDockerfile
	case "mk", "mak", "make":
		return &langMakefile
	case "cmake":
		return &langCMake
	case "proto":
		return &langProto
	case "thrift":
		return &langThrift
	case "graphql", "gql", "graphqls":
		return &langGraphQL
	case "erl", "hrl", "escript":
		return &langErlang
	case "hs", "lhs":
		return &langHaskell
	case "elm":
		return &langElm
	case "ml", "mli":
		return &langOCaml
	case "fs", "fsx", "fsi":
		return &langFSharp
	case "clj", "cljs", "cljc", "edn":
		return &langClojure
	case "el", "lisp", "cl", "scm", "rkt", "ss":
		return &langLisp
	case "zig":
		return &langZig
	case "nim", "nims":
		return &langNim
	case "tf", "hcl", "tfvars":
		return &langTerraform
	case "nix":
		return &langNix
	case "vim":
		return &langVim
	case "awk":
		return &langAwk
	case "bat", "cmd":
		return &langBatch
	case "s", "asm":
		return &langAssembly
	case "md", "markdown", "mdx", "mdown", "mdc":
		return &langMarkdown
	case "rst", "rest":
		return &langRST
	case "txt", "text", "adoc", "asciidoc", "texi", "textile", "org", "rdoc", "roff", "man", "log", "tex":
		return &langText
	}
	return nil
}

func byShebang(head []byte) *Language {
	if !bytes.HasPrefix(head, []byte("#!")) {
		return nil
	}
	line := head[2:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	if len(line) > 200 {
		line = line[:200]
	}
	for _, f := range strings.Fields(string(line)) {
		f = f[strings.LastIndexByte(f, '/')+1:]
		if f == "env" || strings.HasPrefix(f, "-") || strings.Contains(f, "=") {
			continue
		}
		switch strings.TrimRight(f, "0123456789.") {
		case "sh", "bash", "dash", "ksh", "zsh", "ash", "bats":
			return &langShell
		case "python", "pypy":
			return &langPython
		case "node", "nodejs", "bun":
			return &langJavaScript
		case "deno", "ts-node", "tsx":
			return &langTypeScript
		case "ruby":
			return &langRuby
		case "perl":
			return &langPerl
		case "php":
			return &langPHP
		case "lua", "luajit":
			return &langLua
		case "fish":
			return &langFish
		case "pwsh":
			return &langPowerShell
		case "awk", "gawk":
			return &langAwk
		case "make":
			return &langMakefile
		case "Rscript":
			return &langR
		case "elixir":
			return &langElixir
		case "escript":
			return &langErlang
		case "julia":
			return &langJulia
		case "groovy":
			return &langGroovy
		}
		return nil
	}
	return nil
}

// looksCPP tells a C++ header by words that C does not have at the start of a line.
func looksCPP(head []byte) bool {
	if len(head) > 1<<16 {
		head = head[:1<<16]
	}
	for len(head) > 0 {
		line := head
		if i := bytes.IndexByte(head, '\n'); i >= 0 {
			line, head = head[:i], head[i+1:]
		} else {
			head = nil
		}
		line = bytes.TrimSpace(line)
		for _, w := range [...]string{"namespace ", "class ", "template ", "template<", "using ", "public:", "private:", "protected:"} {
			if bytes.HasPrefix(line, []byte(w)) {
				return true
			}
		}
	}
	return false
}
