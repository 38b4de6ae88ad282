package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// held is a rig with one run that works.
type held struct{ *rig }

const holdFor = 10 * time.Minute

func newHeld(t *testing.T) held {
	t.Helper()
	r := held{newRig(t)}
	r.rules.HoldRuns, r.rules.MostTurns = holdFor, 1
	r.restart()
	r.begin("one")
	r.hears("one", 1, run.Event{Kind: run.Init})
	return r
}

func (r held) begin(id run.ID) {
	r.t.Helper()
	_, err := r.StartRun(run.Run{ID: id, Name: string(id), Dir: "/w", Conversation: "c-" + string(id)},
		message.Message{Key: string(id), Text: "go", By: "Ann"})
	r.ok(err)
}

func (r held) hears(id run.ID, fence int64, events ...run.Event) {
	r.t.Helper()
	_, err := r.HearTurn(id, fence, 1, events)
	r.ok(err)
}

// asks opens a question of the guard about a call.
func (r held) asks(id ask.ID, call, input string) ask.Ask {
	r.t.Helper()
	a, err := r.OpenCovered(ask.Ask{
		ID: id, Kind: ask.Guard, Session: "c-one", Tool: "Bash", Text: input, Hash: input, Call: call, Attended: true,
	}, grant.Need{})
	r.ok(err)
	return a
}

// expect checks the state of the run, and whether a turn of it runs.
func (r held) expect(what string, state run.State, busy bool) run.Run {
	r.t.Helper()
	got, err := r.RunByID("one")
	r.ok(err)
	if got.State != state || got.Busy() != busy {
		r.t.Fatalf("%s the run is %s (%s), a turn runs: %t; want %s, %t", what, got.State, got.Why, got.Busy(),
			state, busy)
	}
	return got
}

// parks lets the question time out, and ends the turn with its call.
func (r held) parks() {
	r.t.Helper()
	r.asks("ask_1", "call-1", "x")
	r.expect("after the question", run.Waiting, true)
	r.pass(holdFor)
	kept, err := r.DeferAsk("ask_1")
	r.ok(err)
	if a := r.state("ask_1", ask.Expired); !kept || !a.Parked || !a.Deferred {
		r.t.Fatalf("kept %t, %+v", kept, a)
	}
	r.ok(r.EndTurn("one", 1, run.End{Result: true, Deferred: "call-1"}))
}

// TestHold: once a run was held, it waits without a turn. The answer starts the next turn, in
// which the deferred call alone gets it, once.
func TestHold(t *testing.T) {
	for name, d := range map[string]ask.Decision{"yes": yes("Ada"), "no": {By: "Ada", Message: "write it down"}} {
		t.Run(name, func(t *testing.T) {
			r := newHeld(t)
			r.begin("two")
			r.parks()
			if got := r.expect("parked", run.Waiting, false); got.Ask != "ask_1" {
				t.Errorf("it waits for %q", got.Ask)
			}
			if two, _ := r.RunByID("two"); two.State != run.Starting {
				t.Errorf("the run that waited for its start is %s", two.State)
			}
			r.ok(r.EndTurn("two", 1, run.End{Refused: "over"}))
			r.restart()
			_, err := r.Answer("ask_1", d)
			r.ok(err)
			got := r.expect("answered", run.Starting, true)
			if got.Fence != 2 || got.Turn.Prompt != "" {
				t.Errorf("turn %d begins with %q", got.Fence, got.Turn.Prompt)
			}
			if a := r.asks("ask_2", "call-2", "x"); a.State != ask.Open {
				t.Errorf("the same input in another call is %s", a.State)
			}
			a := r.asks("ask_3", "call-1", "x")
			if a.State != ask.Answered || a.Decision.Allow != d.Allow || a.Decision.Message != d.Message {
				t.Errorf("the deferred call: %s %+v", a.State, a.Decision)
			}
			if a := r.asks("ask_4", "call-1", "x"); a.State != ask.Open {
				t.Errorf("the deferred call again is %s", a.State)
			}
		})
	}
}

