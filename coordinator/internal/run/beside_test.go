package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBeside: a run beside another one is set up as that one, and has a worktree of its own.
func TestBeside(t *testing.T) {
	r := in(Working)
	r.Agent, r.Dir, r.Mode, r.Model, r.Worktree = "claude", "/r/w/one", Auto, "m", true
	r.Place = Place{Repo: "/r", Path: "/r/w/one"}
	b := Rest(Beside(r, 2), noon)
	want := Run{
		Name:      "r-2",
		Agent:     "claude",
		State:     Idle,
		Since:     noon,
		Dir:       "/r",
		Mode:      Auto,
		Model:     "m",
		Worktree:  true,
		Beside:    r.ID,
		StartedAt: noon,
	}
	if diff := cmp.Diff(want, b); diff != "" {
		t.Error(diff)
	}
	r.Worktree, r.Place = false, Place{}
	if b := Beside(r, 3); b.Dir != r.Dir || b.Worktree {
		t.Errorf("without a worktree: %+v", b)
	}
}
