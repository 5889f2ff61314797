package checks

import (
	"fmt"
	"strings"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/claim"
	"github.com/saysolint/sayso/internal/lang"
)

var quantityCheck = Check{
	Doc: Doc{
		ID: "quantity", Title: "Versions from and to, counts of files and tests", Default: "gate", Since: "0.1",
		Needs: "the diff",
		Text: `"from 2.3.1 to 2.4.0" is held against the numbers on both sides of the diff, a version that a bump arrives at against the added lines, "7 files"
against the list of touched files, "5 tests" against the test functions that the diff adds. 1.16 is covered by 1.16.2 and v4 by 4.0.1. Versions of platforms and ranges ("for Go 1.21", "2.x") are
background. A number right behind the name of what it belongs to ("Node.js 22") counts where a changed line has that name with another number, and the
version of a changelog entry is held against the heading that the entry stands under. The title of an update bot that names an older version than its files
arrive at is a find and never strong: bots write the title once and the files again. Where a dependency is pinned by digest, or the file is a pointer or a picture, the numbers cannot be seen: unverifiable.`,
		Fires: "Bump quorvex from 2.3.1 to 2.4.0 (the manifest arrives at 2.3.2)",
		Quiet: "Raise the upper bound so that dabbin 2.x can be installed (the line says <3)",
	},
	kind:  claim.KindQuantity,
	judge: judgeQuantity,
}

func judgeQuantity(x *judging, c *claim.Claim) outcome {
	if c.Unit == "files" || c.Unit == "tests" {
		return judgeCount(x, c)
	}
	if r, ok := onlyUnreadable(x.f.Change); ok {
		return unverifiable("the numbers stand in a file that cannot be read as text (%s)", r)
	}
	if len(x.f.Change.Files) == 0 {
		return neutral("the change touches no file")
	}
	if c.From != "" {
		return judgeFromTo(x, c)
	}
	if c.Unit == "named" {
		return judgeNamed(x, c)
	}
	to := x.f.Covers(c.To)
	if b := bareVersion(c.To); b != c.To && to.Added == 0 && x.f.Covers(b).Added > 0 {
		return neutral("%s is on an added line", b) // 2.9.5-dev may be written 2.9.5.dev
	}
	if to.Added > 0 {
		if c.Unit == "version" && !c.Mixed && x.codeOrData(to.AddedAt) && x.speaksOf(to.AddedAt, c.Name) {
			return corroborated(0.9, fmt.Sprintf("%s is on an added line", c.To), x.line(to.AddedAt, c.To+" is added", true, -2))
		}
		if c.Candidate && c.Unit == "number" {
			return dropped
		}
		return outcome{verdict: Neutral, reason: c.To + " is on an added line", evidence: []Evidence{x.line(to.AddedAt, c.To+" is added", true, -1)}}
	}
	if to.Removed+to.Context > 0 || written(x, c.To) {
		if c.Candidate && c.Unit == "number" {
			return dropped
		}
		return neutral("%s is in the diff", c.To)
	}
	if !x.f.Complete {
		return x.incomplete()
	}
	if c.Unit == "version" && pinned(x) {
		return unverifiable("the dependency is pinned by digest: no line of the diff names its version")
	}
	if x.changelogOnly() && c.Unit == "version" {
		if n, at := headingVersion(x, c.To); n != "" {
			return quantityNews(x, c, n, at)
		}
	}
	if x.changelogOnly() || x.f.InFiles(c.To) {
		return dropIf(c.Unit == "number", neutral("%s is in a touched file", c.To))
	}
	if x.m.Special == claim.Release && c.Unit == "version" {
		c.Mixed = false
	}
	s := x.w(quantityBias)
	depth := strings.Count(c.To, ".")
	other, at := otherAdded(x, c.To, depth)
	bump := bumpContext(x, c) || x.m.Special == claim.Release
	if n, a := otherOnLine(x, c, depth); c.Unit == "version" && n != "" {
		other, at = n, a
		s += x.w(quantityNamedLine)
		if !bump {
			s -= 0.6
		}
		return quantityAbsent(x, c, s, other, at)
	}
	switch {
	case c.Unit == "version" && bump && other != "":
		s += x.w(quantityBumpAbsent)
		if x.categories().onlyDoc {
			s -= 1.2 // a document may speak of any version
		}
	case c.Unit == "version" && bump:
		s += x.w(quantityNoneAdded)
		if unnamed(x, c) {
			s += x.w(quantityUnnamed)
		}
	case c.Unit == "version" && other != "":
		s += x.w(quantityPlainAbsent)
		if c.Verb != claim.VerbRemove && soleVersion(x, depth) {
			s += x.w(quantitySole)
		}
	case c.Unit == "number" && len(c.To) == 4 && (strings.HasPrefix(c.To, "19") || strings.HasPrefix(c.To, "20")):
		if other, at = otherYear(x, c.To); other == "" {
			return dropped
		}
		s += x.w(quantityYear)
	case c.Unit == "number":
		if n, a := numberOnLine(x, c); n != "" {
			return quantityAbsent(x, c, s+x.w(quantityNamedLine)-0.5, n, a)
		}
		if n, a := soleStep(x, c.To); n != "" && targetNumber(x, c) {
			return quantityAbsent(x, c, s+x.w(quantityNumberStep), n, a)
		}
		if n, a := otherStatus(x, c.To); n != "" {
			return quantityAbsent(x, c, s+x.w(quantityStatus), n, a)
		}
		if other, at = otherStep(x, c.To); other == "" {
			return dropped
		}
		s += x.w(quantityNumberAdded)
	default:
		return dropIf(c.Unit == "number", neutral("%s stands nowhere in the diff", c.To))
	}
	if c.Mixed && s > x.w(thresholdLikely) && c.Unit == "version" {
		s -= 1.2
	}
	return quantityAbsent(x, c, s, other, at)
}

