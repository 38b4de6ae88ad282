package core_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// told returns the notices that are due now, each as session|text.
func (r *rig) told() (out []string) {
	r.t.Helper()
	for _, a := range r.drain(phone) {
		if a.Kind != core.ActNotice {
			continue
		}
		n, err := channel.ReadNotice(a.Data)
		r.ok(err)
		out = append(out, string(n.Session)+"|"+n.Text)
	}
	return out
}

// trouble makes one notice of the kind "policy" for a session.
func (r *rig) trouble(id session.ID, text string) {
	r.t.Helper()
	_, err := r.PolicyBroken(id, text)
	r.ok(err)
}

func (r *rig) expect(what string, want ...string) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.told()); diff != "" {
		r.t.Errorf("%s: %s", what, diff)
	}
}

// TestNotices checks that notices of one kind and session are sent once a minute, grouped.
// Other kinds, other sessions, the end of a loop and questions do not wait. A restart in
// between changes nothing.
func TestNotices(t *testing.T) {
	r := newRig(t)
	r.pair()
	one, two := r.see("s1", "/one").Token, r.see("s2", "/two").Token
	r.told()
	r.trouble("s1", "first")
	r.expect("the first", "s1|⚠️ "+one+": first")
	r.pass(10 * time.Second)
	r.trouble("s1", "second")
	r.restart()
	r.trouble("s1", "third")
	r.trouble("s2", "other")
	r.expect("within the minute", "s2|⚠️ "+two+": other")
	_, err := r.StartLoop("s1", loop.Options{Task: "g", Max: 3})
	r.ok(err)
	r.ok(r.CancelLoop("s1", "Ada", "web"))
	if got := r.told(); len(got) != 1 || !strings.Contains(got[0], "cancelled") {
		t.Errorf("the loop's end: %q", got)
	}
	r.pass(50 * time.Second)
	r.expect("after a minute", "s1|📚 2 at once:\n\n⚠️ "+one+": second\n\n⚠️ "+one+": third")
	r.trouble("s1", "fourth")
	r.expect("again within the minute")
	r.pass(time.Minute)
	r.expect("alone", "s1|⚠️ "+one+": fourth")
	r.pass(2 * time.Minute)
	for n := range 30 {
		r.trouble("s1", fmt.Sprint("flood ", n))
	}
	r.told()
	r.pass(time.Minute)
	if got := r.told(); len(got) != 1 || !strings.Contains(got[0], "29 at once") ||
		!strings.Contains(got[0], "flood 29") || !strings.Contains(got[0], "17 older ones are left out") {
		t.Errorf("a flood: %q", got)
	}
}

// TestStoppedIsToldAtOnce checks that the end of each stopped turn is told at once: the
// person who stopped it waits for the answer.
func TestStoppedIsToldAtOnce(t *testing.T) {
	r := newRig(t)
	r.pair()
	for range 2 {
		token := r.see("s1", "/one").Token
		_, err := r.StopTurn(token, ask.Decision{By: "Ada"})
		r.ok(err)
		_, err = r.Halted("s1", true)
		r.ok(err)
		r.expect("a stop", "s1|⏹ "+token+" has stopped.")
	}
}

// TestQuietHours checks that notices wait for the end of the quiet hours and come in one
// message, also after a restart. A question does not wait.
func TestQuietHours(t *testing.T) {
	r := newRig(t) // it is noon
	r.rules.Quiet = session.Quiet{From: 11 * time.Hour, To: 13 * time.Hour, Zone: time.UTC}
	r.restart()
	r.pair()
	one, two := r.see("s1", "/one").Token, r.see("s2", "/two").Token
	r.told()
	r.trouble("s1", "first")
	r.ok(r.SetAway("", session.On, 0))
	a := newAsk("ask_1", "x")
	a.Session = "s1"
	r.openAsk(a)
	if got := r.drain(phone); len(got) != 1 || got[0].Kind != core.ActCard {
		t.Errorf("in quiet hours went out %+v", got)
	}
	r.pass(30 * time.Minute)
	r.restart()
	r.trouble("s2", "second")
	r.expect("half an hour later")
	r.pass(30 * time.Minute)
	r.expect("when they are over", "|🌅 While it was quiet:\n\n⚠️ "+one+": first\n\n⚠️ "+two+": second")
	r.trouble("s1", "third")
	r.expect("behind them", "s1|⚠️ "+one+": third")
}

// TestPassOn checks that the host's notifications are sent to a person who is away, like any
// notice.
func TestPassOn(t *testing.T) {
	r := newRig(t)
	r.pair()
	token := r.see("s", "/p").Token
	r.told()
	r.ok(r.PassOn("s", "agent_completed", "the search is done"))
	r.expect("nobody is away")
	r.ok(r.SetAway("", session.On, 0))
	r.ok(r.PassOn("s", "agent_completed", "the search is done"))
	r.ok(r.PassOn("s", "agent_completed", "the build is done"))
	r.ok(r.PassOn("s", "agent_needs_input", "which branch?"))
	r.ok(r.PassOn("nobody", "agent_completed", "x"))
	r.expect("away", "s|🔔 "+token+": the search is done", "s|🔔 "+token+": which branch?")
	r.pass(time.Minute)
	r.expect("a minute later", "s|🔔 "+token+": the build is done")
}

// TestCancelledHere checks that a person who cancels a loop at the terminal with away off gets
// no notice on the phone. Everybody else does.
func TestCancelledHere(t *testing.T) {
	for _, tc := range []struct {
		channel string
		away    session.Mode
		rings   bool
	}{
		{core.Terminal, session.Off, false}, {core.Terminal, session.On, true}, {core.Terminal, session.Auto, true},
		{"web", session.Off, true}, {"", session.Off, true},
	} {
		r := newRig(t)
		r.pair()
		r.see("s", "/p")
		r.ok(r.SetAway("", tc.away, 0))
		_, err := r.StartLoop("s", loop.Options{Task: "g", Max: 3})
		r.ok(err)
		r.told()
		r.ok(r.CancelLoop("s", "ann at the terminal", tc.channel))
		if got := r.told(); len(got) > 0 != tc.rings {
			t.Errorf("cancelled on %q with away %s: told %q", tc.channel, tc.away, got)
		}
	}
}

// TestTellInEachMode: a text to the person goes out at once, wherever the person sits.
func TestTellInEachMode(t *testing.T) {
	for _, mode := range []session.Mode{session.Off, session.On, session.Auto} {
		r := newRig(t)
		r.pair()
		r.ok(r.SetAway("", mode, 0))
		_, err := r.Tell("", message.Message{Key: "k", Text: "the build is green", By: "Ann"})
		r.ok(err)
		r.expect(string(mode), "|💬 Ann: \x1ethe build is green\x1e")
	}
}

// TestTellOnce: a fact is told once, and again only after it was withdrawn.
func TestTellOnce(t *testing.T) {
	r := newRig(t)
	r.pair()
	tell := func(want int) {
		t.Helper()
		r.ok(r.TellOnce(phone, "silence:/p", channel.News{Kind: channel.Silenced, Of: "/p", Why: "a file"}))
		if told := r.told(); len(told) != want {
			t.Errorf("told %q, want %d", told, want)
		}
		r.pass(time.Hour)
	}
	tell(1)
	tell(0)
	r.restart()
	tell(0)
	r.ok(r.Untrue("silence:/p"))
	tell(1)
}
