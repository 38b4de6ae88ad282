package run

import (
	"errors"
	"testing"
)

// TestPlace: no turn starts before the worktree of a run is made, and the first one is kept.
func TestPlace(t *testing.T) {
	place := Place{Repo: "/r", Path: "/r/w", Branch: "b", Base: "main"}
	for _, state := range States() {
		r := in(state)
		r.Worktree = true
		if r.NeedsPlace() != (state == Queued) {
			t.Errorf("%s: needs a place: %t", state, r.NeedsPlace())
		}
		settled, err := Settle(r, place, "/r/w/sub")
		if err != nil || settled.Place != place || settled.Dir != "/r/w/sub" || settled.State != state ||
			settled.NeedsPlace() {
			t.Errorf("settle a run that is %s: %+v, %v", state, settled, err)
		}
		again, _ := Settle(settled, Place{Path: "/other"}, "/other")
		if again.Place != place || again.Dir != "/r/w/sub" {
			t.Errorf("%s: it moved to %s", state, again.Dir)
		}
		failed, err := Unsettled(r, "no room", noon)
		switch {
		case state == Queued && (err != nil || failed.State != Failed || failed.Why == ""):
			t.Errorf("a worktree that cannot be made: %s %q, %v", failed.State, failed.Why, err)
		case state != Queued && !errors.Is(err, ErrState):
			t.Errorf("give up the worktree of a run that is %s: %v", state, err)
		}
	}
	if _, err := Settle(in(Queued), place, "/x"); !errors.Is(err, ErrState) {
		t.Errorf("a run without a worktree: %v", err)
	}
	waits := Run{ID: "w", State: Queued, QueuedAt: noon, Worktree: true}
	next := Next([]Run{waits, {ID: "x", State: Queued, QueuedAt: noon.Add(1)}}, 1, noon)
	if len(next) != 1 || next[0].ID != "x" {
		t.Errorf("next are %v", next)
	}
}