func quantityAbsent(x *judging, c *claim.Claim, s float64, other string, at change.At) outcome {
	if c.Unit == "version" && len(c.To) > 4 && strings.HasPrefix(c.To, "20") && c.To[4] == '.' && x.f.Covers(c.To[2:]).Added > 0 {
		return neutral("%s is the short form of %s", quote(c.To[2:]), quote(c.To)) // a version by the year
	}
	o := outcome{
		weak:      x.m.Options.Bot && other != "" && compareVersions(other, c.To) > 0, // as in stale
		suspicion: s,
		reason:    fmt.Sprintf("says %s; no line of the diff contains it", quote(c.To)),
		fix:       "name the number that the change arrives at",
	}
	if other != "" {
		o.reason += fmt.Sprintf(", and %s is what is added", quote(other))
		o.fix = fmt.Sprintf("write %s instead of %s", quote(other), quote(c.To))
		o.evidence = []Evidence{x.line(at, other+" is added here", false, s)}
	} else {
		o.evidence = []Evidence{absent(fmt.Sprintf("no line of the diff contains %s", quote(c.To)), s)}
	}
	return o
}

func dropIf(b bool, o outcome) outcome {
	if b {
		return dropped
	}
	return o
}

func judgeFromTo(x *judging, c *claim.Claim) outcome {
	from, to := x.f.Covers(c.From), x.f.Covers(c.To)
	if to.Added > 0 && from.Removed > 0 {
		if c.Unit == "version" && !x.speaksOf(to.AddedAt, c.Name) {
			return outcome{verdict: Neutral, reason: fmt.Sprintf("the numbers are in the diff, but not on a line that names %s", quote(c.Name)),
				evidence: []Evidence{x.line(to.AddedAt, c.To+" is added here", true, -1)}}
		}
		return corroborated(0.97, fmt.Sprintf("%s is removed and %s added", c.From, c.To),
			x.line(from.RemovedAt, c.From+" is removed", true, -2), x.line(to.AddedAt, c.To+" is added", true, -3))
	}
	if !x.f.Complete {
		return x.incomplete()
	}
	if pinned(x) && to.Added == 0 {
		return unverifiable("the dependency is pinned by digest: no line of the diff names its version")
	}
	if c.Unit == "number" && (anyUnread(x) || x.f.AddedLines+x.f.RemovedLines == 0) {
		return unverifiable("the numbers stand in a file that cannot be read as text")
	}
	if (c.Unit == "number" || !bumpContext(x, c)) && from.Removed == 0 && to.Added == 0 && !(to.Removed > 0 && from.Added > 0) {
		return neutral("neither number is written in the diff: it may be measured")
	}
	if c.Unit == "version" && to.Added == 0 && from.Removed > 0 && x.f.InFiles(c.To) {
		return neutral("%s was in a touched file before", c.To) // a lock file that had both, and keeps one
	}
	s := x.w(quantityBias)
	var ev []Evidence
	why, fix := "", ""
	numbersAdded := anyNumberAdded(x)
	if to.Added == 0 {
		switch {
		case to.Removed+to.Context > 0:
			if to.Removed > 0 && from.Added > 0 {
				// Swapped: the diff goes the other way.
				s += x.w(quantityToAbsent)
				why = fmt.Sprintf("the diff goes from %s to %s", c.To, c.From)
				fix = "swap the two numbers"
				ev = append(ev, x.line(from.AddedAt, c.From+" is what is added", false, s))
			} else {
				return neutral("%s is in the diff", c.To)
			}
		case written(x, c.To) && len(c.To) > 3:
			return neutral("%s is in the diff", c.To)
		default:
			w := x.w(quantityToAbsent)
			if !strings.Contains(c.To, ".") || !numbersAdded {
				w *= 0.6
			}
			if !numbersAdded && x.m.Options.Bot {
				w *= 0.5
			}
			s += w
			why = fmt.Sprintf("no line of the diff contains %s", quote(c.To))
			other, at := otherAdded(x, c.To, strings.Count(c.To, "."))
			if stepTo, stepAt, ok := stepFrom(x, c.From); ok {
				other, at = stepTo, stepAt
			}
			if other != "" {
				why += fmt.Sprintf(", and %s is what is added", quote(other))
				fix = fmt.Sprintf("write %s instead of %s", quote(other), quote(c.To))
				ev = append(ev, x.line(at, other+" is added here", false, w))
			} else {
				ev = append(ev, absent(why, w))
			}
		}
	}
	if from.Removed+from.Added+from.Context == 0 && !(len(c.From) > 3 && written(x, c.From)) {
		w := x.w(quantityFromAbsent)
		if !strings.Contains(c.From, ".") {
			w *= 0.6
		}
		if old, at, ok := toldFrom(x, c); ok {
			if why == "" {
				w = x.w(quantityStep)
				why = fmt.Sprintf("an added line says from %s to %s", old, c.To)
			}
			if fix == "" {
				fix = fmt.Sprintf("write %s instead of %s", quote(old), quote(c.From))
			}
			ev = append(ev, x.line(at, "it says from "+old, false, w))
		} else if old, at, ok := stepInto(x, c.To); ok {
			if why == "" {
				w = x.w(quantityStep)
			}
			ev = append(ev, x.line(at, "it comes from "+old, false, w))
			if fix == "" {
				fix = fmt.Sprintf("write %s instead of %s", quote(old), quote(c.From))
			}
			if why == "" {
				why = fmt.Sprintf("the line that arrives at %s comes from %s, not from %s", c.To, old, c.From)
			}
		} else if old, at := removedLike(x, c.From); old != "" && to.Added > 0 {
			w += 0.9
			ev = append(ev, x.line(at, "it is "+old+" that is removed", false, w))
		} else {
			ev = append(ev, absent(fmt.Sprintf("no line of the diff contains %s", quote(c.From)), w))
		}
		if why == "" {
			why = fmt.Sprintf("no line of the diff contains %s", quote(c.From))
		}
		s += w
	}
	if why == "" {
		return neutral("both numbers are in the diff")
	}
	if fix == "" {
		fix = "name the numbers that the diff shows"
	}
	return outcome{
		weak:      x.m.Options.Bot && stale(x, c),
		suspicion: s,
		reason:    "says from " + c.From + " to " + c.To + ", but " + why,
		fix:       fix,
		evidence:  ev,
	}
}

