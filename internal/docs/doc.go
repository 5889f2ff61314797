// Package docs runs the examples of the manual and holds what they print against
// what the pages say. It knows the built program and a small repository to run it
// in; it must never know how a verdict comes about.
//
// An example is a fenced block of the kind console. Lines that start with "$ " are
// commands, lines that start with "> " right after one continue it, everything else
// is what the command prints, standard error included:
//
//	```console
//	$ sayso check HEAD
//	...
//	```
//
// Words after "console" say more:
//
//	exit=N        the exit code of the last command of the block, 0 where it is not given
//	repo=self     run in this checkout and not in the fixture
//	norun         shown, never run
//
// A block whose output holds fences of its own has more backticks; -update sees to it.
//
// Blocks of one page share one copy of the fixture and run in order, so that a page
// can tell a story; the copy is thrown away with the page. The fixture is built by
// fixture.sh with fixed dates and names, so that its commit hashes never change:
//
//	sh internal/docs/fixture.sh /tmp/orchard
//
// The tests of this package are the runner. To write what the program prints today
// into the pages:
//
//	go test -count=1 ./internal/docs -update
package docs
