package core_test

import (
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// TestLostConversation checks that a run whose agent does not know the conversation begins it anew
// with the same text, however the turn before had ended.
func TestLostConversation(t *testing.T) {
	killed := run.End{Exit: -1, Killed: true, Lost: true}
	for name, c := range map[string]struct {
		before []run.Event // of the turn that ends
		end    run.End
	}{
		"before a word":     {nil, killed},
		"after the start":   {[]run.Event{{Kind: run.Init}}, killed},
		"after its answer":  {[]run.Event{{Kind: run.Init}, {Kind: run.Text, Text: "yes"}}, killed},
		"unknown at a stop": {[]run.Event{{Kind: run.Init}}, run.End{Exit: 143, Lost: true}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			_, err := r.StartRun(run.Run{ID: "r", Name: "r", Dir: "/w", Conversation: "c"},
				message.Message{Key: "k", Text: "go", By: "Ann"})
			r.ok(err)
			if len(c.before) > 0 {
				_, err = r.HearTurn("r", 1, 1, c.before)
				r.ok(err)
			}
			c.end.Arrived = map[string]bool{"r/1": false}
			r.ok(r.EndTurn("r", 1, c.end))
			if got := r.Messages()[0]; got.State != message.Pending {
				t.Errorf("the text is %s", got.State)
			}
			r.pass(2 * time.Second)
			got, err := r.RunByID("r")
			r.ok(err)
			if got.State != run.Starting || got.Turn.Resumes || got.Turn.Prompt != "go" {
				t.Errorf("it is %s (%s), resumes %t, with %q", got.State, got.Why, got.Turn.Resumes, got.Turn.Prompt)
			}
		})
	}
}

// TestLostLater checks that the last text is given again to a run whose conversation was removed
// after its turn, if the turn that finds it gone has no text of its own.
func TestLostLater(t *testing.T) {
	r := newRig(t)
	_, err := r.StartRun(run.Run{ID: "r", Name: "r", Dir: "/w", Conversation: "c"},
		message.Message{Key: "k", Text: "go", By: "Ann"})
	r.ok(err)
	_, err = r.HearTurn("r", 1, 1, []run.Event{{Kind: run.Init}, {Kind: run.Text, Text: "yes"}})
	r.ok(err)
	r.pass(time.Minute)
	r.ok(r.EndTurn("r", 1, run.End{Exit: -1, Killed: true}))
	r.pass(2 * time.Second)
	resumed, err := r.RunByID("r")
	r.ok(err)
	if !resumed.Turn.Resumes || resumed.Turn.Prompt != run.Notice {
		t.Fatalf("the restart: %+v", resumed.Turn)
	}
	r.ok(r.EndTurn("r", 2, run.End{Result: true, Failed: true, Lost: true, Exit: 1}))
	r.pass(2 * time.Second)
	anew, err := r.RunByID("r")
	r.ok(err)
	if anew.State != run.Starting || anew.Turn.Resumes || anew.Turn.Prompt != run.Perhaps+"go" {
		t.Errorf("it is %s (%s), resumes %t, with %q", anew.State, anew.Why, anew.Turn.Resumes, anew.Turn.Prompt)
	}
}
