package main

import (
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/muesli/termenv"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
)

// app is one run of the program: what came in from the process, and the exit
// code a command settled on when it ended without an error.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            Environment
	log            zerolog.Logger
	repoDir        string // --repo
	debug          bool   // --debug
	askGraph       bool   // another program may be asked for the dependency graph
	code           int
	help           keepingWriter // standard output for what cobra prints, whose errors it drops
}

// keepingWriter keeps the first error of its writes.
type keepingWriter struct {
	w   io.Writer
	err error
}

func (k *keepingWriter) Write(p []byte) (int, error) {
	n, err := k.w.Write(p)
	if k.err == nil {
		k.err = err
	}
	return n, err
}

func newApp(stdin io.Reader, stdout, stderr io.Writer, env Environment) *app {
	return &app{stdin: stdin, stdout: stdout, stderr: stderr, env: env, log: zerolog.Nop(), help: keepingWriter{w: stdout}}
}

// getenv is the value of a variable, the last one where it stands twice; "" when not set.
func (a *app) getenv(name string) string {
	for i := len(a.env.Vars) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(a.env.Vars[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// path is a path of the command line made absolute.
func (a *app) path(p string) string {
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(a.env.Dir, p)
}

// repo is the folder to look for the repository in.
func (a *app) repo() string {
	if a.repoDir == "" {
		return a.env.Dir
	}
	return a.path(a.repoDir)
}

// colour says whether the report may be coloured: on a terminal, and with the
// conventions NO_COLOR, CLICOLOR, CLICOLOR_FORCE and TERM=dumb.
func (a *app) colour() bool {
	out := termenv.NewOutput(a.stdout, termenv.WithEnvironment(environ{a}), termenv.WithTTY(a.env.StdoutTerminal))
	return out.EnvColorProfile() != termenv.Ascii
}

// width is the number of columns to write in, 0 where there is no terminal.
func (a *app) width() int {
	if n, err := strconv.Atoi(a.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if !a.env.StdoutTerminal {
		return 0
	}
	return a.env.Width
}

// environ lets termenv read the app's environment in place of the process's.
type environ struct{ a *app }

func (e environ) Environ() []string         { return e.a.env.Vars }
func (e environ) Getenv(name string) string { return e.a.getenv(name) }

// setUpLog turns structured logs on when they were asked for: --debug, or
// SAYSO_LOG with a level. Standard error only.
func (a *app) setUpLog() error {
	level := zerolog.DebugLevel
	if !a.debug {
		name := a.getenv("SAYSO_LOG")
		if name == "" {
			return nil
		}
		var err error
		if level, err = zerolog.ParseLevel(strings.ToLower(name)); err != nil {
			return usageError("SAYSO_LOG", "no such level "+name, "trace, debug, info, warn or error")
		}
	}
	a.log = zerolog.New(a.stderr).Level(level).With().Timestamp().Logger()
	return nil
}

// command is one command of the program by its name.
type command struct {
	name string
	make func(*app) *cobra.Command
}

func commands() []command {
	return []command{
		{"check", newCheck}, {"hook", newHook}, {"doctor", newDoctor}, {"index", newIndex},
		{"ingest", newIngest}, {"recall", newRecall}, {"brief", newBrief}, {"memory", newMemory},
		{"learn", newLearn}, {"publish", newPublish}, {"sweep", newSweep}, {"mcp", newMCP}, {"action", newAction},
		{"explain", newExplain}, {"config", newConfig}, {"init", newInit}, {"render", newRender},
		{"report-false-alarm", newFalseAlarm}, {"bench", newBench}, {"version", newVersion},
	}
}

// onlyCommand is the command that a command line begins with, "" where it begins
// otherwise. A hook is not to pay for the flags of all the others.
func onlyCommand(args []string) string {
	if len(args) == 0 {
		return ""
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.name
		}
	}
	return ""
}

// newRoot is the program with all its commands, or with the one that only names.
func newRoot(a *app, only string) *cobra.Command {
	root := &cobra.Command{
		Use:   "sayso",
		Short: "Hold what a commit says against what it did",
		Long: `sayso reads what a change says (commit message, pull-request text, an agent's
transcript), reads what it did, and gives each claim one of four verdicts with
the evidence for it: corroborated, contradicted, neutral or unverifiable.

Exit codes: 0 nothing at or above the gate, 1 gate met or findings,
2 usage or configuration, 3 incomplete or could not judge.`,
		Example: `  sayso check                      # the commits of this branch
  sayso check main..HEAD --format markdown
  sayso hook install               # judge each commit as it is made
  sayso doctor                     # what is not wired up`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.setUpLog() },
	}
	root.SetIn(a.stdin)
	root.SetOut(&a.help)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().StringVar(&a.repoDir, "repo", "", "work on the repository in `DIR` (default: the working folder's)")
	root.PersistentFlags().BoolVar(&a.debug, "debug", false, "structured logs on standard error")
	_ = root.MarkPersistentFlagDirname("repo")
	for _, c := range commands() {
		if only == "" || only == c.name {
			root.AddCommand(c.make(a))
		}
	}
	return root
}

// onlySubcommands is the RunE of a command that does nothing by itself.
func onlySubcommands(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return usageError(commandName(cmd), "which one?", cmd.CommandPath()+" --help")
}

// exactly is cobra.ExactArgs in the house's words.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return usageError(commandName(cmd), "needs "+what, cmd.CommandPath()+" --help")
	}
}

// none is cobra.NoArgs in the house's words.
func none(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError(commandName(cmd), "takes no argument, was given "+args[0], cmd.CommandPath()+" --help")
}
