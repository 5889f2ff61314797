package main

import (
	"bytes"
	"path/filepath"
	"strings"
)

// hookNames are the git hooks that can be installed.
var hookNames = []string{"commit-msg", "pre-push"}

// hookMark stands in every script that sayso writes and in no other.
const hookMark = "# sayso:hook "

// beforeSuffix is what the hook that was there before is renamed to.
const beforeSuffix = ".before-sayso"

// hookScripts are POSIX sh and start no program but the two hooks: clients
// with a window run hooks with a bare PATH. Only status 1, the gate, stops git;
// everything else that can go wrong with sayso is a warning. A pre-push hook is
// told what is pushed on standard input, which both hooks want to read.
var hookScripts = map[string]string{
	"commit-msg": hookHead + `if [ -x "$before" ]; then
	"$before" "$@" || exit $?
fi
[ "${SAYSO-}" = 0 ] && exit 0
` + hookGone + `"$sayso" hook run @NAME@@FLAGS@ "$@"
` + hookTail,
	"pre-push": hookHead + `refs=
while IFS= read -r line; do
	refs="$refs$line
"
done
if [ -x "$before" ]; then
	printf '%s' "$refs" | "$before" "$@" || exit $?
fi
[ "${SAYSO-}" = 0 ] && exit 0
` + hookGone + `printf '%s' "$refs" | "$sayso" hook run @NAME@@FLAGS@ "$@"
` + hookTail,
}

const (
	hookHead = `#!/bin/sh
# sayso:hook @NAME@, written by "sayso hook install"; "sayso hook uninstall" takes it away
before="${0%/*}/@NAME@` + beforeSuffix + `"
`
	hookGone = `sayso=@SELF@
if [ ! -x "$sayso" ]; then
	echo "sayso: hook: $sayso is gone: nothing was checked" >&2
	echo "hint: sayso hook install writes the new place, sayso hook uninstall takes the hook away" >&2
	exit 0
fi
`
	hookTail = `status=$?
[ "$status" -eq 1 ] && exit 1
[ "$status" -eq 0 ] || echo "sayso: hook: ended with status $status: nothing was checked" >&2
exit 0
`
)

// hookScript is the script of a hook of hookNames. self is the absolute path of the program.
func hookScript(name, self, failOn string) []byte {
	flags := ""
	if failOn != "" {
		flags = " --fail-on " + shellQuote(failOn)
	}
	r := strings.NewReplacer("@NAME@", name, "@SELF@", shellQuote(filepath.ToSlash(self)), "@FLAGS@", flags)
	return []byte(r.Replace(hookScripts[name]))
}

// shellQuote makes s one word of a POSIX shell, whatever it holds.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// isOurHook says whether sayso wrote the script.
func isOurHook(script []byte) bool { return bytes.Contains(script, []byte("\n"+hookMark)) }

// hookProgram is the program that one of our scripts calls, "" when it cannot be told.
func hookProgram(script []byte) string {
	for line := range strings.Lines(string(script)) {
		if word, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "sayso='"); ok {
			return strings.ReplaceAll(strings.TrimSuffix(word, "'"), `'\''`, "'")
		}
	}
	return ""
}
