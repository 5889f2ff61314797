//go:build race

package main

// The race detector keeps a shadow of the memory.
const memoryFactor = 2
