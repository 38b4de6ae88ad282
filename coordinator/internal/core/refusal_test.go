package core_test

import (
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// TestTaskRefusals: denials of the guard and of the person count in a row in a turn of a task's
// run, each answer once, until the person allows a call. For other sessions nothing counts.
func TestTaskRefusals(t *testing.T) {
	r := newRig(t)
	r.pair()
	_, err := r.NewTask(task.Task{Slug: "a", Key: "k", By: "Ann"})
	r.ok(err)
	_, err = r.startTask("a", "one")
	r.ok(err)
	for _, id := range []session.ID{"c-one", "other"} {
		r.see(id, "/w/a")
	}
	guard := func(by session.ID, prompt string) {
		t.Helper()
		_, err := r.Denied(by, prompt, "rule", "x")
		r.ok(err)
	}
	person := func(by session.ID, id string, allow bool) {
		t.Helper()
		a := newAsk(id, id)
		a.Session = by
		_, err := r.OpenCovered(a, grant.Need{})
		r.ok(err)
		_, err = r.Answer(a.ID, ask.Decision{Allow: allow, By: "Ada", Channel: "terminal"})
		r.ok(err)
		for range 2 { // a hook that lost the reply claims again
			_, err = r.ClaimAsk(a.ID, true)
			r.ok(err)
		}
	}
	for i, step := range []struct {
		do   func()
		want int
	}{
		{func() { guard("c-one", "") }, 1},
		{func() { person("c-one", "b", false) }, 2},
		{func() { r.restart(); guard("c-one", "") }, 3},
		{func() { person("c-one", "c", true) }, 0},
		{func() { person("c-one", "d", false); guard("c-one", "") }, 2},
		{func() { guard("c-one", "another prompt") }, 1},
		{func() { guard("other", ""); guard("other", ""); guard("other", "") }, 1},
	} {
		step.do()
		if n := r.TaskRefusals("c-one"); n != step.want {
			t.Errorf("%d: %d refusals in a row, want %d", i, n, step.want)
		}
	}
	if n := r.TaskRefusals("other"); n != 0 {
		t.Errorf("%d refusals of a session without a task", n)
	}
}
