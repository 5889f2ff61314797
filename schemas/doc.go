// Package schemas holds the JSON Schemas (draft 2020-12) of everything
// machine-readable that crosses the boundary of the program: the report, the lines
// of the ndjson format, a batch request and its result, the configuration, the
// entries of the memory and what its commands write. It
// must never know about anything but these files.
//
// The files are generated from the Go types that are written and read, with
// the comments of their fields as descriptions; `go test ./schemas -update` writes
// them and the same test fails when they are not current. A number in a name
// changes when a field changes its meaning or goes; new fields may come at any
// time, so all but the request and the configuration allow fields they do not name.
package schemas
