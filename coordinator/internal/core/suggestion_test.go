package core_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
)

func suggested(name string) ask.Ask {
	return ask.NewSuggestion(ask.Suggested{Name: name, Source: "triage"}, "Pay "+name, "2026-03-01", "It is late.")
}

// decided returns the decisions that are to be carried out.
func (r *rig) decided() (out []feature.Decided) {
	r.t.Helper()
	for _, a := range r.drain(feature.LaneTasks) {
		var d feature.Decided
		r.ok(json.Unmarshal([]byte(a.Data), &d))
		out = append(out, d)
	}
	return out
}

// TestSuggestionsRingOnce: of many suggestions at once one rings, and the urgent ones. One that comes
// later rings again.
func TestSuggestionsRingOnce(t *testing.T) {
	r := newRig(t)
	r.pair()
	rings := func() (n int) {
		for _, a := range r.Asks(false) {
			if !a.Silent {
				n++
			}
		}
		return n
	}
	for i := range 20 {
		r.ok(r.Suggest(suggested(fmt.Sprintf("bill-%d", i))))
		r.pass(time.Second)
	}
	if got := rings(); got != 1 {
		t.Errorf("20 suggestions ring %d times", got)
	}
	urgent := suggested("now")
	urgent.Suggested.Urgency = "urgent"
	r.ok(r.Suggest(urgent))
	r.pass(time.Hour)
	r.ok(r.Suggest(suggested("later")))
	if got := rings(); got != 3 {
		t.Errorf("with an urgent and a later one they ring %d times", got)
	}
}

// TestSuggestion: the person is asked once, also over restarts and when the question is no longer
// in memory. Of two answers on two channels at once one counts.
func TestSuggestion(t *testing.T) {
	r := newRig(t)
	r.pair()
	a := suggested("bill")
	for range 2 {
		r.ok(r.Suggest(a))
		r.restart()
	}
	open := r.Asks(false)
	if len(open) != 1 || open[0].Tool != "Pay bill" || !open[0].Shown {
		t.Fatalf("%+v", open)
	}
	errs := make([]error, 2)
	var both sync.WaitGroup
	both.Go(func() { _, errs[0] = r.Answer(a.ID, ask.Decision{Allow: true, By: "Ann", Channel: phone}) })
	both.Go(func() {
		errs[1] = r.DecideSuggestion(a.ID, feature.Decided{Name: "bill", By: "root", Channel: "terminal"})
	})
	both.Wait()
	if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs...), ask.ErrSettled) {
		t.Errorf("two answers: %v", errs)
	}
	got := r.decided()
	if len(got) != 1 || got[0].Name != "bill" || got[0].Accept != (errs[0] == nil) {
		t.Errorf("carried out: %+v", got)
	}
	r.pass(8 * 24 * time.Hour)
	r.restart()
	r.ok(r.Suggest(a))
	if open := r.Asks(false); len(open) != 0 {
		t.Errorf("asked again: %+v", open)
	}
}

// TestSuggestionWords: a reply on the phone accepts, with these words.
func TestSuggestionWords(t *testing.T) {
	r := newRig(t)
	r.pair()
	a := suggested("bill")
	r.ok(r.Suggest(a))
	a = r.Asks(false)[0]
	p := core.Press{Nonce: a.Nonce, Text: "only half of it", Decision: ask.Decision{By: "Ann", Channel: phone}}
	r.ok(r.press(p))
	if got := r.decided(); len(got) != 1 || !got[0].Accept || got[0].Instruction != "only half of it" {
		t.Errorf("carried out %+v", got)
	}
}

// TestSuggestionOver: the question about a suggestion that is no longer open ends, and the others
// stay.
func TestSuggestionOver(t *testing.T) {
	r := newRig(t)
	r.pair()
	gone, stays := suggested("gone"), suggested("stays")
	r.ok(r.Suggest(gone))
	r.ok(r.Suggest(stays))
	r.ok(r.SuggestionsOver(map[ask.ID]bool{stays.ID: true}))
	if open := r.Asks(false); len(open) != 1 || open[0].ID != stays.ID {
		t.Errorf("%+v", open)
	}
	r.pass(ask.SuggestionFor)
	if open := r.Asks(false); len(open) != 0 {
		t.Errorf("after a week: %+v", open)
	}
	r.ok(r.DecideSuggestion(stays.ID, feature.Decided{Name: "stays", Accept: true, By: "root", Channel: "terminal"}))
	if got := r.decided(); len(got) != 1 {
		t.Errorf("the card is too old, and the suggestion is not: %+v", got)
	}
	if kinds := strings.Join(r.kinds(0), " "); strings.Count(kinds, "ask.ended") != 2 {
		t.Errorf("journal: %s", kinds)
	}
}
