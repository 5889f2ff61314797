//go:build !linux

package index

// prefault is a hint that this system has no use for.
func prefault([]byte) {}
