package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysolint/sayso/memory"
	"github.com/saysolint/sayso/memory/search"
	"github.com/saysolint/sayso/recall"
)

// fake is a backend whose recall blocks until its context ends.
type fake struct {
	began, ended chan struct{}
	looks        atomic.Int32
	slow         time.Duration // of one look at what holds
}

func (f *fake) Search(context.Context, search.SearchInput) (search.SearchResult, error) {
	panic("broken \x1b at /home/somebody/project/x")
}

func (f *fake) Read(context.Context, string, search.ReadInput) (search.ReadResult, error) {
	return search.ReadResult{}, errors.New("cannot read\n/home/somebody/project/.git/x")
}

func (f *fake) Recall(ctx context.Context, _ string, _ recall.Question) (*recall.Answer, error) {
	f.began <- struct{}{}
	<-ctx.Done()
	f.ended <- struct{}{}
	return nil, ctx.Err()
}

func (f *fake) Spaces(context.Context) (Spaces, error) {
	return Spaces{Schema: SpacesSchema, Spaces: []Space{{Name: "repo", Note: "see /home/somebody/project/notes"}}}, nil
}

func (f *fake) Brief(context.Context, string, int) (*recall.Brief, error) {
	return recall.NewBrief(memory.NewSet(nil, nil), 100), nil
}

func (f *fake) Propose(context.Context, string, memory.Entry) (memory.ReceiptOutput, error) {
	return memory.ReceiptOutput{}, memory.ErrReadOnly
}

func (f *fake) CheckMessage(context.Context, string) (json.RawMessage, error) {
	return json.RawMessage(`{"not": "a report"}`), nil
}

func (f *fake) Holding(context.Context, int) ([]search.Held, error) {
	f.looks.Add(1)
	time.Sleep(f.slow)
	return []search.Held{{ID: "a", Title: "A"}}, nil
}

// serve runs a server in this process and connects a client.
func serve(t *testing.T, f *fake) *sdk.ClientSession {
	t.Helper()
	f.began, f.ended = make(chan struct{}, 8), make(chan struct{}, 8)
	s, err := New(f, Options{Private: []string{"/home/somebody/project", "/", "relative", ""}})
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := sdk.NewInMemoryTransports()
	if _, err := s.sdk.Connect(t.Context(), ours, nil); err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "c"}, nil).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestACallThatIsCancelledEndsAndHoldsNothingUp(t *testing.T) {
	f := &fake{}
	c := serve(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "recall", Arguments: map[string]any{"query": "q"}})
		failed <- err
	}()
	<-f.began
	// While it is on its way, others are answered.
	for range 3 {
		within(t, "another call", func(ctx context.Context) error {
			_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "list_spaces"})
			return err
		})
		within(t, "a ping", func(ctx context.Context) error { return c.Ping(ctx, nil) })
	}
	cancel()
	select {
	case <-f.ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the call goes on after it was cancelled")
	}
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the client got %v", err)
	}
	within(t, "a call afterwards", func(ctx context.Context) error {
		_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "brief"})
		return err
	})
}

func within(t *testing.T, what string, fn func(context.Context) error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if err := fn(ctx); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func TestErrorsLeaveInOneLineWithoutPaths(t *testing.T) {
	c := serve(t, &fake{})
	for tool, args := range map[string]any{
		"memory_search": map[string]any{"query": "q"},     // panics
		"memory_read":   map[string]any{"memoryId": "a"},  // fails with a path
		"check_message": map[string]any{"message": "Add"}, // answers what its schema does not allow
		"propose":       map[string]any{"title": "t", "kind": "fact"},
	} {
		res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
		var text string
		switch {
		case err != nil:
			text = err.Error()
		case res.IsError:
			text = res.Content[0].(*sdk.TextContent).Text
		default:
			t.Errorf("%s answered %v", tool, res.Content)
		}
		if strings.Contains(text, "somebody") || strings.ContainsAny(text, "\x1b\n") {
			t.Errorf("%s: %q", tool, text)
		}
	}
	res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "list_spaces"})
	if err != nil {
		t.Fatal(err)
	}
	if text := res.Content[0].(*sdk.TextContent).Text; !strings.Contains(text, "see <repository>/notes") {
		t.Errorf("an answer: %s", text)
	}
	if _, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "memory://a"}); err == nil || strings.Contains(err.Error(), "somebody") {
		t.Errorf("a resource: %v", err)
	}
}

func TestTheStoreIsLookedAtAtMostOnceInAWhile(t *testing.T) {
	for name, c := range map[string]struct {
		slow time.Duration
		most int32
	}{
		"a quick one":                 {0, 11}, // rests of 30 ms in 330
		"one that takes long":         {50 * time.Millisecond, 1},
		"one that takes a bit longer": {3 * time.Millisecond, 6},
	} {
		f := &fake{slow: c.slow}
		s, err := New(f, Options{Every: 30 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), 330*time.Millisecond)
		s.watch(ctx)
		stop()
		if n := f.looks.Load(); n < 1 || n > c.most {
			t.Errorf("%s: %d looks, want 1 to %d", name, n, c.most)
		}
	}
}

func TestAddressesAreTakenApartWithoutGuessing(t *testing.T) {
	for uri, want := range map[string][2]string{
		"memory://a-1_B": {"", "a-1_B"}, "memory://team/a": {"team", "a"},
		"memory://": {}, "memory:a": {}, "MEMORY://a": {}, "memory://a/b/c": {}, "memory://../a": {}, "memory://a/": {}, "memory:///a": {},
		"memory://a%41": {}, "memory://a?b": {}, "memory://a#b": {}, "memory://user@a": {}, "memory://a b": {}, "": {},
	} {
		space, id, ok := address(uri)
		if ok != (want[1] != "") || ok && (space != want[0] || id != want[1]) {
			t.Errorf("%q: %q %q %v", uri, space, id, ok)
		}
	}
}

func FuzzAddress(f *testing.F) {
	f.Add("memory://a")
	f.Add("memory://team/a-1")
	f.Add("memory://../..")
	f.Fuzz(func(t *testing.T, uri string) {
		space, id, ok := address(uri)
		if !ok {
			return
		}
		if !memory.ValidID(id) || strings.ContainsAny(space+id, "/\\.%\x00") {
			t.Errorf("%q leads to %q %q", uri, space, id)
		}
		back := "memory://" + id
		if space != "" {
			back = "memory://" + space + "/" + id
		}
		if back != uri {
			t.Errorf("%q is also %q", uri, back)
		}
	})
}
