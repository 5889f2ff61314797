package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/memory/search"
	"github.com/saysolint/sayso/recall"
	"github.com/saysolint/sayso/schemas"
)

// Bounds of what a client may ask in one call.
const (
	maxMessage = 1 << 20 // bytes of a message to check
	maxTokens  = 20_000  // of a brief
)

type recallInput struct {
	Query      string   `json:"query" jsonschema:"the question, specific words and names first"`
	Phrasings  []string `json:"phrasings,omitempty" jsonschema:"the expanded form: other wordings of the same question (synonyms, abbreviations written out), asked along and fused in this one call"`
	Space      string   `json:"space,omitempty" jsonschema:"memory to ask, a name from list_spaces; left out: the repository's own"`
	MemoryType string   `json:"memory_type,omitempty" jsonschema:"only hits of this type: decision, convention, fact, failure, pattern, handoff, run, or entry, commit, turn; several separated by commas"`
	Limit      int      `json:"limit,omitempty" jsonschema:"at most so many hits: 3 to 5 for a quick look, 10 to 20 to explore; what is outside of 1 to 50 is brought inside"`
}

type briefInput struct {
	Space  string `json:"space,omitempty" jsonschema:"memory to sum up, a name from list_spaces; left out: the repository's own"`
	Tokens int    `json:"tokens,omitempty" jsonschema:"budget in tokens; what is outside of 50 to 20000 is brought inside"`
}

type proposeInput struct {
	Title      string   `json:"title" jsonschema:"one line that says it, at most 240 characters"`
	Kind       string   `json:"kind" jsonschema:"what sort of knowledge it is"`
	Goal       string   `json:"goal,omitempty" jsonschema:"what was to be reached, and why"`
	Decisions  []string `json:"decisions,omitempty" jsonschema:"what was decided, one sentence each"`
	Plan       []string `json:"plan,omitempty" jsonschema:"steps that were planned"`
	NextSteps  []string `json:"nextSteps,omitempty" jsonschema:"what is left to do"`
	Files      []string `json:"filesTouched,omitempty" jsonschema:"paths from the top of the repository that it is about"`
	Tags       []string `json:"tags,omitempty" jsonschema:"small hints for retrieval"`
	AppliesTo  []string `json:"appliesTo,omitempty" jsonschema:"path globs that it holds for; left out: everything"`
	Notes      string   `json:"notes,omitempty" jsonschema:"Markdown"`
	Supersedes string   `json:"supersedes,omitempty" jsonschema:"id of the entry whose place it takes once a person accepts it"`
	Commit     string   `json:"commit,omitempty" jsonschema:"commit that it was learned from"`
	Space      string   `json:"space,omitempty" jsonschema:"memory to write to, a name from list_spaces; left out: the repository's own"`
}

type messageInput struct {
	Message string `json:"message" jsonschema:"the commit message as it would be committed, subject and body"`
}

type noInput struct{}

// addTools registers every tool.
func (s *Server) addTools() error {
	return errors.Join(
		tool(s, reading("memory_search", "Find entries of the project memory that have every word of a query. Only entries that hold are found; includeInactive adds proposed, superseded and stale ones, marked as historical evidence."),
			"memory-search-input", "memory-search-result", nil,
			func(ctx context.Context, _ string, in search.SearchInput) (any, string, error) {
				out, err := s.backend.Search(ctx, in)
				return out, "", err
			}),
		tool(s, reading("memory_read", "Read one entry of the project memory, as Markdown and parsed. One that does not hold is refused unless includeInactive is set; it then comes behind a marker."),
			"memory-read-input", "memory-read-result", nil,
			func(ctx context.Context, _ string, in search.ReadInput) (any, string, error) {
				out, err := s.backend.Read(ctx, "", in)
				return out, out.Text, err
			}),
		tool(s, reading("recall", "Ask what was decided and why. Reviewed entries, commit messages and agents' transcripts answer, the most trusted first; each hit has whose word it is and a verdict, and the coverage says what could not be looked at."),
			"", "recall",
			func(in *jsonschema.Schema) {
				in.Properties["query"].MinLength = jsonschema.Ptr(1)
				in.Properties["phrasings"].MaxItems = jsonschema.Ptr(recall.MaxPhrasings)
				in.Properties["limit"].Default = json.RawMessage(fmt.Sprint(recall.DefaultLimit))
			},
			func(ctx context.Context, _ string, in recallInput) (any, string, error) {
				q := recall.Question{Text: in.Query, More: in.Phrasings, Limit: min(max(in.Limit, 1), recall.MaxLimit)}
				var err error
				if q.Kinds, err = memoryTypes(in.MemoryType); err != nil {
					return nil, "", err
				}
				out, err := s.backend.Recall(ctx, in.Space, q)
				return out, "", err
			}),
		tool(s, reading("list_spaces", "List the memories that can be asked: the repository's own, and those that its configuration names."),
			"", "spaces", nil,
			func(ctx context.Context, _ string, _ noInput) (any, string, error) {
				out, err := s.backend.Spaces(ctx)
				return out, "", err
			}),
		tool(s, reading("brief", "Sum up the project memory for a newcomer: decisions and conventions that hold, the last changes, what waits for a review."),
			"", "brief",
			func(in *jsonschema.Schema) {
				in.Properties["tokens"].Default = json.RawMessage(fmt.Sprint(recall.DefaultTokens))
			},
			func(ctx context.Context, _ string, in briefInput) (any, string, error) {
				out, err := s.backend.Brief(ctx, in.Space, min(max(in.Tokens, 50), maxTokens))
				return out, "", err
			}),
		tool(s, writing("propose", "Write a draft of an entry into the project memory. It is proposed and holds nothing until a person accepts it, which no tool can do. Secrets in it are masked."),
			"", "memory-receipt",
			func(in *jsonschema.Schema) {
				in.Properties["title"].MinLength = jsonschema.Ptr(1)
				for _, k := range memory.Kinds {
					in.Properties["kind"].Enum = append(in.Properties["kind"].Enum, string(k))
				}
			},
			func(ctx context.Context, client string, in proposeInput) (any, string, error) {
				draft := memory.Entry{
					Title: in.Title, Kind: memory.Kind(in.Kind), Goal: in.Goal, Decisions: in.Decisions, Plan: in.Plan, NextSteps: in.NextSteps,
					FilesTouched: in.Files, Tags: in.Tags, AppliesTo: in.AppliesTo, Notes: in.Notes, Supersedes: in.Supersedes, Author: client,
				}
				if in.Commit != "" {
					draft.SourceRefs = []memory.SourceRef{{Type: "commit", ID: in.Commit}}
				}
				out, err := s.backend.Propose(ctx, in.Space, draft)
				return out, "", err
			}),
		tool(s, reading("check_message", "Hold a draft of a commit message against the staged change, before the commit. Each claim has a verdict with its evidence: corroborated, contradicted, neutral or unverifiable."),
			"", "report",
			func(in *jsonschema.Schema) {
				in.Properties["message"].MinLength = jsonschema.Ptr(1)
				in.Properties["message"].MaxLength = jsonschema.Ptr(maxMessage)
			},
			func(ctx context.Context, _ string, in messageInput) (any, string, error) {
				if len(in.Message) > maxMessage {
					return nil, "", fmt.Errorf("the message is over %d bytes", maxMessage)
				}
				out, err := s.backend.CheckMessage(ctx, in.Message)
				return out, "", err
			}),
	)
}

