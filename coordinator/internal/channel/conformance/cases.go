package conformance

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// testAllowed: a question is asked, shown, answered through the channel and settled.
func testAllowed(t *testing.T, h *house, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	card := h.card(s, "git push", answerable)
	wants(t, s.Tap(t, card, Allow), "Allowed")
	a := h.state("a1")
	if a.State != ask.Answered || !a.Decision.Allow || a.Decision.Channel != s.Name() {
		t.Fatalf("the ask is %s: %+v", a.State, a.Decision)
	}
	claimed, err := h.core.ClaimAsk("a1", false)
	if err != nil || claimed.State != ask.Delivered {
		t.Errorf("the hook gets %s, %v", claimed.State, err)
	}
	h.card(s, "git push", settled)
	wants(t, s.Tap(t, card, Deny), "Too late")
	if a := h.state("a1"); !a.Decision.Allow || h.answers("a1") != 1 {
		t.Errorf("answered %d times: %+v", h.answers("a1"), a.Decision)
	}
}

func testDenied(t *testing.T, h *house, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	wants(t, s.Tap(t, h.card(s, "git push", answerable), Deny), "Denied")
	a := h.state("a1")
	if a.State != ask.Answered || a.Decision.Allow || a.Decision.Message == "" {
		t.Errorf("the ask is %s: %+v", a.State, a.Decision)
	}
	h.card(s, "git push", settled)
}

// testWords: a text that answers a card refuses with its words.
func testWords(t *testing.T, h *house, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	s.Reply(t, h.card(s, "git push", answerable), "use the other remote")
	h.eventually("the words arrive", func() bool { return h.state("a1").State == ask.Answered })
	if d := h.state("a1").Decision; d.Allow || d.Message != "use the other remote" {
		t.Errorf("decided %+v", d)
	}
}

// testElsewhere: an answer at the terminal settles the card, and a later tap is told so.
func testElsewhere(t *testing.T, h *house, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	card := h.card(s, "git push", answerable)
	_, err := h.core.Answer("a1", ask.Decision{By: "Ann at the terminal", Channel: "terminal", Message: "no"})
	h.ok(err)
	wants(t, h.card(s, "git push", settled).Text, "Ann at the terminal")
	wants(t, s.Tap(t, card, Allow), "Too late")
	if a := h.state("a1"); a.Decision.Allow {
		t.Error("a late tap allowed the call")
	}
}

// testPairedLate: what is open when the person pairs is shown to them.
func testPairedLate(t *testing.T, h *house, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	h.card(s, "git push", answerable)
	s.Pair(t)
	wants(t, s.Tap(t, h.card(s, "git push", answerable), Allow), "Allowed")
}

// testRestarted: after another start the card is there once, and counts.
func testRestarted(t *testing.T, h *house, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	card := h.card(s, "git push", answerable)
	h.restart()
	wants(t, s.Tap(t, card, Allow), "Allowed")
	h.card(s, "git push", settled)
	if cards := s.Cards(t, "git push"); len(cards) != 1 {
		t.Errorf("%d cards: %+v", len(cards), cards)
	}
}

func testNotices(t *testing.T, h *house, s Subject) {
	h.pair()
	h.ok(h.core.Tell("", "api-1a2b", "the build is green"))
	h.card(s, "the build is green", settled)
}

func testSaid(t *testing.T, h *house, s Subject) {
	h.pair()
	h.ok(h.channels[0].Say(context.Background(), "the disk is full"))
	h.card(s, "the disk is full", settled)
}

// testIntruder: what somebody else does decides nothing.
func testIntruder(t *testing.T, h *house, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	card := h.card(s, "git push", answerable)
	s.Intrude(t, card, Allow)
	wants(t, s.Tap(t, card, Deny), "Denied") // behind it: the tap of before was dealt with
	if d := h.state("a1").Decision; d.Allow || h.answers("a1") != 1 {
		t.Errorf("decided %+v", d)
	}
}

// testOtherButton: the button of one question does not answer another.
func testOtherButton(t *testing.T, h *house, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	first := h.card(s, "git push", answerable)
	h.ask("a2", "make clean")
	h.card(s, "make clean", answerable)
	wants(t, s.Tap(t, first, Allow), "Allowed")
	if a := h.state("a2"); a.State != ask.Open {
		t.Errorf("the other question is %s", a.State)
	}
}

