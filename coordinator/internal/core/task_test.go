package core_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// startTask starts a task by its person. key tells two starts apart.
func (r *rig) startTask(slug task.Slug, key string) (run.Run, error) {
	of := run.Run{ID: run.ID("run_" + key), Dir: "/w/" + string(slug), Conversation: "c-" + key, By: "Ann"}
	text := func(s string) message.Message { return message.Message{Key: "task:" + key, Text: s, By: "Ann"} }
	return r.StartTask(slug, core.Start{Run: of, First: text("first"), Next: text("next")})
}

// goOnTask lets a task go on as the worker does, with the texts alone that wait for it.
func (r *rig) goOnTask(slug task.Slug, key string) (run.Run, error) {
	of := run.Run{ID: run.ID("run_" + key), Dir: "/w/" + string(slug), Conversation: "c-" + key, By: "Ann"}
	first := message.Message{Key: "task:" + key, Text: "first", By: "Afar"}
	return r.ContinueTask(slug, core.Start{Run: of, First: first})
}

// sendTask sends a task a text, and returns when it gets it.
func (r *rig) sendTask(slug task.Slug, text string) (when string) {
	r.t.Helper()
	_, said, err := r.Send(message.Message{Key: "send:" + text, Task: string(slug), Text: text, By: "Ann"}, "")
	r.ok(err)
	return said.When()
}

// sendData sends a task a text that is data, and returns when it gets it.
func (r *rig) sendData(slug task.Slug, text string) (when string) {
	r.t.Helper()
	data := message.Message{Key: "data:" + text, Task: string(slug), Text: text, By: "cron", Data: true}
	_, said, err := r.Send(data, "")
	r.ok(err)
	return said.When()
}

