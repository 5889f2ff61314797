package checks_test

import (
	"slices"
	"testing"
	"time"

	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/claim"
)

// pair is one message and the change that it is held against.
type pair struct{ text, diff string }

// pairs are invented, and as long as everyday commits are.
var pairs = []pair{
	{"Round the margin up\n\nA crate of odd width was cut at the right. Widen the margin in\ncrate/width.go so that the last board fits.",
		edit("crate/width.go", " package crate", " ", " // Margin is free on both sides.", "-func Margin(n int) int { return n / 2 }", "+func Margin(n int) int { return (n + 1) / 2 }", " ", " func Board() int { return 3 }") +
			edit("crate/width_test.go", " package crate", "+func TestMarginOfOddWidth(t *testing.T) {", "+\tif Margin(3) != 2 {", "+\t\tt.Error(Margin(3))", "+\t}", "+}")},
	{"feat(label): fold long labels\n\n- add `foldLabel` to the label package\n- call it from `parseLabel`\n- add tests for labels of two lines",
		edit("label/parse.go", " package label", " ", " func parseLabel(s string) string {", "-\treturn s", "+\treturn foldLabel(s)", " }", "+", "+func foldLabel(s string) string {", "+\tif len(s) > 40 {", "+\t\treturn s[:40] + \"\\n\" + s[40:]", "+\t}", "+\treturn s", "+}") +
			edit("label/parse_test.go", "+func TestFold(t *testing.T) {", "+\tif foldLabel(\"a\") != \"a\" {", "+\t\tt.Fatal()", "+\t}", "+}")},
	{"Bump quorvex from 2.3.1 to 2.4.0", edit("package.json", ` {`, `   "dependencies": {`, `-    "quorvex": "2.3.1",`, `+    "quorvex": "2.4.0",`, `     "dabbin": "1.0.0"`, `   }`, ` }`)},
	{"docs: explain the two passes", edit("docs/passes.md", " # Passes", " ", "+The first pass counts, the second one writes. A file that grows in between", "+is read again from its begin.")},
	{"fix: close the reader when the header is broken\n\nThe reader stayed open when `readHeader` failed, and a long run ended with\ntoo many open files. Close it in the error path.",
		edit("lib/reader.py", " def open_reader(path):", "     f = open(path)", "-    read_header(f)", "+    try:", "+        read_header(f)", "+    except ValueError:", "+        f.close()", "+        raise", "     return f")},
	{"Remove the legacy queue\n\nNothing has used `LegacyQueue` since the last release.", remove("queue/legacy.ts", "-export class LegacyQueue {", "-  private rows: string[] = [];", "-  put(row: string) { this.rows.push(row); }", "-}") + edit("queue/index.ts", `-export { LegacyQueue } from "./legacy";`, ` export { Queue } from "./queue";`)},
	{"refactor(store): split the cache from the index\n\nNo functional change.", edit("src/store.rs", " pub struct Store {", "-    cache: Vec<u8>,", "+    cache: Cache,", " }", " ", "+pub struct Cache {", "+    bytes: Vec<u8>,", "+}")},
	{"ci: run the linter on two systems", edit(".github/workflows/lint.yml", " jobs:", "   lint:", "-    runs-on: ubuntu-latest", "+    strategy:", "+      matrix:", "+        os: [ubuntu-latest, macos-latest]", "+    runs-on: ${{ matrix.os }}")},
	{"Raise the retry limit to 5\n\nThree were too few behind a slow proxy (#412).", edit("config/limits.yaml", " retries:", "-  limit: 3", "+  limit: 5", "   wait: 200")},
	{"Rename `fetchRows` to `loadRows`", edit("src/rows.ts", "-export function fetchRows(table: string): Row[] {", "+export function loadRows(table: string): Row[] {", "   return query(table);", " }") + edit("src/page.ts", `-import { fetchRows } from "./rows";`, `+import { loadRows } from "./rows";`, " ", "-export const page = () => fetchRows(\"page\");", "+export const page = () => loadRows(\"page\");")},
	{"Enable compression by default", edit("server/defaults.go", " var defaults = Options{", "-\tCompression: false,", "+\tCompression: true,", " \tLevel: 6,", " }")},
	{"test: cover empty input of the mixer", edit("tests/mixer.rs", "+#[test]", "+fn empty() {", "+    assert_eq!(mix(&[]), 0);", "+}")},
	{"Reject negative amounts\n\nThis change only touches files under billing/.", edit("billing/amount.rb", " class Amount", "   def initialize(n)", "+    raise ArgumentError, \"negative\" if n < 0", "     @n = n", "   end", " end")},
	{"Fix off-by-one in `split_rows`\n\nThe last row was dropped when the text had no newline at its end.\n\nFixes: #88", edit("table/rows.c", " int split_rows(const char *s) {", "     int n = 0;", "-    for (; *s; s++)", "+    for (; s && *s; s++)", "         n += *s == '\\n';", "-    return n;", "+    return n + 1;", " }")},
	{"Add a health endpoint\n\nAdds `GET /healthz`, which answers 200 once the store is open.\nCovered by new tests in web/health_test.go.", create("web/health.go", "+package web", "+", "+// Health answers on /healthz.", "+func Health(w Writer) {", "+\tw.Status(200)", "+}") + create("web/health_test.go", "+package web", "+", "+func TestHealth(t *testing.T) {}")},
	{"perf: avoid a copy in the hot loop\n\nBefore, each row was copied twice. Now `scan` borrows the slice; the run over\nthe large sample goes from 210 ms to 160 ms.", edit("src/scan.rs", "-fn scan(rows: Vec<Row>) -> usize {", "+fn scan(rows: &[Row]) -> usize {", "     rows.iter().filter(|r| r.open).count()", " }")},
	{"chore(deps): update dabbin and tilde\n\n- dabbin 1.2.0 -> 1.3.0\n- tilde 0.4.1 -> 0.5.0", edit("Cargo.toml", " [dependencies]", "-dabbin = \"1.2.0\"", "+dabbin = \"1.3.0\"", "-tilde = \"0.4.1\"", "+tilde = \"0.5.0\"")},
	{"Handle a missing stamp\n\nA parcel without a stamp made `Stamp.value` fail. Treat it as zero, as\nsrc/main/java/mail/Letter.java does for letters.", edit("src/main/java/mail/Parcel.java", " class Parcel {", "     int value() {", "-        return stamp.value();", "+        return stamp == null ? 0 : stamp.value();", "     }", " }")},
	{"Say which file is broken\n\nThe error named the line and not the file. Include the path, and quote it so that\nblanks at its end can be seen. Also:\n\n- use one format for all three errors\n- drop the full stop at the end\n- document the format in docs/errors.md", edit("errors/format.go", " func format(path string, line int) string {", "-\treturn fmt.Sprintf(\"line %d.\", line)", "+\treturn fmt.Sprintf(\"%q, line %d\", path, line)", " }") + create("docs/errors.md", "+# Errors", "+", "+Every error names the file and the line.")},
	{"Move the clock into a package of its own", "diff --git a/app/clock.go b/clock/clock.go\nsimilarity index 90%\nrename from app/clock.go\nrename to clock/clock.go\n--- a/app/clock.go\n+++ b/clock/clock.go\n@@ -1,3 +1,3 @@\n-package app\n+package clock\n \n func Now() int { return 1 }\n"},
	{"Harden the letter box\n\n- Refuse empty letters in `box/intake.py`\n- Trim the sender in `box/sender.py`\n- Log what is refused\n\nSigned-off-by: Case Author <author@example.org>", edit("box/intake.py", " def intake(letter):", "+    if not letter:", "+        log.info(\"refused\")", "+        raise ValueError(\"empty\")", "     return letter") + edit("box/sender.py", " def sender(name):", "-    return name", "+    return name.strip()")},
	{"Only format the poller\n\nFormatting only.", edit("lib/poller.rb", "-def tick; read_all; end", "+def tick", "+  read_all", "+end")},
}

