package core_test

import (
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// TestRunsTakeTurns checks that a run whose turn waits starts when another turn ends, and
// not before.
func TestRunsTakeTurns(t *testing.T) {
	r := newRig(t)
	r.rules.MostTurns = 1
	r.restart()
	state := func(id run.ID) run.State {
		t.Helper()
		got, err := r.RunByID(id)
		r.ok(err)
		return got.State
	}
	for _, id := range []run.ID{"one", "two"} {
		_, err := r.StartRun(run.Run{ID: id, Name: string(id), Dir: "/w", Conversation: "c-" + string(id)},
			message.Message{Key: string(id), Text: "go", By: "Ann"})
		r.ok(err)
	}
	_, err := r.HearTurn("one", 1, 1, []run.Event{{Kind: run.Init}})
	r.ok(err)
	if one, two := state("one"), state("two"); one != run.Working || two != run.Queued {
		t.Fatalf("one is %s and two is %s; want working and queued", one, two)
	}
	r.ok(r.EndTurn("one", 1, run.End{Result: true}))
	if one, two := state("one"), state("two"); one != run.Idle || two != run.Starting {
		t.Errorf("after the end of one, one is %s and two is %s; want idle and starting", one, two)
	}
}
