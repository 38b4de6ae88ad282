package core_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// admits makes r a hub with the member build.
func (r *rig) admits() fleet.MachineID {
	r.t.Helper()
	r.ok(r.ChangeFleet("", func(f *store.Fleet, now time.Time) error {
		f.Role, f.Name = fleet.Hub, "desk"
		f.Invites = []fleet.Invite{{ID: "invite", Name: "build", Decides: true, Ends: now.Add(time.Hour)}}
		return nil
	}))
	m, err := r.Admit("invite", fleet.Machine{ID: "build-key"})
	r.ok(err)
	return m.ID
}

// TestDoubtOfMember checks that a member which may have shown its card to us twice says nothing of our card on the phone, and
// that our own doubt stays.
func TestDoubtOfMember(t *testing.T) {
	r := newRig(t)
	r.pair()
	id := r.admits()
	for _, c := range []struct {
		doubts, theirs, want bool
	}{{false, true, false}, {true, false, true}} {
		ref := ask.MirrorID(string(id), "ask_1")
		if c.doubts {
			r.ok(r.Doubt(phone, ref))
		}
		theirs := ask.Start(ask.Ask{ID: "ask_1", Kind: ask.Permission, Session: "s", Tool: "Bash", Text: "make"}, session.On, r.Now())
		theirs.Twice = c.theirs
		r.ok(r.MirrorCard(id, fleet.Card{Asks: []ask.Ask{theirs}, From: ask.From{Token: "shop"}}))
		ours, err := r.Ask(ref)
		r.ok(err)
		r.same("may exist twice", c.want, ours.Twice)
	}
}

// TestMirrorsProven checks that the answer to a question of another machine, whose journal has its entry, does not count
// as written by hand here.
func TestMirrorsProven(t *testing.T) {
	r := newRig(t)
	r.pair()
	id := r.admits()
	theirs := ask.Start(ask.Ask{ID: "ask_1", Kind: ask.Permission, Session: "s", Tool: "Bash", Text: "make"}, session.On, r.Now())
	r.ok(r.MirrorCard(id, fleet.Card{Asks: []ask.Ask{theirs}, From: ask.From{Token: "shop"}}))
	d := yes("Ann")
	d.At = r.Now()
	answered, err := ask.Answer(theirs, d)
	r.ok(err)
	r.ok(r.MirrorCard(id, fleet.Card{Asks: []ask.Ask{answered}, From: ask.From{Token: "shop"}}))
	r.restart()
	rows, err := r.Unproven()
	r.ok(err)
	r.same("unproven rows", 0, len(rows))
}

// TestPresentAgain checks that a machine whose coming could not be written down comes with the next try.
func TestPresentAgain(t *testing.T) {
	r := newRig(t)
	id := r.admits()
	r.raw("CREATE TRIGGER full BEFORE UPDATE ON machines BEGIN SELECT RAISE(FAIL, 'full'); END")
	if err := r.SetPresent(id, true); err == nil || r.IsPresent(id) {
		t.Fatalf("it is there: %t, %v", r.IsPresent(id), err)
	}
	r.raw("DROP TRIGGER full")
	r.ok(r.SetPresent(id, true))
	if !r.IsPresent(id) {
		t.Error("it is not there after the next try")
	}
}

// TestProposedElsewhere checks that a run which a session proposes on another machine is ordered there once the person
// has allowed it, and that the session gets what comes of it.
func TestProposedElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		allow bool
		reply channel.Reply
		ended *run.TurnEnd
		want  string // what the session gets, "" for nothing
	}{
		"refused": {},
		"started": {
			allow: true, reply: channel.Reply{Body: json.RawMessage(`{"id":"run_1","name":"deps"}`)},
			ended: &run.TurnEnd{Run: "run_1", Name: "deps", Turn: 1, State: run.Idle, Result: "all green"}, want: "all green",
		},
		"another run": {
			allow: true, reply: channel.Reply{Body: json.RawMessage(`{"id":"run_1","name":"deps"}`)},
			ended: &run.TurnEnd{Run: "run_2", Name: "else", Turn: 1, State: run.Idle, Result: "all green"},
		},
		"not started": {
			allow: true, reply: channel.Reply{Code: "bad_request", Error: "no such directory"}, want: "no such directory",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.pair()
			r.see("s", "/w/shop")
			id := r.admits()
			p := ask.Proposed{
				Run: run.Run{Name: "deps", Dir: "/srv/api"}, Prompt: "go", Machine: string(id), In: json.RawMessage(`{"prompt":"go"}`),
			}
			a, err := r.Propose(ask.NewProposal("ask_1", "s", p, "start claude on build, in /srv/api"))
			r.ok(err)
			if !strings.Contains(a.Does, "on build") || len(r.Waiting(id)) != 0 {
				t.Fatalf("the question says %q, and %d orders wait", a.Does, len(r.Waiting(id)))
			}
			if _, err := r.Answer(a.ID, ask.Decision{Allow: c.allow, By: "Ann", Channel: phone}); err != nil {
				t.Fatal(err)
			}
			orders := r.Waiting(id)
			if !c.allow {
				r.same("orders", 0, len(orders))
				return
			}
			if len(orders) != 1 || orders[0].Op != "run.start" || string(orders[0].In) != `{"prompt":"go"}` || orders[0].By != "Ann" {
				t.Fatalf("orders: %+v", orders)
			}
			r.ok(r.EndOrder(orders[0].ID(), channel.Settlement{Reply: &c.reply}))
			if c.ended != nil {
				r.ok(r.TellFrom(id, fleet.Tell{Key: "k", Ended: c.ended}))
				r.ok(r.TellFrom(id, fleet.Tell{Key: "k", Ended: c.ended}))
			}
			var got []string
			for _, m := range r.Messages() {
				if m.Session == "s" {
					got = append(got, m.Text)
				}
			}
			if text := strings.Join(got, "\n"); len(got) > 1 || (c.want == "") != (text == "") || !strings.Contains(text, c.want) {
				t.Errorf("the session gets %q, want %q", got, c.want)
			}
		})
	}
	r := newRig(t)
	if _, err := r.Order(fleet.Order{Machine: "nobody"}); !errors.Is(err, core.ErrNotFound) {
		t.Errorf("an order for nobody: %v", err)
	}
}
