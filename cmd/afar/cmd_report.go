package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

func newReport(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "report", Short: "Show what happened while you were away", Args: exactly(),
		Example: "afar report --since 24h",
		Long: "Shows what waits for you since a time, what failed and what was done; then each question: what was asked,\n" +
			"who settled it, how long it waited and what came of it; and what was denied and refused.",
	}
	since := c.Flags().Duration("since", 8*time.Hour, "how far back, such as 90m or 24h")
	form := "since, until, asks, counts, loops, issues, refused, denied, overridden, spent, runs, ended"
	return asking(a, c, wire.OpReport, form, func([]string) (wire.ReportRequest, error) {
		if *since <= 0 {
			return wire.ReportRequest{}, usageError{errors.New("--since needs a time such as 90m or 24h")}
		}
		return wire.ReportRequest{Since: a.now().Add(-*since).UnixMilli()}, nil
	}, renderReport)
}

func renderReport(p *page, r wire.ReportReply) {
	p.line("%s: %s", p.paint(bold, "Since "+p.clock(r.Since)), wording.ReportHead(r.Asks))
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
		p.line("\n%s", p.paint(dim, "Also: "+also+" · all of it: afar log"))
	}
}

// renderReported shows one question and how it ended.
func renderReported(p *page, q wire.ReportedAsk) {
	who := oneLine(q.Token, 40)
	if q.Agent != "" {
		who += " (" + oneLine(q.Agent, 30) + ")"
	}
	p.line("\n  %s  %s  %s", p.clock(q.OpenedAt), p.paint(bold, who), visible(wording.Asked(q)))
	p.line("            %s", reportedHow(p, q))
}

func reportedHow(p *page, q wire.ReportedAsk) string {
	wait := wording.Span(time.Duration(q.WaitedMS) * time.Millisecond)
	if wording.Sort(q) == wording.Waiting {
		return p.paint(yellow, "waits since "+wait)
	}
	colour := red
	if q.Allow {
		colour = green
	}
	text := p.paint(colour, oneLine(q.How, 300)) + " · waited " + wait
	if q.By != "" && wording.On(q.By, q.Channel) != "" {
		text += " · " + oneLine(q.Channel, 20)
	}
	if q.Outcome != "" {
		text += " · " + oneLine(q.Outcome, 60)
	}
	return text
}

func renderEnded(p *page, title string, things []view.Thing) {
	if len(things) == 0 {
		return
	}
	p.head(title)
	for _, t := range things {
		p.line("  %s %s  %s", t.Mark.Sign, p.paint(bold, oneLine(t.ID, 40)), oneLine(t.Said(), 160))
	}
}

func renderEntries(p *page, title string, entries []wire.Entry) {
	if len(entries) == 0 {
		return
	}
	p.head(title)
	for _, e := range entries {
		p.line("  %s  %s", p.clock(e.At), oneLine(e.Text, 160))
	}
}

// renderDenied shows what the guard denied: the rule and the call.
func renderDenied(p *page, r wire.ReportReply) {
	if len(r.Denied) == 0 {
		return
	}
	p.head("Denied by the guard: " + text.Count(max(r.Counts["guard.denied"], len(r.Denied)), "call"))
	for _, e := range r.Denied {
		p.line("  %s  %s  %s", p.clock(e.At), p.paint(bold, oneLine(e.Token, 40)),
			oneLine(wording.DeniedCall(e), 200))
	}
}