// stale: an update bot writes its title once and its files again and again. The
// title that names an older step than the files take is a find, and nobody's lie.
func stale(x *judging, c *claim.Claim) bool {
	later := func(a, b string) bool { return compareVersions(a, b) > 0 }
	if to, _, ok := stepFrom(x, c.From); ok && later(to, c.To) {
		return true
	}
	if n, _ := otherOnLine(x, c, strings.Count(c.To, ".")); n != "" && later(n, c.To) {
		return true
	}
	if from, _, ok := stepInto(x, c.To); ok && from != c.From && later(c.To, c.From) {
		return true
	}
	return false
}

// bareVersion is the dotted numbers at the begin of a version, without what
// marks it as not yet released.
func bareVersion(v string) string {
	i := 0
	for i < len(v) && (v[i] >= '0' && v[i] <= '9' || v[i] == '.' && i+1 < len(v) && v[i+1] >= '0' && v[i+1] <= '9') {
		i++
	}
	if i == 0 {
		return v
	}
	return v[:i]
}

// compareVersions compares dotted numbers: below 0 where a is the earlier one.
func compareVersions(a, b string) int {
	for a != "" || b != "" {
		var p, q string
		p, a, _ = strings.Cut(a, ".")
		q, b, _ = strings.Cut(b, ".")
		p, q = strings.TrimLeft(p, "0"), strings.TrimLeft(q, "0")
		if len(p) != len(q) {
			return len(p) - len(q)
		}
		if k := strings.Compare(p, q); k != 0 {
			return k
		}
	}
	return 0
}

// toldFrom: an added line, of a changelog mostly, tells the same step from elsewhere: "from 71 to 72".
func toldFrom(x *judging, c *claim.Claim) (string, change.At, bool) {
	for i := range x.f.Change.Files {
		for _, h := range x.f.Change.Files[i].Hunks {
			for k := range h.Lines {
				l := &h.Lines[k]
				if l.Op != '+' || !strings.Contains(l.Text, "from ") || c.Name != "" && !nameOnLine(change.At{File: i, Line: l}, c.Name) {
					continue
				}
				ns := numbersOf(l.Text)
				for m := 0; m+1 < len(ns); m++ {
					if ns[m+1] == c.To && ns[m] != c.From && strings.Contains(l.Text, "from "+ns[m]+" to "+c.To) {
						return ns[m], change.At{File: i, Line: l}, true
					}
				}
			}
		}
	}
	return "", change.At{}, false
}

