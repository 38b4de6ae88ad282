package core_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// missedAsks returns the questions about missed times that are open.
func (r *rig) missedAsks() (out []ask.Ask) {
	for _, a := range r.Asks(false) {
		if a.Kind == ask.Missed {
			out = append(out, a)
		}
	}
	return out
}

// missing has a rule miss a time while nothing runs.
func (r *rig) missing(every, away time.Duration) ask.Ask {
	r.t.Helper()
	r.pair()
	rule := "# Night\n\n- on: every " + every.String() + "\n- to: person\n- missed: ask\n\nGo.\n"
	_, err := r.ApproveTrigger("night", rule, "Ann")
	r.ok(err)
	r.pass(every - time.Second)
	if n := len(r.missedAsks()); n != 0 {
		r.t.Fatalf("%d questions before the time", n)
	}
	r.pass(away)
	r.restart()
	r.pass(0)
	asked := r.missedAsks()
	if len(asked) != 1 {
		r.t.Fatalf("%d questions", len(asked))
	}
	return asked[0]
}

// newest returns the newest line of the ledger.
func (r *rig) newest() trigger.Firing {
	r.t.Helper()
	log, err := r.FiringLog("night", 1)
	r.ok(err)
	return log[0]
}

// TestMissedAsk: a rule that asks about the times that it missed asks once, and fires for the
// newest one if the person wants it. The ledger says what was decided.
func TestMissedAsk(t *testing.T) {
	yes := ask.Decision{Allow: true, By: "Ann", Channel: phone}
	r := newRig(t)
	a := r.missing(24*time.Hour, 50*time.Hour)
	missed := r.newest()
	if missed.State != trigger.Passed || !missed.Asked || !strings.Contains(a.Does, "as was due on") {
		t.Errorf("asked %q about %+v", a.Does, missed)
	}
	cards := 0
	for _, action := range r.drain(phone) {
		if action.Kind == core.ActCard {
			cards++
		}
	}
	if cards != 1 {
		t.Errorf("%d cards", cards)
	}
	for range 2 {
		_, err := r.Answer(a.ID, yes)
		if err != nil {
			break // the second answer is too late
		}
	}
	r.restart()
	due := r.DueFirings()
	if len(due) != 1 || due[0].ID != missed.ID || due[0].By != "Ann" {
		t.Fatalf("due are %+v", due)
	}
}

// TestMissedAskEnds: a no, no answer, a newer missed time and a trigger that is off end the question
// without a firing.
func TestMissedAskEnds(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(r *rig, a ask.Ask)
		why  string
		left int
	}{
		"no": {
			func(r *rig, a ask.Ask) {
				_, err := r.Answer(a.ID, ask.Decision{By: "Ann", Channel: phone})
				r.ok(err)
			}, "skipped by Ann", 0,
		},
		"nobody": {func(r *rig, a ask.Ask) { r.pass(a.ExpiresAt.Sub(r.time())) }, "", 0},
		"off": {
			func(r *rig, _ ask.Ask) {
				_, err := r.OffTrigger("night", "Ann")
				r.ok(err)
			}, "the trigger was switched off", 0,
		},
		"due again": {func(r *rig, a ask.Ask) { r.pass(100 * time.Hour) }, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			a := r.missing(48*time.Hour, time.Hour)
			first, err := r.FiringLog("night", 1)
			r.ok(err)
			c.end(r, a)
			if left := r.missedAsks(); len(left) != c.left || c.left > 0 && left[0].ID == a.ID {
				t.Errorf("open are %+v", left)
			}
			log, err := r.FiringLog("night", 10)
			r.ok(err)
			for _, f := range log {
				if f.ID == first[0].ID && (f.State != trigger.Passed || f.Asked || !strings.Contains(f.Why, c.why)) {
					t.Errorf("the ledger says %+v", f)
				}
			}
			if due := r.DueFirings(); len(due) != 0 {
				t.Errorf("it fires: %+v", due)
			}
		})
	}
}

// TestMissedAskLong: the person may take longer than a day, and Afar may restart meanwhile. The
// question about a rare rule ends after a day.
func TestMissedAskLong(t *testing.T) {
	r := newRig(t)
	a := r.missing(14*24*time.Hour, 3*24*time.Hour)
	if length := a.ExpiresAt.Sub(r.time()); length != 24*time.Hour {
		t.Errorf("it is asked for %s", length)
	}
	r.restart()
	_, err := r.Answer(a.ID, ask.Decision{Allow: true, By: "Ann", Channel: phone})
	r.ok(err)
	if due := r.DueFirings(); len(due) != 1 {
		t.Errorf("due are %+v", due)
	}
}

// TestWakeUpAsk: a wake-up with a check is one question, also when the call comes again. Only an
// allow makes a trigger of it, and the session is told of every other end.
func TestWakeUpAsk(t *testing.T) {
	for name, c := range map[string]struct {
		end   func(r *rig, a ask.Ask)
		makes int
		told  string
	}{
		"allowed": {
			func(r *rig, a ask.Ask) {
				_, err := r.Answer(a.ID, ask.Decision{Allow: true, By: "Ann", Channel: phone})
				r.ok(err)
			}, 1, "",
		},
		"denied": {
			func(r *rig, a ask.Ask) {
				_, err := r.Answer(a.ID, ask.Decision{Message: "not now", By: "Ann", Channel: phone})
				r.ok(err)
			}, 0, "not now",
		},
		"nobody": {func(r *rig, _ ask.Ask) { r.pass(ask.WakeUpFor) }, 0, "nobody answered in time"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.pair()
			v := r.see("s1", "/w/shop")
			about := ask.About{
				Trigger: "wake-1", Rule: "# W\n\n- on: every 5m\n- to: session:" + v.Token + "\n- check: true\n\nGo.\n",
			}
			var a ask.Ask
			for range 2 {
				var err error
				a, err = r.AskAside(ask.NewWakeUp("s1", about, "make -q", "look", "/w/shop"), "to be woken")
				r.ok(err)
				r.restart()
			}
			if n := r.CountOpen("s1", ask.WakeUp); n != 1 || len(r.Triggers()) != 0 {
				t.Fatalf("%d are open, and there are triggers %v", n, r.Triggers())
			}
			c.end(r, a)
			r.restart()
			made := r.drain(feature.LaneTriggers)
			if len(made) != c.makes {
				t.Fatalf("actions %+v", made)
			}
			for _, action := range made {
				var w feature.Waking
				r.ok(json.Unmarshal([]byte(action.Data), &w))
				if w.Rule != about.Rule || w.By != "Ann" {
					t.Errorf("it makes %+v", w)
				}
			}
			texts := r.Messages()
			switch {
			case c.told == "" && len(texts) == 0:
			case len(texts) != 1, !strings.Contains(texts[0].Text, "`make -q` was not allowed"),
				!strings.Contains(texts[0].Text, c.told):
				t.Errorf("the session is told %+v", texts)
			}
		})
	}
}
