package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Ended returns which calls got past the guard in the time of a report, what failed, and what was done: runs, loops
// and issues.
func Ended(r wire.ReportReply) (past, failed, done []Thing) {
	add := func(t Thing, isBad, isDone bool) {
		switch {
		case isBad:
			failed = append(failed, t)
		case isDone:
			t.Mark = Mark{Good, "✅"}
			done = append(done, t)
		}
	}
	for _, e := range r.Overridden {
		past = append(past, Thing{ID: e.Token, Title: e.Text, Mark: Mark{Bad, "🚨"}})
	}
	for _, v := range r.Runs {
		t := Run(v)
		t.State = cmp.Or(t.About, t.State)
		add(t, v.State == "failed", v.State == "idle" || v.State == "done")
	}
	for _, l := range r.Ended {
		add(Loop(l), l.Verdict != "done" && l.Verdict != "cancelled" && l.Verdict != "", l.Verdict == "done")
	}
	for _, e := range r.Issues {
		landed := e.Kind == "issue.landed"
		add(Thing{ID: e.Subject, Title: e.Text, Mark: Mark{Ask, "⚠️"}}, !landed, landed)
	}
	return past, failed, done
}

// Said returns what a thing is and how it stands, in one text.
func (t Thing) Said() string { return strings.Trim(t.Title+" · "+t.State, " ·") }

// The most lines of the morning message, and characters of one.
const (
	mostMorning = 10
	maxMorning  = 100
)

// Morning returns a report as the morning message, in at most ten lines: what got past the guard, what waits, what
// failed, what was done and what it cost. It returns "" for nothing to say: sessions alone are not worth a message.
func Morning(r wire.ReportReply) string {
	var waits []Thing
	waiting, _ := wording.Parts(r.Asks)
	for _, q := range waiting {
		waits = append(waits, Thing{ID: cmp.Or(q.Run, q.Token), Title: q.Request, Mark: Mark{Ask, "❓"}})
	}
	past, failed, done := Ended(r)
	all := slices.Concat(past, waits, failed, done)
	if len(all) == 0 {
		return ""
	}
	usd := 0.0
	for _, spent := range r.Spent {
		usd += spent.USD
	}
	some := func(of []Thing, words string) string {
		return text.Only(len(of) > 0, fmt.Sprintf("%d %s", len(of), words))
	}
	lines := []string{text.Series(" · ", some(past, "past the guard"), some(waits, "to answer"), some(failed, "failed"),
		some(done, "done"), text.Only(usd > 0, wording.USD(usd)+" at list prices"))}
	for i, t := range all {
		if left := len(all) - i; left > 1 && len(lines) == mostMorning-1 {
			lines = append(lines, fmt.Sprintf("… %d more: afar report", left))
			break
		}
		lines = append(lines, t.Mark.Sign+" "+text.Clip(text.Fold(t.ID+": "+t.Said()), maxMorning))
	}
	return strings.Join(lines, "\n")
}
