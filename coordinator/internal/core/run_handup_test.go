package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// newBudgeted returns a rig in which one turn works at once, and runs have a budget for the day.
func newBudgeted(t *testing.T) held {
	t.Helper()
	r := held{newRig(t)}
	r.rules.HoldRuns, r.rules.MostTurns, r.rules.DayOfRuns = holdFor, 1, 2
	r.restart()
	r.pair()
	r.see("s", "/w")
	r.see("c-one", "/w")
	return r
}

// works starts run "one", whose turn works.
func (r held) works(one run.Run) {
	r.t.Helper()
	r.starts(one)
	r.hears("one", 1, run.Event{Kind: run.Init})
}

func (r held) starts(one run.Run) {
	r.t.Helper()
	one.ID, one.Name, one.Dir, one.Conversation = "one", "one", "/w", "c-one"
	_, err := r.StartRun(one, message.Message{Key: "one", Text: "go", By: "Ann"})
	r.ok(err)
}

// queues ends the turn of run "one" so that it waits for its next one, behind run "two".
func (r held) queues() {
	r.t.Helper()
	r.begin("two")
	r.ok(r.EndTurn("one", 1, run.End{Exit: -1, Killed: true}))
	r.expect("after its turn broke off", run.Queued, false)
}

// spends lets run "two" end its turn, which has cost more than the day's budget.
func (r held) spends() {
	r.t.Helper()
	r.pass(time.Minute)
	r.hears("two", 1, run.Event{Kind: run.Init}, run.Event{Kind: run.Result, Total: run.Cost{USD: 3}})
	r.ok(r.EndTurn("two", 1, run.End{Result: true}))
}

// TestProposerHears: the session that proposed a run hears of its end once, whatever ends it.
func TestProposerHears(t *testing.T) {
	one := run.Run{Parent: "s", Ephemeral: true}
	for name, c := range map[string]struct {
		ends  func(r held)
		state run.State
		want  string // what s gets, "" for nothing
	}{
		"the day's budget is used up": {
			ends: func(r held) {
				r.works(one)
				r.queues()
				r.spends()
			},
			state: run.Failed, want: "Run one failed.\n\nthe day's budget for runs is used up",
		},
		"its time is over": {
			ends: func(r held) {
				one := one
				one.Until = t0.Add(time.Minute)
				r.works(one)
				r.queues()
				r.pass(time.Hour)
				r.ok(r.EndTurn("two", 1, run.End{Refused: "over"}))
			},
			state: run.Failed, want: "Run one failed.\n\nits time is over",
		},
		"nobody answers its question": {
			ends: func(r held) {
				r.works(one)
				r.parks()
				r.pass(ask.ParkedFor)
			},
			state: run.Done, want: "Run one ended because nobody answered its question.",
		},
		"it is stopped while it waits for an answer": {
			ends: func(r held) {
				r.works(one)
				r.parks()
				v, err := r.Session("c-one")
				r.ok(err)
				_, err = r.StopTurn(v.Token, ask.Decision{By: "Ada", Channel: phone})
				r.ok(err)
			},
			state: run.Stopped, want: "Run one was stopped.\n\nstopped by Ada",
		},
		"a hook has taken what it was to do": {
			ends: func(r held) {
				r.begin("two")
				r.starts(one)
				_, err := r.Deliver("c-one", "hook", session.Process{})
				r.ok(err)
				r.ok(r.EndTurn("two", 1, run.End{Refused: "over"}))
			},
			state: run.Done, want: "Run one is done",
		},
		"a person takes it while it waits for an answer": {
			ends: func(r held) {
				r.works(one)
				r.parks()
				_, err := r.TakeRun("one", taker(11), false)
				r.ok(err)
			},
			state: run.Taken,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newBudgeted(t)
			c.ends(r)
			got := r.expect("at the end", c.state, false)
			var told []string
			for _, m := range r.Messages() {
				if m.Session == "s" {
					told = append(told, m.Text)
				}
			}
			heard := len(told) == 1 && strings.Contains(told[0], c.want)
			if c.want == "" {
				heard = len(told) == 0
			}
			if !heard || got.Reported != (c.want != "") {
				t.Errorf("the session that proposed it hears %q, and it has reported: %t", told, got.Reported)
			}
		})
	}
}

// TestLoopOfSpentRun: the loop of a run ends with the budget, its person hears of that, and the run behind it starts.
func TestLoopOfSpentRun(t *testing.T) {
	r := newBudgeted(t)
	r.works(run.Run{Until: t0.Add(time.Minute)})
	_, err := r.StartLoop("c-one", loop.Options{Task: "t", Max: 3})
	r.ok(err)
	r.queues()
	r.begin("three")
	r.drain(phone)
	r.pass(time.Hour)
	r.ok(r.EndTurn("two", 1, run.End{Refused: "over"}))
	r.expect("after its time", run.Failed, false)
	if l := r.Loop("c-one"); l.Active() {
		t.Errorf("its loop goes on: %+v", l)
	}
	if told := strings.Join(r.told(), "\n"); !strings.Contains(told, "its time is over") {
		t.Errorf("the person is told %q", told)
	}
	if three, _ := r.RunByID("three"); three.State != run.Starting {
		t.Errorf("the run behind it is %s", three.State)
	}
}

// TestTextOfParkedRun: a text that came while a run waited for an answer starts a turn when nobody answers.
func TestTextOfParkedRun(t *testing.T) {
	r := newHeld(t)
	r.parks()
	_, _, err := r.Send(message.Message{Key: "more", Session: "c-one", Run: true, Text: "and then?", By: "Ann"}, "")
	r.ok(err)
	r.expect("with a text", run.Waiting, false)
	r.pass(ask.ParkedFor)
	if got := r.expect("after a day", run.Starting, true); got.Turn.Prompt != "and then?" {
		t.Errorf("its turn begins with %q", got.Turn.Prompt)
	}
}

// TestNoWorktree: the person hears of a run whose worktree cannot be made.
func TestNoWorktree(t *testing.T) {
	r := newRig(t)
	r.pair()
	_, err := r.StartRun(run.Run{ID: "r", Name: "r", Dir: "/w", Conversation: "c", Worktree: true},
		message.Message{Key: "k", Text: "go", By: "Ann"})
	r.ok(err)
	r.ok(r.UnsettleRun("r", "no commit"))
	if got := r.ended(); len(got) != 1 || got[0].Why != "its worktree cannot be made: no commit" {
		t.Errorf("told: %+v", got)
	}
}
