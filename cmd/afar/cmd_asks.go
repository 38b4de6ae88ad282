package main

import (
	"cmp"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

func newAsks(a *app) *cobra.Command {
	c := &cobra.Command{Use: "asks", Short: "Show the open questions, whole", Args: exactly()}
	asJSON := jsonFlag(c, "asks")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return read(c.Context(), a, wire.OpAsks, nil, *asJSON, renderAsks)
	}
	return c
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
	p.line("%s  %s %s%s, %s", p.paint(bold, p.link(q.URL, id)), oneLine(q.Token, 40), visible(wording.Wants(q)),
		wording.Times(card), p.ago(q.OpenedAt))
	if q.Asked != "" {
		p.line("  you     “%s”", oneLine(q.Asked, 200))
	}
	if q.Said != "" {
		p.line("  it      “%s”", oneLine(q.Said, 200))
	}
	if len(q.Questions) > 0 {
		renderQuestion(p, q)
	} else {
		p.block(q.Input)
	}
	if q.Why != "" {
		p.line("  risk    %s", p.paint(yellow, oneLine(q.Why, 300)))
	}
	if q.Says != "" {
		p.line("  says    “%s”", oneLine(q.Says, 200))
	}
	if q.Does != "" {
		p.line("  does    %s", oneLine(q.Does, 300))
	}
	p.line("  in      %s", p.path(q.Project))
	if q.Agent != "" || len(card) > 1 {
		p.line("  by      %s", oneLine(q.AskedBy, 200))
	}
	renderOffer(p, q)
	p.line("  sha256  %.12s", oneLine(q.Hash, 64))
	if q.Parked && q.InRun {
		p.line("  parked  the run waits without a process; afar allow %s or afar deny %s lets it go on", id, id)
		return
	}
	if q.Parked {
		p.line("  parked  refused for now; afar allow %s lets the exact call run once, when the session tries it again",
			id)
		return
	}
	if q.State != "open" {
		p.line("  %s", settledText(p, q))
		return
	}
	if q.Perhaps {
		p.line("  perhaps settled at the terminal already")
	}
	p.line("  expires %s: %s", p.left(q.ExpiresAt), ways(q, id))
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
