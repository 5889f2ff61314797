// Package sweep re-examines the entries of a memory against a repository at a
// revision. It must never know about rendering or GitHub.
package sweep
