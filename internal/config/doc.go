// Package config holds the configuration file: its shape, how it is read and
// checked, and the small questions that are put to it (is this path ignored,
// does an exception cover this finding). It must never know about git, changes,
// claims or verdicts: it gets bytes and the ids of the checks, and gives values.
//
// A tour: [Load] turns the bytes of .sayso.yaml into a [Config] or into one
// [Error] that lists every fault with its line; [Default] is what holds without
// a file; [Config.Show] writes the effective configuration back as YAML;
// [Template] is the file that a new project starts with. [Config.Ignored],
// [Config.IsGenerated], [Config.IsVendored], [Config.ScopeGlobs],
// [Config.Level] and [Config.ExceptionFor] answer questions. [ParseAttributes]
// reads which paths a .gitattributes file calls generated or vendored.
//
// The configuration is hostile until read: it may come out of a commit. So its
// size is capped, anchors and aliases are refused, and what an error quotes is
// quoted with its control characters escaped.
package config