// textsOf returns the texts for a task, each with its state and its session.
func (r *rig) textsOf(slug task.Slug) (all []string) {
	for _, m := range r.Messages() {
		if m.Task == string(slug) {
			all = append(all, m.Text+" "+string(m.State)+" "+string(m.Session))
		}
	}
	return all
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

// TestTaskText: a text for a task reaches its run once: in the turn that works, or as the
// beginning of the next one.
func TestTaskText(t *testing.T) {
	r := newRig(t)
	_, err := r.NewTask(task.Task{Slug: "a", Key: "k", By: "Ann"})
	r.ok(err)

	// Before the first start: the text waits, over a restart too, and comes after the objective.
	if when := r.sendTask("a", "one"); when != "with its next turn" {
		t.Errorf("gets it %q", when)
	}
	r.restart()
	if left := r.TasksToGoOn(); len(left) != 1 || left[0].Slug != "a" {
		t.Fatalf("%+v", left)
	}
	works, err := r.goOnTask("a", "begin")
	r.ok(err)
	if works.Turn.Prompt != "first" || len(r.TasksToGoOn()) != 0 {
		t.Errorf("prompt %q, left %+v", works.Turn.Prompt, r.TasksToGoOn())
	}
	if _, err := r.goOnTask("a", "again"); !errors.Is(err, core.ErrTaken) {
		t.Errorf("a second start: %v", err)
	}
	r.same("while the first turn works", []string{"one pending c-begin"}, r.textsOf("a"))

	// While a turn works, a text is one for its run.
	if when := r.sendTask("a", "two"); when != "right after its next tool call, or in its next turn" {
		t.Errorf("gets it %q", when)
	}
	d, err := r.Deliver("c-begin", "hook", session.Process{})
	r.ok(err)
	if d.Text != "one\n\ntwo" {
		t.Errorf("the hook gets %q", d.Text)
	}
	r.endTurn(works.ID, "")

	// At rest, a text starts the next turn, once.
	r.sendTask("a", "three")
	works, err = r.goOnTask("a", "third")
	r.ok(err)
	if works.Fence != 2 || works.Turn.Prompt != "three" || !works.Turn.Resumes {
		t.Errorf("turn %d: %+v", works.Fence, works.Turn)
	}
	r.endTurn(works.ID, "")
	r.same("at the end", []string{"one done c-begin", "two done c-begin", "three done c-begin"}, r.textsOf("a"))
	for _, m := range r.Messages() {
		if m.Task != "" && r.AddressOf(m).String() != "task:a" {
			t.Errorf("the address of %q is %s", m.Text, r.AddressOf(m))
		}
	}
}

// TestTaskNeverStarted: what programs send does not start a task that no person has started, and
// waits for its start. The person's own words start it.
func TestTaskNeverStarted(t *testing.T) {
	r := newRig(t)
	for _, slug := range []task.Slug{"a", "b"} {
		_, err := r.NewTask(task.Task{Slug: slug, Key: string(slug), By: "Ann"})
		r.ok(err)
	}
	if when := r.sendData("a", "news"); when != "when you start it: afar task start a" {
		t.Errorf("gets it %q", when)
	}
	r.restart()
	if left := r.TasksToGoOn(); len(left) != 0 {
		t.Errorf("it would start: %+v", left)
	}
	works, err := r.startTask("a", "one")
	r.ok(err)
	r.endTurn(works.ID, "")
	r.endTurn(works.ID, "") // the turn of the news
	if texts := r.textsOf("a"); len(texts) != 1 || !strings.HasSuffix(texts[0], "done c-one") {
		t.Errorf("the run has %q", texts)
	}
	if when := r.sendData("a", "more"); when != "with its next turn" {
		t.Errorf("once it was started, it gets more %q", when)
	}
	r.sendTask("b", "begin")
	if left := r.TasksToGoOn(); !slices.ContainsFunc(left, func(t task.Task) bool { return t.Slug == "b" }) {
		t.Errorf("the person's words do not start it: %+v", left)
	}
}

// TestTaskTextRemoved: a text that no turn has read survives the removal of its run.
func TestTaskTextRemoved(t *testing.T) {
	r := newRig(t)
	_, err := r.NewTask(task.Task{Slug: "a", Key: "k", By: "Ann"})
	r.ok(err)
	works, err := r.startTask("a", "one")
	r.ok(err)
	r.sendTask("a", "late")
	_, err = r.StopRun(works.ID, "Ann")
	r.ok(err)
	r.endTurn(works.ID, "")
	_, err = r.RemoveRun(works.ID, "Ann")
	r.ok(err)
	_, err = r.startTask("a", "two")
	r.ok(err)
	r.same("for the new run", []string{"late pending c-two"}, r.textsOf("a"))
}

// TestStoppedTaskStays: neither a text, nor a sweep, nor a text for its run, nor what waits in a
// turn that was stopped, starts a task that a person has stopped.
func TestStoppedTaskStays(t *testing.T) {
	r := newRig(t)
	_, err := r.NewTask(task.Task{Slug: "a", Key: "k", By: "Ann"})
	r.ok(err)
	works, err := r.startTask("a", "one")
	r.ok(err)
	r.sendTask("a", "during")
	_, err = r.StopRun(works.ID, "Ann") // the end of its run is the end of its work
	r.ok(err)
	r.endTurn(works.ID, "")
	if v, _ := r.Task("a"); !v.Stopped {
		t.Fatal("the task of a run that was stopped is not stopped")
	}
	r.restart()
	if when := r.sendTask("a", "after"); when != "when you start it again: it is stopped" {
		t.Errorf("gets it %q", when)
	}
	_, when, err := r.Send(message.Message{Key: "r", Session: "c-one", Run: true, Text: "to the run", By: "Ann"}, "")
	r.ok(err)
	if when.When() != "when you start task a again: it is stopped" {
		t.Errorf("the run gets it %q", when)
	}
	if _, err := r.goOnTask("a", "sweep"); !errors.Is(err, core.ErrStopped) {
		t.Errorf("it goes on: %v", err)
	}
	v, err := r.RunByID(works.ID)
	r.ok(err)
	if v.State != run.Stopped || v.Fence != 1 || len(r.TasksToGoOn()) != 0 {
		t.Errorf("run %s in turn %d, left %+v", v.State, v.Fence, r.TasksToGoOn())
	}

	v, err = r.startTask("a", "two")
	r.ok(err)
	if !strings.HasSuffix(v.Turn.Prompt, "during\n\nto the run\n\nafter\n\nnext") {
		t.Errorf("the start of the person has the prompt %q", v.Turn.Prompt)
	}
}

// TestTouchTasks: a change in a folder wakes those who work on tasks and those who show everything.
func TestTouchTasks(t *testing.T) {
	r := newRig(t)
	for _, p := range []wake.Part{core.Tasks, core.Anything, core.Turns} {
		defer r.Subscribe(p).Close()
	}
	if n := r.Woken(r.TouchTasks); n != 2 {
		t.Errorf("%d are woken", n)
	}
}

// TestFault: the person is told of a fault once, also after a restart, and of the next one. While
// a turn works, nothing is told.
func TestFault(t *testing.T) {
	r := newRig(t)
	_, err := r.NewTask(task.Task{Slug: "a", Key: "k", By: "Ann"})
	r.ok(err)
	works, err := r.startTask("a", "one")
	r.ok(err)
	told := func() int { return strings.Count(strings.Join(r.kinds(0), " "), "task.told") }
	for i, c := range []struct {
		fault string
		told  int
	}{{"line 1", 0}, {"line 1", 1}, {"line 1", 1}, {"line 2", 2}, {"", 2}, {"line 2", 3}} {
		r.ok(r.SeeFault("a", c.fault))
		if n := told(); n != c.told {
			t.Errorf("%d: the person is told %d times, want %d", i, n, c.told)
		}
		if i == 0 {
			r.endTurn(works.ID, "")
		}
		r.restart()
	}
	r.ok(r.SeeFault("none", "line 1"))
}

// TestTaskOfRun: the task of a run is found by the run, and no task by what is no run.
func TestTaskOfRun(t *testing.T) {
	r := newRig(t)
	for _, slug := range []task.Slug{"tea", "milk"} {
		_, err := r.NewTask(task.Task{Slug: slug, Key: string(slug), By: "Ann"})
		r.ok(err)
	}
	works, err := r.startTask("tea", "1")
	r.ok(err)
	if slug, ok := r.TaskOfRun(works.ID); !ok || slug != "tea" {
		t.Errorf("the run works on %q", slug)
	}
	if slug, ok := r.TaskOfRun(""); ok {
		t.Errorf("no run works on %q", slug)
	}
}
