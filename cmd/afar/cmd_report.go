package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newReport(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "report", Short: "Show what happened while you were away", Args: exactly(),
		Long: "Lists every question since a time: what was asked, who settled it, how long it waited and " +
			"what came of\n" +
			"it; then the loops that ended with their goals, their issues, and what was refused.",
	}
	since := c.Flags().Duration("since", 8*time.Hour, "how far back, such as 90m or 24h")
	asJSON := jsonFlag(c, "since, until, asks, counts, loops, issues, refused, denied")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *since <= 0 {
			return usageError{errors.New("--since needs a time such as 90m or 24h")}
		}
		return read(c.Context(), a, wire.OpReport, wire.ReportRequest{Since: a.now().Add(-*since).UnixMilli()}, *asJSON,
			renderReport)
	}
	return c
}

func renderReport(p *page, r wire.ReportReply) {
	p.line("%s: %s", p.paint(bold, "Since "+p.clock(r.Since)), reportHead(r.Asks))
	for _, q := range r.Asks {
		renderReported(p, q)
	}
	renderEntries(p, "Loops that ended", r.Loops)
	renderEntries(p, "Issues that landed or were paused", r.Issues)
	renderEntries(p, "Got past the guard", r.Overridden)
	renderDenied(p, r)
	renderEntries(p, "Refused: only you decide, and at a terminal", r.Refused)
	if also := reportCounts(r.Counts); also != "" {
		p.line("\n%s", p.paint(dim, "Also: "+also+" · all of it: afar log"))
	}
}

// reportHead sums the questions up.
func reportHead(asks []wire.ReportedAsk) string {
	if len(asks) == 0 {
		return "no question was asked."
	}
	parts := []string{text.Count(len(asks), "question")}
	for _, sort := range []string{"allowed", "denied", "answered elsewhere or not at all", "still waiting"} {
		n := 0
		for _, q := range asks {
			if reportSort(q) == sort {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, sort))
		}
	}
	text := strings.Join(parts, " · ")
	if wait, ok := medianWait(asks); ok {
		text += " · answered after " + span(wait) + " (median)"
	}
	return text
}

func reportSort(q wire.ReportedAsk) string {
	switch {
	case q.State == "open", q.Parked && q.By == "":
		return "still waiting"
	case q.By == "":
		return "answered elsewhere or not at all"
	case q.Allow:
		return "allowed"
	}
	return "denied"
}

// medianWait is how long a person took, in the middle. What a standing
// permission answered did not wait.
func medianWait(asks []wire.ReportedAsk) (time.Duration, bool) {
	var waits []int64
	for _, q := range asks {
		if q.By != "" && q.Channel != "grant" && q.Channel != "lease" {
			waits = append(waits, q.WaitedMS)
		}
	}
	if len(waits) == 0 {
		return 0, false
	}
	slices.Sort(waits)
	return time.Duration(waits[len(waits)/2]) * time.Millisecond, true
}

// renderReported shows one question: what it was, and what became of it.
func renderReported(p *page, q wire.ReportedAsk) {
	who := oneLine(q.Token, 40)
	if q.Agent != "" {
		who += " (" + oneLine(q.Agent, 30) + ")"
	}
	what := oneLine(q.Tool, 30) + " " + oneLine(q.Input, 80)
	if q.Kind == kindCheckIn {
		what = "stopped: " + oneLine(q.Input, 80)
	}
	p.line("\n  %s  %s  %s", p.clock(q.OpenedAt), p.paint(bold, who), strings.TrimSpace(what))
	p.line("            %s", reportedHow(p, q))
}

func reportedHow(p *page, q wire.ReportedAsk) string {
	wait := span(time.Duration(q.WaitedMS) * time.Millisecond)
	if reportSort(q) == "still waiting" {
		return p.paint(yellow, "waits since "+wait)
	}
	colour := red
	if q.Allow {
		colour = green
	}
	text := p.paint(colour, oneLine(q.How, 300)) + " · waited " + wait
	if q.By != "" && q.Channel != "" {
		text += " · " + oneLine(q.Channel, 20)
	}
	if q.Outcome != "" {
		text += " · " + oneLine(q.Outcome, 60)
	}
	return text
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
			oneLine(strings.TrimPrefix(e.Text, "guard: deny "), 200))
	}
}

// reportCounts says what else the journal has, as far as a person cares.
func reportCounts(counts map[string]int) string {
	var parts []string
	for _, of := range []struct{ kind, noun string }{
		{"session.started", "session"}, {"session.unprotected", "unprotected session"},
		{"guard.spoke", "guard verdict"},
		{"grant.given", "grant"}, {"coordinator.started", "start"},
	} {
		if n := counts[of.kind]; n > 0 {
			parts = append(parts, text.Count(n, of.noun))
		}
	}
	return strings.Join(parts, ", ")
}
