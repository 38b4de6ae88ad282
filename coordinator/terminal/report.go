package terminal

import (
	"time"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Report shows what happened in a time: what waits, what failed, what was done, and how each question ended.
func Report(p *Page, r wire.ReportReply) {
	p.Line("%s: %s", p.Paint(Bold, "Since "+p.Clock(r.Since)), wording.ReportHead(r.Asks))
	past, failed, done := view.Ended(r)
	renderEnded(p, "Got past the guard", past)
	waiting, settled := wording.Parts(r.Asks)
	for _, q := range waiting {
		renderReported(p, q)
	}
	renderEnded(p, "Failed", failed)
	renderEnded(p, "Done", done)
	for _, q := range settled {
		renderReported(p, q)
	}
	renderDenied(p, r)
	renderEntries(p, "Refused: only you decide, and at a terminal", r.Refused)
	if also := wording.ReportCounts(r.Counts); also != "" {
		p.Line("\n%s", p.Paint(Dim, "Also: "+also+" · all of it: afar log"))
	}
}

// renderReported shows one question and how it ended.
func renderReported(p *Page, q wire.ReportedAsk) {
	who := OneLine(q.Token, 40)
	if q.Agent != "" {
		who += " (" + OneLine(q.Agent, 30) + ")"
	}
	p.Line("\n  %s  %s  %s", p.Clock(q.OpenedAt), p.Paint(Bold, who), Visible(wording.Asked(q)))
	p.Line("            %s", reportedHow(p, q))
}

func reportedHow(p *Page, q wire.ReportedAsk) string {
	wait := wording.Span(time.Duration(q.WaitedMS) * time.Millisecond)
	if wording.Sort(q) == wording.Waiting {
		return p.Paint(Yellow, "waits since "+wait)
	}
	colour := Red
	if q.Allow {
		colour = Green
	}
	text := p.Paint(colour, OneLine(q.How, 300)) + " · waited " + wait
	if q.By != "" && wording.On(q.By, q.Channel) != "" {
		text += " · " + OneLine(q.Channel, 20)
	}
	if q.Outcome != "" {
		text += " · " + OneLine(q.Outcome, 60)
	}
	return text
}

func renderEnded(p *Page, title string, things []view.Thing) {
	if len(things) == 0 {
		return
	}
	p.Head(title)
	for _, t := range things {
		p.Line("  %s %s  %s", t.Mark.Sign, p.Paint(Bold, OneLine(t.ID, 40)), OneLine(t.Said(), 160))
	}
}

func renderEntries(p *Page, title string, entries []wire.Entry) {
	if len(entries) == 0 {
		return
	}
	p.Head(title)
	for _, e := range entries {
		p.Line("  %s  %s", p.Clock(e.At), OneLine(e.Text, 160))
	}
}

// renderDenied shows what the guard denied: the rule and the call.
func renderDenied(p *Page, r wire.ReportReply) {
	if len(r.Denied) == 0 {
		return
	}
	p.Head("Denied by the guard: " + text.Count(max(r.Counts["guard.denied"], len(r.Denied)), "call"))
	for _, e := range r.Denied {
		p.Line("  %s  %s  %s", p.Clock(e.At), p.Paint(Bold, OneLine(e.Token, 40)),
			OneLine(wording.DeniedCall(e), 200))
	}
}