// written: the digits of a version stand one behind the other somewhere in the
// diff, with other marks between them: py310, (3, 10), v1_4_5.
func written(x *judging, v string) bool {
	digits := strings.ReplaceAll(v, ".", "")
	if len(digits) < 2 || !x.f.InDiff(digits) {
		return false
	}
	for i := range x.f.Change.Files {
		if hasDigits(x.f.Change.Files[i].Path, digits) {
			return true
		}
		for _, h := range x.f.Change.Files[i].Hunks {
			for k := range h.Lines {
				if hasDigits(h.Lines[k].Text, digits) {
					return true
				}
			}
		}
	}
	return false
}

// hasDigits: the digits of q stand in s, at most two other bytes that are no
// letters between two of them, no further digit at either end, and no letter behind them.
func hasDigits(s, q string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] != q[0] || i > 0 && s[i-1] >= '0' && s[i-1] <= '9' {
			continue
		}
		j, k, gap := i, 0, 0
		for j < len(s) && k < len(q) {
			switch {
			case s[j] == q[k]:
				k, gap = k+1, 0
			case alphanumeric(s[j]) || gap == 2:
				k = len(q) + 1
			default:
				gap++
			}
			j++
		}
		if k == len(q) && (j == len(s) || !alphanumeric(s[j])) {
			return true
		}
	}
	return false
}

// judgeNamed: "Node.js 22" where the line of node arrives at 20, or leaves it.
// What the change does not speak of is no claim.
func judgeNamed(x *judging, c *claim.Claim) outcome {
	if c.Standing < claim.Own || !x.f.Complete || anyUnread(x) || pinned(x) {
		return dropped
	}
	n := x.f.Covers(c.To)
	if n.Added+n.Removed+n.Context > 0 || x.f.Covers("1."+c.To).Added > 0 || written(x, c.To) {
		return dropped
	}
	if x.changelogOnly() {
		if strings.Contains(c.To, ".") && !x.f.InFiles(c.To) {
			if n, at := headingVersion(x, c.To); n != "" {
				return quantityNews(x, c, n, at)
			}
		}
		return dropped
	}
	if !strings.Contains(c.To, ".") && len(c.To) == 3 {
		if n, at := otherStatus(x, c.To); n != "" {
			return quantityAbsent(x, c, x.w(quantityBias)+x.w(quantityStatus), n, at)
		}
	}
	if c.Name == "" {
		return dropped
	}
	if (strings.Contains(c.To, ".") || len(c.To) > 2) && x.f.InFiles(c.To) {
		return dropped
	}
	other, at := numberOfName(x, c)
	if other == "" {
		return dropped
	}
	o := quantityAbsent(x, c, x.w(quantityBias)+x.w(quantityNamed), other, at)
	if at.Line.Op == '-' {
		o.reason = fmt.Sprintf("says %s of %s; no line of the diff contains it, and %s is what is removed", quote(c.To), quote(c.Name), quote(other))
	}
	o.weak = true
	return o
}

// nameAlias is what a name of a platform is called in files.
var nameAlias = map[string]string{"node.js": "node", "nodejs": "node", "golang": "go"}

// numberOfName is a number of the same depth that comes or goes on a changed
// line, right behind the name. Lines that only keep theirs say nothing.
func numberOfName(x *judging, c *claim.Claim) (string, change.At) {
	name := strings.ToLower(c.Name[strings.LastIndexAny(c.Name, "/@")+1:])
	if a := nameAlias[name]; a != "" {
		name = a
	}
	if len(name) < 2 {
		return "", change.At{}
	}
	depth := strings.Count(c.To, ".")
	best := ""
	var where change.At
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		for _, h := range f.Hunks {
			for k := range h.Lines {
				l := &h.Lines[k]
				if l.Op == ' ' || l.Op == '-' && !leaves(c) {
					continue
				}
				for _, n := range numbersBehind(l.Text, name) {
					if n == c.To || strings.Count(n, ".") != depth || covers(c.To, n) || covers(n, c.To) || depth == 0 && len(n) > len(c.To)+1 {
						continue
					}
					if k := x.f.Number(n); k.Added == k.Removed {
						continue
					}
					if best == "" || l.Op == '+' && where.Line.Op == '-' {
						best, where = n, change.At{File: i, Line: l}
					}
				}
			}
		}
	}
	return best, where
}

// leaves: the verb says that something goes, so that a removed line bears on it.
func leaves(c *claim.Claim) bool {
	switch c.Verb {
	case claim.VerbRemove, claim.VerbDisable, claim.VerbReplace, claim.VerbBump:
		return true
	}
	return false
}

