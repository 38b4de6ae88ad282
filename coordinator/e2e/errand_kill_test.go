package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// TestKillIssue kills the coordinator at each program that it starts for an issue: at git,
// from the creation of the worktree to its removal, and at the reviewer. Each time the
// issue lands exactly once, and nothing is lost: no commit, no untracked file, and no
// unpushed work of the person.
func TestKillIssue(t *testing.T) {
	t.Parallel()
	r := newIssueRig(t, push)
	r.git("checkout", "-q", "-b", "feature")
	r.write("feature", "not pushed\n")
	r.git("add", "feature")
	r.git("commit", "-qm", "a feature of the person's")
	feature := r.git("rev-parse", "feature")
	r.git("checkout", "-q", "main")
	r.write("notes", "untracked\n")
	kills := 0
	for n, at := 0, 1; ; n, at = n+1, at+*killIssues {
		id, session := fmt.Sprintf("k%02d", n), fmt.Sprintf("session-%d", n)
		r.issue(id)
		r.hook("SessionStart", r.session(session, "begin").with(payload{"source": "startup"}))
		r.afar("loop", "start", "--session", session)
		r.aimAt(t, at)
		r.wants(r.stop(session, "ready"), "Issue "+id+" is yours")
		r.work(id, "mended-"+id, "mended\n")
		commit := strings.TrimSpace(r.git("-C", ".worktrees/afar/"+id, "rev-parse", "HEAD"))
		if out := r.stop(session, completed); strings.Contains(out, "decision") {
			t.Errorf("killed at %d: goes on: %s", at, out)
		}
		r.ends(session, "done")
		through := r.calls() < at
		r.aimAt(t, 0)
		if r.read("mended-"+id) != "mended\n" || r.status(id) != "closed" || r.exists(".worktrees/afar/"+id) {
			t.Errorf("killed at %d: %s is %s\n%s", at, id, r.status(id), r.trail())
		}
		r.git("merge-base", "--is-ancestor", commit, "main")
		if landed := strings.Count(r.topic(id), "[loop] LANDED"); landed != 1 {
			t.Errorf("killed at %d: said %d times that it landed", at, landed)
		}
		if r.read("notes") != "untracked\n" || r.git("rev-parse", "feature") != feature {
			t.Errorf("killed at %d: the person's own work changed", at)
		}
		if left := r.git("for-each-ref", "--format=%(refname)", "refs/heads/afar"); left != "" {
			t.Errorf("killed at %d: left %s", at, left)
		}
		r.whole()
		if through || t.Failed() {
			break
		}
		kills++
	}
	t.Logf("%d kills", kills)
}

// TestKillIssueGivenUp kills the coordinator in the same way while it gives up an issue.
// The issue is paused on the base exactly once, and its work is kept.
func TestKillIssueGivenUp(t *testing.T) {
	t.Parallel()
	r := newIssueRig(t, push)
	kills := 0
	for n, at := 0, 1; ; n, at = n+1, at+*killIssues {
		id, session := fmt.Sprintf("g%02d", n), fmt.Sprintf("session-%d", n)
		r.issue(id)
		r.begins(session)
		r.work(id, "half-"+id, "half\n")
		commit := strings.TrimSpace(r.git("-C", ".worktrees/afar/"+id, "rev-parse", "HEAD"))
		r.aimAt(t, at)
		if out := r.stop(session, "<loop-done>STUCK</loop-done>"); strings.Contains(out, "decision") {
			t.Errorf("killed at %d: goes on: %s", at, out)
		}
		r.ends(session, "stuck") // nothing landed
		r.becomes(id, "paused")
		for range 100 {
			if !r.exists(".worktrees/afar/" + id + ".status") {
				break
			}
			r.follows()
		}
		through := r.calls() < at
		r.aimAt(t, 0)
		if said := strings.Count(r.read(".afar/issues/"+id+".md"), "Paused by Afar"); said != 1 {
			t.Errorf("killed at %d: the file says %d times that it is paused", at, said)
		}
		if tip := strings.TrimSpace(r.git("rev-parse", "afar/issue/"+id)); tip != commit || r.exists("half-"+id) {
			t.Errorf("killed at %d: the work is at %s, want %s, and not landed", at, tip, commit)
		}
		if r.exists(".worktrees/afar/" + id + ".status") {
			t.Errorf("killed at %d: the worktree of the status stays\n%s", at, r.trail())
		}
		r.whole()
		if through || t.Failed() {
			break
		}
		kills++
	}
	t.Logf("%d kills", kills)
}
