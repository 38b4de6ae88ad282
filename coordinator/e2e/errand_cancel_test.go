package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var cancelIssues = flag.Int("cancel-issue-every", 61,
	"the test that cancels a loop in the errands of an issue does so at each n-th call of git")

// TestIssueCancelledAnywhere cancels a loop while git hangs in the middle of an errand, at
// each call in turn, from the choice of an issue to the removal of its worktree. The
// session is free before git continues. Then the issue is landed and closed, or nothing of
// it has landed and its work is kept.
func TestIssueCancelledAnywhere(t *testing.T) {
	t.Parallel()
	r := newIssueRig(t, push)
	r.file(filepath.Join(r.dir, "holds"), "")
	held := 0
	for n, at := 0, 1; !t.Failed(); n, at = n+1, at+*cancelIssues {
		id, session := fmt.Sprintf("c%02d", n), fmt.Sprintf("session-%d", n)
		r.issue(id)
		r.hook("SessionStart", r.session(session, "begin").with(payload{"source": "startup"}))
		r.afar("loop", "start", "--session", session)
		for _, name := range []string{"held", "go"} {
			_ = os.Remove(filepath.Join(r.dir, name))
		}
		r.aimAt(t, at)
		if out, stuck := r.untilHeld(session, "ready"); !stuck {
			r.wants(out, "Issue "+id+" is yours")
			r.work(id, "mended-"+id, "mended\n")
			if _, stuck := r.untilHeld(session, completed); !stuck {
				break // it went through
			}
		}
		held++
		if r.settles(at, id, session) == "open" { // it was not even begun, and the next loop would take it
			r.issues("close", id, "-m", "not wanted")
			r.publish()
		}
		r.whole()
	}
	t.Logf("cancelled at %d calls", held)
}

// untilHeld runs a stop of a session until it is over or git hangs. If git hangs, it cancels
// the loop, waits for the end of the hook, and lets git continue.
func (r *issueRig) untilHeld(session, message string) (out string, stuck bool) {
	r.t.Helper()
	hook := r.stopping(session, message)
	for !stuck {
		select {
		case err := <-hook.ended:
			if err != nil {
				r.t.Fatal(err)
			}
			return hook.out.String(), false
		case <-time.After(10 * time.Millisecond):
			_, err := os.Stat(filepath.Join(r.dir, "held"))
			stuck = err == nil
		}
	}
	r.afar("loop", "cancel", session)
	if out, err := hook.wait(); err != nil || strings.Contains(out, "decision") {
		r.t.Errorf("the hook printed %q, %v", out, err)
	}
	r.file(filepath.Join(r.dir, "go"), "")
	return "", true
}

// settles waits until no errand runs for a cancelled issue. It checks that everything or
// nothing of the issue has landed.
func (r *issueRig) settles(at int, id, session string) (status string) {
	r.t.Helper()
	tree, landed := ".worktrees/afar/"+id, false
	for still := 0; still < 3 && !r.t.Failed(); still++ {
		calls := r.calls()
		r.follows()
		status, landed = r.status(id), r.read("mended-"+id) != ""
		if r.loop(session).Active || status == "in_progress" || r.exists(tree+".status") || r.calls() != calls {
			still = 0
		}
	}
	r.ends(session, map[bool]string{true: "done", false: "cancelled"}[r.loop(session).Verdict == "done"])
	if landed != (status == "closed") || r.exists(tree+".status") {
		r.t.Errorf("held at call %d: %s is %s, landed %v\n%s", at, id, status, landed, r.trail())
	}
	branch := strings.TrimSpace(r.git("for-each-ref", "--format=%(refname:short)", "refs/heads/afar/issue/"+id))
	if status == "paused" && branch == "" {
		r.t.Errorf("held at call %d: the work of %s is gone\n%s", at, id, r.trail())
	}
	return status
}
