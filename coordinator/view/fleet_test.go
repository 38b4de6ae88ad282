package view_test

import (
	"testing"

	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestElsewhere checks that a thing of another machine has an address as its name, and
// that it rests while its machine is away.
func TestElsewhere(t *testing.T) {
	s, r := wire.Session{Token: "shop-1a2b", State: "waiting"}, wire.Run{Name: "deps", State: "working"}
	k, l := wire.Task{ID: "taxes", Status: "WAITING", Known: true}, wire.Loop{ID: "run:deps", Active: true}
	for name, at := range map[string]wire.Origin{
		"here": {}, "build": {Machine: "build"}, "away": {Machine: "build", AwayAt: 1},
	} {
		s, r, k, l := s, r, k, l
		if at.Machine != "" {
			s.From(at)
			r.From(at)
			k.From(at)
			l.From(at)
		}
		for id, t2 := range map[string]view.Thing{
			"shop-1a2b": view.Session(s), "deps": view.Run(r), "taxes": view.Task(k), "run:deps": view.Loop(l),
		} {
			if want := at.Address(id); t2.ID != want || t2.Machine != at.Machine {
				t.Errorf("%s: %s is named %s on %q", name, want, t2.ID, t2.Machine)
			}
			if rests := t2.Mark.Sign == "💤" && len(t2.Notes) > 0; rests != (at.AwayAt != 0) {
				t.Errorf("%s: %s looks like %+v, %v", name, t2.ID, t2.Mark, t2.Notes)
			}
		}
	}
}

// TestQuestionElsewhere checks that nothing answers a question whose answer is on its way, or that is answered at its
// machine alone.
func TestQuestionElsewhere(t *testing.T) {
	at := wire.Origin{Machine: "build"}
	for why, q := range map[string]wire.Ask{
		"Allowed, on its way to build.": {Sent: "Allowed", Origin: at},
		"answer at build":               {Closed: "answer at build", Origin: at},
		"Denied, on its way to build. It counts when build is back, if the question is still open then.": {Sent: "Denied",
			Origin: wire.Origin{Machine: "build", AwayAt: 1}},
	} {
		q.ID, q.Kind, q.State = "ask_1", "permission", "open"
		card := view.Question([]wire.Ask{q})
		if len(card.Deeds) > 0 || card.Say.Key != "" || len(card.Foot) != 1 || card.Foot[0].Text != why {
			t.Errorf("%s: %v %v %v", why, card.Deeds, card.Say, card.Foot)
		}
	}
	if card := view.Question([]wire.Ask{{Kind: "permission", State: "open", Origin: at}}); len(card.Deeds) == 0 {
		t.Error("a question of another machine has no answers")
	}
}
