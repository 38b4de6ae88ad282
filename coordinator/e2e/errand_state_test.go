package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestIssueBlocked: if the person's work blocks a landing, the session is told, the landing
// is tried again at the next stop, and the person's work is unchanged.
func TestIssueBlocked(t *testing.T) {
	t.Parallel()
	t.Run("a dirty base, then a clean one", func(t *testing.T) {
		t.Parallel()
		r := newIssueRig(t, push)
		r.issue("a1")
		r.begins("s")
		r.work("a1", "gate", "x\n")
		r.write("README", "the person is at it\n")
		r.wants(r.stop("s", completed), "cannot land", "uncommitted changes", "README")
		r.told("is approved and cannot land")
		if r.read("README") != "the person is at it\n" || r.exists("gate") {
			t.Error("the checkout of the person changed")
		}
		r.git("checkout", "README")
		if out := r.stop("s", "waiting"); strings.Contains(out, "decision") {
			t.Errorf("goes on: %s", out)
		}
		r.ends("s", "done")
		r.whole()
	})
	t.Run("commits that are not pushed", func(t *testing.T) {
		t.Parallel()
		r := newIssueRig(t, push)
		r.issue("a1")
		r.begins("s", "--check", "true")
		r.work("a1", "gate", "x\n")
		r.write("README", "a better gate\n")
		r.git("commit", "-qam", "the person's next")
		tip := r.git("rev-parse", "main")
		r.wants(r.stop("s", completed), "cannot land", "push them")
		r.wants(r.stop("s", "waiting"), "cannot land")
		r.stop("s", "waiting")
		r.ends("s", "stuck")
		if r.git("rev-parse", "main") != tip || r.read("README") != "a better gate\n" {
			t.Error("the person's commit is not the base any more")
		}
		if r.status("a1") == "in_progress" || !r.exists(".worktrees/afar/a1/gate") {
			t.Errorf("a1 is %s, or its work is gone", r.status("a1"))
		}
		r.told("Loop stuck")
	})
}

// TestIssueBaseMoves: if the base moves, the work is rebased and its check runs again. The
// session must resolve a conflict.
func TestIssueBaseMoves(t *testing.T) {
	t.Parallel()
	t.Run("the check is red there", func(t *testing.T) {
		t.Parallel()
		r := newIssueRig(t, push)
		r.issue("a1")
		r.begins("s", "--check", "test ! -e broken")
		r.work("a1", "gate", "x\n")
		r.write("broken", "by another\n")
		r.git("add", "broken")
		r.git("commit", "-qm", "another's")
		r.git("push", "-q")
		r.wants(r.stop("s", completed), "The base has moved", "the check is red")
		r.git("-C", ".worktrees/afar/a1", "rm", "-q", "broken")
		r.git("-C", ".worktrees/afar/a1", "commit", "-qm", "mend it")
		if out := r.stop("s", completed); strings.Contains(out, `"decision"`) {
			t.Errorf("goes on: %s", out)
		}
		r.ends("s", "done")
		if n := r.reviews(); n != 2 {
			t.Errorf("%d reviews, want one of each commit", n)
		}
		r.whole()
	})
	t.Run("nobody checks", func(t *testing.T) {
		t.Parallel()
		r := newIssueRig(t, push)
		r.issue("a1")
		r.begins("s")
		r.work("a1", "gate", "x\n")
		r.write("README", "a red gate\n")
		r.git("commit", "-qam", "another's")
		r.git("push", "-q")
		r.stop("s", completed)
		r.ends("s", "done")
		if n := r.reviews(); n != 2 || !r.exists("gate") || r.read("README") != "a red gate\n" {
			t.Errorf("%d reviews of what landed, want one before and one behind the rebase", n)
		}
		r.whole()
	})
	t.Run("it contradicts", func(t *testing.T) {
		t.Parallel()
		r := newIssueRig(t, push)
		r.issue("a1")
		r.begins("s")
		r.work("a1", "README", "a green gate\n")
		r.write("README", "a red gate\n")
		r.git("commit", "-qam", "another's")
		r.git("push", "-q")
		r.wants(r.stop("s", completed), "git rebase main", "README")
		tree := ".worktrees/afar/a1"
		r.git("-C", tree, "reset", "-q", "--hard", "main")
		r.work("a1", "README", "a red and green gate\n")
		r.stop("s", completed)
		r.ends("s", "done")
		if r.read("README") != "a red and green gate\n" {
			t.Errorf("README: %s", r.read("README"))
		}
		r.whole()
	})
}

// waits is a reviewer that waits for the file go and then approves.
const waits = `until [ -e "$DIR/go" ]; do sleep 0.05; done; ` + approves

