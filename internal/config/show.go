package config

import (
	"bytes"
	"fmt"
	"maps"

	"go.yaml.in/yaml/v4"
)

// Show is the effective configuration as YAML: every key, in the order of the
// documentation, maps sorted. levels are the levels that checks have of
// themselves, by id; the configured ones win. What Show writes, [Load] reads back.
func (c *Config) Show(levels map[string]string) ([]byte, error) {
	checks := map[string]string{}
	maps.Copy(checks, levels)
	maps.Copy(checks, c.Checks)
	// The same keys as Config without omitempty: what is empty is shown as empty.
	full := struct {
		Checks     map[string]string   `yaml:"checks"`
		Ignore     []string            `yaml:"ignore"`
		Scopes     map[string][]string `yaml:"scopes"`
		Generated  []string            `yaml:"generated"`
		Vendored   []string            `yaml:"vendored"`
		Exceptions []Exception         `yaml:"exceptions"`
		FailOn     []string            `yaml:"fail-on"`
		Memory     struct {
			Folder string            `yaml:"folder"`
			Spaces map[string]string `yaml:"spaces"`
		} `yaml:"memory"`
	}{Checks: checks, Ignore: list(c.Ignore), Scopes: c.Scopes, Generated: list(c.Generated), Vendored: list(c.Vendored), Exceptions: c.Exceptions, FailOn: c.Gates()}
	full.Memory.Folder, full.Memory.Spaces = c.MemoryFolder(), c.Memory.Spaces
	if full.Memory.Spaces == nil {
		full.Memory.Spaces = map[string]string{}
	}
	if full.Scopes == nil {
		full.Scopes = map[string][]string{}
	}
	if full.Exceptions == nil {
		full.Exceptions = []Exception{}
	}
	var out bytes.Buffer
	d, err := yaml.NewDumper(&out, yaml.WithV4Defaults(), yaml.WithLineWidth(-1))
	if err != nil {
		return nil, fmt.Errorf("showing the configuration: %w", err)
	}
	if err := d.Dump(full); err != nil {
		return nil, fmt.Errorf("showing the configuration: %w", err)
	}
	if err := d.Close(); err != nil {
		return nil, fmt.Errorf("showing the configuration: %w", err)
	}
	return out.Bytes(), nil
}

func list(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

// Template is the file that a new project starts with: everything in it is a
// comment, so that it changes nothing until a line is uncommented.
func Template() []byte { return []byte(template) }

const template = `# Configuration of sayso. Everything here is optional: an empty file is the default.
# It is read from the base of a change, so what a change edits here holds after it has landed.

# Level of each check: gate (may fail the run), advisory (shown, never fails it) or off.
# checks:
#   component: advisory
#   lexical: off

# Paths whose changes no check looks at.
# ignore:
#   - testdata/fixtures/**
#   - "*.snap"

# Which paths a conventional scope covers, where the name of the scope does not say it.
# scopes:
#   api: [internal/server/**, proto/**]

# Generated and vendored files, beside what .gitattributes and the usual names say.
# generated: [internal/pb/**]
# vendored: [third_party/**]

# Findings that are shown and do not fail the run, each with a reason and a last day.
# exceptions:
#   - check: scope
#     paths: [tools/**]
#     reason: the tools folder moves piece by piece
#     until: 2030-01-31

# What fails the run: never, contradicted (strong ones), likely, decision, unverifiable.
# fail-on: [contradicted]

# Where the entries of the project memory are, and further stores by name: absolute
# paths, below the home folder (~/), or from the top of the main checkout.
# memory:
#   folder: .sayso/memory
#   spaces:
#     team: ../team-memory/entries
`
