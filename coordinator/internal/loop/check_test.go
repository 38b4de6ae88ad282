package loop

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestSameOutput checks that the same red output three times in a row counts as stuck. Another
// output, or a green result in between, starts the count again.
func TestSameOutput(t *testing.T) {
	red := func(tail, digest string) CheckResult { return CheckResult{ExitCode: 1, Tail: tail, Digest: digest} }
	for name, tt := range map[string]struct {
		results []CheckResult
		want    int // same red ones in a row
	}{
		"the same":           {[]CheckResult{red("a", ""), red("a", ""), red("a", "")}, 3},
		"another":            {[]CheckResult{red("a", ""), red("b", ""), red("a", "")}, 1},
		"the same but times": {[]CheckResult{red("1 s", "d"), red("2 s", "d"), red("3 s", "d")}, 3},
		"the same end":       {[]CheckResult{red("end", "d"), red("end", "e"), red("end", "f")}, 1},
		"another exit code":  {[]CheckResult{red("a", ""), {ExitCode: 2, Tail: "a"}}, 1},
		"too late":           {[]CheckResult{red("a", ""), {ExitCode: 1, Tail: "a", TimedOut: true}}, 1},
		"not run":            {[]CheckResult{red("a", ""), {ExitCode: 1, Tail: "a", Broken: "no shell"}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := Frame{CheckTimeout: time.Minute}
			for _, r := range tt.results {
				f.checked(r)
			}
			if f.Red != tt.want {
				t.Errorf("%d in a row, want %d", f.Red, tt.want)
			}
		})
	}
}

// TestCheckedInWords checks the text about a result.
func TestCheckedInWords(t *testing.T) {
	for want, tt := range map[string]struct {
		frame  Frame
		result CheckResult
	}{
		"the check is green, 1.2 s": {Frame{}, CheckResult{Took: 1200 * time.Millisecond}},
		"the check is green, 59.9 s": {
			Frame{Greens: 1}, CheckResult{Took: 59900 * time.Millisecond},
		},
		"the check is green, 1m":                     {Frame{}, CheckResult{Took: time.Minute}},
		"the check is green, 0.0 s, 2 of 3 in a row": {Frame{Greens: 3, Green: 1}, CheckResult{}},
		"the check is red: exit code 7 after 2m": {
			Frame{}, CheckResult{ExitCode: 7, Took: 2 * time.Minute},
		},
		"the check is red: it did not end within 10m": {
			Frame{CheckTimeout: 10 * time.Minute}, CheckResult{TimedOut: true},
		},
		"the check is red: it could not be run: no shell there": {Frame{}, CheckResult{Broken: "no shell\nthere"}},
	} {
		f := tt.frame
		f.checked(tt.result)
		if f.Checked != want {
			t.Errorf("%q, want %q", f.Checked, want)
		}
	}
}

// TestInterrupt checks that the result of an interrupted check is no longer awaited, and that
// an interruption counts as activity. Without a running check nothing changes.
func TestInterrupt(t *testing.T) {
	s := looping(t, "fix", func(o *Options) { o.Check, o.CheckTimeout = "make", time.Minute })
	if next, err := Interrupt(s, epoch.Add(time.Hour)); !errors.Is(err, errNoCheck) || cmp.Diff(s, next) != "" {
		t.Errorf("without a check that runs: %v, %s", err, cmp.Diff(s, next))
	}
	s = mustStop(s, Stopping{Message: markComplete}, epoch).Stack
	if !s.Checking("a") || s.Checking("other") || (Stack{}).Checking("") {
		t.Error("it does not say whose check runs")
	}
	at := epoch.Add(time.Minute)
	next := mustInterrupt(s, at)
	if next.Checking("a") || !strings.Contains(next.top().Checked, "interrupted") || !next.UpdatedAt.Equal(at) {
		t.Errorf("left as %+v", next)
	}
	if !s.Checking("a") {
		t.Error("it wrote into its input")
	}
}
