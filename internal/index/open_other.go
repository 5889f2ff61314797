//go:build !windows

package index

// openFile keeps the file open: a writer that replaces it leaves this one's
// content as it was.
func openFile(file string) (backing, int64, error) { return regular(file) }
