package telegram

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

// ranStep is a step that was allowed on the phone and ran, with its snapshot.
func (r *rig) ranStep(id, command string, p undo.Picture) (a ask.Ask, v undo.Snapshot) {
	r.Helper()
	a = r.ask(id, command)
	r.says("sha256", "Allow ✅", "Deny ⛔")
	return a, r.ran(a, command, p)
}

// saved takes a snapshot before the step of an ask.
func (r *rig) saved(a ask.Ask, command string, p undo.Picture) undo.Snapshot {
	r.Helper()
	v, err := r.core.PlanUndo(undo.Snapshot{Session: a.Session, Tool: a.Tool, Hash: a.Hash, Text: command, Ask: a.ID})
	if err == nil {
		_, err = r.core.ChangeUndo(v.ID, func(v undo.Snapshot, now time.Time) (undo.Snapshot, error) {
			return undo.Take(v, []undo.Picture{p}, "", now)
		})
	}
	if err != nil {
		r.Fatal(err)
	}
	return v
}

// ran allows the step of an ask, which then runs, and returns its snapshot.
func (r *rig) ran(a ask.Ask, command string, p undo.Picture) undo.Snapshot {
	r.Helper()
	v := r.saved(a, command, p)
	_, err := r.core.Answer(a.ID, ask.Decision{Allow: true, By: "Ann", Channel: "telegram"})
	if err == nil {
		_, err = r.core.ClaimAsk(a.ID, false)
	}
	if err == nil {
		err = r.core.Ran(ask.Outcome{Session: a.Session, Tool: a.Tool, Hash: a.Hash, Run: ask.Run{OK: true}})
	}
	if err != nil {
		r.Fatal(err)
	}
	return v
}

// endUndo ends the restore of a snapshot.
func (r *rig) endUndo(id undo.ID, result undo.Result) {
	r.Helper()
	_, err := r.core.ChangeUndo(id, func(v undo.Snapshot, now time.Time) (undo.Snapshot, error) {
		return undo.End(v, result, now)
	})
	if err != nil {
		r.Fatal(err)
	}
}

// says waits for a card that says text and has just these buttons.
func (r *rig) says(text string, buttons ...string) botapi.Message {
	r.Helper()
	want := fmt.Sprint(buttons)
	m, err := r.api.Await(r.ctx, func(m botapi.Message) bool {
		return strings.Contains(m.Text, text) && fmt.Sprint(m.Labels()) == want
	})
	if err != nil {
		r.Fatalf("no %q with %s: %v\nlog:\n%s", text, want, err, r.log)
	}
	return m
}

func TestUndoButton(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	kept := undo.Picture{Files: 3, Bytes: 12_000}
	_, v := r.ranStep("ask_1", "git clean -fd src", kept)
	card := r.says("↩️ snapshot: 3 files, 12 kB · Undo until", "Undo ↩️")

	eve := r.api.User(12, "Eve")
	if _, err := eve.TapLate(card.ID, "Undo ↩️"); err == nil {
		r.settled()
	}
	if v, _ := r.core.Undo(v.ID); v.State != undo.Ready {
		t.Errorf("Eve made it %s", v.State)
	}

	first := r.tap(r.ann, card.ID, "Undo ↩️")
	second := r.tap(r.ann, card.ID, "Undo ↩️")
	if got := r.awaitAnswer(first); got != "Undoing. The card says how it turns out." {
		t.Errorf("the tap got %q", got)
	}
	if got := r.awaitAnswer(second); !strings.Contains(got, "it is being undone") {
		t.Errorf("the second tap got %q", got)
	}
	r.endUndo(v.ID, undo.Result{Newer: []string{"src/<a>.go", "b"}})
	card = r.says("not undone: newer work would be overwritten: src/<a>.go, b", "Undo anyway ↩️")
	r.awaitAnswer(r.tap(r.ann, card.ID, "Undo anyway ↩️"))
	v, _ = r.core.Undo(v.ID)
	if v.State != undo.Restoring || !v.Covered([]string{"b"}) || v.Covered([]string{"c"}) {
		t.Errorf("it is %s and knows of %v", v.State, v.Restore.Known)
	}
	r.endUndo(v.ID, undo.Result{Did: "3 files restored"})
	card = r.says("undone by Ann at")
	if got := r.awaitAnswer(r.tap(r.ann, card.ID, "Undo ↩️")); !strings.Contains(got, "already undone by Ann at ") {
		t.Errorf("a late tap got %q", got)
	}
}

// TestUndoLate: after a day the button goes, and a tap that comes nevertheless
// gets an honest answer, also behind a restart.
func TestUndoLate(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	r.ranStep("ask_1", strings.Repeat("x 'a & b' <c> ", 4000),
		undo.Picture{Files: 1, Left: []string{strings.Repeat("<&>", 900)}})
	card := r.says("Undo until", "Undo ↩️")
	r.later.Store(int64(24*time.Hour + time.Second))
	if err := r.core.Tick(); err != nil {
		t.Fatal(err)
	}
	r.says("the snapshot is gone: it was kept for 24 hours")
	r.restart()
	got := r.awaitAnswer(r.tap(r.ann, card.ID, "Undo ↩️"))
	if got != "Nothing was changed: the snapshot is gone: it was kept for 24 hours." {
		t.Errorf("a late tap got %q", got)
	}
}
