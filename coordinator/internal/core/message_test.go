package core_test

import (
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// TestAllWithoutReply checks that a text "all" allows the only question for its session. For a
// check-in it is an instruction like any other and permits nothing.
func TestAllWithoutReply(t *testing.T) {
	d := ask.Decision{Allow: true, Scope: ask.Session, By: "Ada", Channel: phone}
	all := core.Press{
		Act: channel.Act{Channel: phone, Update: 1, At: "1"}, Decision: d, Text: "all", Word: true,
		Seen: []ask.ID{"ask_a", "c1"},
	}

	t.Run("a question", func(t *testing.T) {
		r := newRig(t)
		r.pair()
		r.see("s", "/p")
		r.ok(r.SetAway("", session.On, 0))
		r.covered("ask_a", "s", "git commit -m x")
		r.receive(1)
		r.ok(r.write(all))
		r.state("ask_a", ask.Answered)
		if got := r.Grants(); len(got) != 1 || got[0].Ask != "ask_a" {
			t.Errorf("granted: %+v", got)
		}
		if got := r.Messages(); len(got) != 0 {
			t.Errorf("it is a text too: %+v", got)
		}
	})
	t.Run("a check-in", func(t *testing.T) {
		r := newRig(t)
		r.stopped()
		r.receive(1)
		r.ok(r.write(all))
		if a := r.state("c1", ask.Answered); a.Decision.Allow || a.Decision.Scope != ask.Once {
			t.Errorf("decided: %+v", a.Decision)
		}
		if got := r.Grants(); len(got) != 0 {
			t.Errorf("granted: %+v", got)
		}
		if got := r.deliver("hook-1"); got != "all" {
			t.Errorf("the session took %q", got)
		}
	})
}