// TestIssueWaysOut: every way out frees a session that waits for a review at once. The next
// stop tells the result of the review.
func TestIssueWaysOut(t *testing.T) {
	t.Parallel()
	under := func(t *testing.T) (*issueRig, *hookRun) {
		r := newIssueRig(t, push)
		r.issue("a1")
		r.issue("b2")
		r.says(waits)
		r.begins("s")
		r.work("a1", "gate", "x\n")
		hook := r.stopping("s", completed)
		r.phase("s", "reviewing")
		for deadline := time.Now().Add(patience); r.reviews() == 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("nobody reviews")
			}
		}
		return r, hook
	}
	free := func(r *issueRig, hook *hookRun) {
		r.t.Helper()
		if out, err := hook.wait(); err != nil || strings.Contains(out, "decision") {
			r.t.Errorf("the hook printed %q, %v", out, err)
		}
	}
	t.Run("Esc", func(t *testing.T) {
		t.Parallel()
		r, hook := under(t)
		_ = hook.cmd.Process.Signal(syscall.SIGTERM)
		<-hook.ended
		r.file(r.dir+"/go", "")
		r.phase("s", "working")
		r.wants(r.stop("s", "the person wanted something else"), "Issue b2 is yours")
		r.told("LANDED: issue a1")
	})
	t.Run("a prompt", func(t *testing.T) {
		t.Parallel()
		r, hook := under(t)
		r.types("s", "wait, look here first")
		free(r, hook)
		r.file(r.dir+"/go", "")
		r.wants(r.stop("s", "looked"), "Issue b2 is yours")
	})
	t.Run("pause", func(t *testing.T) {
		t.Parallel()
		r, hook := under(t)
		r.afar("pause")
		free(r, hook)
		calls := r.calls()
		r.file(r.dir+"/go", "")
		r.phase("s", "landing")
		r.afar("audit", "verify") // as long as a landing needs to begin
		if r.calls() != calls {
			t.Error("git ran while Afar was paused")
		}
		r.afar("resume")
		r.phase("s", "working")
		r.wants(r.stop("s", "back"), "Issue b2 is yours")
	})
	t.Run(".afar-disabled", func(t *testing.T) {
		t.Parallel()
		r, hook := under(t)
		r.write(".afar-disabled", "")
		free(r, hook)
		r.told("asks for silence (.afar-disabled)")
	})
	t.Run("cancel", func(t *testing.T) {
		t.Parallel()
		r, hook := under(t)
		r.afar("loop", "cancel", "s")
		free(r, hook)
		r.ends("s", "cancelled")
		r.becomes("a1", "paused")
		r.wants(r.read(".afar/issues/a1.md"), " at the terminal", "afar/issue/a1")
		if r.exists("gate") || !r.exists(".worktrees/afar/a1/gate") {
			t.Error("it landed, or its work is gone")
		}
		r.whole()
	})
	t.Run("the session ends", func(t *testing.T) {
		t.Parallel()
		r, hook := under(t)
		_ = hook.cmd.Process.Signal(syscall.SIGTERM)
		<-hook.ended
		r.hook("SessionEnd", r.session("s", "").with(payload{"reason": "other"}))
		r.file(r.dir+"/go", "")
		r.phase("s", "working")
		r.hook("SessionStart", r.session("s", "again").with(payload{"source": "resume"}))
		r.wants(r.stop("s", "back"), "Issue b2 is yours")
	})
	t.Run("time is over", func(t *testing.T) {
		t.Parallel()
		r := newIssueRig(t, push)
		r.issue("a1")
		r.says(hangs)
		r.begins("s", "--for", "12s") // the work before the review takes some of it
		r.work("a1", "gate", "x\n")
		free(r, r.stopping("s", completed))
		r.ends("s", "timeout")
		r.becomes("a1", "paused")
	})
	t.Run("the reviewer hangs", func(t *testing.T) {
		t.Parallel()
		r := newIssueRig(t, push)
		r.issue("a1")
		r.says(hangs)
		r.begins("s")
		r.work("a1", "gate", "x\n")
		free(r, r.stopping("s", completed))
		r.ends("s", "stuck")
		r.told("its review failed")
		r.becomes("a1", "paused")
	})
}

// types runs the hook of a prompt that a person types at the terminal of a session. Only
// this hook is a child of the client.
func (r *issueRig) types(session, prompt string) {
	r.t.Helper()
	in, err := json.Marshal(r.session(session, "typed").with(payload{"hook_event_name": "UserPromptSubmit",
		"prompt": prompt}))
	if err != nil {
		r.t.Fatal(err)
	}
	client := exec.CommandContext(r.t.Context(), "sh", "-c", `"$0"; exit $?`,
		filepath.Join(filepath.Dir(r.bin), "hook-user-prompt-submit"))
	client.Env, client.Stdin = append([]string{"CLAUDE_CODE_SESSION_ATTENDED=1"}, r.env...), bytes.NewReader(in)
	if out, err := client.CombinedOutput(); err != nil {
		r.t.Fatalf("prompt: %v\n%s", err, out)
	}
}

