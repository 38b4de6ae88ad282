package core_test

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// The processes of these tests.
var (
	firstClient  = session.Process{PID: 100, Born: "boot:1"}
	secondClient = session.Process{PID: 200, Born: "boot:2"}
	waitingHook  = session.Process{PID: 300, Born: "boot:3"}
)

// runs registers a client of a session by a hook.
func (r *rig) runs(client session.Process, state session.State) {
	r.t.Helper()
	_, err := r.See(session.Sighting{
		ID: "s", Cwd: "/home/ada/proj", Client: client.PID, ClientBorn: client.Born, Attended: true, KnowAtt: true,
		Hooked: true, Starts: true, State: state,
	})
	r.ok(err)
}

// fate returns the answer to a text that the person writes now.
func (r *rig) fate(update int64) string {
	r.t.Helper()
	r.receive(update)
	r.ok(r.write(core.Press{
		Act:      channel.Act{Channel: phone, Update: update, At: "6"},
		Decision: ask.Decision{By: "Ada", Channel: phone}, Text: "go on",
	}))
	said := r.said()
	if len(said) == 0 {
		r.t.Fatal("nothing was said")
	}
	return said[len(said)-1]
}

// TestFate checks that the person is told correctly when a session gets a text, by the
// processes that run at that moment.
func TestFate(t *testing.T) {
	idle := func(r *rig) { r.runs(firstClient, session.Idle); r.ok(r.TakeOver("s", "w", waitingHook)) }
	for name, c := range map[string]struct {
		do   func(r *rig)
		want string
	}{
		"a hook waits": {idle, "gets it now."},
		"the hook has ended": {func(r *rig) { idle(r); r.dead[waitingHook] = true },
			"gets it with its next prompt."},
		"resumed elsewhere": {func(r *rig) { idle(r); r.runs(secondClient, session.Idle) },
			"gets it with its next prompt."},
		"cleared and resumed": {func(r *rig) {
			idle(r)
			r.ok(r.EndSession("s", "clear"))
			r.runs(firstClient, session.Idle)
		}, "gets it with its next prompt."},
		"its client is gone": {func(r *rig) { idle(r); r.dead[firstClient] = true },
			"No session runs now. Nothing was sent."},
		"it works": {func(r *rig) { r.runs(firstClient, session.Working) }, "gets it when it stops."},
		"it works and hears us": {func(r *rig) { r.batch(); r.runs(firstClient, session.Working) },
			"gets it right after its next tool call, or when it stops."},
		"a loop is at work": {func(r *rig) { r.runs(firstClient, session.Working); r.armed() },
			"gets it when its loop ends."},
		"a loop is at work, heard": {func(r *rig) { r.batch(); r.armed() },
			"gets it right after its next tool call, or when it stops."},
		"a loop is armed": {func(r *rig) { idle(r); r.armed() }, "gets it now."},
		"a loop is armed, unheard": {func(r *rig) { r.runs(firstClient, session.Idle); r.armed() },
			"gets it with its next prompt."},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.pair()
			c.do(r)
			if got := r.fate(1); !strings.Contains(got, c.want) {
				t.Errorf("have %s, want %q", got, c.want)
			}
		})
	}
}

// batch lets the session's hook ask for texts after its tool calls.
func (r *rig) batch() {
	r.t.Helper()
	r.runs(firstClient, session.Working)
	_, err := r.See(session.Sighting{ID: "s", Hooked: true, Batch: true, State: session.Working})
	r.ok(err)
}

func (r *rig) armed() {
	r.t.Helper()
	_, err := r.StartLoop("s", loop.Options{Task: "the tests", Max: 10})
	r.ok(err)
}

// TestGhost checks that a session whose client is gone has ended, with everything that waited
// for it, also at the coordinator's start.
func TestGhost(t *testing.T) {
	for name, look := range map[string]func(r *rig){
		"at the start": func(r *rig) { r.restart() },
		"in between":   func(r *rig) { r.ok(r.Look()) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.pair()
			r.runs(firstClient, session.Working)
			r.openAsk(newAsk("a", "npm publish"))
			r.ok(r.Look())
			r.state("a", ask.Open)
			r.dead[firstClient] = true
			look(r)
			if a := r.state("a", ask.Withdrawn); a.Note != "the session ended" {
				t.Errorf("the card says %q", a.Note)
			}
			if v, err := r.Session("s"); err != nil || v.State != session.Ended || v.Waiter != "" {
				t.Errorf("the session is %+v, %v", v, err)
			}
			r.runs(secondClient, session.Working) // it is resumed
			r.ok(r.Look())
			if v, _ := r.Session("s"); v.State != session.Working || v.Client != secondClient.PID {
				t.Errorf("resumed, it is %+v", v)
			}
		})
	}
}

// TestGhostSpeaks checks that a hook of a running client proves that its session runs, even if
// the session was considered ended.
func TestGhostSpeaks(t *testing.T) {
	r := newRig(t)
	r.runs(firstClient, session.Working)
	r.dead[firstClient] = true
	r.ok(r.Look())
	late := session.Sighting{
		ID:         "s",
		Client:     firstClient.PID,
		ClientBorn: firstClient.Born,
		Hooked:     true,
		State:      session.Idle,
	}
	_, err := r.See(late)
	r.ok(err)
	if v, _ := r.Session("s"); v.State != session.Ended {
		t.Errorf("a late hook of the dead client made it %s", v.State)
	}
	late.Client, late.ClientBorn = secondClient.PID, secondClient.Born
	_, err = r.See(late)
	r.ok(err)
	if v, _ := r.Session("s"); v.State != session.Idle || !v.Hooked {
		t.Errorf("with a client that runs it is %+v", v)
	}
}
