package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// sends sends a text to the run of a held rig.
func (r held) sends(text string) {
	r.t.Helper()
	_, _, err := r.Send(message.Message{Key: text, Session: "c-one", Run: true, Text: text, By: "Ann"}, "")
	r.ok(err)
}

// took has a hook of the run take what waits.
func (r held) took(hook string) {
	r.t.Helper()
	d, err := r.Deliver("c-one", hook, session.Process{PID: 9, Born: "b"})
	r.ok(err)
	if d.Text == "" {
		r.t.Fatalf("%s takes nothing", hook)
	}
}

// waits returns the texts that wait for the run, and those that it has.
func (r held) waits() (waiting, done string) {
	for _, m := range r.Messages() {
		switch m.State {
		case message.Pending:
			waiting += m.Text + " "
		case message.Done:
			done += m.Text + " "
		}
	}
	return strings.TrimSpace(waiting), strings.TrimSpace(done)
}

// TestTextsOfABrokenTurn checks that after a turn that broke off each text is offered again that
// the conversation does not have, and no other one, whatever the hooks have said.
func TestTextsOfABrokenTurn(t *testing.T) {
	r := newHeld(t)
	for _, text := range []string{"kept", "lost"} {
		r.pass(time.Second)
		r.sends(text)
		r.took("hook-" + text)
	}
	r.ok(r.TextsPrinted("c-one", "hook-lost", true)) // and the client was ended before it wrote it down
	_, err := r.StopRun("one", "Ann")
	r.ok(err)
	transcript, handed := r.Handovers("one", run.End{Result: true, Failed: true})
	if len(handed) != 3 || transcript != "" {
		t.Fatalf("handed over %+v, transcript %q", handed, transcript)
	}
	r.ok(r.EndTurn("one", 1, run.End{Result: true, Failed: true, Arrived: map[string]bool{
		handed[0].Delivery: false, "hook-kept": true, "hook-lost": false,
	}}))
	if waiting, done := r.waits(); waiting != "go lost" || done != "kept" {
		t.Errorf("wait: %q, done: %q", waiting, done)
	}
	r.pass(time.Minute) // the hook's process is seen to have ended
	if waiting, _ := r.waits(); waiting != "go lost" {
		t.Errorf("wait later: %q", waiting)
	}
	r.sends("next")
	if got := r.expect("after the next text", run.Starting, true); got.Turn.Prompt != "go\n\nlost\n\nnext" {
		t.Errorf("the next prompt is %q", got.Turn.Prompt)
	}
}

// TestTextsWithoutATranscript checks that where the conversation itself does not tell, an agent
// that was heard after it got a text has it, and that any other text is offered again with a word
// that the agent may have it.
func TestTextsWithoutATranscript(t *testing.T) {
	r := newHeld(t)
	r.pass(time.Second)
	r.sends("before")
	r.took("hook-1")
	r.pass(time.Second)
	_, err := r.HearTurn("one", 1, 2, []run.Event{{Kind: run.Text, Text: "I do it"}})
	r.ok(err)
	r.pass(time.Second)
	r.sends("after")
	r.took("hook-2")
	r.pass(run.Usual.Starting)
	r.ok(r.EndTurn("one", 1, run.End{Exit: -1, Killed: true}))
	if waiting, done := r.waits(); waiting != "after" || done != "go before" {
		t.Errorf("wait: %q, done: %q", waiting, done)
	}
	r.pass(time.Second)
	if got := r.expect("after the restart", run.Starting, true); got.Turn.Prompt != run.Notice {
		t.Errorf("the next prompt is %q", got.Turn.Prompt)
	}
	r.hears("one", 2, run.Event{Kind: run.Init})
	r.ok(r.EndTurn("one", 2, run.End{Result: true}))
	if got := r.expect("after that", run.Starting, true); got.Turn.Prompt != run.Perhaps+"after" {
		t.Errorf("the prompt after it is %q", got.Turn.Prompt)
	}
}

// TestTextsOfAWholeTurn checks that nothing is offered again after a turn that came to its end.
func TestTextsOfAWholeTurn(t *testing.T) {
	r := newHeld(t)
	r.sends("kept")
	r.took("hook-1")
	r.ok(r.TextsPrinted("c-one", "hook-1", true))
	if _, handed := r.Handovers("one", run.End{Result: true}); len(handed) != 0 {
		t.Errorf("handed over %+v", handed)
	}
	r.ok(r.EndTurn("one", 1, run.End{Result: true}))
	if waiting, _ := r.waits(); waiting != "" {
		t.Errorf("wait: %q", waiting)
	}
}

// TestTextsTooLate checks that a text is offered again that a Stop hook took for an agent which had
// a result, and ended before it got the text.
func TestTextsTooLate(t *testing.T) {
	r := newHeld(t)
	r.pass(time.Second)
	_, err := r.HearTurn("one", 1, 2, []run.Event{{Kind: run.Text, Text: "I did it"}})
	r.ok(err)
	r.pass(time.Second)
	r.sends("late")
	r.took("hook-1")
	r.ok(r.TextsPrinted("c-one", "hook-1", true))
	r.ok(r.EndTurn("one", 1, run.End{Result: true, Spoken: true, Forgot: true}))
	if waiting, done := r.waits(); waiting != "" || done != "go" {
		t.Errorf("wait: %q, done: %q", waiting, done)
	}
	if got := r.expect("after the turn", run.Starting, true); got.Turn.Prompt != run.Perhaps+"late" {
		t.Errorf("the next prompt is %q", got.Turn.Prompt)
	}
}