// becomes waits until an issue has a status.
func (r *issueRig) becomes(id, status string) {
	r.t.Helper()
	for range 100 {
		if r.status(id) == status {
			return
		}
		r.follows()
	}
	r.t.Errorf("%s is %s, want %s\n%s", id, r.status(id), status, r.trail())
}

// TestIssueNotCommitted: an issue whose file was never committed can be worked on. The file
// is changed in place and does not block the landing.
func TestIssueNotCommitted(t *testing.T) {
	t.Parallel()
	r := newIssueRig(t, push)
	r.write(".afar/issues/a1.md", "# Mend a1\n")
	r.write(".afar/issues/b2.md", "# Mend b2\n")
	r.begins("s")
	if got := r.status("a1"); got != "in_progress" {
		t.Errorf("a1 is %s", got)
	}
	r.work("a1", "gate", "x\n")
	r.wants(r.stop("s", completed), "Issue b2 is yours")
	r.wants(r.read(".afar/issues/a1.md"), "status: closed", "landed as")
	r.says(rejects)
	for n := range 3 {
		r.work("b2", "gate", fmt.Sprint(n))
		r.stop("s", completed)
	}
	r.ends("s", "done")
	r.becomes("b2", "paused")
	r.wants(r.issues("list"), "Mend what the review of b2 found")
	r.whole()
}

// TestIssueGivenUp: an issue that the session gives up is paused, and the loop continues
// with the next one.
func TestIssueGivenUp(t *testing.T) {
	t.Parallel()
	r := newIssueRig(t, push)
	r.issue("a1")
	r.issue("b2")
	r.begins("s", "--max", "1")
	r.wants(r.stop("s", "It needs a key.\n<loop-done>STUCK</loop-done>"), "Issue b2 is yours")
	r.becomes("a1", "paused")
	r.told("PAUSED: issue a1")
	if out := r.stop("s", "still at it"); strings.Contains(out, `"decision"`) {
		t.Errorf("goes on: %s", out)
	}
	r.ends("s", "stuck")
	r.becomes("b2", "paused")
	r.wants(r.read(".afar/issues/b2.md"), "capped")
	r.whole()
}

// TestIssueClosedTooSoon: an issue that a session closed in its worktree, without any work,
// stays open, and the next loop takes it again.
func TestIssueClosedTooSoon(t *testing.T) {
	t.Parallel()
	r := newIssueRig(t, push)
	r.issue("a1")
	r.begins("s")
	r.write(".worktrees/afar/a1/.afar/issues/a1.md",
		strings.Replace(r.read(".afar/issues/a1.md"), "\n\n", "\n\n- status: closed\n\n", 1))
	r.afar("loop", "cancel", "s")
	r.becomes("a1", "paused")
	r.write(".afar/issues/a1.md", strings.Replace(r.read(".afar/issues/a1.md"), "status: paused", "status: open", 1))
	r.publish()
	r.wants(r.begins("t"), "Issue a1 is yours")
	r.whole()
}

// TestLoopRowDamaged: a damaged row ends its loop as failed and frees its session. The
// person is told once, and other loops are not affected.
func TestLoopRowDamaged(t *testing.T) {
	t.Parallel()
	r := newIssueRig(t, push)
	for _, id := range []string{"one", "two"} {
		r.hook("SessionStart", r.session(id, "begin").with(payload{"source": "startup"}))
		r.afar("loop", "start", "--session", id, "--max", "9", "paint the gate of "+id)
	}
	r.afar("stop")
	raw, err := os.ReadFile(r.dirs.Database())
	if err != nil {
		t.Fatal(err)
	}
	row := []byte(`{"schema":2,"session":"one"`)
	if bytes.Count(raw, row) == 0 {
		t.Fatal("the row is not in the file")
	}
	if err := os.WriteFile(r.dirs.Database(), bytes.ReplaceAll(raw, row, []byte(`{"schema":!,"session":"one"`)),
		0o600); err != nil {
		t.Fatal(err)
	}
	if out := r.stop("one", "so far"); strings.Contains(out, "decision") {
		t.Errorf("the session is held: %s", out)
	}
	r.wants(r.stop("two", "so far"), "paint the gate of two")
	r.ends("one", "failed")
	r.afar("restart")
	r.told("Loop failed")
	r.drain()
	if n := len(r.showing("Loop failed")); n != 1 {
		t.Errorf("told %d times", n)
	}
	if out := r.stop("one", "so far"); strings.Contains(out, `"decision":"block"`) &&
		strings.Contains(out, "gate of one") {
		t.Errorf("the session is held: %s", out)
	}
}
