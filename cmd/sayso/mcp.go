package main

import (
	"github.com/spf13/cobra"
)

// newMCP is the command; mcp_serve.go is what it serves with.
func newMCP(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve memory, recall and checks to agents over MCP",
		Long: `Serve one repository to an agent over the Model Context Protocol, on standard
input and output, until the client closes them. Tools: memory_search, memory_read,
recall, list_spaces, brief, propose, check_message; entries that hold are resources
memory://ID. None of them accepts or changes an entry: propose writes drafts for a
person to review. Nothing reaches the network.`,
		Example: "  sayso mcp --repo .\n  claude mcp add sayso -- sayso mcp",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.serveMCP(cmd.Context())
		},
	}
}
