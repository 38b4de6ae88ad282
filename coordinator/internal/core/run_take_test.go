package core_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// conversation is that of the run of these tests.
const conversation = "c-one"

// runOnce starts a run, whose first turn works.
func runOnce(r *rig) {
	_, err := r.StartRun(run.Run{ID: "one", Name: "one", Dir: "/w", Conversation: conversation},
		message.Message{Key: "one", Text: "go", By: "Ann"})
	r.ok(err)
	_, err = r.HearTurn("one", 1, 1, []run.Event{{Kind: run.Init}})
	r.ok(err)
}

// taker is a person at a terminal, whose process is alive as long as the rig says.
func taker(pid int) run.Taker {
	return run.Taker{By: "Ann", Process: session.Process{PID: pid, Born: "b"}}
}

// TestTakenRunKeepsItsMessages checks that a text for a run waits while a person has the run, and
// one for the session in the terminal does not. Each is handed over once.
func TestTakenRunKeepsItsMessages(t *testing.T) {
	r := newRig(t)
	runOnce(r)
	r.ok(r.EndTurn("one", 1, run.End{Result: true}))
	got, err := r.TakeRun("one", taker(11), false)
	r.ok(err)
	if got.State != run.Taken {
		t.Fatalf("the run is %s", got.State)
	}
	text := message.Message{Key: "a", Session: conversation, Run: true, Text: "for the run", By: "Ann"}
	_, when, err := r.Send(text, "")
	if r.ok(err); when.When() != "when it is given back" {
		t.Errorf("the run gets it %s", when)
	}
	_, _, err = r.Send(message.Message{Key: "b", Session: conversation, Text: "for the terminal", By: "Ann"}, "")
	r.ok(err)
	d, err := r.Deliver(conversation, "hook", session.Process{})
	if r.ok(err); d.Text != "for the terminal" {
		t.Errorf("the terminal gets %q", d.Text)
	}
	if waiting, err := r.ComesBack(conversation, "next"); err != nil || waiting != 0 {
		t.Errorf("%d texts wait for the terminal, %v", waiting, err)
	}
	given, err := r.GiveRun("one", "Ann")
	if r.ok(err); given.State != run.Starting || given.Turn.Prompt != "for the run" || !given.Turn.Resumes {
		t.Errorf("given back: %s, its prompt is %q", given.State, given.Turn.Prompt)
	}
	if d, err := r.Deliver(conversation, "late", session.Process{}); err != nil || d.Text != "" {
		t.Errorf("a hook gets it again: %q, %v", d.Text, err)
	}
}

// TestTakerDies checks that a person whose command has ended gets no run at the end of the turn,
// and that another may take a run whose taker has ended.
func TestTakerDies(t *testing.T) {
	r := newRig(t)
	runOnce(r)
	_, err := r.TakeRun("one", taker(11), false)
	r.ok(err)
	if _, err := r.TakeRun("one", taker(12), false); !errors.Is(err, core.ErrTaken) ||
		!strings.Contains(err.Error(), "process 11") {
		t.Errorf("a second one: %v", err)
	}
	r.dead[taker(11).Process] = true
	r.ok(r.EndTurn("one", 1, run.End{Result: true}))
	if got, _ := r.RunByID("one"); got.State != run.Idle || got.Taker.Known() {
		t.Errorf("after the taker's death: %s, %+v", got.State, got.Taker)
	}
	r.dead[taker(11).Process] = false
	_, err = r.TakeRun("one", taker(11), false)
	r.ok(err)
	r.dead[taker(11).Process] = true
	r.ok(r.Look())
	if got, _ := r.RunByID("one"); got.State != run.Taken {
		t.Errorf("a run whose taker ended is %s; it stays taken until it is given back", got.State)
	}
	got, err := r.TakeRun("one", taker(12), false)
	if r.ok(err); got.Taker.Process.PID != 12 {
		t.Errorf("taken again: %+v", got.Taker)
	}
}

// TestOpenElsewhere checks that a turn whose conversation is open in a process starts when that
// process has ended, with the same messages.
func TestOpenElsewhere(t *testing.T) {
	r := newRig(t)
	elsewhere := session.Process{PID: 5, Born: "b"}
	_, err := r.StartRun(run.Run{ID: "one", Name: "one", Dir: "/w", Conversation: conversation},
		message.Message{Key: "one", Text: "go", By: "Ann"})
	r.ok(err)
	r.ok(r.EndTurn("one", 1, run.End{Exit: -1, Open: elsewhere}))
	r.ok(r.Look())
	if got, _ := r.RunByID("one"); got.State != run.Queued || got.OpenIn.PID != 5 {
		t.Fatalf("while it is open: %s, %+v", got.State, got.OpenIn)
	}
	r.dead[elsewhere] = true
	r.ok(r.Look())
	if got, _ := r.RunByID("one"); got.State != run.Starting || got.Turn.Prompt != "go" || got.Turns != 0 {
		t.Errorf("after its end: %s, the prompt is %q", got.State, got.Turn.Prompt)
	}
}
