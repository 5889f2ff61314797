package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/engine"
)

// agentFindings is how many contradictions an agent's hook shows.
const agentFindings = 5

func newHookAgentStop(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "agent-stop",
		Short: "Judge an agent's last turn against the working tree",
		Long: `Judge what an agent said in its last turn against the working tree. It reads the
JSON that agents hand to their stop hooks on standard input (transcript_path,
cwd, stop_hook_active), warns through {"systemMessage": ...} on standard output,
and never keeps an agent from stopping.`,
		Example: `  {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sayso hook run agent-stop"}]}]}}`,
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.guard(cmd.Context(), func(ctx context.Context) (int, error) { return 0, a.hookAgentStop(ctx) })
		},
	}
}

// stopEvent is what agents tell their stop hooks.
type stopEvent struct {
	TranscriptPath string `json:"transcript_path"`
	StopHookActive bool   `json:"stop_hook_active"`
	CWD            string `json:"cwd"`
}

func (a *app) hookAgentStop(ctx context.Context) error {
	data, err := a.readInput(ctx, "agent-stop", "-", 16<<20)
	if err != nil {
		return err
	}
	var ev stopEvent
	if err := json.Unmarshal(data, &ev); err != nil {
		return usageError("agent-stop", "standard input is not a stop event: "+err.Error(), "it is JSON with transcript_path")
	}
	if ev.StopHookActive {
		return nil // the agent goes on because of a stop hook: judging again would go in a circle
	}
	if ev.TranscriptPath == "" {
		return usageError("agent-stop", "the stop event has no transcript_path", "")
	}
	turn, err := a.readTurn(ctx, ev.TranscriptPath)
	if err != nil || turn.Text == "" {
		return err
	}
	dir := a.repo()
	if ev.CWD != "" && a.repoDir == "" {
		dir = a.path(ev.CWD)
	}
	repo, err := a.open(ctx, dir)
	if err != nil {
		return err
	}
	defer repo.Close()
	t, err := a.trustWorktree(ctx, repo)
	if err != nil {
		return err
	}
	eng := a.engine(ctx, repo, t, false, nil)
	defer eng.Close()
	res := eng.Worktree(ctx, []engine.Text{{Source: claim.SourceTranscript, Tier: claim.TierChat, Body: turn.Text}})
	if res.Error != nil {
		return failed(res.Error)
	}
	// Nothing changed: the turn was talk, or its work is committed already and was judged there.
	if res.Coverage.Files == 0 {
		return nil
	}
	if text := agentWarning(res); text != "" {
		_, err = a.stdout.Write(encodeLine(map[string]string{"systemMessage": text}))
	}
	return err
}

// saidBy is the words of a claim as they go before the reason, which may begin
// with a verb that the claim is the subject of, or have the words itself.
func saidBy(f checks.Finding) string {
	switch said := oneLine(f.Text); {
	case strings.Contains(strings.ToLower(f.Reason), strings.ToLower(said)):
		return ""
	case strings.HasPrefix(f.Reason, "says "), strings.HasPrefix(f.Reason, "confines "), strings.HasPrefix(f.Reason, "speaks "):
		return fmt.Sprintf("%q ", said)
	default:
		return fmt.Sprintf("says %q: ", said)
	}
}

// agentWarning is what the agent's user is shown, "" for nothing.
func agentWarning(res engine.Result) string {
	var lines []string
	more := 0
	for _, c := range res.Claims {
		if c.Verdict != checks.Contradicted || c.Ignored != "" {
			continue
		}
		if len(lines) == agentFindings {
			more++
			continue
		}
		where := ""
		for _, e := range c.Evidence {
			if e.Path != "" && !e.For {
				where = " (" + oneLine(e.Path)
				if e.Line > 0 {
					where += fmt.Sprintf(":%d", e.Line)
				}
				where += ")"
				break
			}
		}
		lines = append(lines, fmt.Sprintf("%s%s%s [%s]", saidBy(c), oneLine(c.Reason), where, c.Check))
	}
	if len(lines) == 0 {
		return ""
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more: sayso check --transcript shows all", more))
	}
	return "sayso: the working tree contradicts the last turn\n" + strings.Join(lines, "\n")
}
