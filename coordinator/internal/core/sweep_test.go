package core_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// TestSweepTask: the person is told once of a checkpoint that is open for three days, also when
// it is asked again, and once of a task that rests for two weeks, until it has worked again.
func TestSweepTask(t *testing.T) {
	r, works := atCheckpoint(t)
	file := task.ParseState(task.NewState("Mail", "go", r.time()), time.UTC)
	sweep := func(want, then task.Rule) { // the second one finds that it was told
		t.Helper()
		for _, rule := range []task.Rule{want, then} {
			if got, _, err := r.SweepTask("a", file); got != rule || err != nil {
				t.Errorf("the rule is %q (%v), want %q", got, err, rule)
			}
			r.restart()
		}
	}
	const day = 24 * time.Hour
	r.checkpoint("v1")
	sweep(task.Leave, task.Leave)
	r.pass(3 * day)
	r.drain(phone)
	sweep(task.Overdue, task.Leave)
	r.toldTimes(1, r.drain(phone), "Task Mail has waited for your answer for three days: Send?")
	r.pass(5 * day)
	r.checkpoint("v1") // nobody answered for a week, and it is asked again
	r.pass(4 * day)
	sweep(task.Leave, task.Leave)

	r.checkpoint("")
	r.pass(3 * day) // 15 days since the turn
	r.drain(phone)
	sweep(task.Dormant, task.Undecided)
	r.toldTimes(1, r.drain(phone), "nothing has worked on it for two weeks.\nLet it go on: afar task start a.")
	_, err := r.startTask("a", "two")
	r.ok(err)
	r.endTurn(works.ID, "")
	sweep(task.Leave, task.Leave)
	r.pass(14 * day)
	sweep(task.Dormant, task.Undecided)
	if got, _, err := r.SweepTask("none", file); got != task.Leave || err != nil {
		t.Errorf("an unknown task: %q, %v", got, err)
	}
}

// toldTimes checks how often the actions tell a text.
func (r *rig) toldTimes(times int, all []store.Action, want string) {
	r.t.Helper()
	n := 0
	for _, a := range all {
		if notice, err := channel.ReadNotice(a.Data); err == nil {
			n += strings.Count(notice.Text, want)
		}
	}
	if n != times {
		r.t.Errorf("%q is told %d times: %+v", want, n, all)
	}
}

// TestFollowAdvice: the person is told once what a model says of a task, marked as its words. To
// wait is remembered over a restart. Nothing comes of an advice about a task as it no longer is.
func TestFollowAdvice(t *testing.T) {
	r, works := atCheckpoint(t)
	file := task.ParseState(task.NewState("Mail", "go", r.time()), time.UTC)
	undecided := func() task.Case {
		t.Helper()
		rule, rest, err := r.SweepTask("a", file)
		if rule != task.Undecided || err != nil {
			t.Fatalf("the rule is %q, %v", rule, err)
		}
		held, _ := r.Task("a")
		return task.Case{Task: held, State: file, Rest: rest}
	}
	follow := func(c task.Case, do string) (goOn bool) {
		t.Helper()
		_, goOn, err := r.FollowAdvice(task.Advice{Case: c, Do: do, Reason: "Bob asks."}, file)
		r.ok(err)
		return goOn
	}
	const told = "🔎 Task Mail is at rest. A model that read its state.md says:\n“Bob asks.”\n" +
		"Let it go on: afar task start a."
	r.pass(time.Hour)
	asked := undecided()
	follow(asked, "wait")
	r.restart()
	if rule, _, err := r.SweepTask("a", file); rule != task.Leave || err != nil {
		t.Errorf("after the advice to wait: %q, %v", rule, err)
	}
	r.pass(24 * time.Hour)
	r.drain(phone)
	follow(undecided(), "tell")
	r.pass(24 * time.Hour)
	follow(undecided(), "tell")
	r.toldTimes(1, r.drain(phone), told)

	r.pass(24 * time.Hour)
	asked = undecided()
	if !follow(asked, "go_on") {
		t.Error("the advice to go on is not followed")
	}
	undecided() // it is noted with the start alone
	_, err := r.startTask("a", "two")
	r.ok(err)
	late := func(name string, is task.Case) {
		t.Helper()
		if follow(is, "go_on") || follow(is, "tell") {
			t.Errorf("%s: the advice is followed", name)
		}
		r.toldTimes(0, r.drain(phone), told)
	}
	late("a turn works", asked)
	r.endTurn(works.ID, "")
	r.pass(time.Hour)
	late("one more turn", asked)
	asked = undecided()
	file = task.ParseState(file.Text+"\n## Mine\n", time.UTC)
	late("another file", asked)
	asked = undecided()
	_, err = r.StopTask("a", "Ann")
	r.ok(err)
	late("stopped by a person", asked)
	asked.Task.Slug = "none"
	late("no task", asked)
}

// TestAdvisedInVain: a task that went on three times by advice, each time with the same state.md, is
// left at rest, and the person is told once. A start by the person begins anew.
func TestAdvisedInVain(t *testing.T) {
	r, works := atCheckpoint(t)
	file := task.ParseState(task.NewState("Mail", "go", r.time()), time.UTC)
	sweep := func() (task.Rule, task.Rest) {
		t.Helper()
		r.pass(time.Hour)
		rule, rest, err := r.SweepTask("a", file)
		r.ok(err)
		return rule, rest
	}
	for n := range 3 {
		rule, rest := sweep()
		held, _ := r.Task("a")
		advice := task.Advice{Case: task.Case{Task: held, State: file, Rest: rest}, Do: "go_on"}
		on, goOn, err := r.FollowAdvice(advice, file)
		if rule != task.Undecided || !goOn || err != nil {
			t.Fatalf("turn %d: %q, %v, %v", n, rule, goOn, err)
		}
		next := message.Message{Key: fmt.Sprint("go on ", n), Text: "go on", By: "Afar"}
		for again, want := range []error{nil, core.ErrTaken} {
			_, err = r.ContinueTask("a", core.Start{Run: works, First: next, Next: next, Advised: on.Advised})
			if !errors.Is(err, want) {
				t.Fatalf("turn %d, start %d: %v", n, again, err)
			}
		}
		r.restart()
		r.endTurn(works.ID, "")
	}
	r.drain(phone)
	for _, want := range []task.Rule{task.Stuck, task.Leave, task.Leave} {
		if rule, _ := sweep(); rule != want {
			t.Errorf("the rule is %q, want %q", rule, want)
		}
		r.restart()
	}
	r.toldTimes(1, r.drain(phone), "🔁 Task Mail went on three times, and its state.md is the same as before.")
	_, err := r.startTask("a", "two")
	r.ok(err)
	r.endTurn(works.ID, "")
	if rule, _ := sweep(); rule != task.Undecided {
		t.Errorf("after the person's start: %q", rule)
	}
}
