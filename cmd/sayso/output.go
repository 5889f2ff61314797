package main

import (
	"context"
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

// gates is what fails the run: the flag, else what t says.
func (f *outputFlags) gates(t trust) ([]string, error) {
	if f.failOn == "" {
		return t.gates(), nil
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
	gates, err := f.gates(t)
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
		Advisory:   t.advisory(),
		ConfigFrom: t.from,
		Notes:      t.notes(a.env.Now()),
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

// openInput opens a file of the command line, or standard input for "-". Both
// opening and reading end with ctx: a pipe may have no writer, or one that is silent.
func (a *app) openInput(ctx context.Context, what, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(&patientReader{ctx: ctx, in: a.stdin}), nil
	}
	info, err := os.Stat(a.path(name))
	if err == nil && info.IsDir() {
		return nil, usageError(what, name+" is a folder", "name a file, or - for standard input")
	}
	if err == nil && info.Mode().IsRegular() {
		f, err := os.Open(a.path(name))
		if err != nil {
			return nil, openError(what, name, err)
		}
		return f, nil
	}
	type opened struct {
		f   *os.File
		err error
	}
	answer := make(chan opened, 1)
	path := a.path(name)
	go func() {
		f, err := os.Open(path)
		if err == nil && ctx.Err() != nil {
			_ = f.Close() // nobody waits for it any more
		}
		answer <- opened{f, err}
	}()
	select {
	case o := <-answer:
		if o.err != nil {
			return nil, openError(what, name, o.err)
		}
		return struct {
			io.Reader
			io.Closer
		}{&patientReader{ctx: ctx, in: o.f}, o.f}, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", name, context.Cause(ctx))
	}
}

func openError(what, name string, err error) error {
	return &userError{what: what, why: name + ": " + plainIOError(err).Error(), code: report.ExitUsage, err: err}
}

// patientReader reads from what may never answer and gives up with ctx. A read
// that was given up stays behind, since nothing can interrupt it, with a buffer
// of its own: it ends with the process.
type patientReader struct {
	ctx  context.Context
	in   io.Reader
	buf  []byte
	rest []byte
	err  error
}

func (r *patientReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 && r.err == nil {
		if r.ctx.Err() != nil {
			return 0, context.Cause(r.ctx)
		}
		if r.buf == nil {
			r.buf = make([]byte, 64<<10)
		}
		type answer struct {
			n   int
			err error
		}
		done := make(chan answer, 1)
		in, buf := r.in, r.buf
		go func() {
			n, err := in.Read(buf)
			done <- answer{n, err}
		}()
		select {
		case a := <-done:
			r.rest, r.err = buf[:a.n], a.err
		case <-r.ctx.Done():
			r.err = context.Cause(r.ctx)
		}
	}
	if len(r.rest) == 0 {
		return 0, r.err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// readInput reads a file, or standard input for "-". Over limit bytes it is an error.
func (a *app) readInput(ctx context.Context, what, name string, limit int64) ([]byte, error) {
	in, err := a.openInput(ctx, what, name)
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
