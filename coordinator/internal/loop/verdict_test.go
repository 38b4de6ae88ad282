package loop

import (
	"strings"
	"testing"
	"time"
)

// TestIssueVerdict checks the verdict of an issue loop without a next issue. It is proven only
// if a check passed, and done only if an issue landed.
func TestIssueVerdict(t *testing.T) {
	commit := strings.Repeat("a", 40)
	land := []Result{{Commit: commit}, {Approved: true, By: "codex"}, {Commit: commit}, {}, {}}
	landUnreviewed := []Result{{Commit: commit}, {Approved: true}, {Commit: commit}, {}, {}}
	leave := []Result{{Commit: commit}, {Broken: "it hung"}}
	tests := map[string]struct {
		check string
		ways  [][]Result // of each issue
		want  string
		why   string
	}{
		"no issue":               {"", nil, "stuck (nothing landed)", "no issue is ready"},
		"no issue, with a check": {"make", nil, "stuck (nothing landed)", "no issue is ready"},
		"paused":                 {"make", [][]Result{leave}, "stuck (nothing landed)", "no other issue is ready"},
		"reviewed": {
			"",
			[][]Result{land},
			"done (claimed)",
			"a review approved each one that landed, and no check ran",
		},
		"not reviewed": {
			"",
			[][]Result{landUnreviewed},
			"done (claimed)",
			"what landed was neither checked nor reviewed",
		},
		"checked and reviewed": {
			"make",
			[][]Result{land},
			"done (proven)",
			"the check passed and a review approved each one",
		},
		"checked": {
			"make",
			[][]Result{landUnreviewed, land},
			"done (proven)",
			"the check passed for each one",
		},
		"landed and paused": {"", [][]Result{land, leave}, "done (claimed)", "no check ran"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := issueLoop(t, tt.check)
			for i, way := range tt.ways {
				s = worked(t, advance(t, s, Result{Ready: []Found{{ID: string(rune('a' + i)), Title: "Mend"}}}))
				for _, r := range way {
					s = advance(t, s, r)
				}
			}
			s = advance(t, s, Result{})
			if s.Active() || s.Called() != tt.want || !strings.Contains(s.Ended.Note, tt.why) {
				t.Errorf("ended as %q: %+v, want %q because %q", s.Called(), s.Ended, tt.want, tt.why)
			}
			if proven := s.Evidence() == ByCheck; proven != s.Ended.Proven {
				t.Errorf("evidence %q, proven %t", s.Evidence(), s.Ended.Proven)
			}
		})
	}
}

// TestEndingCounts checks that the journal's line counts the issues that landed and those that
// were paused, including a cancelled one.
func TestEndingCounts(t *testing.T) {
	s := must(Cancel(inPhase(t, Working), "Ann", epoch)).Stack
	want := "cancelled (nothing landed) by Ann, 1 issue taken, 0 landed, 1 paused: the issues of /repo"
	if got := s.Ending(); got != want {
		t.Errorf("have %q\nwant %q", got, want)
	}
}

// TestCheckedAgain checks that a branch that is no longer at the reviewed commit must pass the
// check again before it is sealed.
func TestCheckedAgain(t *testing.T) {
	s := worked(t, advance(t, issueLoop(t, "make"), Result{Ready: []Found{{ID: "7", Title: "Mend"}}}))
	s = advance(t, s, Result{Commit: strings.Repeat("a", 40)})
	s = advance(t, s, Result{Refused: Changed})
	if got := s.Frames[0].Issue.Phase; got != Checking {
		t.Fatalf("is in phase %s, want %s", got, Checking)
	}
	o := mustStop(s, Stopping{}, epoch)
	if o.Check == nil {
		t.Fatalf("the check is not asked for: %+v", o)
	}
	s = mustStop(o.Stack, Stopping{Check: &CheckResult{Frame: o.Check.Frame}}, epoch).Stack
	if got := s.Frames[0].Issue.Phase; got != Sealing {
		t.Errorf("is in phase %s, want %s", got, Sealing)
	}
}

// issueLoop returns an issue loop that looks for its first issue.
func issueLoop(t *testing.T, check string) Stack {
	t.Helper()
	out, err := Start(
		Stack{},
		"ses1",
		"run",
		Options{Max: 10, Repo: "/repo", Check: check, CheckTimeout: time.Minute},
		epoch,
	)
	if err != nil {
		t.Fatal(err)
	}
	return out.Stack
}

// worked takes a picked issue to Sealing: the session says that it is done, and the check
// passes if there is one.
func worked(t *testing.T, s Stack) Stack {
	t.Helper()
	s = advance(t, s, Result{Place: Place{Path: "/w", Branch: "b", Base: "main"}})
	s = mustStop(s, Stopping{Tools: 1}, epoch).Stack // hears of it
	o := mustStop(s, Stopping{Message: markComplete}, epoch)
	if o.Check != nil {
		o = mustStop(o.Stack, Stopping{Check: &CheckResult{Frame: o.Check.Frame}}, epoch)
	}
	if got := o.Stack.Frames[0].Issue.Phase; got != Sealing {
		t.Fatalf("is in phase %s, want %s", got, Sealing)
	}
	return o.Stack
}
