package core_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
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

// turnEnds is turn, with the end of the turn.
func (r *rig) turnEnds(fence int64, by, result string, e run.End) {
	r.t.Helper()
	m := message.Message{Key: "text-" + result, Session: "c", Text: "go", By: by, Data: by == ""}
	if fence == 1 {
		_, err := r.StartRun(run.Run{ID: "r", Name: "r", Dir: "/w", Conversation: "c"}, m)
		r.ok(err)
	} else {
		_, _, err := r.Send(m, "")
		r.ok(err)
	}
	_, err := r.HearTurn("r", fence, 1, []run.Event{{Kind: run.Init}, {Kind: run.Result, Text: result}})
	r.ok(err)
	r.ok(r.EndTurn("r", fence, e))
}

// turn has a run take a text, which is data if nobody wrote it, and end its turn with a result.
func (r *rig) turn(fence int64, by, result string) {
	r.t.Helper()
	r.turnEnds(fence, by, result, run.End{Result: true})
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

// TestRunSilent: a result of exactly NO_REPLY is told to nobody, whatever asked for the turn, and
// the run keeps it. Other words beside it are told.
func TestRunSilent(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.turn(1, "Ann", session.NoReply)
	r.turn(2, "trigger night", " "+session.NoReply+"\n")
	r.pass(time.Minute)
	if got := r.ended(); len(got) != 0 {
		t.Errorf("told: %+v", got)
	}
	kept, err := r.RunByID("r")
	r.ok(err)
	if kept.State != run.Idle || strings.TrimSpace(kept.Result) != session.NoReply {
		t.Errorf("the run does not show its result: %s, %q", kept.State, kept.Result)
	}
	r.turn(3, "Ann", "The answer is NO_REPLY")
	if got := r.ended(); len(got) != 1 {
		t.Errorf("told: %+v", got)
	}
}

// TestTriggerRunTold: the person gets the result of a run that a trigger made for one text, unless
// it is NO_REPLY. The run is then done.
func TestTriggerRunTold(t *testing.T) {
	for result, told := range map[string]int{"three builds failed": 1, session.NoReply: 0} {
		t.Run(result, func(t *testing.T) {
			r := newRig(t)
			r.pair()
			_, err := r.ApproveTrigger("night", "# Night\n\n- on: manual\n- to: run\n\nGo.\n", "Ann")
			r.ok(err)
			f, _, _, err := r.Shoot(feature.Shot{Trigger: "night", Key: "k", By: "Ann"})
			r.ok(err)
			_, err = r.SendFiring(feature.Sending{
				Firing: f.ID,
				Hash:   trigger.Hash("# Night\n\n- on: manual\n- to: run\n\nGo.\n"),
				To:     message.Address{Kind: message.ToRun},
				First:  "Go.",
				Run:    run.Run{ID: "r", Dir: "/w", Conversation: "c", Ephemeral: true},
			})
			r.ok(err)
			r.endTurn("r", result)
			if got := r.ended(); len(got) != told {
				t.Errorf("told: %+v", got)
			}
			over, err := r.RunByID("r")
			r.ok(err)
			if over.State != run.Done || over.Result != result {
				t.Errorf("the run is %s with %q", over.State, over.Result)
			}
		})
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

// TestTextsOfATurn: the texts of a turn are done when the model has answered, whether it has hooks
// or not. An agent that has only begun may end before its conversation has them.
func TestTextsOfATurn(t *testing.T) {
	r := newRig(t)
	_, err := r.StartRun(run.Run{ID: "r", Name: "r", Dir: "/w", Conversation: "c"},
		message.Message{Key: "k", Text: "go", By: "Ann"})
	r.ok(err)
	if got := r.Messages()[0]; got.State != message.Delivered {
		t.Errorf("before: %s", got.State)
	}
	_, err = r.HearTurn("r", 1, 1, []run.Event{{Kind: run.Init}})
	r.ok(err)
	if got := r.Messages()[0]; got.State != message.Delivered {
		t.Errorf("after the start: %s", got.State)
	}
	_, err = r.HearTurn("r", 1, 2, []run.Event{{Kind: run.Text, Text: "I begin"}})
	r.ok(err)
	if got := r.Messages()[0]; got.State != message.Done {
		t.Errorf("after the answer: %s", got.State)
	}
	if got := r.AddressOf(r.Messages()[0]).String(); got != "run:r" {
		t.Errorf("it is for %s", got)
	}
}

// TestRunLacks: the person is told once that a run works without some tools, and again when the
// reason is another one.
func TestRunLacks(t *testing.T) {
	r := newRig(t)
	r.pair()
	told := 0
	for i, c := range []struct {
		lacks string
		told  int
	}{
		{"jira: no such file", 1}, {"jira: no such file", 1}, {"", 1}, {"jira: no such file", 2},
		{"jira: chmod 600", 3},
	} {
		r.turnEnds(int64(i+1), "Ann", fmt.Sprint("result ", i), run.End{Result: true, Lacks: c.lacks})
		r.pass(time.Hour)
		for _, text := range r.told() {
			if strings.Contains(text, "run r worked without the tools of jira: ") {
				told++
			}
		}
		if told != c.told {
			t.Errorf("after turn %d, which lacks %q, the person was told %d times, want %d", i+1, c.lacks, told, c.told)
		}
	}
}
