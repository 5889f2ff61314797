package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/engine"
	"github.com/saysolint/sayso/report"
)

// outputFlags are the flags of every command that writes a report.
type outputFlags struct {
	format  string
	json    bool
	verbose bool
	failOn  string
}

// formats are the names that --format takes.
func formats() []string {
	names := make([]string, len(report.Formats))
	for i, f := range report.Formats {
		names[i] = string(f)
	}
	return names
}

func (f *outputFlags) register(cmd *cobra.Command, gate bool) {
	cmd.Flags().StringVar(&f.format, "format", "text", "output `FORMAT`: "+strings.Join(formats(), ", "))
	cmd.Flags().BoolVar(&f.json, "json", false, "the same as --format json")
	cmd.Flags().BoolVar(&f.verbose, "verbose", false, "show corroborated and neutral claims as well")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats(), cobra.ShellCompDirectiveNoFileComp))
	if gate {
		cmd.Flags().StringVar(&f.failOn, "fail-on", "", "exit 1 on any of this comma `LIST`: "+strings.Join(config.FailOnValues, ", ")+
			" (default: what the configuration says, else contradicted)")
		_ = cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(config.FailOnValues, cobra.ShellCompDirectiveNoFileComp))
	}
}

// resolve checks the flags against each other.
func (f *outputFlags) resolve(cmd *cobra.Command) error {
	if f.json {
		if cmd.Flags().Changed("format") && f.format != "json" {
			return usageError(commandName(cmd), "--json and --format "+f.format+" exclude each other", "")
		}
		f.format = "json"
	}
	for _, name := range formats() {
		if f.format == name {
			return nil
		}
	}
	hint := "one of " + strings.Join(formats(), ", ")
	if near := nearest(f.format, formats()); near != "" {
		hint = "did you mean " + near + "?"
	}
	return usageError(commandName(cmd), "unknown format "+f.format, hint)
}

// gates is what fails the run: the flag, else the configuration, else the default.
func (f *outputFlags) gates(c *config.Config) ([]string, error) {
	if f.failOn == "" {
		return c.Gates(), nil
	}
	list, err := config.ParseFailOn(f.failOn)
	if err != nil {
		return nil, usageError("--fail-on", err.Error(), "one or more of "+strings.Join(config.FailOnValues, ", "))
	}
	return list, nil
}

// reportWriter is the report of one run on its way out.
type reportWriter struct {
	w     *report.Writer
	gates []string
}

// report starts the report that the flags ask for, on standard output.
func (a *app) report(f *outputFlags, t trust) (*reportWriter, error) {
	gates, err := f.gates(t.config)
	if err != nil {
		return nil, err
	}
	return a.newReport(a.stdout, f.format, f.verbose, gates, t)
}

// newReport starts a report. Nothing is written before its first result.
func (a *app) newReport(w io.Writer, format string, verbose bool, gates []string, t trust) (*reportWriter, error) {
	v, _ := versionAndRevision()
	run := report.Run{
		Tool:       report.Tool{Name: "sayso", Version: v, URL: homePage},
		FailOn:     gates,
		Advisory:   advisoryChecks(t.config),
		ConfigFrom: t.from,
	}
	for _, e := range t.config.Expired(a.env.Now()) {
		run.Notes = append(run.Notes, fmt.Sprintf("an exception of check %s has expired on %s and lifts nothing any more: %s", e.Check, e.Until, e.Reason))
	}
	out, err := report.NewWriter(w, report.Format(format), run, a.look(verbose))
	if err != nil {
		return nil, usageError("--format", err.Error(), "")
	}
	return &reportWriter{out, gates}, nil
}

// look is how a report looks on this terminal.
func (a *app) look(verbose bool) report.Options {
	return report.Options{Verbose: verbose, Colour: a.colour(), Width: a.width(), Rules: reportRules()}
}

func (w *reportWriter) result(r engine.Result) error {
	if err := w.w.Add(r); err != nil {
		return ioError("standard output", err)
	}
	return nil
}

// end writes what is left and returns the exit code.
func (w *reportWriter) end() (int, error) {
	head, err := w.w.Close()
	if err != nil {
		return report.ExitIncomplete, ioError("standard output", err)
	}
	return head.ExitCode(w.gates), nil
}

// finish ends a report and makes its code the program's.
func (a *app) finish(out *reportWriter) error {
	code, err := out.end()
	if err == nil {
		a.code = code
	}
	return err
}

// jsonOnly checks the flags of commands whose output is text or JSON.
func jsonOnly(cmd *cobra.Command, format string, json bool) (bool, error) {
	switch {
	case json || format == "json":
		return true, nil
	case format == "" || format == "text":
		return false, nil
	}
	return false, usageError(commandName(cmd), "unknown format "+format, "one of text, json")
}

// openInput opens a file of the command line, or standard input for "-".
func (a *app) openInput(what, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.stdin), nil
	}
	info, err := os.Stat(a.path(name))
	if err == nil && info.IsDir() {
		return nil, usageError(what, name+" is a folder", "name a file, or - for standard input")
	}
	f, err := os.Open(a.path(name))
	if err != nil {
		return nil, &userError{what: what, why: name + ": " + plainIOError(err).Error(), code: report.ExitUsage, err: err}
	}
	return f, nil
}

// readInput reads a file, or standard input for "-". Over limit bytes it is an error.
func (a *app) readInput(what, name string, limit int64) ([]byte, error) {
	in, err := a.openInput(what, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, ioError(what, fmt.Errorf("%s: %w", name, plainIOError(err)))
	}
	if int64(len(data)) > limit {
		return nil, usageError(what, fmt.Sprintf("%s is over %d bytes", name, limit), "")
	}
	return data, nil
}
