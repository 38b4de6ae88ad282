package core_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// atCheckpoint returns a rig with task a, whose first turn has ended.
func atCheckpoint(t *testing.T) (*rig, run.Run) {
	r := newRig(t)
	r.pair()
	_, err := r.NewTask(task.Task{Slug: "a", Key: "k", By: "Ann"})
	r.ok(err)
	works, err := r.startTask("a", "one")
	r.ok(err)
	r.endTurn(works.ID, "")
	return r, works
}

// checkpoint shows the person a checkpoint.md, "" for none, and returns the id of its ask.
func (r *rig) checkpoint(file string) ask.ID {
	r.t.Helper()
	var a ask.Ask
	if file != "" {
		var err error
		q := ask.Question{
			Text: "Send?", Options: []ask.Option{{Label: "Send both", Description: "by mail"}, {Label: "Wait"}},
		}
		a, err = ask.NewCheckpoint("a", "c-one", "/w/a", file, "Two invoices.", q)
		r.ok(err)
	}
	r.ok(r.ShowCheckpoint("a", a))
	v, _ := r.Task("a")
	return ask.ID(v.Asked.Ask)
}

// TestCheckpoint: the answer reaches the task once, however often a look at the file breaks off,
// and the task goes on when the file is gone.
func TestCheckpoint(t *testing.T) {
	r, works := atCheckpoint(t)
	id := r.checkpoint("v1")
	r.restart()
	if again := r.checkpoint("v1"); again != id || id == "" {
		t.Errorf("one file is asked about as %q and %q", id, again)
	}
	a := r.state(string(id), ask.Open)
	if !a.Silent { // the end of its turn has rung
		t.Error("it rings a second time")
	}
	cards := slices.DeleteFunc(r.drain(phone), func(a store.Action) bool { return a.Kind != core.ActCard })
	if len(cards) != 1 || !a.Shown {
		t.Errorf("%d cards", len(cards))
	}
	when := r.sendData("a", "from outside")
	if when != "with the answer to its checkpoint" || len(r.TasksToGoOn()) != 0 {
		t.Errorf("data comes %q, tasks %+v", when, r.TasksToGoOn())
	}
	for _, plain := range []ask.Decision{yes("Ann"), {By: "Ann", Message: "no"}} {
		if _, err := r.Answer(id, plain); !errors.Is(err, ask.ErrWords) {
			t.Errorf("a plain %v: %v", plain.Allow, err)
		}
	}
	if _, err := r.Step(id, ask.Choose([]int{0}), ask.Decision{By: "Ann"}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Step(id, ask.Say("no, wait"), ask.Decision{By: "Ann"}); !errors.Is(err, ask.ErrSettled) {
		t.Errorf("a second answer: %v", err)
	}
	r.restart()
	if v, _ := r.Task("a"); !v.Asked.Used || len(r.TasksToGoOn()) != 0 {
		t.Errorf("before the file is removed: %+v, tasks %+v", v.Asked, r.TasksToGoOn())
	}
	if r.checkpoint("v1") != id {
		t.Error("a file that was used is asked about again")
	}
	for range 2 { // the second one is a worker that died before it knew of the first
		if left := r.checkpoint(""); left != "" {
			t.Errorf("without a file %q is open", left)
		}
	}
	next, err := r.goOnTask("a", "two")
	r.ok(err)
	if next.ID != works.ID || next.Turn.Prompt == "" {
		t.Errorf("%+v", next.Turn)
	}
	d, err := r.Deliver("c-one", "hook", session.Process{})
	r.ok(err)
	r.same("the texts of the turn", 2, len(r.textsOf("a")))
	if got := next.Turn.Prompt + d.Text; strings.Count(got, "Answer to your checkpoint: Send both → by mail") != 1 {
		t.Errorf("the turn gets %q", got)
	}
	r.endTurn(works.ID, "")
	if again := r.checkpoint("v1"); again == id || again == "" {
		t.Errorf("the same question after another turn is ask %q", again)
	}
}

// TestCheckpointEdited: a question about a file that has changed ends, and the new file is asked
// about.
func TestCheckpointEdited(t *testing.T) {
	r, _ := atCheckpoint(t)
	first := r.checkpoint("v1")
	second := r.checkpoint("v2")
	if second == first || second == "" {
		t.Fatalf("asks %q and %q", first, second)
	}
	r.state(string(first), ask.Withdrawn)
	if _, err := r.Step(first, ask.Choose([]int{0}), ask.Decision{By: "Ann"}); !errors.Is(err, ask.ErrSettled) {
		t.Errorf("an answer to the first: %v", err)
	}

	// Answered for v2, but v3 is there: v2 has its answer, and v3 is asked about.
	_, err := r.Step(second, ask.Say("go"), ask.Decision{By: "Ann"})
	r.ok(err)
	third := r.checkpoint("v3")
	if third == second || third == "" {
		t.Fatalf("asks %q and %q", second, third)
	}
	r.same("the answer", 1, len(r.textsOf("a")))

	// Nobody answers for a week: the file is still there, and is asked about again.
	r.pass(ask.CheckpointFor + time.Minute)
	r.state(string(third), ask.Expired)
	fourth := r.checkpoint("v3")
	if fourth == third {
		t.Error("it is not asked about again")
	}
	_, err = r.StopTask("a", "Ann")
	r.ok(err)
	if left := r.checkpoint("v3"); left != "" {
		t.Errorf("a stopped task asks %q", left)
	}
	r.state(string(fourth), ask.Withdrawn)
}

// TestCheckpointWords: a text of the person for the task is the answer to its checkpoint.
func TestCheckpointWords(t *testing.T) {
	r, _ := atCheckpoint(t)
	id := r.checkpoint("v1")
	r.sendTask("a", "send only April")
	a := r.state(string(id), ask.Delivered)
	if a.Reply() != "send only April" {
		t.Errorf("answer %q", a.Reply())
	}
	r.same("texts", []string{"send only April pending "}, r.textsOf("a"))
	r.checkpoint("")
	if len(r.TasksToGoOn()) != 1 {
		t.Error("the task does not go on")
	}
}

// TestCheckpointWhileWorking: nothing is asked while a turn works.
func TestCheckpointWhileWorking(t *testing.T) {
	r, _ := atCheckpoint(t)
	_, err := r.startTask("a", "two")
	r.ok(err)
	if id := r.checkpoint("v1"); id != "" {
		t.Errorf("it is asked about as %q", id)
	}
	if err := r.ShowCheckpoint("none", ask.Ask{Hash: "h"}); err != nil {
		t.Error(err)
	}
	if _, err := r.ContinueTask("none", core.Start{}); !errors.Is(err, core.ErrNotFound) {
		t.Error(err)
	}
}