// testUnpaired: while nobody is paired no channel is available. A question stays at the
// terminal, and nobody can be told anything.
func testUnpaired(t *testing.T, h *house, s Subject) {
	h.ask("a1", "git push")
	if err := h.core.Tell("", "api-1a2b", "x"); err == nil {
		t.Error("somebody was told")
	}
	if cards := s.Cards(t, "git push"); len(cards) > 0 {
		t.Errorf("shown to nobody: %+v", cards)
	}
}

// testUnshown: a question that ended before its card was shown never has one.
func testUnshown(t *testing.T, h *house, s Subject) {
	h.ask("a1", "git push")
	_, err := h.core.CancelAsk("a1", "Esc")
	h.ok(err)
	h.pair()
	h.ask("a2", "make clean")
	h.card(s, "make clean", answerable)
	if cards := s.Cards(t, "git push"); len(cards) > 0 {
		t.Errorf("shown: %+v", cards)
	}
}

// testTogether: identical questions are one card, and one answer settles both.
func testTogether(t *testing.T, h *house, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	card := h.card(s, "git push", answerable)
	h.ask("a2", "git push")
	wants(t, s.Tap(t, card, Allow), "Allowed")
	for _, id := range []ask.ID{"a1", "a2"} {
		if a := h.state(id); a.State != ask.Answered {
			t.Errorf("%s is %s", id, a.State)
		}
	}
	if cards := s.Cards(t, "git push"); len(cards) != 1 {
		t.Errorf("%d cards: %+v", len(cards), cards)
	}
}

// RunTogether runs two channels at once: one answer wins, and the card of the other
// channel says so.
func RunTogether(t *testing.T, made func(t testing.TB) (Subject, Subject)) {
	t.Run("one after the other", func(t *testing.T) {
		one, two := made(t)
		h := newHouse(t, one, two)
		h.pair()
		for i, s := range []Subject{one, two} {
			other := []Subject{two, one}[i]
			id, command := ask.ID([]string{"a1", "a2"}[i]), []string{"git push", "make clean"}[i]
			h.ask(id, command)
			card, late := h.card(s, command, answerable), h.card(other, command, answerable)
			wants(t, s.Tap(t, card, Allow), "Allowed")
			wants(t, h.card(other, command, settled).Text, "llowed by")
			wants(t, other.Tap(t, late, Deny), "Too late")
			if a := h.state(id); !a.Decision.Allow || a.Decision.Channel != s.Name() || h.answers(id) != 1 {
				t.Errorf("answered %d times: %+v", h.answers(id), a.Decision)
			}
		}
	})
	t.Run("at the same time", func(t *testing.T) {
		one, two := made(t)
		h := newHouse(t, one, two)
		h.pair()
		h.ask("a1", "git push")
		first, second := h.card(one, "git push", answerable), h.card(two, "git push", answerable)
		var taps sync.WaitGroup
		var allowed, denied string
		taps.Go(func() { allowed = one.Tap(t, first, Allow) })
		taps.Go(func() { denied = two.Tap(t, second, Deny) })
		taps.Wait()
		lost := 0
		for _, told := range []string{allowed, denied} {
			if strings.Contains(told, "Too late") {
				lost++
			}
		}
		a := h.state("a1")
		if lost != 1 || h.answers("a1") != 1 || a.Decision.Allow != strings.HasPrefix(allowed, "Allowed") {
			t.Errorf("told %q and %q; answered %d times: %+v", allowed, denied, h.answers("a1"), a.Decision)
		}
		h.card(one, "git push", settled)
		h.card(two, "git push", settled)
	})
	t.Run("one is not paired", func(t *testing.T) {
		one, two := made(t)
		h := newHouse(t, one, two)
		one.Pair(t)
		h.ok(h.core.SetAway("", "on", 0))
		h.ask("a1", "git push")
		card := h.card(one, "git push", answerable)
		if cards := two.Cards(t, "git push"); len(cards) > 0 {
			t.Errorf("%s shows it to nobody: %+v", two.Name(), cards)
		}
		two.Pair(t)
		h.card(two, "git push", answerable)
		wants(t, one.Tap(t, card, Allow), "Allowed")
		h.card(two, "git push", settled)
	})
}