// numbersBehind lists the numbers that stand behind a name on a line with no other word between: "node-version: [18, 20]".
func numbersBehind(line, name string) []string {
	low := strings.ToLower(line)
	var out []string
	for at := 0; ; {
		i := strings.Index(low[at:], name)
		if i < 0 {
			return out
		}
		i += at
		at = i + len(name)
		if i > 0 && (alphanumeric(low[i-1])) || at < len(low) && low[at] >= 'a' && low[at] <= 'z' {
			continue
		}
		j := at
		for j < len(low) && j < at+80 {
			c := low[j]
			switch {
			case c >= '0' && c <= '9':
				e := j
				for e < len(low) && (low[e] >= '0' && low[e] <= '9' || low[e] == '.' && e+1 < len(low) && low[e+1] >= '0' && low[e+1] <= '9') {
					e++
				}
				if e == len(low) || !alphanumeric(low[e]) {
					out = append(out, low[j:e])
				}
				j = e
				continue
			case c == '<' || c == '>' || c == '!':
				j = len(low) // a bound: "node < 20" may be said as "up to 19"
			case c >= 'a' && c <= 'z':
				e := j
				for e < len(low) && low[e] >= 'a' && low[e] <= 'z' {
					e++
				}
				switch low[j:e] {
				case "version", "versions", "v", "js", "x", "lts", "at", "to", "is":
					j = e
					continue
				}
				j = len(low)
			default:
				j++
			}
		}
	}
}

// quantityNews: a change of nothing but the changelog, whose heading is another version.
func quantityNews(x *judging, c *claim.Claim, other string, at change.At) outcome {
	o := quantityAbsent(x, c, x.w(quantityBias)+x.w(quantityHeading), other, at)
	o.reason = fmt.Sprintf("says %s; the changelog does not have it, and what changes stands under %s", quote(c.To), quote(other))
	o.weak = true
	return o
}

// headingVersion is the version in the heading that the changed lines of a
// changelog stand under, where the file knows nothing of v. A heading without a
// version ("Unreleased") may stand for any.
func headingVersion(x *judging, v string) (string, change.At) {
	if x.f.InFiles(v) {
		return "", change.At{}
	}
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		for _, h := range f.Hunks {
			heading := (*change.Line)(nil)
			for k := range h.Lines {
				l := &h.Lines[k]
				if l.Op != '-' && newsHeading(l.Text) {
					heading = l
					if l.Op == ' ' {
						continue
					}
				}
				if l.Op != '+' || heading == nil || strings.TrimSpace(l.Text) == "" {
					continue
				}
				for _, n := range numbersOf(heading.Text) {
					if n != v && strings.Count(n, ".") == strings.Count(v, ".") && !covers(n, v) {
						return n, change.At{File: i, Line: heading}
					}
				}
				return "", change.At{}
			}
		}
	}
	return "", change.At{}
}

func newsHeading(s string) bool {
	t := strings.TrimSpace(s)
	if strings.HasPrefix(t, "#") || strings.HasPrefix(t, "Version ") || strings.HasPrefix(strings.ToLower(t), "unreleased") {
		return true
	}
	return len(t) > 2 && len(t) < 40 && t == s && t[0] >= '0' && t[0] <= '9' && ownsVersion(t)
}

// unnamed: what is said to be bumped stands nowhere in the diff or in a touched file either.
func unnamed(x *judging, c *claim.Claim) bool {
	if c.Statement >= 0 && c.Statement < len(x.m.Statements) {
		for _, t := range x.m.Statements[c.Statement].Tokens {
			if t.Start < c.End || t.Kind == claim.Punct {
				continue
			}
			if t.Kind == claim.Word && !claim.Stop()[t.Low] {
				return false // "to 1.9 syntax"
			}
			break
		}
	}
	name := strings.ToLower(c.Name[strings.LastIndexAny(c.Name, "/:@")+1:])
	switch name {
	case "", "version", "versions", "snapshot", "release", "requirement", "requirements", "dependency", "dependencies", "minimum", "default":
		return false
	}
	return len(name) > 2 && len(x.f.Change.Files) > 0 && x.m.Special == claim.Plain && !x.projectName(name) && x.present(name) == 0 && !x.f.InFiles(c.Name)
}

// soleVersion: the change is small, and one version of this depth is all that comes.
func soleVersion(x *judging, depth int) bool {
	if x.f.AddedLines+x.f.RemovedLines > 10 {
		return false
	}
	n := 0
	x.f.EachNumber(func(v string, c *change.Count) {
		if strings.Count(v, ".") == depth && c.Added > c.Removed {
			n++
		}
	})
	return n == 1
}

// soleStep is where the only number that changes arrives.
func soleStep(x *judging, to string) (string, change.At) {
	best := ""
	var at change.At
	for _, p := range x.f.Pairs {
		a, b := numbersOf(p.Old.Text), numbersOf(p.New.Text)
		if len(a) != len(b) {
			if len(a)+len(b) > 0 {
				return "", change.At{}
			}
			continue
		}
		for k := range a {
			if a[k] == b[k] {
				continue
			}
			if best != "" && best != b[k] || a[k] == to || b[k] == to || strings.Contains(b[k], ".") {
				return "", change.At{}
			}
			best, at = b[k], change.At{File: p.File, Line: p.New}
		}
	}
	return best, at
}

