package main

import (
	"cmp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

func newAsks(a *app) *cobra.Command {
	c := &cobra.Command{Use: "asks", Short: "Show the open questions, whole", Args: exactly()}
	return asking(a, c, wire.OpAsks, "asks", nil, renderAsks)
}

func renderAsks(p *page, in wire.AsksReply) {
	if len(in.Asks) == 0 {
		p.line(wording.NoAsks)
		return
	}
	for i, card := range wording.Cards(in.Asks) {
		if i > 0 {
			p.line("")
		}
		renderAsk(p, card)
	}
}

func renderAsk(p *page, card []wire.Ask) {
	q := card[0]
	id := shortID(q)
	if q.Kind == wording.CheckIn {
		renderCheckIn(p, q, id)
		return
	}
	who := strings.TrimSpace(oneLine(q.Token, 40) + " " + visible(wording.Wants(q))) // a suggestion is of no session
	p.line("%s  %s%s, %s", p.paint(bold, p.link(q.URL, id)), who, wording.Times(card), p.ago(q.OpenedAt))
	quoted(p, "you", q.Asked)
	quoted(p, "it", q.Said)
	renderInput(p, q)
	renderRisk(p, q)
	if q.Project != "" {
		p.line("  in      %s", p.path(q.Project))
	}
	if q.Agent != "" || len(card) > 1 {
		p.line("  by      %s", oneLine(q.AskedBy, 200))
	}
	renderOffer(p, q)
	p.line("  sha256  %.12s", oneLine(q.Hash, 64))
	renderState(p, q, id)
}

// quoted prints what somebody said, if anything.
func quoted(p *page, who, said string) {
	if said != "" {
		p.line("  %-7s “%s”", who, oneLine(said, 200))
	}
}

// renderInput prints the call, or the questions that are to be answered.
func renderInput(p *page, q wire.Ask) {
	if len(q.Questions) == 0 || q.Kind == wording.Checkpoint {
		p.block(q.Input)
	}
	if len(q.Questions) > 0 {
		renderQuestion(p, q)
	}
}

// renderRisk prints what the guard, the caller and our own reading say of the call.
func renderRisk(p *page, q wire.Ask) {
	if q.Why != "" {
		p.line("  risk    %s", p.paint(yellow, oneLine(q.Why, 300)))
	}
	quoted(p, "says", q.Says)
	if q.Does != "" {
		p.line("  does    %s", oneLine(q.Does, 300))
	}
}

// renderState prints how the question stands, and how it is answered if it can be.
func renderState(p *page, q wire.Ask, id string) {
	switch {
	case q.Parked && q.InRun:
		p.line("  parked  the run waits without a process; afar allow %s or afar deny %s lets it go on", id, id)
	case q.Parked:
		p.line("  parked  refused for now; afar allow %s lets the exact call run once, when the session tries it again",
			id)
	case q.State != "open":
		p.line("  %s", settledText(p, q))
	case q.Kind == wording.Terminal:
		p.line("  %s", wording.OnlyThere)
	default:
		if q.Perhaps {
			p.line("  perhaps settled at the terminal already")
		}
		p.line("  expires %s: %s", p.left(q.ExpiresAt), ways(q, id))
	}
}

// renderOffer prints what an allow could cover beyond the call.
func renderOffer(p *page, q wire.Ask) {
	if q.State != "open" && !q.Parked {
		return
	}
	if q.ForSession != "" {
		p.line("  --session  %s", oneLine(q.ForSession, 300))
	}
	if q.ForAlways != "" {
		p.line("  --always   %s", oneLine(q.ForAlways, 300))
	}
}

// settledText returns how an ask ended, as far as is known.
func settledText(p *page, q wire.Ask) string {
	text := oneLine(q.State, 20)
	if q.By != "" {
		text = wording.Decided(q) + " by " + oneLine(q.By, 60)
	}
	if q.SettledAt > 0 {
		text += " " + p.ago(q.SettledAt)
	}
	if q.Outcome != "" {
		text += ": " + oneLine(q.Outcome, 100)
	}
	return text
}

// shortID returns the short id of an ask, or the whole id if the coordinator is an older
// one that sends no short ids.
func shortID(q wire.Ask) string { return oneLine(cmp.Or(q.Short, q.ID), 80) }

func milli(ms int64) time.Time { return time.UnixMilli(ms) }
