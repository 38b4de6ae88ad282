package core_test

import (
	"context"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/event"
)

const opinion = "LGTM.\n\n## Second Opinion\ncodex agrees."

// TestReviewerStops checks that only a consultation of the same agent in the same session
// counts, that it survives a restart, and that it counts for one review.
func TestReviewerStops(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.see("other", "/p")
	stops := func(agent string, want event.Kind) {
		t.Helper()
		if got, err := r.ReviewerStops("s", agent, opinion); err != nil || got.Kind != want {
			t.Errorf("%s: %+v, %v", agent, got, err)
		}
	}
	r.ok(r.Note(event.ConsultAnswered, "other", "a", "x"))
	r.ok(r.Note(event.ConsultAnswered, "s", "b", "x"))
	r.ok(r.Note(event.ConsultAnswered, "s", "", "x"))
	stops("a", event.GateBlocked)
	r.ok(r.Note(event.ConsultAnswered, "s", "a", "x"))
	r.restart()
	stops("a", event.GateOpened)
	stops("a", event.GateBlocked)
	stops("b", event.GateOpened)
}

// TestReviewerLetGo checks that the limit survives a restart, and that the session is told
// once, even if the first reply was lost.
func TestReviewerLetGo(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	for i := range 3 {
		if got, err := r.ReviewerStops("s", "a", "LGTM."); err != nil || got.Kind != event.GateBlocked {
			t.Fatalf("block %d: %+v, %v", i, got, err)
		}
		r.restart()
	}
	got, err := r.ReviewerStops("s", "a", "LGTM.")
	if err != nil || got.Kind != event.GateGivenUp || got.Block != "" {
		t.Fatalf("%+v, %v", got, err)
	}
	r.restart()
	for _, c := range []struct {
		delivery string
		told     bool
	}{{"one", true}, {"one", true}, {"two", false}, {"two", false}} {
		text, err := r.TellLate("s", c.delivery, 4000)
		if err != nil || strings.Contains(text, "did not pass the review gate") != c.told {
			t.Errorf("%s: %q, %v", c.delivery, text, err)
		}
	}
	log, err := r.Journal(context.Background(), 0, 100, "s", false)
	if err != nil || log[len(log)-1].Kind != event.GateGivenUp || log[len(log)-1].Subject != "a" {
		t.Errorf("%+v, %v", log, err)
	}
}