// TestHoldKeepsOne: a turn keeps one call. Another question of it is refused at once, and
// the call of a subagent is refused and answerable.
func TestHoldKeepsOne(t *testing.T) {
	r := newHeld(t)
	r.asks("ask_0", "call-0", "y")
	r.asks("ask_1", "call-1", "x")
	r.pass(holdFor)
	for id, want := range map[ask.ID]bool{"ask_1": true} {
		if kept, err := r.DeferAsk(id); err != nil || kept != want {
			t.Errorf("%s is kept: %t, %v", id, kept, err)
		}
	}
	if kept, err := r.DeferAsk("ask_0"); err != nil || kept {
		t.Errorf("a second call is kept: %t, %v", kept, err)
	}
	a := r.asks("ask_2", "call-2", "z")
	if a.State != ask.Expired || !strings.Contains(a.Note, "another call") || a.Parked {
		t.Errorf("a third question: %s %q", a.State, a.Note)
	}
	r.ok(r.EndTurn("one", 1, run.End{Result: true, Deferred: "call-1"}))
	_, err := r.Answer("ask_0", yes("Ada"))
	r.ok(err)
	r.expect("while the deferred call waits", run.Waiting, false)
	_, err = r.Answer("ask_1", yes("Ada"))
	r.ok(err)
	r.expect("answered", run.Starting, true)
	if told, err := r.TellLate("c-one", "start", 1000); err != nil || !strings.Contains(told, "meanwhile allowed") {
		t.Errorf("the next turn is told %q of the other answer, %v", told, err)
	}
}

// TestHoldNotKept: the host did not keep the call. The next turn is told the answer, and the
// call may run once when it is made again.
func TestHoldNotKept(t *testing.T) {
	r := newHeld(t)
	r.asks("ask_1", "call-1", "x")
	r.pass(holdFor)
	_, err := r.DeferAsk("ask_1")
	r.ok(err)
	r.ok(r.EndTurn("one", 1, run.End{Result: true}))
	r.expect("parked", run.Waiting, false)
	_, err = r.Answer("ask_1", yes("Ada"))
	r.ok(err)
	if got := r.expect("answered", run.Starting, true); !strings.Contains(got.Turn.Prompt, "meanwhile allowed") {
		t.Errorf("the prompt: %q", got.Turn.Prompt)
	}
	if a := r.asks("ask_2", "call-2", "x"); a.State != ask.Answered || !a.Decision.Allow {
		t.Errorf("the call made again is %s", a.State)
	}
}

// TestHoldLost: the conversation was opened elsewhere, and the host does not have the call any
// more. The turn that was to begin with it ends at once, and the next one is told the answer.
func TestHoldLost(t *testing.T) {
	r := newHeld(t)
	r.parks()
	_, err := r.Answer("ask_1", yes("Ada"))
	r.ok(err)
	r.ok(r.EndTurn("one", 2, run.End{Exit: 1, Words: "No deferred tool marker found"}))
	r.pass(time.Second)
	got := r.expect("without its call", run.Starting, true)
	if !strings.Contains(got.Turn.Prompt, "meanwhile allowed") {
		t.Errorf("the prompt: %q", got.Turn.Prompt)
	}
}

// TestHoldBrokenOff: the agent dies while it waits. The question stays, no turn starts
// before its answer, and then the turn begins with a notice.
func TestHoldBrokenOff(t *testing.T) {
	r := newHeld(t)
	r.asks("ask_1", "call-1", "x")
	r.ok(r.EndTurn("one", 1, run.End{Exit: -1, Killed: true}))
	r.expect("broken off", run.Waiting, false)
	r.pass(time.Hour)
	r.expect("later", run.Waiting, false)
	_, err := r.Answer("ask_1", yes("Ada"))
	r.ok(err)
	prompt := r.expect("answered", run.Starting, true).Turn.Prompt
	if !strings.HasPrefix(prompt, run.Notice) || !strings.Contains(prompt, "meanwhile allowed") {
		t.Errorf("the prompt: %q", prompt)
	}
	r.ok(r.EndTurn("one", 2, run.End{Exit: 1})) // it never read the prompt
	r.expect("unread", run.Failed, false)
}

// TestHoldEnds: a question that nobody answers for a day, and one of a run that was stopped,
// start no turn.
func TestHoldEnds(t *testing.T) {
	r := newHeld(t)
	r.parks()
	r.pass(ask.ParkedFor)
	if got := r.expect("after a day", run.Idle, false); got.Why != "nobody answered its question" {
		t.Errorf("it says %q", got.Why)
	}
	r = newHeld(t)
	r.parks()
	_, err := r.StopRun("one", "Ada")
	r.ok(err)
	r.expect("stopped", run.Stopped, false)
	if a := r.state("ask_1", ask.Expired); a.Parked {
		t.Error("the question of a stopped run can be answered")
	}
	_, err = r.Answer("ask_1", yes("Ada"))
	if err == nil {
		t.Error("the question of a stopped run was answered")
	}
	r.expect("after an answer", run.Stopped, false)
}
