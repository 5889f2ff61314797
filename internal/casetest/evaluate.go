package casetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/engine"
)

// Evaluate lists the rules that the result breaks, in plain words and in the
// order of the case; nil when it comes out right.
func Evaluate(c Case, result engine.Result) []string {
	if result.Error != nil {
		return []string{fmt.Sprintf("not judged: %s: %s", result.Error.Code, result.Error.Message)}
	}
	message := fold(c.rendered())
	var broken []string
	for _, rule := range c.Rules {
		if why := breaks(rule, message, result.Claims); why != "" {
			broken = append(broken, rule.String()+": "+why)
		}
	}
	return broken
}

// breaks says why the rule does not hold, "" when it does.
func breaks(rule Rule, message folded, claims []checks.Finding) string {
	on := claims
	if rule.Fragment != "" {
		on = nil
		for _, f := range claims {
			if message.on(f.Claim, renderFragment(rule.Fragment)) {
				on = append(on, f)
			}
		}
	}
	with := func(v checks.Verdict) []checks.Finding {
		return slices.DeleteFunc(slices.Clone(on), func(f checks.Finding) bool { return f.Verdict != v })
	}
	contradicted := with(checks.Contradicted)
	need := func(v checks.Verdict) string {
		switch {
		case len(contradicted) > 0:
			return describe(contradicted)
		case len(with(v)) == 0:
			return describe(on)
		}
		return ""
	}
	switch rule.Kind {
	case RuleContradicted:
		if !slices.ContainsFunc(contradicted, func(f checks.Finding) bool { return slices.Contains(rule.Checks, f.Check) }) {
			return describe(on)
		}
	case RuleNotContradicted:
		if len(contradicted) > 0 {
			return describe(contradicted)
		}
	case RuleCorroborated:
		return need(checks.Corroborated)
	case RuleUnverifiable:
		return need(checks.Unverifiable)
	case RuleNotCorroborated:
		if vouched := with(checks.Corroborated); len(vouched) > 0 {
			return describe(vouched)
		}
	case RuleNotClaim:
		if len(on) > 0 {
			return describe(on)
		}
	}
	return ""
}

// describe names claims with their verdicts, on one line.
func describe(fs []checks.Finding) string {
	if len(fs) == 0 {
		return "no claim is read from this text"
	}
	parts := make([]string, len(fs))
	for i, f := range fs {
		by := f.Check
		if by == "" {
			by = string(f.Kind)
		}
		parts[i] = fmt.Sprintf("%q is %s by %s", strings.Join(strings.Fields(f.Text), " "), f.Verdict, by)
		if f.Reason != "" {
			parts[i] += " (" + f.Reason + ")"
		}
	}
	return strings.Join(parts, "; ")
}
