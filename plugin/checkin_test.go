package plugin_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// followUp plays a session that says "first answer", and then what it was told.
func followUp(text string) func(model.Request) model.Turn {
	return func(q model.Request) model.Turn {
		if q.Has(text) {
			return model.Say("second answer")
		}
		return model.Say("first answer")
	}
}

// instruction is a reply that a shell, a template or a parser would spoil.
const instruction = "now run `make lint`\n  & say \"don't\" <b>$1</b>"

// asked waits for a request of the session that holds text.
func (r *rig) asked(text string) model.Request {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	q, err := r.model.Await(ctx, func(q model.Request) bool { return !q.Errand() && q.Has(text) })
	if err != nil {
		r.t.Fatalf("the model never read %q\n%s\n%s", text, r.phone(), r.trail())
	}
	return q
}

// awayRig is a rig whose person is away and whose Stop hooks hold this long.
func awayRig(t *testing.T, client, hold string) (*rig, *host.Terminal) {
	r := newRig(t, client)
	r.must("stop")
	write(t, r.home, "config.toml", read(t, r.home+"/config.toml")+"\n[checkin]\nhold = \""+hold+"\"\n")
	r.must("start")
	r.must("away", "on")
	r.model.Script(followUp(instruction))
	term := r.lab.Terminal()
	term.Submit("do the first thing")
	return r, term
}

// TestRealCheckIn is the way out and back of a session that stopped while its
// person is away.
func TestRealCheckIn(t *testing.T) {
	for name, version := range map[string]string{"current": host.Current, "oldest": host.Oldest} {
		t.Run("reply within the hold/"+name, func(t *testing.T) {
			r, term := awayRig(t, host.Need(t, version), "60s")
			card := r.card("first answer")
			r.reply(card, instruction)
			term.Await("second answer", within)
			r.becomes(card, "Answered by Ann")
			r.becomes(card, "the session has it")
			if q := r.asked(instruction); strings.Contains(strings.Join(q.From("user"), "\n"), "SYSTEM NOTIFICATION") {
				t.Error("the session was woken, though it was held")
			}
			r.card("second answer")
		})
		t.Run("reply after the hold/"+name, func(t *testing.T) {
			r, term := awayRig(t, host.Need(t, version), "1s")
			card := r.card("first answer")
			r.idle()
			r.reply(card, instruction)
			term.Await("second answer", within)
			q := r.asked(instruction)
			if !q.Has("wrote this from their phone") || !q.Has("a reply from the paired person waits") {
				t.Errorf("the model read:\n%s", strings.Join(q.Texts(), "\n---\n"))
			}
			r.becomes(card, "the session has it")
			again := r.card("second answer")
			r.idle()
			r.reply(again, "third "+instruction)
			r.asked("third " + instruction)
		})
	}
	t.Run("typing ends the hold", func(t *testing.T) {
		r, term := awayRig(t, host.Need(t, host.Current), "60s")
		card := r.card("first answer")
		begun := time.Now()
		term.Submit("what about this")
		r.becomes(card, "Answered at the terminal")
		r.asked("what about this")
		if took := time.Since(begun); took > 8*time.Second {
			t.Errorf("the typed prompt waited %v", took)
		}
		r.reply(card, "too late")
		r.said("Too late")
	})
	t.Run("escape ends the hold", func(t *testing.T) {
		r, term := awayRig(t, host.Need(t, host.Current), "60s")
		card := r.card("first answer")
		term.Await("waiting for your reply", within)
		term.Keys("Escape")
		r.becomes(card, "Cancelled")
	})
	t.Run("a text without a reply wakes the only session", func(t *testing.T) {
		r, _ := awayRig(t, host.Need(t, host.Current), "1s")
		card := r.card("first answer")
		r.tap(card, "Done")
		r.becomes(card, "Left to rest by Ann")
		r.idle()
		r.ann.Say(annID, instruction)
		r.said("gets it now")
		r.asked(instruction)
	})
	t.Run("never in print", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Current))
		r.must("away", "on")
		begun := time.Now()
		r.print("go " + model.Play(model.Say("fin")))
		if took := time.Since(begun); took > 20*time.Second || strings.Contains(r.phone(), "fin") {
			t.Errorf("it took %v, and the phone shows:\n%s", took, r.phone())
		}
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
