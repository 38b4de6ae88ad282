//go:build unix

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// followUp returns a session that says "first answer", and then repeats what it was told.
func followUp(text string) func(model.Request) model.Turn {
	return func(q model.Request) model.Turn {
		if q.Has(text) {
			return model.Say("second answer")
		}
		return model.Say("first answer")
	}
}

// instruction is a reply that a shell, a template or a parser would change.
const instruction = "now run `make lint`\n  & say \"don't\" <b>$1</b>"

// asked waits for a request of the session that holds text.
func (r *rig) asked(text string) model.Request {
	r.t.Helper()
	return r.heard(text, func(q model.Request) bool { return q.Has(text) })
}

// heard waits for a request of the session for which wanted is true.
func (r *rig) heard(what string, wanted func(model.Request) bool) model.Request {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	q, err := r.model.Await(ctx, func(q model.Request) bool { return !q.Errand() && wanted(q) })
	if err != nil {
		r.t.Fatalf("the model never read %q\n%s\n%s", what, r.phone(), r.trail())
	}
	return q
}

// awayRig returns a rig whose person is away and whose Stop hooks hold for a given time.
// Its session has received a first prompt.
func awayRig(t *testing.T, version, hold string) *rig {
	r := newRig(t, host.NeedLong(t, version))
	r.configure("[checkin]\nhold = \"" + hold + "\"")
	r.must("away", "on")
	r.model.Script(followUp(instruction))
	r.term = r.lab.Terminal()
	r.term.Submit("do the first thing")
	return r
}

// TestRealCheckIn: a session that stops while its person is away checks in, and a reply
// reaches it.
func TestRealCheckIn(t *testing.T) {
	t.Parallel()
	for name, version := range clients {
		t.Run("within the hold/"+name, func(t *testing.T) { testHeld(awayRig(t, version, "60s"), version) })
		t.Run("after the hold/"+name, func(t *testing.T) { testWoken(awayRig(t, version, "1s")) })
	}
	t.Run("never in print", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Current))
		r.configure("[checkin]\nhold = \"1h\"") // print fails long before that
		r.must("away", "on")
		r.print(play(model.Say("fin")))
		if strings.Contains(r.phone(), "fin") {
			t.Errorf("the phone shows:\n%s", r.phone())
		}
	})
}

// testHeld checks a session that is held when it stops. A reply makes it continue, and it is
// held again. Typing and Esc end the hold.
func testHeld(r *rig, version string) {
	r.part("a reply", func() {
		card := r.open("first answer")
		r.reply(card, instruction)
		r.term.Await("second answer", within)
		r.becomes(card, "Answered by Ann")
		r.becomes(card, "the session has it")
		if q := r.asked(instruction); strings.Contains(strings.Join(q.From("user"), "\n"), "SYSTEM NOTIFICATION") {
			r.t.Error("the session was woken, though it was held")
		}
	})
	if version != host.Current {
		return
	}
	r.part("typing", func() {
		card := r.open("second answer")
		begun := time.Now()
		r.term.Submit("what about this")
		r.becomes(card, "Answered at the terminal")
		r.asked("what about this")
		if took := time.Since(begun); took > 50*time.Second { // a hold lasts a minute
			r.t.Errorf("the typed prompt waited %v", took)
		}
		r.reply(card, "too late")
		r.said("Too late")
	})
	r.part("escape", func() {
		card := r.open("second answer")
		r.term.Await("waiting for your phone", within)
		r.term.Keys("Escape")
		r.becomes(card, "Cancelled")
	})
}

// testWoken checks a session that stops and is held only briefly. Each reply wakes it, and
// so does a text that is not a reply.
func testWoken(r *rig) {
	r.part("a reply", func() {
		card := r.open("first answer")
		r.idle()
		r.reply(card, instruction)
		r.term.Await("second answer", within)
		q := r.asked(instruction)
		if !q.Has("wrote this through Afar") || !q.Has("a reply from the paired person waits") {
			r.t.Errorf("the model read:\n%s", strings.Join(q.Texts(), "\n---\n"))
		}
		r.becomes(card, "the session has it")
	})
	r.part("a second reply", func() {
		card := r.open("second answer")
		r.idle()
		r.reply(card, "third "+instruction)
		r.asked("third " + instruction)
		r.becomes(card, "the session has it")
	})
	r.part("a text without a reply", func() {
		card := r.open("second answer")
		r.tap(card, "Done")
		r.becomes(card, "Let rest by Ann")
		r.idle()
		r.ann.Say(annID, "fourth "+instruction)
		r.said("gets it now")
		r.asked("fourth " + instruction)
	})
}

// idle waits until the coordinator sees the session at its free prompt.
func (r *rig) idle() {
	r.t.Helper()
	awaitOutput(r.t, func() (string, bool) {
		s := r.status()
		return r.trail(), len(s.Sessions) == 1 && s.Sessions[0].State == "idle"
	})
}

// TestRealPromise: the phone says that a session gets a text "now" only if the session gets
// it without another prompt.
func TestRealPromise(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for name, version := range clients {
		t.Run("clear and resume/"+name, func(t *testing.T) {
			long.Only(t)
			testClearAndResume(awayRig(t, version, "1s"))
		})
		t.Run("exit and resume/"+name, func(t *testing.T) { testExitAndResume(awayRig(t, version, "1s")) })
	}
}

func testClearAndResume(r *rig) {
	r.open("first answer")
	r.idle()
	was := r.status().Sessions[0]
	r.term.Submit("/clear")
	r.counted = r.journal("session.ended", "").Seq
	r.term.Submit("/resume " + was.ID)
	r.term.Await("first answer", within)
	r.arrivesLate(was.Token)
}

func testExitAndResume(r *rig) {
	r.open("first answer")
	r.idle()
	was := r.status().Sessions[0]
	r.term.Close()
	r.counted = r.journal("session.ended", "").Seq
	r.term = r.lab.Terminal("--resume", was.ID)
	r.term.Await("first answer", within)
	r.arrivesLate(was.Token)
}

// arrivesLate writes to a session that was resumed. No hook of that session waits, so
// the text is promised for the next prompt and arrives with it.
func (r *rig) arrivesLate(token string) {
	r.t.Helper()
	r.journal("session.started", token+" started")
	r.idle()
	r.ann.Say(annID, instruction)
	r.said("with its next prompt")
	if strings.Contains(r.phone(), "gets it now") {
		r.t.Errorf("the phone promises too much:\n%s", r.phone())
	}
	r.term.Submit("go on")
	r.asked(instruction)
	r.term.Await("second answer", within)
}

// TestRealSend: a text that a program sends with `afar send` wakes a waiting session, as
// data.
func TestRealSend(t *testing.T) {
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			r := awayRig(t, version, "1s")
			r.open("first answer")
			r.idle()
			if out := r.must("send", r.status().Sessions[0].Token, instruction); !strings.Contains(out, "now") {
				t.Errorf("afar send says %q", out)
			}
			if q := r.asked(instruction); !q.Has("It is data") {
				t.Errorf("the model read:\n%s", strings.Join(q.Texts(), "\n---\n"))
			}
			r.term.Await("second answer", within)
		})
	}
}
