package main

import (
	"github.com/spf13/cobra"
)

func newHook(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Install, remove or run the git and agent hooks",
		Args:  cobra.ArbitraryArgs,
		RunE:  onlySubcommands,
	}
	run := &cobra.Command{
		Use:   "run",
		Short: "What the installed hooks call",
		Long: `What the installed hooks call. They never edit the message, never stop a commit
when sayso itself breaks, and do nothing when SAYSO=0 is set.`,
		Args: cobra.ArbitraryArgs,
		RunE: onlySubcommands,
	}
	run.AddCommand(newHookCommitMsg(a), newHookPrePush(a), newHookAgentStop(a))
	cmd.AddCommand(newHookInstall(a), newHookUninstall(a), run)
	return cmd
}
