package text

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseHeader(t *testing.T) {
	for _, c := range []struct {
		name, subject string
		want          string // type|scopes|flags|rest
	}{
		{"no header", "Fix the crash", "|||Fix the crash"},
		{"type", "fix: handle nil", "fix|||handle nil"},
		{"type in capitals", "FIX: handle nil", "FIX|||handle nil"},
		{"type without a blank behind the colon", "fix:handle nil", "fix|||handle nil"},
		{"type and scope", "feat(api): add x", "feat|api||add x"},
		{"several scopes", "feat(api, cli): add x", "feat|api,cli||add x"},
		{"breaking", "feat!: drop x", "feat||!|drop x"},
		{"a colon of full width", "feat：添加缓存", "feat|||添加缓存"},
		{"brackets of full width", "fix（parser）：处理空输入", "fix|parser||处理空输入"},
		{"a mark of full width", "feat(core)！：移除旧接口", "feat|core|!|移除旧接口"},
		{"a scope in another script", "fix(解析器): 处理空输入", "fix|解析器||处理空输入"},
		{"no blank before a letter of another script", "feat(parser):追加", "feat|parser||追加"},
		{"a tag in lenticular brackets", "【重要】fix: 空指针", "fix|||空指针"},
		{"a colon of full width in a sentence", "修复 a：b 的问题", "|||修复 a：b 的问题"},
		{"breaking with a scope", "feat(api)!: drop x", "feat|api|!|drop x"},
		{"an unknown type in lower case with a scope", "core(api): add x", "core|api||add x"},
		{"an unknown type with a capital is none", "Handle(api): add x", "|||Handle(api): add x"},
		{"an empty scope", "feat(): add x", "feat|||add x"},
		{"plain prefix", "net/http: add x", "|net/http|prefix|add x"},
		{"two plain prefixes", "cmd, docs: add x", "|cmd,docs|prefix|add x"},
		{"a prefix with a leading dot", ".github: pin actions", "|.github|prefix|pin actions"},
		{"a sentence with a colon is no prefix", "Fix the bug: it crashed", "|||Fix the bug: it crashed"},
		{"words that are no area", "Note: this is fine", "|||Note: this is fine"},
		{"a qualified name is no prefix", "foo::bar is slow", "|||foo::bar is slow"},
		{"an address is no prefix", "https://example.org is down", "|||https://example.org is down"},
		{"a time is no prefix", "12:30 is wrong", "|||12:30 is wrong"},
		{"a colon within quotes is none", `say "a: b"`, `|||say "a: b"`},
		{"bracket tags are passed over", "[core][ui] Add x", "|||Add x"},
		{"a ticket is passed over", "KEY-123: add x", "|||add x"},
		{"a ticket before a type", "KEY-123 fix(api): add x", "fix|api||add x"},
		{"a standard is no ticket", "UTF-8 decoding of names", "|||UTF-8 decoding of names"},
		{"an emoji is passed over", "✨ feat: add x", "feat|||add x"},
		{"a named emoji is passed over", ":bug: fix: add x", "fix|||add x"},
		{"a byte order mark is passed over", "\ufefffix: add x", "fix|||add x"},
		{"East Asian letters are no emoji", "修复: 崩溃", "|||修复: 崩溃"},
		{"only a type", "fix:", "fix|||"},
		{"only a tag stays", "[core]", "|||[core]"},
		{"blanks around", "  fix :  x ", "|||fix :  x"},
		{"empty", "", "|||"},
		{"control characters and broken UTF-8 pass through", "fix: a\x00b\xff", "fix|||a\x00b\xff"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := ParseHeader(c.subject)
			flags := ""
			if h.Prefix {
				flags += "prefix"
			}
			if h.Breaking {
				flags += "!"
			}
			got := fmt.Sprintf("%s|%s|%s|%s", h.Type, strings.Join(h.Scopes, ","), flags, h.Rest)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			checkOffsets(t, c.subject, h)
		})
	}
}

type failer interface{ Errorf(string, ...any) }

// checkOffsets holds what ParseHeader promises of any subject.
func checkOffsets(t failer, subject string, h Header) {
	at := func(what, s string, i int) {
		if i < 0 || i > len(subject) || !strings.HasPrefix(subject[i:], s) {
			t.Errorf("%q: %s %q does not stand at %d", subject, what, s, i)
		}
	}
	at("type", h.Type, h.TypeAt)
	at("rest", h.Rest, h.RestAt)
	if len(h.Scopes) != len(h.ScopesAt) {
		t.Errorf("%q: %d scopes and %d offsets", subject, len(h.Scopes), len(h.ScopesAt))
		return
	}
	for i, s := range h.Scopes {
		at("scope", s, h.ScopesAt[i])
	}
	if h.Prefix && (h.Type != "" || len(h.Scopes) == 0) {
		t.Errorf("%q: a prefix with a type or without scopes: %+v", subject, h)
	}
	if h.Breaking && h.Type == "" {
		t.Errorf("%q: breaking without a type", subject)
	}
}

func TestHeaderOffsetsPointAtTheirPieces(t *testing.T) {
	part := rapid.SampledFrom([]string{"feat", "fix", "core", "[x]", "KEY-1", "(", ")", "a,b", "!", ":", ": ", " ", "✨", ":bug:", "\u00a0", "\ufeff", "Ünï", "修", "\xff", "\x00", "`", "net/http"})
	rapid.Check(t, func(t *rapid.T) {
		subject := strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "parts"), "")
		checkOffsets(t, subject, ParseHeader(subject))
	})
}

func TestIsConventionalTypeInAnyCase(t *testing.T) {
	for word, want := range map[string]bool{"feat": true, "FIX": true, "Docs": true, "core": false, "": false} {
		if IsConventionalType(word) != want {
			t.Errorf("%q: want %v", word, want)
		}
	}
}

func FuzzParseHeader(f *testing.F) {
	for _, s := range []string{"fix(api)!: x", "[a] KEY-1: b, c: d", "✨ net/http: x", "\ufeffé: \xff", "feat(a,b|c;d): e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkOffsets(t, s, ParseHeader(s)) })
}

func BenchmarkParseHeader(b *testing.B) {
	for b.Loop() {
		ParseHeader("feat(store, cli)!: add an eviction limit to the page cache")
	}
}
