package index

import (
	"testing"

	"github.com/saysolint/sayso/internal/text"
)

// echoes is a history in which "router" says where and "faster" says why.
func echoes(t *testing.T) (*fixture, map[string]string) {
	f := newFixture(t)
	f.commit("root", "main", "make it compile", nil, map[string]string{"main.go": "package main\n"})
	f.commit("one", "main", "lib: teach the router to wait", []string{"root"}, map[string]string{"lib/routers/wait.go": "package routers\n"})
	f.commit("two", "main", "fix(lib): make the router faster", []string{"one"}, map[string]string{"lib/http_router.go": "package lib\n"})
	f.commit("three", "main", "say that the router is faster", []string{"two"}, map[string]string{"README.md": "faster\n"})
	f.commit("four", "main", "empty the bin", []string{"three"}, map[string]string{"bin/run": "\n"})
	return f, f.load()
}

func TestEchoCountsTheCommitsWhoseOwnPathsHaveTheWord(t *testing.T) {
	f, c := echoes(t)
	r := f.open()
	router, faster := text.Stem("router"), text.Stem("faster")
	for _, head := range []string{"root", "two", "four"} { // commits beyond the index are counted alike
		ix := mustBuild(t, r, Options{Commit: c[head]})
		for name, want := range map[string][4]int{
			// router said and echoed, faster said and echoed
			"root":  {0, 0, 0, 0},
			"two":   {1, 1, 0, 0},
			"three": {2, 2, 1, 0},
			"four":  {3, 2, 2, 0},
		} {
			h := mustHistory(t, mustView(t, ix, r, c[name], AtOptions{}))
			got := [4]int{h.Word(router), h.Echo(router), h.Word(faster), h.Echo(faster)}
			if got != want {
				t.Errorf("index of %s, history of %s = %v, want %v", head, name, got, want)
			}
		}
	}
}

func TestScopedCountsWhoHasAnyScope(t *testing.T) {
	f, c := echoes(t)
	r := f.open()
	for _, head := range []string{"root", "one", "four"} {
		ix := mustBuild(t, r, Options{Commit: c[head]})
		h := mustHistory(t, mustView(t, ix, r, c["four"], AtOptions{}))
		all, lib := h.Scoped([]string{"lib"})
		_, file := h.Scoped([]string{"lib/http_router.go"})
		_, none := h.Scoped([]string{"bin"})
		if got, want := [4]int{all, lib, file, none}, [4]int{2, 2, 1, 0}; got != want {
			t.Errorf("index of %s: %v, want %v", head, got, want)
		}
		if said, named := h.Scope("lib"); said != 2 || named != 2 {
			t.Errorf("index of %s: lib said %d, named %d", head, said, named)
		}
	}
}

func TestPathStemsAreThoseOfEachPart(t *testing.T) {
	var c pathStems
	for range 2 { // the second time out of what was kept
		count := map[string]int{}
		c.each([]string{"lib/http_router.go", "lib/Routers/x.go", "lib", ""}, func(s string) { count[s]++ })
		if count["lib"] != 1 || count[text.Stem("router")] != 2 || count["http"] != 1 {
			t.Errorf("stems: %v", count)
		}
	}
	if !pathsSay([]string{"a/b.go", "lib/httpRouter.go"}, text.Stem("router")) || pathsSay([]string{"a/b.go"}, text.Stem("router")) {
		t.Error("a stem that stands in a part of a path is not found, or one that does not is")
	}
}
