package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

var takingHook = session.Process{PID: 400, Born: "boot:4"}

// claimed opens an ask that is answered and whose hook has claimed the answer.
func (r *rig) claimed(allow bool) ask.Ask {
	r.t.Helper()
	r.runs(firstClient, session.Working)
	a := newAsk("a", "npm publish")
	a.Taker = takingHook
	r.openAsk(a)
	_, err := r.Answer("a", ask.Decision{Allow: allow, Message: "use yarn", By: "Ada", Channel: phone})
	r.ok(err)
	_, err = r.ClaimAsk("a", true)
	r.ok(err)
	return r.state("a", ask.Delivered)
}

// asksAgain opens the same call again and returns the answer for its hook.
func (r *rig) asksAgain(id string) ask.Ask {
	r.t.Helper()
	again := newAsk(id, "npm publish")
	got, err := r.OpenCovered(again, grant.Need{})
	r.ok(err)
	return got
}

// TestUndelivered checks that an answer whose hook ended before it printed it counts once for
// the same call, for a limited time, and for nothing else.
func TestUndelivered(t *testing.T) {
	ends := map[string]func(r *rig){
		"its connection broke":   func(r *rig) { r.ok(r.AskPrinted("a", false)) },
		"its process is gone":    func(r *rig) { r.dead[takingHook] = true; r.ok(r.Look()) },
		"found out at the start": func(r *rig) { r.dead[takingHook] = true; r.restart() },
	}
	for name, end := range ends {
		for _, allow := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				r := newRig(t)
				r.claimed(allow)
				end(r)
				a := r.state("a", ask.Withdrawn)
				if how := a.Ending(); !strings.HasPrefix(how, "not delivered: ") ||
					!strings.Contains(how, "by Ada at") {
					t.Errorf("the card says %q", how)
				}
				other := newAsk("other", "npm unpublish")
				if got := r.openAsk(other); got.State != ask.Open {
					t.Errorf("another call got %s", got.State)
				}
				got := r.asksAgain("b")
				if got.State != ask.Answered || got.Decision.Allow != allow ||
					!allow && got.Decision.Message != "use yarn" {
					t.Errorf("asked again it is %s, %+v", got.State, got.Decision)
				}
				how := r.state("a", ask.Withdrawn).Ending()
				if !strings.Contains(how, "when the call was asked for again") {
					t.Errorf("then the card says %q", how)
				}
				if got := r.asksAgain("c"); got.State != ask.Open {
					t.Errorf("the answer counted twice: %s", got.State)
				}
			})
		}
	}
}

// TestUndeliveredInTime checks that an undelivered answer does not count longer than a grant.
func TestUndeliveredInTime(t *testing.T) {
	r := newRig(t)
	r.claimed(true)
	r.ok(r.AskPrinted("a", false))
	r.pass(grant.For + time.Minute)
	if got := r.asksAgain("b"); got.State != ask.Open {
		t.Errorf("it counts still: %s", got.State)
	}
}

