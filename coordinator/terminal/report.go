package terminal

import (
	"fmt"
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
	p.ended("Got past the guard", past)
	waiting, settled := wording.Parts(r.Asks)
	for _, q := range waiting {
		renderReported(p, q)
	}
	p.ended("Failed", failed)
	p.ended("Done", done)
	for _, q := range settled {
		renderReported(p, q)
	}
	denied := text.Count(max(r.Counts["guard.denied"], len(r.Denied)), "call")
	p.section("Denied by the guard: "+denied, view.Each(r.Denied, func(e wire.Entry) string {
		return fmt.Sprintf("  %s  %s  %s", p.Clock(e.At), p.Paint(Bold, OneLine(e.Token, 40)),
			OneLine(wording.DeniedCall(e), 200))
	}))
	p.section("Refused: only you decide, and at a terminal", view.Each(r.Refused, func(e wire.Entry) string {
		return "  " + p.Clock(e.At) + "  " + OneLine(e.Text, 160)
	}))
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

// section shows lines below a title, nothing where there are none.
func (p *Page) section(title string, lines []string) {
	if len(lines) > 0 {
		p.Head(title)
		p.Lines(lines)
	}
}

func (p *Page) ended(title string, things []view.Thing) {
	p.section(title, view.Each(things, func(t view.Thing) string {
		return fmt.Sprintf("  %s %s  %s", t.Mark.Sign, p.Paint(Bold, OneLine(t.ID, 40)), OneLine(t.Said(), 160))
	}))
}
