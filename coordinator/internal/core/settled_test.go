package core_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// settle leaves n runs at rest, and n asks of one session whose calls have run.
func (r *rig) settle(n int) {
	r.t.Helper()
	var b store.Batch
	for i := range n {
		id := fmt.Sprintf("%05d", i)
		a := newAsk("ask_"+id, id)
		a.State, a.Nonce, a.OpenedAt, a.SettledAt = ask.Delivered, "n"+id, r.time(), r.time()
		a.Run = &ask.Run{OK: true, At: r.time()}
		store.Asks.Put(&b, a)
		store.Runs.Put(&b, run.Run{ID: run.ID("run_" + id), Name: "r" + id, Conversation: "c" + id, State: run.Idle,
			Since: r.time(), StartedAt: r.time()})
	}
	r.ok(r.store.Commit(&b))
	r.restart()
}

// allocated returns how many bytes a call allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestSettledCostsNothing: what is settled is not copied by a look at processes, nor by a question, its
// answer and the end of its call.
func TestSettledCostsNothing(t *testing.T) {
	cost := func(n int) uint64 {
		r := newRig(t)
		r.pair()
		r.see("s", "/home/ada/proj")
		r.settle(n)
		question := func(id string) {
			r.openAsk(newAsk(id, id))
			r.ok(r.Look())
			r.ok(r.Ran(ran(id)))
			r.pass(time.Second)
		}
		question("warm") // statements are parsed, and maps have grown
		return allocated(func() { question("measured") })
	}
	few, many := cost(10), cost(2000)
	if many > few*3/2 {
		t.Errorf("a question costs %d bytes after 10 and %d after 2000", few, many)
	}
}

// TestRunsAge: a run to which nothing happened for 30 days is removed, however many there are. The run of
// a task stays, and so does one with a worktree and one that works.
func TestRunsAge(t *testing.T) {
	r := newRig(t)
	r.settle(250)
	var b store.Batch
	keep := map[run.ID]run.Run{
		"task":     {State: run.Idle},
		"worktree": {State: run.Done, Place: run.Place{Repo: "/repo"}},
		"taken":    {State: run.Taken},
	}
	for id, v := range keep {
		v.ID, v.Name, v.Conversation, v.Since, v.StartedAt = id, string(id), "c-"+string(id), r.time(), r.time()
		store.Runs.Put(&b, v)
	}
	store.Tasks.Put(&b, task.Task{Slug: "t", Run: "task"})
	r.ok(r.store.Commit(&b))
	r.restart()
	r.pass(29 * 24 * time.Hour)
	r.same("runs that are younger", 253, len(r.Runs()))
	for range 3 {
		r.pass(2 * 24 * time.Hour)
	}
	r.same("runs that are left", 3, len(r.Runs()))
}

// TestForgetMemory: what is settled leaves memory after a week, and is found again by its id. What is open
// stays.
func TestForgetMemory(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/home/ada/proj")
	r.settle(5)
	r.pass(8 * 24 * time.Hour)
	r.openAsk(newAsk("ask_open", "open"))
	r.same("asks before", 6, len(r.Asks(true)))
	r.ok(r.Forget())
	r.same("asks in memory", 1, len(r.Asks(true)))
	r.same("sessions in memory", 1, len(r.Sessions()))
	r.state("ask_00003", ask.Delivered)
	r.ok(r.EndSession("s", "it ended"))
	r.pass(8 * 24 * time.Hour)
	r.ok(r.Forget())
	r.same("sessions in memory", 0, len(r.Sessions()))
}

// TestRunsEnded: the runs that are over since a time are found, the newest first, and those that ended before are
// neither told nor copied. Nor are those that a list has no place for.
func TestRunsEnded(t *testing.T) {
	r := newRig(t)
	r.settle(2000)
	r.pass(time.Hour)
	since := r.time()
	var b store.Batch
	for id, v := range map[run.ID]run.Run{
		"idle":   {State: run.Idle, Since: since},
		"failed": {State: run.Failed, Since: since.Add(2 * time.Second)},
		"done":   {State: run.Done, Since: since.Add(time.Second)},
		"taken":  {State: run.Taken, Since: since},
		"early":  {State: run.Failed, Since: since.Add(-time.Second)},
		"gone":   {State: run.Done, Since: since, Removed: true},
	} {
		v.ID, v.Name, v.Conversation, v.StartedAt = id, string(id), "c-"+string(id), v.Since
		store.Runs.Put(&b, v)
	}
	r.ok(r.store.Commit(&b))
	r.restart()
	names := func(runs []run.Run) (out []string) {
		for _, v := range runs {
			out = append(out, v.Name)
		}
		return out
	}
	r.same("ended", "[failed done idle]", fmt.Sprint(names(r.RunsEnded(since))))
	first, all := r.FirstRuns(4)
	r.same("runs", 2005, all)
	r.same("the first", "[failed early taken done]", fmt.Sprint(names(first)))
	if n := allocated(func() { r.RunsEnded(since); r.FirstRuns(4) }); n > 100<<10 {
		t.Errorf("lists of a few runs cost %d bytes", n)
	}
}