// targetNumber: "to 12" behind a verb of change.
func targetNumber(x *judging, c *claim.Claim) bool {
	if c.Statement < 0 || c.Clause < 0 {
		return false
	}
	switch c.Verb {
	case claim.VerbBump, claim.VerbIncrease, claim.VerbDecrease, claim.VerbChange:
	default:
		return false
	}
	toks := x.m.Statements[c.Statement].Tokens
	for k := 1; k < len(toks); k++ {
		if toks[k].Start == c.Start {
			return toks[k-1].Low == "to" || toks[k-1].Low == "="
		}
	}
	return false
}

// otherStatus: a number in the range of HTTP's status codes that the touched
// files do not have, where the changed lines have one other. Files that name their codes in words are left alone.
func otherStatus(x *judging, to string) (string, change.At) {
	status := func(n string) bool { return len(n) == 3 && n[0] >= '2' && n[0] <= '5' }
	if !status(to) || x.f.InFiles(to) || x.f.AddedLines+x.f.RemovedLines > 200 {
		return "", change.At{}
	}
	best := ""
	var at change.At
	many := false
	x.f.EachNumber(func(n string, c *change.Count) {
		if !status(n) || c.Added+c.Removed == 0 {
			return
		}
		if n[1] != '0' && n[1] != '1' && n[1] != '2' {
			many = true // 257, 360: no status
			return
		}
		if best != "" {
			many = many || best[0] != n[0]
			if best < n {
				return
			}
		}
		best, at = n, c.AddedAt
		if c.Added == 0 {
			at = c.RemovedAt
		}
	})
	if many {
		return "", change.At{}
	}
	named := false
	x.f.EachName(func(n string, _ *change.Count) {
		if strings.HasPrefix(n, "Status") || strings.HasPrefix(n, "HTTP_") || strings.HasPrefix(n, "SC_") || strings.HasPrefix(n, "HttpStatus") {
			named = true
		}
	})
	if named {
		return "", change.At{}
	}
	return best, at
}

func anyUnread(x *judging) bool {
	for i := range x.f.Change.Files {
		if x.f.Change.Files[i].Unread != "" {
			return true
		}
	}
	return false
}

// pinned: a digest was added, and no dotted version changed beside it.
func pinned(x *judging) bool {
	if !x.f.Digests {
		return false
	}
	changed := false
	x.f.EachNumber(func(n string, c *change.Count) {
		if strings.Count(n, ".") >= 1 && c.Added > 0 && c.Removed == 0 {
			changed = true
		}
	})
	return !changed
}

func anyNumberAdded(x *judging) bool {
	any := false
	x.f.EachNumber(func(_ string, c *change.Count) {
		if c.Added > c.Removed {
			any = true
		}
	})
	return any
}

// otherAdded is the smallest other dotted number of the same depth that the diff adds.
func otherAdded(x *judging, to string, depth int) (string, change.At) {
	best := ""
	var at change.At
	x.f.EachNumber(func(n string, c *change.Count) {
		if n != to && c.Added > c.Removed && strings.Count(n, ".") == depth && depth > 0 && (best == "" || n < best) {
			best, at = n, c.AddedAt
		}
	})
	return best, at
}

func otherYear(x *judging, to string) (string, change.At) {
	best := ""
	var at change.At
	x.f.EachNumber(func(n string, c *change.Count) {
		if n != to && c.Added > c.Removed && len(n) == 4 && (strings.HasPrefix(n, "19") || strings.HasPrefix(n, "20")) && (best == "" || n < best) {
			best, at = n, c.AddedAt
		}
	})
	return best, at
}

// otherStep: the diff steps from one plain number to another one on a replaced line.
func otherStep(x *judging, to string) (string, change.At) {
	for _, p := range x.f.Pairs {
		a, b := numbersOf(p.Old.Text), numbersOf(p.New.Text)
		if len(a) != len(b) || len(a) == 0 || len(a) > 6 {
			continue
		}
		for k := range a {
			if a[k] != b[k] && !strings.Contains(b[k], ".") && len(b[k]) == len(to) && b[k] != to && a[k] != to {
				return b[k], change.At{File: p.File, Line: p.New}
			}
		}
	}
	return "", change.At{}
}

// stepFrom is where a replaced line goes that comes from a number.
func stepFrom(x *judging, from string) (string, change.At, bool) {
	for _, p := range x.f.Pairs {
		a, b := numbersOf(p.Old.Text), numbersOf(p.New.Text)
		if len(a) != len(b) {
			continue
		}
		for k := range a {
			if covers(a[k], from) && a[k] != b[k] {
				return b[k], change.At{File: p.File, Line: p.New}, true
			}
		}
	}
	return "", change.At{}, false
}

