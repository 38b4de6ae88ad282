//go:build unix

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealStopTurn: /stop ends the running turn of the real client at any moment. Nothing
// starts the turn again, and the session accepts the next prompt.
func TestRealStopTurn(t *testing.T) {
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			testStopTurn(newSession(t, host.NeedLong(t, version), "--permission-mode", "default"))
		})
	}
}

func testStopTurn(r *rig) {
	r.part("at a question", func() {
		r.ask("question", model.Bash("echo one > one"), model.Bash("echo two > two"))
		card := r.card("echo one")
		r.reply(card, "/stop")
		r.said("stops now: its question was refused")
		r.becomes(card, "⏹ Stopped by Ann")
		r.term.Await("What should Claude do instead", within) // what is typed before is lost
		r.rests("next", "one", "two")
	})
	r.part("at a step", func() {
		r.ask("step", model.Bash("sleep 5; echo slow > slow"), model.Bash("echo three > three"))
		r.tap(r.card("sleep 5;"), "Allow")
		r.journal("ask.delivered", "")
		r.ann.Say(annID, "/stop")
		r.said("⏹ Stopping ")
		r.said("has stopped")
		r.rests("more", "three")
	})
	r.part("a loop", func() {
		r.term.Submit("/afar:loop write a haiku " +
			model.Play(model.Bash("sleep 4; echo slow > slow"), model.Say("one line"), model.Say("two lines"),
				model.Say("three lines")))
		r.tap(r.card("sleep 4;"), "Allow")
		r.journal("ask.delivered", "")
		r.ann.Say(annID, "/stop")
		r.journal("loop.ended", "cancelled")
		r.said("has stopped")
		r.rests("still more")
		if screen := r.term.Screen(); strings.Contains(screen, "two lines") {
			r.t.Errorf("the loop went on:\n%s", screen)
		}
	})
}

// rests checks that the session is at its free prompt, that none of the files exists, and
// that the session does the next thing that it is asked for. The name next must be new on
// the screen.
func (r *rig) rests(next string, files ...string) {
	r.t.Helper()
	for deadline := time.Now().Add(within); r.status().Sessions[0].State != "idle"; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("the session is %s\n%s\n%s", r.status().Sessions[0].State, r.term.Screen(), r.trail())
		}
	}
	for _, name := range files {
		if r.exists(name) {
			r.t.Errorf("%s was made\n%s", name, r.trail())
		}
	}
	r.ask(next)
	r.did(next)
}

// TestRealStopThinking: while the model answers, /stop interrupts the answer if the client
// accepts texts at a socket.
func TestRealStopThinking(t *testing.T) {
	long.Only(t)
	r := newSession(t, host.Need(t, host.Current), "--permission-mode", "default")
	slow := model.Say("the slow answer")
	slow.Delay = within
	r.term.Submit(play(slow) + " slowly")
	r.busy()
	r.heard("slowly", func(q model.Request) bool { return q.Has("slowly") }) // it answers from here on
	r.must("stop-turn", r.status().Sessions[0].Token)
	r.seen(func(m botapi.Message) bool { return strings.Contains(m.Text, "has stopped") }, "has stopped")
	r.term.Await("Afar: stopped by", within)
	r.rests("next")
}

// busy waits until the session works.
func (r *rig) busy() {
	r.t.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(100 * time.Millisecond) {
		if all := r.status().Sessions; len(all) > 0 && all[0].State == "working" {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("the session does not work\n%s", r.trail())
		}
	}
}
