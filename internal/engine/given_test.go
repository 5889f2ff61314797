package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/engine"
)

func TestAChangeReadElsewhereIsJudgedWithoutARepository(t *testing.T) {
	const diff = "diff --git a/main.go b/main.go\n--- a/main.go\n+++ b/main.go\n@@ -1 +1,3 @@\n package main\n+\n+func run() {}\n"
	ch, err := change.Parse(strings.NewReader(diff), change.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	texts := []engine.Text{{Source: claim.SourceTitle, Tier: claim.TierIntent, Body: "Fix typo; only touches documentation, reverts 0123456789abcdef0123456789abcdef01234567"}}
	res := engine.Given(context.Background(), ch, "a..b", "pull-request", texts, engine.Options{})
	if res.Error != nil {
		t.Fatal(res.Error)
	}
	if res.Verdict != checks.Contradicted {
		t.Errorf("a documentation-only claim over source code is %s: %+v", res.Verdict, res.Claims)
	}
}
