// Command peers times whole processes: the commit-msg hook of sayso beside
// commitlint and gitlint on the same commit, a range of a thousand commits, and the
// building of the index. It must never know how a verdict comes about: it starts
// programs, waits for them and reads the clock.
//
//	go run ./bench/peers                      the full table, some minutes
//	go run ./bench/peers -quick               a small repository and few runs
//	go run ./bench/peers -require commitlint  fails unless the hook is as much faster as promised
//	go run ./bench/peers -check               fails when any budget is missed
//	go run ./bench/peers -json figures.json   writes the figures for programs as well
//
// The repository is made up by `git fast-import` from a fixed seed: the same files,
// commits and hashes on every machine. The hook runs on a staged change whose message
// makes a scope, a file, an identifier, a component and a version claim, on trees and
// with an environment such as git commit makes before it calls its hooks, with an index
// that is up to a hundred commits behind, as on the day after a pull.
//
// Programs are timed in turn, one run of each per round, so that a machine that is
// busy for a while is busy for all of them. Least, median and most are printed, and the
// median is what counts. The hook keeps what it has read of the commits after the index;
// "first after a pull" is the hook that finds nothing kept, and has a bound of its own; peak memory is
// the largest process of a run as the operating system reports it. A peer that is not
// installed is named as not run.
//
// Where to start: main.go (flags and the order of things), repository.go (the
// synthetic history), measure.go (running and counting), table.go (budgets, output).
package main