// TestDelivered checks that a printed answer counts as delivered, even if the report is late,
// and that a call that was settled at the terminal has no valid answer any more.
func TestDelivered(t *testing.T) {
	ran := ask.Outcome{Session: "s", Tool: "Bash", Hash: newAsk("", "npm publish").Hash, Run: ask.Run{OK: true}}
	for name, do := range map[string]func(r *rig){
		"printed, then gone": func(r *rig) { r.ok(r.AskPrinted("a", true)); r.dead[takingHook] = true; r.ok(r.Look()) },
		"gone, then printed": func(r *rig) { r.dead[takingHook] = true; r.ok(r.Look()); r.ok(r.AskPrinted("a", true)) },
		"it ran after all":   func(r *rig) { r.ok(r.AskPrinted("a", false)); r.ok(r.Ran(ran)) },
		"No at the terminal": func(r *rig) {
			_, err := r.CancelAsk("a", "No")
			r.ok(err)
			r.ok(r.AskPrinted("a", false))
		},
		"the dialog closed": func(r *rig) {
			r.ok(r.AskPrinted("a", false))
			r.ok(r.LocallySettled("s", t0.Add(time.Hour)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.claimed(true)
			do(r)
			if got := r.asksAgain("b"); got.State != ask.Open {
				t.Errorf("the answer counts for another call: %s", got.State)
			}
		})
	}
}

// TestDeliveredOnce checks that the journal records a delivery once, when it is proven, and
// the run of a call in any case.
func TestDeliveredOnce(t *testing.T) {
	ran := ask.Outcome{Session: "s", Tool: "Bash", Hash: newAsk("", "npm publish").Hash, Run: ask.Run{OK: true}}
	claimAgain := func(r *rig) { _, err := r.ClaimAsk("a", true); r.ok(err) }
	printed := func(r *rig) { r.ok(r.AskPrinted("a", true)) }
	lost := func(r *rig) { r.ok(r.AskPrinted("a", false)) }
	run := func(r *rig) { r.ok(r.Ran(ran)) }
	for name, c := range map[string]struct {
		do   []func(*rig)
		want []string
	}{
		"claimed only":      {nil, nil},
		"printed":           {[]func(*rig){printed}, []string{"ask.delivered a"}},
		"told twice":        {[]func(*rig){printed, printed}, []string{"ask.delivered a"}},
		"lost":              {[]func(*rig){lost}, []string{"ask.ended a"}},
		"lost, and printed": {[]func(*rig){lost, printed}, []string{"ask.ended a", "ask.delivered a"}},
		"lost, and claimed again": {
			[]func(*rig){lost, claimAgain, printed}, []string{"ask.ended a", "ask.delivered a"},
		},
		"printed after its run":       {[]func(*rig){run, printed}, []string{"ask.delivered a", "ask.ran a"}},
		"lost after its run":          {[]func(*rig){run, lost}, []string{"ask.delivered a", "ask.ran a"}},
		"lost, run from the terminal": {[]func(*rig){lost, run}, []string{"ask.ended a", "ask.ran a"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			head := r.head()
			r.claimed(true)
			for _, do := range c.do {
				do(r)
			}
			var got []string
			for _, kind := range r.kinds(head) {
				if kind != "ask.opened a" && kind != "ask.answered a" && strings.HasPrefix(kind, "ask.") {
					got = append(got, kind)
				}
			}
			r.same("journal", c.want, got)
		})
	}
}

// TestTextHandedOver checks that a text is done when its hook printed it and the session comes
// back, and is offered again when the hook ended before it printed.
func TestTextHandedOver(t *testing.T) {
	take := func(r *rig, delivery string) message.Delivery {
		d, err := r.Deliver("s", delivery, takingHook)
		r.ok(err)
		return d
	}
	start := func(t *testing.T) *rig {
		r := newRig(t)
		r.pair()
		r.runs(firstClient, session.Working)
		r.fate(1) // "go on"
		if d := take(r, "h1"); d.Text != "go on" || d.Again {
			t.Fatalf("took %+v", d)
		}
		return r
	}
	back := func(r *rig) int {
		n, err := r.ComesBack("s", "h9")
		r.ok(err)
		return n
	}
	t.Run("printed", func(t *testing.T) {
		r := start(t)
		r.ok(r.TextsPrinted("s", "h1", true))
		if n := back(r); n != 0 || r.Messages()[0].State != message.Done {
			t.Errorf("%d wait, %+v", n, r.Messages())
		}
	})
	t.Run("the hook still runs", func(t *testing.T) {
		r := start(t)
		r.ok(r.Look())
		if n := back(r); n != 0 || r.Messages()[0].State != message.Delivered {
			t.Errorf("%d wait, %+v", n, r.Messages())
		}
	})
	for name, end := range map[string]func(r *rig){
		"its connection broke":   func(r *rig) { r.ok(r.TextsPrinted("s", "h1", false)) },
		"its process is gone":    func(r *rig) { r.dead[takingHook] = true; r.ok(r.Look()) },
		"found out at the start": func(r *rig) { r.dead[takingHook] = true; r.restart() },
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			end(r)
			if n := back(r); n != 1 {
				t.Fatalf("%d wait: %+v", n, r.Messages())
			}
			if d := take(r, "h2"); d.Text != "go on" || !d.Again {
				t.Errorf("offered again: %+v", d)
			}
			r.ok(r.TextsPrinted("s", "h2", true))
			if n := back(r); n != 0 || r.Messages()[0].State != message.Done {
				t.Errorf("%d wait, %+v", n, r.Messages())
			}
		})
	}
	t.Run("gone, and printed all the same", func(t *testing.T) {
		r := start(t)
		r.dead[takingHook] = true
		r.ok(r.Look())
		r.ok(r.TextsPrinted("s", "h1", true))
		if n := back(r); n != 0 || r.Messages()[0].State != message.Done {
			t.Errorf("%d wait, %+v", n, r.Messages())
		}
	})
}
