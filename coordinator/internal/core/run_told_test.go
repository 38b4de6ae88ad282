package core_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// ended returns the ends of turns that the phone is told now.
func (r *rig) ended() (out []run.TurnEnd) {
	r.t.Helper()
	for _, a := range r.drain(phone) {
		if a.Kind != core.ActRunEnded {
			continue
		}
		var e run.TurnEnd
		r.ok(json.Unmarshal([]byte(a.Data), &e))
		out = append(out, e)
	}
	return out
}

// turn has a run take a text, which is data if nobody wrote it, and end its turn with a result.
func (r *rig) turn(fence int64, by, result string) {
	r.t.Helper()
	m := message.Message{Key: "text-" + result, Session: "c", Text: "go", By: by, Data: by == ""}
	if fence == 1 {
		_, err := r.StartRun(run.Run{ID: "r", Name: "r", Dir: "/w", Conversation: "c"}, m)
		r.ok(err)
	} else {
		_, _, err := r.Send(m)
		r.ok(err)
	}
	_, err := r.HearTurn("r", fence, 1, []run.Event{{Kind: run.Init}, {Kind: run.Result, Text: result}})
	r.ok(err)
	r.ok(r.EndTurn("r", fence, run.End{Result: true}))
}

// TestRunTold: the person is told of each end of a turn once; of one that no person asked
// for at most once a minute, with the newest result.
func TestRunTold(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.turn(1, "Ann", "one")
	if got := r.ended(); len(got) != 1 || got[0].Result != "one" || got[0].Turn != 1 {
		t.Errorf("told: %+v", got)
	}
	if err := r.EndTurn("r", 1, run.End{Result: true}); err == nil {
		t.Error("a turn ended twice")
	}
	r.turn(2, "Ann", "two")
	if got := r.ended(); len(got) != 1 || got[0].Result != "two" {
		t.Errorf("a person is not told at once: %+v", got)
	}
	r.turn(3, "", "three")
	r.turn(4, "", "four")
	if got := r.ended(); len(got) != 0 {
		t.Errorf("told within a minute: %+v", got)
	}
	r.pass(time.Minute)
	if got := r.ended(); len(got) != 1 || got[0].Result != "four" {
		t.Errorf("told after a minute: %+v", got)
	}
}

// TestRunToldByLoop: a turn of a loop that goes on tells nothing.
func TestRunToldByLoop(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.turn(1, "Ann", "one")
	r.ended()
	_, err := r.StartLoop("c", loop.Options{Task: "t", Max: 3})
	r.ok(err)
	r.turn(2, "Ann", "two")
	if got := r.ended(); len(got) != 0 {
		t.Errorf("told: %+v", got)
	}
}

// TestTextsOfATurn: the texts of a turn are done when the agent has read its prompt, whether it
// has hooks or not.
func TestTextsOfATurn(t *testing.T) {
	r := newRig(t)
	_, err := r.StartRun(run.Run{ID: "r", Name: "r", Dir: "/w", Conversation: "c"}, message.Message{Key: "k", Text: "go", By: "Ann"})
	r.ok(err)
	if got := r.Messages()[0]; got.State != message.Delivered {
		t.Errorf("before: %s", got.State)
	}
	_, err = r.HearTurn("r", 1, 1, []run.Event{{Kind: run.Init}})
	r.ok(err)
	if got := r.Messages()[0]; got.State != message.Done {
		t.Errorf("after: %s", got.State)
	}
	if got := r.AddressOf(r.Messages()[0]).String(); got != "run:r" {
		t.Errorf("it is for %s", got)
	}
}
