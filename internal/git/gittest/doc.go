// Package gittest makes real repositories for tests, with the real git and
// without the configuration of whoever runs them. It is imported by tests only
// and must never know about anything but git and files.
package gittest