var benchTree = fakeTree{
	files: []string{"crate/width.go", "label/parse.go", "queue/index.ts", "src/store.rs", "docs/passes.md", "src/main/java/mail/Letter.java", "box/sender.py", "web/health.go"},
	defs:  map[string][]checks.Site{"parseLabel": {{Path: "label/parse.go", Line: 3}}, "readHeader": {{Path: "lib/header.py", Line: 9}}},
	names: []string{"crate"},
}

var benchHistory = fakeHistory{
	{scope: "label", dir: "label", stems: []string{"label", "fold"}, times: 40}, {scope: "store", dir: "src", stems: []string{"cache", "index"}, times: 60},
	{dir: "crate", stems: []string{"margin", "width"}, times: 80}, {dir: "web", stems: []string{"endpoint"}, times: 30},
}

// BenchmarkVerdict is the way from the text of a message and the facts of its
// change, with tree and history at hand, to the verdict. It reports the median
// and the mean over all pairs, and the mean per claim.
func BenchmarkVerdict(b *testing.B) {
	facts := make([]*change.Facts, len(pairs))
	for i, p := range pairs {
		facts[i] = parseDiff(b, p.diff)
	}
	spent := make([]time.Duration, len(pairs))
	claims, rounds := 0, 0
	for b.Loop() {
		claims = 0
		for i, p := range pairs {
			begin := time.Now()
			m := claim.Parse(p.text, claim.Options{Source: claim.SourceMessage})
			j := checks.Judge(checks.Input{Messages: []*claim.Message{m}, Facts: facts[i], Tree: benchTree, History: benchHistory})
			spent[i] += time.Since(begin)
			claims += len(j.Claims)
		}
		rounds++
	}
	var total time.Duration
	each := make([]float64, len(spent))
	for i, d := range spent {
		total += d
		each[i] = float64(d.Nanoseconds()) / 1000 / float64(rounds)
	}
	slices.Sort(each)
	all := float64(total.Nanoseconds()) / 1000 / float64(rounds)
	b.ReportMetric(each[len(each)/2], "µs/message(median)")
	b.ReportMetric(all/float64(len(pairs)), "µs/message")
	b.ReportMetric(all/float64(claims), "µs/claim")
	b.ReportMetric(float64(claims)/float64(len(pairs)), "claims/message")
}