// stepInto is where a replaced line comes from that arrives at a number; false
// where two lines that arrive there disagree.
func stepInto(x *judging, to string) (string, change.At, bool) {
	old := ""
	var at change.At
	for _, p := range x.f.Pairs {
		a, b := numbersOf(p.Old.Text), numbersOf(p.New.Text)
		if len(a) != len(b) {
			continue
		}
		for k := range b {
			if covers(b[k], to) && a[k] != b[k] {
				if old != "" && old != a[k] {
					return "", at, false
				}
				if old == "" {
					old, at = a[k], change.At{File: p.File, Line: p.Old}
				}
			}
		}
	}
	return old, at, old != ""
}

func covers(have, want string) bool {
	return have == want || strings.HasPrefix(have, want+".") || strings.TrimSuffix(want, ".0") == have
}

// numbersOf lists the numbers of a line in order.
func numbersOf(s string) []string {
	var out []string
	for i := 0; i < len(s) && len(out) < 12; {
		if s[i] < '0' || s[i] > '9' {
			i++
			continue
		}
		a, b := i, i
		for a > 0 && alphanumeric(s[a-1]) {
			a--
		}
		for b < len(s) && alphanumeric(s[b]) {
			b++
		}
		if b-a >= 20 { // a digest
			i = b
			continue
		}
		j := i
		for j < len(s) && (s[j] >= '0' && s[j] <= '9' || s[j] == '.' && j+1 < len(s) && s[j+1] >= '0' && s[j+1] <= '9') {
			j++
		}
		out = append(out, s[i:j])
		i = j
	}
	return out
}

// codeOrData: the line is no comment of a program.
func (x *judging) codeOrData(at change.At) bool {
	return at.Line != nil && (at.Line.Class == lang.Code || x.f.Change.Files[at.File].Kind != lang.Source)
}

// speaksOf: the line of a version names the dependency, or names nothing (a
// lock file's "version: ...") and the dependency stands up to four lines above it.
func (x *judging) speaksOf(at change.At, name string) bool {
	last := name[strings.LastIndexAny(name, "/:@")+1:]
	q := squeeze(last)
	if q == "" || at.Line == nil {
		return true // the message does not say of what
	}
	if strings.Contains(squeeze(at.Line.Text), q) {
		return true
	}
	for _, h := range x.f.Change.Files[at.File].Hunks {
		for k := range h.Lines {
			if &h.Lines[k] != at.Line {
				continue
			}
			for m := k - 1; m >= 0 && m >= k-5; m-- {
				if strings.Contains(squeeze(h.Lines[m].Text), q) && !ownsVersion(h.Lines[m].Text) {
					return true
				}
			}
		}
	}
	// A path may name it: the vendored copy, the plugin's own folder.
	if strings.Contains(squeeze(x.f.Path(at)), q) || x.projectName(strings.ToLower(last)) {
		return true
	}
	return !namesSomething(at.Line.Text) && !x.f.InDiff(last)
}

// ownsVersion: the line has a version of its own.
func ownsVersion(s string) bool {
	for _, n := range numbersOf(s) {
		if strings.Contains(n, ".") {
			return true
		}
	}
	return false
}

