package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/action"
	"github.com/saysolint/sayso/internal/config"
	"github.com/saysolint/sayso/internal/git"
	"github.com/saysolint/sayso/report"
)

// actionFlags are the inputs of the action. Each is a flag, or else the variable
// INPUT_<NAME>, as action.yml sets it. Secrets come from variables alone: flags are
// seen by everybody on a machine.
type actionFlags struct {
	mode       string
	event      string
	eventPath  string
	repository string
	failOn     string
	fetch      string
	comment    string
	checkRun   string
	annotate   string
	summary    string
	review     string
	sarif      string
	reportFile string
	handover   string
	sweepIssue string
	login      string
	appID      string
}

// actionInput is one input: its flag, its default and what it is for.
type actionInput struct {
	name, fallback, help string
	value                *string
	words                []string // what it may be; nil: anything
}

var onOff = []string{"true", "false"}

// inputs are all inputs, in the order of the help.
func (f *actionFlags) inputs() []actionInput {
	var modes []string
	for _, m := range action.Modes {
		modes = append(modes, string(m))
	}
	return []actionInput{
		{"mode", "auto", "what to do: `MODE` is " + strings.Join(modes, ", ") + "; auto decides by the event", &f.mode, modes},
		{"fail-on", "never", "fail the job on any of this comma `LIST`: " + strings.Join(config.FailOnValues, ", "), &f.failOn, nil},
		{"comment", "true", "keep one comment on the pull request", &f.comment, onOff},
		{"check-run", "false", "make a check run with annotations", &f.checkRun, onOff},
		{"annotations", "true", "annotate lines from the job's log", &f.annotate, onOff},
		{"summary", "true", "write the summary of the step", &f.summary, onOff},
		{"review", "false", "comment on the lines of the pull request, at most ten", &f.review, onOff},
		{"sarif", "", "write a SARIF report to `FILE`", &f.sarif, nil},
		{"report", "", "write the JSON report to `FILE`", &f.reportFile, nil},
		{"handover", "", "leave the findings in `FILE` for a run that may write, or with --mode publish read them from there", &f.handover, nil},
		{"fetch", "true", "fetch commits that a shallow checkout lacks", &f.fetch, onOff},
		{"sweep-issue", "true", "keep one issue with what a sweep found", &f.sweepIssue, onOff},
		{"login", "", "the `ACCOUNT` that comments are written as, where the token cannot say: my-app[bot]", &f.login, nil},
		{"app-id", "", "authenticate as the GitHub App with this `ID`, whose private key is in INPUT_APP_KEY", &f.appID, nil},
	}
}

