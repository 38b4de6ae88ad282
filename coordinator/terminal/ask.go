package terminal

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Asks shows questions, those of one card together.
func Asks(p *Page, in wire.AsksReply) {
	if len(in.Asks) == 0 {
		p.Line("%s", view.Questions.Empty)
		return
	}
	for i, card := range view.Cards(in.Asks) {
		if i > 0 {
			p.Line("")
		}
		Ask(p, card)
	}
}

// Ask shows a question: what is wanted, by whom, the risk, the call, and how it is answered.
func Ask(p *Page, c view.Card) {
	q := c.Asks[0]
	p.Line("%s  %s", p.Paint(Bold, p.link(c.URL, shortID(q))), OneLine(c.Title, 300))
	p.Line("  %s, %s", strings.TrimSpace(OneLine(c.Who, 40)+" "+Visible(c.Wants)), p.ago(q.OpenedAt))
	p.rows(c.Notes)
	for _, t := range c.Texts {
		if text.Fold(t.Body) != c.Title {
			p.Block(t.Body)
		}
	}
	for _, before := range c.Before {
		p.Line("    %s → %s", OneLine(before.Text, 200), OneLine(cmp.Or(before.Answer, "no answer"), 200))
	}
	if c.Now != nil {
		Options(p, *c.Now, q.Current+1, len(q.Questions))
	}
	p.rows(c.Quotes)
	p.rows(c.Details)
	for _, d := range c.Wider() {
		p.Line("  --%-8s %s", d.Key, OneLine(d.Reach, 300))
	}
	if q.Hash != "" {
		p.Line("  sha256  %.12s", OneLine(q.Hash, 64))
	}
	p.Line("  %s", strings.TrimSuffix(p.said(c.Foot, 300)+": "+OneLine(c.Ways(), 300), ": "))
}

// Options shows the question of a form that is asked now, the one at a place of as many as there are.
func Options(p *Page, q wire.Question, at, of int) {
	count := ""
	if of > 1 {
		count = strconv.Itoa(at) + "/" + strconv.Itoa(of) + " "
	}
	p.Line("    %s%s", count, p.Paint(Bold, OneLine(q.Text, 400)))
	if q.Hint != "" {
		p.Line("      %s", OneLine(q.Hint, 400))
	}
	for i, o := range q.Options {
		p.Line("      %d. %s", i+1, strings.TrimSuffix(OneLine(o.Label, 100)+": "+OneLine(o.Description, 200), ": "))
	}
	if q.Multi {
		p.Line("      more than one may be chosen")
	}
}

// shortID returns the short id of an ask that waits, and the whole id of any other.
func shortID(q wire.Ask) string { return OneLine(cmp.Or(q.Short, q.ID), 80) }
