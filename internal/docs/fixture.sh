#!/bin/sh
# Builds the repository that the examples of the manual run in: a small service with
# honest commits and some that are not. Dates, names and settings are fixed, so that
# every commit has the same hash on every machine.
#
#   sh fixture.sh FOLDER
set -eu
[ $# = 1 ] || { echo "usage: fixture.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
cd "$1"

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=Example GIT_AUTHOR_EMAIL=example@example.invalid
export GIT_COMMITTER_NAME=Example GIT_COMMITTER_EMAIL=example@example.invalid
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
day=0
commit() { # MESSAGE: everything in the work tree, one day after the last
	day=$((day + 1))
	GIT_AUTHOR_DATE="2026-01-$(printf %02d $day)T09:00:00+0000"
	GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
	export GIT_AUTHOR_DATE GIT_COMMITTER_DATE
	git add -A
	git commit -q -m "$1"
}

git init -q --initial-branch=main .
git config core.autocrlf false
git config user.name Example
git config user.email example@example.invalid
git config commit.gpgsign false

mkdir -p store server docs
cat >go.mod <<'EOF'
module example.invalid/orchard

go 1.26

require example.invalid/clock v1.4.0
EOF
cat >store/store.go <<'EOF'
// Package store keeps the harvest records.
package store

// Store holds records by name.
type Store struct {
	records map[string]int
}

// Open returns an empty store.
func Open() *Store {
	return &Store{records: map[string]int{}}
}

// Put keeps a count under a name.
func (s *Store) Put(name string, count int) {
	s.records[name] = count
}

// Get finds a count.
func (s *Store) Get(name string) (int, bool) {
	count, ok := s.records[name]
	return count, ok
}
EOF
cat >store/store_test.go <<'EOF'
package store

import "testing"

func TestPutThenGet(t *testing.T) {
	s := Open()
	s.Put("apple", 3)
	if count, ok := s.Get("apple"); !ok || count != 3 {
		t.Fatalf("got %d, %v", count, ok)
	}
}
EOF
cat >server/server.go <<'EOF'
// Package server answers over HTTP.
package server

import (
	"fmt"
	"net/http"
	"time"

	"example.invalid/orchard/store"
)

// ReadTimeout ends a request that takes too long to arrive.
const ReadTimeout = 30 * time.Second

// Handler answers with the count of one kind of fruit.
func Handler(s *store.Store) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count, ok := s.Get(r.URL.Query().Get("name"))
		if !ok {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintln(w, count)
	})
}
EOF
cat >docs/usage.md <<'EOF'
# Using orchard

Ask for a count with `GET /?name=apple`.
EOF
commit 'Keep harvest records and answer over HTTP'

cat >>store/store.go <<'EOF'

// Delete forgets a name.
func (s *Store) Delete(name string) {
	delete(s.records, name)
}
EOF
cat >>store/store_test.go <<'EOF'

func TestDeleteForgets(t *testing.T) {
	s := Open()
	s.Put("pear", 1)
	s.Delete("pear")
	if _, ok := s.Get("pear"); ok {
		t.Fatal("still there")
	}
}
EOF
commit 'feat(store): add Store.Delete

Covered by a test in store/store_test.go.'

sed 's/30 \* time.Second/10 * time.Second/' server/server.go >server/server.tmp
mv server/server.tmp server/server.go
sed 's/v1.4.0/v1.5.1/' go.mod >go.tmp
mv go.tmp go.mod
commit 'fix(server): lower ReadTimeout to 10 seconds

Bump example.invalid/clock from v1.4.0 to v1.5.0.'

cat >>docs/usage.md <<'EOF'

A name that is not known answers with status 404.
EOF
commit 'docs: say what an unknown name answers'

cat >>store/store.go <<'EOF'

// Len is the number of names.
func (s *Store) Len() int {
	return len(s.records)
}
EOF
sed 's/fmt.Fprintln(w, count)/fmt.Fprintf(w, "%d\\n", count)/' server/server.go >server/server.tmp
mv server/server.tmp server/server.go
commit 'feat(store): add Store.Len

- only touches the store package
- add a /healthz endpoint for the load balancer
- add tests for Len'
