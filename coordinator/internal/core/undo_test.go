package core_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/undo"
)

var picture = []undo.Picture{{Scope: undo.Scope{Root: "/r"}, Tree: "abc", Files: 1, Bytes: 5}}

// step plans and takes the snapshot of one call.
func (r *rig) step(hash string, of ask.ID) undo.Snapshot {
	r.t.Helper()
	v, err := r.PlanUndo(undo.Snapshot{Session: "s", Tool: "Bash", Hash: hash, Text: "rm x", Ask: of})
	r.ok(err)
	return r.take(v.ID)
}

// take records what was kept before a step.
func (r *rig) take(id undo.ID) undo.Snapshot {
	r.t.Helper()
	return r.change(id, func(v undo.Snapshot, now time.Time) (undo.Snapshot, error) {
		return undo.Take(v, picture, "", now)
	})
}

func (r *rig) change(id undo.ID, step feature.UndoStep) undo.Snapshot {
	r.t.Helper()
	v, err := r.ChangeUndo(id, step)
	r.ok(err)
	return v
}

// look records the state after a step.
func (r *rig) look(id undo.ID) {
	r.t.Helper()
	r.change(id, func(v undo.Snapshot, _ time.Time) (undo.Snapshot, error) { return undo.Looked(v, picture) })
}

// end ends a restore.
func (r *rig) end(id undo.ID, result undo.Result) undo.Snapshot {
	r.t.Helper()
	return r.change(id, func(v undo.Snapshot, now time.Time) (undo.Snapshot, error) { return undo.End(v, result, now) })
}

// due runs the actions of the snapshots' lane and returns their keys.
func (r *rig) due() (keys []string) {
	r.t.Helper()
	for _, a := range r.drain(feature.LaneUndo) {
		keys = append(keys, a.Key)
	}
	return keys
}

// TestUndoLife checks that the guard's question and the host's dialog share a snapshot. It
// survives a restart, is looked at after the step, and is removed after a day.
func TestUndoLife(t *testing.T) {
	r := newRig(t)
	r.see("s", "/src/p")
	early := r.step("h", "")
	a, err := r.OpenCovered(ask.Ask{
		ID:       "ask_1",
		Kind:     ask.Permission,
		Session:  "s",
		Tool:     "Bash",
		Hash:     "h",
		Attended: true,
	}, grant.Need{})
	r.ok(err)
	if v := r.step("h", a.ID); v.ID != early.ID || v.Ask != a.ID {
		t.Fatalf("two snapshots of one call: %s and %s", early.ID, v.ID)
	}
	_, err = r.Answer(a.ID, ask.Decision{Allow: true, By: "Ada"})
	r.ok(err)
	r.restart()
	_, err = r.ClaimAsk(a.ID, false)
	r.ok(err)
	r.ok(r.Ran(ask.Outcome{Session: "s", Tool: "Bash", Hash: "h", Run: ask.Run{OK: true}}))
	if got := r.due(); !slices.Equal(got, []string{"undo.look:" + string(early.ID)}) {
		t.Errorf("to be done behind the step: %q", got)
	}
	a, err = r.Ask(a.ID)
	r.ok(err)
	if a.Undo == nil || a.Undo.Button == "" {
		t.Errorf("its card says %+v", a.Undo)
	}
	r.look(early.ID)
	r.pass(undo.KeptFor)
	if v, err := r.Undo(early.ID); err != nil || v.State != undo.Gone || len(r.Undos()) != 0 {
		t.Errorf("a day later it is %s, %v", v.State, err)
	}
	if got := r.due(); !slices.Equal(got, []string{"undo.drop:" + string(early.ID)}) {
		t.Errorf("to be done after a day: %q", got)
	}
	if _, err := r.StartUndo(early.ID, undo.Restore{}); !errors.Is(err, undo.ErrGone) {
		t.Errorf("restored after a day: %v", err)
	}
}

// TestUndoRestored checks that a restore goes on after a restart, keeps the state that it
// overwrites once, and has one result.
func TestUndoRestored(t *testing.T) {
	r := newRig(t)
	r.see("s", "/src/p")
	id := r.step("h", "").ID
	v, err := r.StartUndo(id, undo.Restore{By: "Ada"})
	r.ok(err)
	r.restart()
	if got := r.due(); !slices.Equal(got, []string{"undo.restore:" + string(id)}) {
		t.Errorf("to be done: %q", got)
	}
	if redo := r.take(v.Restore.Redo); redo.State != undo.Ready || redo.Undoes != id {
		t.Errorf("what stood there is %+v", redo)
	}
	r.look(v.Restore.Redo)
	for range 2 {
		v = r.end(id, undo.Result{Did: "1 file restored"})
	}
	r.end(id, undo.Result{Newer: []string{"late"}})
	v, err = r.Undo(id)
	r.ok(err)
	redo, err := r.Undo(v.Restore.Redo)
	r.ok(err)
	if v.State != undo.Restored || redo.State != undo.Ready || redo.RanAt.IsZero() || len(redo.After) != 1 {
		t.Errorf("it is %s, what stood there is %+v", v.State, redo)
	}
	if _, err := r.StartUndo(redo.ID, undo.Restore{By: "Ada"}); err != nil {
		t.Errorf("the undoing cannot be undone: %v", err)
	}
	r.pass(2 * undo.KeptFor)
	if v, _ := r.Undo(redo.ID); v.State != undo.Restoring {
		t.Errorf("time made it %s in the middle of its restoring", v.State)
	}
}

// TestUndoRefused checks that a restore that changed nothing leaves no snapshot of the state
// before it, and that the person can ask again.
func TestUndoRefused(t *testing.T) {
	r := newRig(t)
	r.see("s", "/src/p")
	id := r.step("h", "").ID
	for _, result := range []undo.Result{{Newer: []string{"a"}}, {Failed: "no disk"}} {
		v, err := r.StartUndo(id, undo.Restore{By: "Ada"})
		r.ok(err)
		redo := v.Restore.Redo
		if v = r.end(id, result); v.State != undo.Ready {
			t.Errorf("%+v: it is %s", result, v.State)
		}
		if v, _ := r.Undo(redo); v.State != undo.Gone || v.Why != "" || len(r.Undos()) != 1 {
			t.Errorf("%+v: what stood there is %s, %q", result, v.State, v.Why)
		}
		if got := r.due(); !slices.Contains(got, "undo.drop:"+string(redo)) {
			t.Errorf("%+v: to be done: %q", result, got)
		}
	}
}

// TestUndoRoom checks that the newest snapshots are kept if there are many.
func TestUndoRoom(t *testing.T) {
	r := newRig(t)
	r.see("s", "/src/p")
	first := r.step("0", "").ID
	for i := range undo.Most {
		r.pass(time.Second)
		r.step(fmt.Sprint(i+1), "")
	}
	if n := len(r.Undos()); n != undo.Most {
		t.Errorf("%d are kept", n)
	}
	if v, _ := r.Undo(first); v.State != undo.Gone {
		t.Errorf("the oldest is %s", v.State)
	}
	for _, id := range []undo.ID{"", "undo_x"} {
		if _, err := r.StartUndo(id, undo.Restore{}); !errors.Is(err, core.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if v := r.end(first, undo.Result{Failed: "x"}); v.State != undo.Gone {
		t.Errorf("the oldest is %s", v.State)
	}
}
