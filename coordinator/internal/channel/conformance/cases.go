package conformance

import (
	"context"
	"sync"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// testAllowed: a question is asked, shown, answered through the channel and settled.
func testAllowed(t *testing.T, h *setup, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	card := h.card(s, "git push", answerable)
	wants(t, s.Tap(t, card, Allow), "Allowed")
	h.wantState("a1", ask.Answered)
	claimed, err := h.core.ClaimAsk("a1", false)
	h.ok(err)
	if claimed.State != ask.Delivered {
		t.Errorf("the hook gets %s", claimed.State)
	}
	h.card(s, "git push", settled)
	wants(t, s.Tap(t, card, Deny), "Too late")
	h.wantAnswer("a1", true, s)
}

func testDenied(t *testing.T, h *setup, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	wants(t, s.Tap(t, h.card(s, "git push", answerable), Deny), "Denied")
	h.wantState("a1", ask.Answered)
	h.wantAnswer("a1", false, s)
	if h.state("a1").Decision.Message == "" {
		t.Error("the refusal has no text for the model")
	}
	h.card(s, "git push", settled)
}

// testWords: a reply to a card refuses the call, with the reply as the text for the model.
func testWords(t *testing.T, h *setup, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	s.Reply(t, h.card(s, "git push", answerable), "use the other remote")
	h.eventually("the words arrive", func() bool { return h.state("a1").State == ask.Answered })
	h.wantAnswer("a1", false, s)
	if d := h.state("a1").Decision; d.Message != "use the other remote" {
		t.Errorf("decided %+v", d)
	}
}

// testElsewhere: an answer at the terminal settles the card, and a later tap is too late.
func testElsewhere(t *testing.T, h *setup, s Subject) {
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

// testPairedLate: a question that is open when the person pairs is shown to them.
func testPairedLate(t *testing.T, h *setup, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	h.card(s, "git push", answerable)
	s.Pair(t)
	wants(t, s.Tap(t, h.card(s, "git push", answerable), Allow), "Allowed")
}

// testRestarted: after a restart the card exists once and can be answered.
func testRestarted(t *testing.T, h *setup, s Subject) {
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

func testNotices(t *testing.T, h *setup, s Subject) {
	h.pair()
	_, err := h.core.Tell("", message.Message{Key: "green", By: "api-1a2b", Text: "the build is green"})
	h.ok(err)
	h.card(s, "the build is green", settled)
	h.eventually("the text is done", func() bool {
		all := h.core.Messages()
		return len(all) == 1 && all[0].State == message.Done && all[0].ForPerson()
	})
}

// testRunEnded: the end of a run's turn is told once, with its result.
func testRunEnded(t *testing.T, h *setup, s Subject) {
	h.pair()
	_, err := h.core.StartRun(run.Run{ID: "run_1", Name: "fix", Dir: "/home/ann/shop", Conversation: "c1"},
		message.Message{Key: "go", Text: "go", By: "Ann"})
	h.ok(err)
	_, err = h.core.HearTurn("run_1", 1, 1, []run.Event{{Kind: run.Init}, {Kind: run.Result, Text: "all is green"}})
	h.ok(err)
	h.ok(h.core.EndTurn("run_1", 1, run.End{Result: true}))
	shown := func(Card) bool { return true } // a channel may offer what can be done with the run
	wants(t, h.card(s, "all is green", shown).Text, "is done with turn 1")
	if cards := s.Cards(t, "all is green"); len(cards) != 1 {
		t.Errorf("%d messages: %+v", len(cards), cards)
	}
}

func testSaid(t *testing.T, h *setup, s Subject) {
	h.pair()
	h.ok(h.channels[0].Say(context.Background(), "the disk is full"))
	h.card(s, "the disk is full", settled)
}

// testIntruder: a tap of somebody else decides nothing.
func testIntruder(t *testing.T, h *setup, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	card := h.card(s, "git push", answerable)
	s.Intrude(t, card, Allow)
	wants(t, s.Tap(t, card, Deny), "Denied") // taps are handled in order, so the first was handled
	h.wantAnswer("a1", false, s)
}

// testOtherButton: the button of one question does not answer another.
func testOtherButton(t *testing.T, h *setup, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	first := h.card(s, "git push", answerable)
	h.ask("a2", "make clean")
	h.card(s, "make clean", answerable)
	wants(t, s.Tap(t, first, Allow), "Allowed")
	h.wantState("a2", ask.Open)
}

// testUnpaired: without a paired person no channel is available. A question stays at the
// terminal, and a notice is refused.
func testUnpaired(t *testing.T, h *setup, s Subject) {
	h.ask("a1", "git push")
	if _, err := h.core.Tell("", message.Message{Key: "x", By: "api-1a2b", Text: "x"}); err == nil {
		t.Error("a notice was accepted")
	}
	if cards := s.Cards(t, "git push"); len(cards) > 0 {
		t.Errorf("a card was shown: %+v", cards)
	}
}

// testUnshown: a question that ended before its card was shown never has one.
func testUnshown(t *testing.T, h *setup, s Subject) {
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
func testTogether(t *testing.T, h *setup, s Subject) {
	h.pair()
	h.ask("a1", "git push")
	card := h.card(s, "git push", answerable)
	h.ask("a2", "git push")
	wants(t, s.Tap(t, card, Allow), "Allowed")
	h.wantState("a1", ask.Answered)
	h.wantState("a2", ask.Answered)
	if cards := s.Cards(t, "git push"); len(cards) != 1 {
		t.Errorf("%d cards: %+v", len(cards), cards)
	}
}

// RunTogether runs two channels at once: one answer wins, and the card of the other
// channel says so.
func RunTogether(t *testing.T, made func(t testing.TB) (Subject, Subject)) {
	t.Run("one after the other", func(t *testing.T) {
		one, two := made(t)
		h := newSetup(t, one, two)
		h.pair()
		for i, s := range []Subject{one, two} {
			other := []Subject{two, one}[i]
			id, command := ask.ID([]string{"a1", "a2"}[i]), []string{"git push", "make clean"}[i]
			h.ask(id, command)
			card, late := h.card(s, command, answerable), h.card(other, command, answerable)
			wants(t, s.Tap(t, card, Allow), "Allowed")
			wants(t, h.card(other, command, settled).Text, "llowed by")
			wants(t, other.Tap(t, late, Deny), "Too late")
			h.wantAnswer(id, true, s)
		}
	})
	t.Run("at the same time", func(t *testing.T) {
		one, two := made(t)
		h := newSetup(t, one, two)
		h.pair()
		h.ask("a1", "git push")
		first, second := h.card(one, "git push", answerable), h.card(two, "git push", answerable)
		var taps sync.WaitGroup
		var allowed, denied string
		taps.Go(func() { allowed = one.Tap(t, first, Allow) })
		taps.Go(func() { denied = two.Tap(t, second, Deny) })
		taps.Wait()
		if h.state("a1").Decision.Allow {
			wants(t, allowed, "Allowed")
			wants(t, denied, "Too late")
			h.wantAnswer("a1", true, one)
		} else {
			wants(t, allowed, "Too late")
			wants(t, denied, "Denied")
			h.wantAnswer("a1", false, two)
		}
		h.card(one, "git push", settled)
		h.card(two, "git push", settled)
	})
	t.Run("one is not paired", func(t *testing.T) {
		one, two := made(t)
		h := newSetup(t, one, two)
		one.Pair(t)
		h.ok(h.core.SetAway("", "on", 0))
		h.ask("a1", "git push")
		card := h.card(one, "git push", answerable)
		if cards := two.Cards(t, "git push"); len(cards) > 0 {
			t.Errorf("%s shows it although nobody is paired: %+v", two.Name(), cards)
		}
		two.Pair(t)
		h.card(two, "git push", answerable)
		wants(t, one.Tap(t, card, Allow), "Allowed")
		h.card(two, "git push", settled)
	})
}