func reading(name, description string) *sdk.Tool {
	no := false
	return &sdk.Tool{Name: name, Description: description, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no}}
}

func writing(name, description string) *sdk.Tool {
	no := false
	return &sdk.Tool{Name: name, Description: description, Annotations: &sdk.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no}}
}

// tool registers one tool. Its schemas are those of the house where they are named;
// an input without one is described by its type, which shape may narrow. run gets the
// name of the client; it gives the value that answers, and what stands beside it for
// reading, "" for the value itself.
func tool[In any](s *Server, t *sdk.Tool, input, output string, shape func(*jsonschema.Schema), run func(context.Context, string, In) (any, string, error)) error {
	var err error
	var in, out *jsonschema.Schema
	if input != "" {
		in, err = schema(input)
	} else {
		in, err = jsonschema.For[In](nil)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	if out, err = schema(output); err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	if shape != nil {
		shape(in)
	}
	t.InputSchema, t.OutputSchema = in, out
	sdk.AddTool(s.sdk, t, func(ctx context.Context, req *sdk.CallToolRequest, in In) (res *sdk.CallToolResult, answer json.RawMessage, err error) {
		defer func() {
			if p := recover(); p != nil {
				res, answer, err = nil, nil, errors.New(s.errorLine(fmt.Errorf("internal error: %v", p)))
			}
		}()
		v, text, err := run(ctx, client(req), in)
		if err == nil {
			err = ctx.Err()
		}
		var data []byte
		if err == nil {
			data, err = json.Marshal(v)
		}
		if err != nil {
			return nil, nil, errors.New(s.errorLine(err))
		}
		scrubbed := s.scrub.Replace(string(data))
		if text = s.scrub.Replace(text); text == "" {
			text = scrubbed // in the order of the fields, the coverage first
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, json.RawMessage(scrubbed), nil
	})
	return nil
}

// schema is a schema of the house.
func schema(name string) (*jsonschema.Schema, error) {
	data, err := schemas.Get(name)
	if err != nil {
		return nil, err
	}
	out := &jsonschema.Schema{}
	if err := json.Unmarshal(data, out); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	return out, nil
}

// client is the name that a client goes by, "" where it has none.
func client(req *sdk.CallToolRequest) string {
	if req.Session == nil {
		return ""
	}
	if p := req.Session.InitializeParams(); p != nil && p.ClientInfo != nil {
		name := memory.Line(p.ClientInfo.Name)
		return strings.ToValidUTF8(name[:min(len(name), 80)], "")
	}
	return ""
}

// memoryTypes are the kinds of hits that a comma list names.
func memoryTypes(list string) ([]string, error) {
	var known []string
	for _, k := range memory.Kinds {
		known = append(known, string(k))
	}
	for _, k := range recall.Kinds {
		known = append(known, string(k))
	}
	var out []string
	for t := range strings.SplitSeq(list, ",") {
		t = strings.ToLower(strings.TrimSpace(t))
		switch {
		case t == "":
		case !slices.Contains(known, t):
			return nil, fmt.Errorf("memory_type %.40q is unknown: one of %s", t, strings.Join(known, ", "))
		case !slices.Contains(out, t):
			out = append(out, t)
		}
	}
	return out, nil
}
