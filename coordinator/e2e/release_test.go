package e2e

import (
	"strings"
	"testing"
)

// TestIssueCancelledUntouched: an issue without any work stays open when its loop is
// cancelled. Nothing is committed on the base, and its worktree is removed.
func TestIssueCancelledUntouched(t *testing.T) {
	t.Parallel()
	r := newIssueRig(t, push)
	r.issue("a1")
	r.begins("s")
	r.phase("s", "working")
	tip := r.git("rev-parse", "main")
	r.afar("loop", "cancel", "s")
	r.told("REOPENED: issue a1")
	if now := r.git("rev-parse", "main"); now != tip {
		t.Errorf("the base has a new commit:\n%s", r.git("log", "-1", "main"))
	}
	if r.status("a1") != "open" || r.exists(".worktrees/afar/a1") {
		t.Errorf("a1 is %s, and its worktree is there: %t", r.status("a1"), r.exists(".worktrees/afar/a1"))
	}
	if ready := r.issues("ready"); !strings.Contains(ready, "a1") {
		t.Errorf("a1 is not ready:\n%s", ready)
	}
}
