package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the release build; "" reads it from the build information.
var version string

// homePage is where a report says that the tool lives.
const homePage = "https://github.com/saysolint/sayso"

func newVersion(a *app) *cobra.Command {
	var format string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  sayso version\n  sayso version --json",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			asJSON, err := jsonOnly(cmd, format, asJSON)
			if err != nil {
				return err
			}
			v, revision := versionAndRevision()
			if asJSON {
				_, err = a.stdout.Write(encodeLine(struct {
					Version  string `json:"version"`
					Revision string `json:"revision,omitempty"`
					Go       string `json:"go"`
					Platform string `json:"platform"`
				}{v, revision, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}))
				return err
			}
			if revision != "" {
				v += " (" + short(revision) + ")"
			}
			_, err = fmt.Fprintf(a.stdout, "sayso %s %s %s/%s\n", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "output `FORMAT`: text, json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	return cmd
}

// versionAndRevision are the version of this program and the commit it was built from, where known.
func versionAndRevision() (v, revision string) {
	v = version
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return orDevel(v), ""
	}
	if v == "" && info.Main.Version != "(devel)" {
		v = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = s.Value
		}
	}
	return orDevel(v), revision
}

func orDevel(v string) string {
	if v == "" {
		return "devel"
	}
	return v
}
