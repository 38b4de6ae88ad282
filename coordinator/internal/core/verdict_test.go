package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// advance applies a result to the errand that the loop of a session waits for.
func (r *rig) advance(id session.ID, result loop.Result) {
	r.t.Helper()
	f := r.Loop(id).Frames[0]
	r.ok(r.AdvanceIssue(coreErrand(id,
		loop.Errand{Frame: f.ID, Step: f.Issue.Step, Phase: f.Issue.Phase, Issue: *f.Issue}), result))
}

// landAndPause takes an issue loop through one issue that lands and one that is paused.
func (r *rig) landAndPause(id session.ID) {
	r.t.Helper()
	_, err := r.StartLoop(id, loop.Options{Repo: "/home/ann/gate", Max: 3})
	r.ok(err)
	commit := strings.Repeat("a", 40)
	place := loop.Place{Path: "/w", Branch: "b", Base: "main", InTree: true}
	for _, way := range [][]loop.Result{{{Commit: commit}, {Approved: true, By: "codex"}, {Commit: commit}, {}},
		{{Commit: commit}, {Broken: "it hung"}}} {
		r.advance(id, loop.Result{Ready: []loop.Found{{ID: "7", Title: "Mend the gate"},
			{ID: "8", Title: "Oil the hinge"}}})
		r.advance(id, loop.Result{Place: place})
		for _, message := range []string{"", "<loop-done>COMPLETE</loop-done>"} {
			_, err := r.StopLoop(id, loop.Stopping{Message: message})
			r.ok(err)
		}
		for _, result := range way {
			r.advance(id, result)
		}
	}
	r.advance(id, loop.Result{})
}

// TestPausedIsToldBeforeTheEnd checks that the notice about a paused issue is not delayed
// until after the notice about the end of the loop.
func TestPausedIsToldBeforeTheEnd(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/home/ann/gate")
	r.told()
	r.landAndPause("s")
	got := r.told()
	if len(got) == 0 {
		t.Fatal("nothing was told")
	}
	last, before := got[len(got)-1], strings.Join(got[:len(got)-1], "\n")
	if !strings.Contains(last, "Loop done (claimed)") || !strings.Contains(last, "1 landed, 1 paused") {
		t.Errorf("the end: %q", last)
	}
	for _, want := range []string{"LANDED: issue 7", "PAUSED: issue 8"} {
		if !strings.Contains(before, want) {
			t.Errorf("%q is not told before the end: %q", want, got)
		}
	}
	r.pass(time.Minute)
	r.expect("a minute later")
}

// TestReportNamesGoals checks that the report names the goals of the loops that ended, and the
// issues that landed or were paused.
func TestReportNamesGoals(t *testing.T) {
	r := newRig(t)
	token := r.see("s", "/home/ann/gate").Token
	since := r.time()
	r.landAndPause("s")
	_, err := r.StartLoop("s", loop.Options{Task: "paint the gate\nwith AKIAIOSFODNN7EXAMPLQ", Max: 3})
	r.ok(err)
	r.ok(r.CancelLoop("s", "Ada", "web"))
	report, err := r.Report(since)
	r.ok(err)
	var loops, issues []string
	for _, e := range report.Loops {
		loops = append(loops, e.Text)
	}
	for _, e := range report.Issues {
		issues = append(issues, e.Text)
	}
	r.same("loops", []string{
		token + ": loop ended: done (claimed), 2 issues taken, 1 landed, 1 paused: the issues of /home/ann/gate",
		token + ": loop ended: cancelled by Ada, 0/3 iterations: paint the gate with AKIA•••",
	}, loops)
	r.same("issues", []string{
		token + ": issue 7 LANDED: Mend the gate, aaaaaaaaaaaa on main",
		token + ": issue 8 PAUSED: its review failed: it hung",
	}, issues)
}
