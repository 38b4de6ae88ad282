package guard

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// mostParses bounds the time of the guard for the worst call of a size, in readings of an
// ordinary text of that size by the parser alone. The measured value is below 40; the rest is
// for a loaded machine. A shape whose time grows with the square of its size needs thousands.
const mostParses = 120

// TestNoShapeIsSlow checks that no shape of call takes longer than its size allows. The
// yardstick runs at the same time, and the best of several tries counts, so that the load of
// the machine does not matter. BenchmarkShapes measures how the time grows up to 1 MB.
func TestNoShapeIsSlow(t *testing.T) {
	if testing.Short() {
		t.Skip("measures; the race detector would be what it measures")
	}
	const size = 30_000
	for _, s := range shapes() {
		call := s.call(size)
		best := math.Inf(1)
		for try := 0; try < 30 && best > mostParses; try++ {
			yard := timed(func() { parseOrdinary(size) })
			best = min(best, float64(timed(func() { Judge(call, testContext()) }))/float64(yard))
		}
		if best > mostParses {
			t.Errorf("%s: as long as %.0f parses of as much", s.name, best)
		}
	}
}

// TestUnreadableIsNeverSilent checks that a call that cannot be read to its end is never
// passed over, and that a protected word in it is denied.
func TestUnreadableIsNeverSilent(t *testing.T) {
	unreadable := []string{"echo `a", strings.Repeat("echo x;", 200_000)}
	for _, s := range shapes() {
		if lex.OneOf(s.name, "parens subst ifs bangs evals") {
			unreadable = append(unreadable, s.call(400_000).Args[0].Value)
		}
	}
	for _, text := range unreadable {
		if d := Judge(bash(text), testContext()); d.Verdict != Ask {
			t.Errorf("%.20q…: %q on what cannot be read", text, d.Verdict)
		}
		if d := Judge(bash(text+"\ngit push --force"), testContext()); d.Verdict != Deny {
			t.Errorf("%.20q…: %q on what cannot be read, with a protected word", text, d.Verdict)
		}
	}
}

// TestNothingHidesBehindTheBudget checks that everything after the end of the budget counts as
// not read, however the budget is used up.
func TestNothingHidesBehindTheBudget(t *testing.T) {
	for _, s := range shapes() {
		text := s.call(10_000).Args
		if len(text) != 1 || text[0].Path != "command" || strings.HasPrefix(s.name, "func") {
			continue // no command, or one that becomes the body of a function
		}
		for _, tail := range []string{"git push --force origin main", "git pu''sh --fo''rce origin main"} {
			d := Judge(bash(text[0].Value+"\n"+tail), testContext())
			if d.Verdict == None {
				t.Errorf("%s, then %s: no opinion", s.name, tail)
			}
		}
	}
}

// TestTheLastItemCounts checks that the last item of a long list counts as much as the first.
func TestTheLastItemCounts(t *testing.T) {
	many := func(unit string, n int) string { return strings.Repeat(unit, n) }
	for name, text := range map[string]string{
		"xargs":    "printf '%s\\n' " + many("a ", 40) + "/ | xargs -I{} rm -rf {}",
		"parallel": "parallel rm -rf ::: " + many("a ", 40) + "/",
		"printf":   "rm -rf $(printf '%s ' " + many("a ", 1500) + "/)",
		"braces":   "rm -rf {" + many("a,", 80) + "/}",
		"files":    numbered("echo a > f%;", 300) + "echo 'rm -rf /' > g; sh g",
		"sum":      "python3 -c 'import os; os.system(\"r\"+" + many("\"\"+", 40) + "\"m -rf /\")'",
		"loop":     "for a in " + many("a ", 80) + "/; do rm -rf $a; done",
		"array":    "a=(" + many("a ", 500) + "/); rm -rf \"${a[@]}\"",
		"case":     "case $x in " + numbered("a%) a;; ", 300) + "*) rm -rf /;; esac",
	} {
		if d := Judge(bash(text), testContext()); d.Verdict == None {
			t.Errorf("%s: no opinion", name)
		}
	}
}

func numbered(unit string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(unit, "%", strconv.Itoa(i)))
	}
	return b.String()
}