func newAction(a *app) *cobra.Command {
	var f actionFlags
	cmd := &cobra.Command{
		Use:   "action",
		Short: "Run as a GitHub Action: judge a pull request and say it there",
		Long: `Run inside a GitHub workflow, as action.yml of this repository does it.

The event decides what is done: a pull request is judged and one comment kept on
it, the commits of a merge queue and of a push are judged, a comment with a
/sayso command is obeyed, a schedule sweeps the memory. The title, the body and
the labels are fetched afresh, the configuration and the memory are those of the
base.

Each flag can be given as the variable INPUT_<NAME>, with _ for -. The token is
read from INPUT_TOKEN or GITHUB_TOKEN. The job fails only on what --fail-on names.`,
		Example: "  GITHUB_TOKEN=... sayso action --event pull_request --event-path event.json --repository acme/app",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, in := range f.inputs() {
				name := strings.ToUpper(strings.ReplaceAll(in.name, "-", "_"))
				if v := a.getenv("INPUT_" + name); v != "" && !cmd.Flags().Changed(in.name) {
					*in.value = v
				}
				if in.words != nil && !slices.Contains(in.words, *in.value) {
					return usageError("action", fmt.Sprintf("%s is %.40q", in.name, *in.value), "one of "+strings.Join(in.words, ", "))
				}
			}
			return a.runAction(cmd.Context(), f)
		},
	}
	fl := cmd.Flags()
	for _, in := range f.inputs() {
		fl.StringVar(in.value, in.name, in.fallback, in.help)
		if in.words != nil {
			_ = cmd.RegisterFlagCompletionFunc(in.name, cobra.FixedCompletions(in.words, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	fl.StringVar(&f.event, "event", "", "`NAME` of the event (default: GITHUB_EVENT_NAME)")
	fl.StringVar(&f.eventPath, "event-path", "", "payload of the event, from `FILE` (default: GITHUB_EVENT_PATH)")
	fl.StringVar(&f.repository, "repository", "", "`OWNER/NAME` (default: GITHUB_REPOSITORY)")
	_ = cmd.MarkFlagFilename("event-path")
	return cmd
}

// or is the first word that is not empty.
func or(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// runAction is `sayso action`.
func (a *app) runAction(ctx context.Context, f actionFlags) error {
	event, err := a.readEvent(ctx, f)
	if err != nil {
		return err
	}
	gates, err := config.ParseFailOn(f.failOn)
	if err != nil {
		return usageError("--fail-on", err.Error(), "one or more of "+strings.Join(config.FailOnValues, ", "))
	}
	if mode, why := event.Decide(action.Mode(f.mode)); mode == action.ModeNone {
		// Nothing is asked of GitHub for an event that asks for nothing.
		return a.endAction(action.Done{Mode: mode, Why: why}, f)
	}
	client, token, err := a.actionClient(ctx, f, event.Repo)
	if err != nil {
		return err
	}
	gitPath, err := a.gitPath()
	if err != nil {
		return err
	}
	server := or(a.getenv("GITHUB_SERVER_URL"), "https://github.com")
	v, _ := versionAndRevision()
	r := &action.Runner{
		Event: event,
		Target: action.Target{
			Repo: event.Repo, Run: number(a.getenv("GITHUB_RUN_ID")), Attempt: int(number(a.getenv("GITHUB_RUN_ATTEMPT"))),
			RunURL: runURL(server, event.Repo, a.getenv("GITHUB_RUN_ID")), Server: server,
		},
		Hub:        client,
		Fetch:      &action.Fetcher{Git: gitPath, Dir: a.repo(), Env: a.env.Vars, Server: server, Token: token, Allowed: f.fetch == "true", Log: a.log},
		Open:       func(ctx context.Context) (*git.Repo, error) { return a.open(ctx, "") },
		Trust:      a.actionTrust,
		FailOn:     gates,
		OwnCheck:   "sayso",
		Sweeper:    actionSweeper{a},
		SweepIssue: f.sweepIssue == "true",
		Tool:       report.Tool{Name: "sayso", Version: v, URL: homePage},
		Rules:      reportRules(),
		Now:        a.env.Now,
		Log:        a.log,
	}
	r.Publishers = a.localPublishers(f)
	if f.handover != "" && action.Mode(f.mode) == action.ModePublish || event.Name == "workflow_run" && f.handover != "" {
		if r.Handover, err = a.readInput(ctx, "--handover", f.handover, action.MaxHandover); err != nil {
			return err
		}
	}
	done, err := r.Run(ctx, action.Mode(f.mode))
	if err != nil {
		return actionError(err)
	}
	return a.endAction(done, f)
}

// readEvent reads what the workflow was started by.
func (a *app) readEvent(ctx context.Context, f actionFlags) (action.Event, error) {
	name := or(f.event, a.getenv("GITHUB_EVENT_NAME"))
	if name == "" {
		return action.Event{}, usageError("action", "no event", "it runs inside a GitHub workflow; elsewhere name one with --event")
	}
	var payload []byte
	if path := or(f.eventPath, a.getenv("GITHUB_EVENT_PATH")); path != "" {
		var err error
		payload, err = a.readInput(ctx, "event", path, action.MaxPayload)
		// The file that the variable names may be missing; one that was asked for may not.
		if err != nil && (f.eventPath != "" || !errors.Is(err, os.ErrNotExist)) {
			return action.Event{}, err
		}
	}
	e, err := action.ParseEvent(name, or(f.repository, a.getenv("GITHUB_REPOSITORY")), payload)
	if err != nil {
		return e, usageError("action", err.Error(), "")
	}
	return e, nil
}

// actionClient makes the client. The token is returned for git, which fetches with it.
func (a *app) actionClient(ctx context.Context, f actionFlags, repo action.Repo) (*action.Client, string, error) {
	v, _ := versionAndRevision()
	o := action.ClientOptions{
		// The address of GraphQL follows from it: the token goes to one host only.
		BaseURL: a.getenv("GITHUB_API_URL"),
		Token:   or(a.getenv("INPUT_TOKEN"), a.getenv("GITHUB_TOKEN")), Login: f.login, Version: v, Log: a.log,
	}
	if f.appID != "" {
		id, err := strconv.ParseInt(f.appID, 10, 64)
		if err != nil || id < 1 {
			return nil, "", usageError("--app-id", "not a number", "it is on the settings page of the App")
		}
		key := a.getenv("INPUT_APP_KEY")
		if key == "" {
			return nil, "", usageError("--app-id", "needs the private key of the App", "put it into INPUT_APP_KEY")
		}
		o.App, o.Token = &action.App{ID: id, Repo: repo, Key: []byte(key)}, ""
	}
	c, err := action.NewClient(ctx, o)
	if err != nil {
		return nil, "", actionError(err)
	}
	return c, o.Token, nil
}

// actionTrust makes a judge of what had landed at a revision.
func (a *app) actionTrust(ctx context.Context, repo *git.Repo, revision, from string) (action.Trusted, error) {
	t, err := a.trustTree(ctx, repo, revision, from)
	if err != nil {
		return action.Trusted{}, err
	}
	return action.Trusted{Judge: a.engine(ctx, repo, t, true, nil), Config: t.config, From: t.from, Notes: t.notes(a.env.Now())}, nil
}

// actionError is an error of the action in a user's words.
func actionError(err error) error {
	var u *userError
	if errors.As(err, &u) {
		return err
	}
	ue := &userError{what: "action", why: err.Error(), code: report.ExitIncomplete, err: err}
	switch {
	case errors.Is(err, action.ErrForbidden):
		ue.hint = "the job's permissions decide what the token may do: docs/github.md has the ones that are needed"
	case errors.Is(err, action.ErrLimited), errors.Is(err, action.ErrBudget):
		ue.hint = "run the job again later"
	}
	return ue
}

// endAction says what became of a run: for people in the log, for later steps in the
// outputs, and by the exit code.
func (a *app) endAction(done action.Done, f actionFlags) error {
	a.code = done.Code
	var log bytes.Buffer
	if done.Why != "" {
		fmt.Fprintf(&log, "sayso: %s\n", oneLine(done.Why))
	}
	var rep *report.Report
	if done.Publication != nil {
		rep = &done.Publication.Report
		if err := report.Render(&log, report.Text, *rep, report.Options{Rules: reportRules(), Width: 100}); err != nil {
			return ioError("report", err)
		}
	}
	for _, o := range done.Outcomes {
		fmt.Fprintf(&log, "%s: %s", o.Publisher, o.State)
		if o.URL != "" {
			fmt.Fprintf(&log, " %s", oneLine(o.URL))
		}
		if o.Reason != "" {
			fmt.Fprintf(&log, " (%s)", oneLine(o.Reason))
		}
		log.WriteByte('\n')
	}
	for _, id := range done.Landed {
		fmt.Fprintf(&log, "entry %s\n", oneLine(id))
	}
	for _, n := range done.Notes {
		fmt.Fprintf(&log, "note: %s\n", oneLine(n))
	}
	if err := a.printUntrusted(log.Bytes()); err != nil {
		return err
	}
	if f.reportFile != "" && rep != nil {
		if err := a.renderFile(f.reportFile, "json", *rep); err != nil {
			return err
		}
	}
	if f.handover != "" && done.Publication != nil && done.Mode == action.ModePullRequest {
		data, err := action.NewHandover(*done.Publication)
		if err != nil {
			return err
		}
		if err := a.writeFile(f.handover, data); err != nil {
			return err
		}
	}
	return a.writeOutputs(done, f)
}

func (a *app) renderFile(name string, format report.Format, rep report.Report) error {
	var buf bytes.Buffer
	if err := report.Render(&buf, format, rep, report.Options{Rules: reportRules()}); err != nil {
		return ioError(name, err)
	}
	return a.writeFile(name, buf.Bytes())
}

// writeFile writes a file that the workflow named, with the folders on the way.
func (a *app) writeFile(name string, data []byte) error {
	path := a.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return ioError(name, plainIOError(err))
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return ioError(name, plainIOError(err))
	}
	return nil
}

// printUntrusted writes text that others had a say in to the log. Inside of Actions
// a line that begins with :: is a command to the runner, which is told to read none
// until a word comes that nobody could foresee.
func (a *app) printUntrusted(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	out := text
	if a.getenv("GITHUB_ACTIONS") == "true" {
		word := rand.Text()
		out = fmt.Appendf(nil, "::stop-commands::%s\n%s", word, text)
		if !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, '\n')
		}
		out = fmt.Appendf(out, "::%s::\n", word)
	}
	if _, err := a.stdout.Write(out); err != nil {
		return ioError("standard output", err)
	}
	return nil
}

// writeOutputs hands the later steps what they may want to know. No value holds text
// of others: they are numbers, words of ours, hashes and paths of the workflow's own.
func (a *app) writeOutputs(done action.Done, f actionFlags) error {
	path := a.getenv("GITHUB_OUTPUT")
	if path == "" {
		return nil
	}
	values := [][2]string{{"mode", string(done.Mode)}, {"exit-code", strconv.Itoa(done.Code)}}
	if p := done.Publication; p != nil {
		s := p.Report.Summary
		values = append(values,
			[2]string{"contradicted", strconv.Itoa(s.Strong + s.Likely)},
			[2]string{"decisions", strconv.Itoa(s.Decisions)},
			[2]string{"unverifiable", strconv.Itoa(s.Unverifiable)},
			[2]string{"coverage", p.Report.Coverage.State},
			[2]string{"gate", strconv.FormatBool(p.Report.ExitCode(p.Report.FailOn) == report.ExitGate)},
			[2]string{"head", p.Target.Head},
		)
		if f.reportFile != "" {
			values = append(values, [2]string{"report", a.path(f.reportFile)})
		}
		if f.sarif != "" {
			values = append(values, [2]string{"sarif", a.path(f.sarif)})
		}
		if f.handover != "" {
			values = append(values, [2]string{"handover", a.path(f.handover)})
		}
	}
	for _, o := range done.Outcomes {
		if o.Publisher == "comment" && o.URL != "" {
			values = append(values, [2]string{"comment-url", o.URL})
		}
	}
	values = append(values, [2]string{"landed", strings.Join(done.Landed, " ")})
	var b strings.Builder
	for _, kv := range values {
		end := rand.Text()
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", kv[0], end, oneLine(kv[1]), end)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return ioError("GITHUB_OUTPUT", plainIOError(err))
	}
	_, err = file.WriteString(b.String())
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return ioError("GITHUB_OUTPUT", plainIOError(err))
	}
	return nil
}

func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

// runURL is the page of a workflow run.
func runURL(server string, repo action.Repo, run string) string {
	if number(run) == 0 {
		return ""
	}
	return strings.TrimRight(server, "/") + "/" + repo.String() + "/actions/runs/" + run
}
