package main

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newAsks(a *app) *cobra.Command {
	c := &cobra.Command{Use: "asks", Short: "Show the open questions, whole", Args: exactly()}
	return asking(a, c, wire.OpAsks, "asks", nil, renderAsks)
}

func renderAsks(p *page, in wire.AsksReply) {
	if len(in.Asks) == 0 {
		p.line("%s", view.Questions.Empty)
		return
	}
	for i, card := range view.Cards(in.Asks) {
		if i > 0 {
			p.line("")
		}
		renderAsk(p, card)
	}
}

// renderAsk shows a question: what is wanted, by whom, the risk, the call, and how it is answered.
func renderAsk(p *page, c view.Card) {
	q := c.Asks[0]
	p.line("%s  %s", p.paint(bold, p.link(c.URL, shortID(q))), oneLine(c.Title, 300))
	p.line("  %s, %s", strings.TrimSpace(oneLine(c.Who, 40)+" "+visible(c.Wants)), p.ago(q.OpenedAt))
	p.rows(c.Notes)
	for _, t := range c.Texts {
		if text.Fold(t.Body) != c.Title {
			p.block(t.Body)
		}
	}
	for _, before := range c.Before {
		p.line("    %s → %s", oneLine(before.Text, 200), oneLine(cmp.Or(before.Answer, "no answer"), 200))
	}
	if c.Now != nil {
		renderOptions(p, *c.Now, q.Current+1, len(q.Questions))
	}
	p.rows(c.Quotes)
	p.rows(c.Details)
	for _, d := range c.Wider() {
		p.line("  --%-8s %s", d.Key, oneLine(d.Reach, 300))
	}
	if q.Hash != "" {
		p.line("  sha256  %.12s", oneLine(q.Hash, 64))
	}
	p.line("  %s", strings.TrimSuffix(p.said(c.Foot, 300)+": "+oneLine(c.Ways(), 300), ": "))
}

// rows shows rows, their names in one column.
func (p *page) rows(rows []view.Row) {
	for _, r := range rows {
		p.line("  %-7s %s", r.Name, p.paint(inks[r.Tone], p.said(r.Line, 300)))
	}
}

func renderOptions(p *page, q wire.Question, at, of int) {
	count := ""
	if of > 1 {
		count = strconv.Itoa(at) + "/" + strconv.Itoa(of) + " "
	}
	p.line("    %s%s", count, p.paint(bold, oneLine(q.Text, 400)))
	if q.Hint != "" {
		p.line("      %s", oneLine(q.Hint, 400))
	}
	for i, o := range q.Options {
		p.line("      %d. %s", i+1, strings.TrimSuffix(oneLine(o.Label, 100)+": "+oneLine(o.Description, 200), ": "))
	}
	if q.Multi {
		p.line("      more than one may be chosen")
	}
}

// shortID returns the short id of an ask, or the whole id if the coordinator is an older
// one that sends no short ids.
func shortID(q wire.Ask) string { return oneLine(cmp.Or(q.Short, q.ID), 80) }

func milli(ms int64) time.Time { return time.UnixMilli(ms) }
