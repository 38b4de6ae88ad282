package core_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// startTask starts a task by its person. key tells two starts apart.
func (r *rig) startTask(slug task.Slug, key string) (run.Run, error) {
	of := run.Run{ID: run.ID("run_" + key), Dir: "/w/" + string(slug), Conversation: "c-" + key, By: "Ann"}
	text := func(s string) message.Message { return message.Message{Key: "task:" + key, Text: s, By: "Ann"} }
	return r.StartTask(slug, of, text("first"), text("next"))
}

// endTurn lets the agent of a run end its newest turn.
func (r *rig) endTurn(id run.ID, result string) {
	r.t.Helper()
	v, err := r.RunByID(id)
	r.ok(err)
	_, err = r.HearTurn(id, v.Fence, 1, []run.Event{{Kind: run.Init}, {Kind: run.Result, Text: result}})
	r.ok(err)
	r.ok(r.EndTurn(id, v.Fence, run.End{Result: true}))
}

// TestTask: one run works on a task, one turn after the other. The person is told once what a
// turn came to, also after a restart in between.
func TestTask(t *testing.T) {
	r := newRig(t)
	r.pair()
	made, err := r.NewTask(task.Task{Slug: "invoices", Key: "k", By: "Ann"})
	r.ok(err)
	again, err := r.NewTask(task.Task{Slug: "other", Key: "k", By: "Ann"})
	r.ok(err)
	r.same("a second request with the same key", made, again)
	if _, err := r.NewTask(task.Task{Slug: "invoices", Key: "k2"}); !errors.Is(err, core.ErrTaken) {
		t.Errorf("a second task with the same name: %v", err)
	}

	first, err := r.startTask("invoices", "one")
	r.ok(err)
	if first.Name != "invoices" || first.State != run.Starting || first.Turn.Prompt != "first" {
		t.Errorf("%+v", first)
	}
	if _, err := r.startTask("invoices", "two"); !errors.Is(err, core.ErrTaken) {
		t.Errorf("a second start: %v", err)
	}
	if left := r.UnseenTasks(); len(left) != 0 {
		t.Errorf("the turn is not over, but %+v", left)
	}
	r.endTurn(first.ID, "all sent")
	r.restart()
	left := r.UnseenTasks()
	if len(left) != 1 || left[0].Turn != 1 || left[0].Result != "all sent" {
		t.Fatalf("%+v", left)
	}
	for range 2 { // the second one is a worker that died before it knew of the first
		r.ok(r.SeeTask("invoices", 1, "completed"))
	}
	if n := strings.Count(strings.Join(r.kinds(0), " "), "task.told"); n != 1 || len(r.UnseenTasks()) != 0 {
		t.Errorf("told %d times, left %+v", n, r.UnseenTasks())
	}

	second, err := r.startTask("invoices", "three")
	r.ok(err)
	if second.ID != first.ID || second.Fence != 2 || second.Turn.Prompt != "next" || !second.Turn.Resumes {
		t.Errorf("the second start: %+v", second)
	}
}

// TestTaskStopped: a person who stops a task ends its turn, and the next start is theirs.
func TestTaskStopped(t *testing.T) {
	r := newRig(t)
	_, err := r.NewTask(task.Task{Slug: "a", Key: "k", By: "Ann"})
	r.ok(err)
	works, err := r.startTask("a", "one")
	r.ok(err)
	stopped, err := r.StopTask("a", "Ann")
	r.ok(err)
	v, err := r.RunByID(works.ID)
	r.ok(err)
	if !stopped.Stopped || v.Turn.Stop != "Ann" {
		t.Errorf("task %+v, turn %+v", stopped, v.Turn)
	}
	r.endTurn(works.ID, "")
	r.restart()
	if v, ok := r.Task("a"); !ok || !v.Stopped {
		t.Errorf("after a restart %+v", v)
	}
	_, err = r.startTask("a", "two")
	r.ok(err)
	if v, _ := r.Task("a"); v.Stopped {
		t.Error("still stopped after a start")
	}
	if _, err := r.StopTask("none", "Ann"); !errors.Is(err, core.ErrNotFound) {
		t.Errorf("an unknown task: %v", err)
	}
}