// BenchmarkJudge is the same without reading the text.
func BenchmarkJudge(b *testing.B) {
	var in []checks.Input
	for _, p := range pairs {
		in = append(in, checks.Input{Messages: message(p.text), Facts: parseDiff(b, p.diff), Tree: benchTree, History: benchHistory})
	}
	for b.Loop() {
		for i := range in {
			checks.Judge(in[i])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1000/float64(b.N*len(in)), "µs/message")
}

func TestPairsOfTheBenchmarkAreReadWhole(t *testing.T) {
	if len(pairs) < 20 {
		t.Fatalf("only %d pairs", len(pairs))
	}
	for _, p := range pairs {
		f := parseDiff(t, p.diff)
		j := checks.Judge(checks.Input{Messages: message(p.text), Facts: f, Tree: benchTree, History: benchHistory})
		if !f.Complete || len(f.Change.Files) == 0 || len(j.Claims) == 0 {
			t.Errorf("%q: complete %v, %d files, %d claims", p.text, f.Complete, len(f.Change.Files), len(j.Claims))
		}
		for _, c := range j.Claims {
			if c.Verdict == checks.Contradicted {
				t.Errorf("an honest pair is contradicted: %s %q: %s", c.Check, c.Text, c.Reason)
			}
		}
	}
}