// namesSomething: the line has a word besides those that introduce a version.
func namesSomething(s string) bool {
	for _, w := range nameWords(s) {
		switch w {
		case "version", "resolved", "integrity", "rev", "tag", "ref", "checksum", "sha256", "https", "http", "com", "org", "registry", "require", "dependency", "const", "var", "string", "version_", "value":
		default:
			return true
		}
	}
	return false
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// removedLike: the diff removes another number of the same form.
func removedLike(x *judging, from string) (string, change.At) {
	best := ""
	var at change.At
	depth := strings.Count(from, ".")
	x.f.EachNumber(func(n string, c *change.Count) {
		if n != from && c.Removed > c.Added && strings.Count(n, ".") == depth && depth > 0 && (best == "" || n < best) {
			best, at = n, c.RemovedAt
		}
	})
	return best, at
}

// nameOnLine: the dependency that stands before the version in the message stands on the line as well.
func nameOnLine(at change.At, name string) bool {
	if at.Line == nil || name == "" {
		return false
	}
	q := squeeze(name)
	return q != "" && strings.Contains(squeeze(at.Line.Text), q)
}

// otherOnLine is a version of the same depth that the diff adds on a line with the dependency's name.
func otherOnLine(x *judging, c *claim.Claim, depth int) (string, change.At) {
	best := ""
	var at change.At
	x.f.EachNumber(func(n string, k *change.Count) {
		if n != c.To && k.Added > k.Removed && strings.Count(n, ".") == depth && nameOnLine(k.AddedAt, c.Name) && (best == "" || n < best) {
			best, at = n, k.AddedAt
		}
	})
	return best, at
}

// numberOnLine: "set minPadding to 30", and the line of minPadding arrives at another number.
func numberOnLine(x *judging, c *claim.Claim) (string, change.At) {
	if len(c.Name) < 4 {
		return "", change.At{}
	}
	for _, p := range x.f.Pairs {
		at := change.At{File: p.File, Line: p.New}
		if !nameOnLine(at, c.Name) || !nameOnLine(change.At{File: p.File, Line: p.Old}, c.Name) {
			continue
		}
		a, b := numbersOf(p.Old.Text), numbersOf(p.New.Text)
		if len(a) == 1 && len(b) == 1 && a[0] != b[0] && b[0] != c.To && a[0] != c.To {
			return b[0], at
		}
	}
	return "", change.At{}
}

var bumpWords = words(`bump bumps bumped bumping upgrade upgrades upgraded update updates updated release releases released version versions prepare preparing require requires required
pin pins set sets downgrade`)
var notBump = words(`initial toward towards migrate migrates support supports compat compatibility deprecated deprecates since until before after remove removes drop drops test tests`)

func bumpContext(x *judging, c *claim.Claim) bool {
	if c.Statement < 0 || c.Statement >= len(x.m.Statements) {
		return false
	}
	bump := false
	for _, t := range x.m.Statements[c.Statement].Tokens {
		if t.Kind != claim.Word {
			continue
		}
		if notBump()[t.Low] {
			return false
		}
		if bumpWords()[t.Low] {
			bump = true
		}
	}
	return bump
}

// judgeCount: "7 files", "5 tests".
func judgeCount(x *judging, c *claim.Claim) outcome {
	if c.Unit == "files" {
		n := len(x.f.Change.Files)
		switch {
		case n == c.Count:
			return corroborated(0.8, fmt.Sprintf("%s change", plural(n, "file")))
		case c.Count > n && n > 0:
			return outcome{
				suspicion: x.w(quantityCountMore) + x.w(quantityBias),
				reason:    fmt.Sprintf("says %d files; %s changed", c.Count, plural(n, "file")),
				fix:       fmt.Sprintf("write %d", n),
				evidence:  []Evidence{{Fact: fmt.Sprintf("the change touches %s", plural(n, "file")), Path: firstPath(x.f.Change), Weight: x.w(quantityCountMore)}},
			}
		}
		return neutral("%s change; the message may count some of them", plural(n, "file"))
	}
	if !x.f.Complete {
		return x.incomplete()
	}
	added, removed, tables, known := testOpenings(x)
	n := added - removed
	if !known || added == 0 {
		return neutral("the tests of this change cannot be counted")
	}
	if n == c.Count || added == c.Count {
		return corroborated(0.9, fmt.Sprintf("%s are added", plural(added, "test")))
	}
	if c.Verb != claim.VerbAdd || tables || c.Count < n {
		return neutral("%s are added; the message may count others", plural(added, "test"))
	}
	return outcome{
		suspicion: x.w(quantityTestsFewer) + x.w(quantityBias),
		reason:    fmt.Sprintf("says %d tests; the diff adds %d", c.Count, added),
		fix:       fmt.Sprintf("write %d", added),
		evidence:  []Evidence{{Fact: fmt.Sprintf("the diff adds %s, and none of them is a table", plural(added, "test function")), Path: firstTest(x), Weight: x.w(quantityTestsFewer)}},
	}
}

func firstTest(x *judging) string {
	for i := range x.f.Change.Files {
		if x.f.Change.Files[i].Kind == lang.Test {
			return x.f.Change.Files[i].Path
		}
	}
	return firstPath(x.f.Change)
}

// testOpenings counts the lines that open a test on both sides, says whether a
// table-driven form stands among the changed lines, and whether every touched test file has a form that can be counted.
func testOpenings(x *judging) (added, removed int, tables, known bool) {
	known = true
	for i := range x.f.Change.Files {
		f := &x.f.Change.Files[i]
		if f.Kind != lang.Test && f.Kind != lang.Source {
			continue
		}
		for _, h := range f.Hunks {
			for k := range h.Lines {
				l := &h.Lines[k]
				if tableForm(l.Text) {
					tables = true
				}
				if l.Op == ' ' {
					continue
				}
				if opensTest(l.Text) {
					if l.Op == '+' {
						added++
					} else {
						removed++
					}
				}
			}
		}
	}
	return added, removed, tables, known
}

func opensTest(s string) bool {
	t := strings.TrimSpace(s)
	for _, p := range [...]string{"func Test", "func Fuzz", "func Benchmark", "func Example", "def test_", "def test(", "async def test_", "#[test]", "#[tokio::test", "@Test", "it(", "it.only(", "test(", "TEST(", "TEST_F(", "TEST_P(", "TEST_CASE(", "it '", "it \"", "test '", "test \"", "[Fact]", "[Test]", "[Theory]", "public function test", "fn test_", "scenario(", "specify "} {
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	return strings.HasPrefix(t, "public void test") || strings.HasPrefix(t, "def test") || strings.HasPrefix(t, "fun `")
}

func tableForm(s string) bool {
	for _, p := range [...]string{"t.Run(", "parametrize", ".each(", ".each`", "subTest(", "ParameterizedTest", "[]struct", "for _, tt", "for _, tc", "test_case(", "rstest", "@pytest.mark.param", "forEach(", "[InlineData", "DataProvider", "test_each"} {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
