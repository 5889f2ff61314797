//go:build !unix

package main

import "os"

// terminalWidth is 0, unknown, where the platform has no simple way to ask.
func terminalWidth(*os.File) int { return 0 }
