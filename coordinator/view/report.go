package view

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Ended returns what failed in the time of a report, and what was done: runs, loops and issues.
func Ended(r wire.ReportReply) (failed, done []Thing) {
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
		add(Thing{ID: e.Token, Title: "got past the guard: " + e.Text, Mark: Mark{Bad, "🚨"}}, true, false)
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
	return failed, done
}

// Said returns what a thing is and how it stands, in one text.
func (t Thing) Said() string { return strings.Trim(t.Title+" · "+t.State, " ·") }

// The most lines of the morning message, and characters of one.
const (
	mostMorning = 10
	maxMorning  = 100
)

// Morning returns a report as the morning message: what waits, what failed, what was done and what it cost, in at
// most ten lines. It returns "" for a report with nothing to say: sessions alone are not worth a message.
func Morning(r wire.ReportReply) string {
	var waits []Thing
	waiting, _ := wording.Parts(r.Asks)
	for _, q := range waiting {
		waits = append(waits, Thing{ID: cmp.Or(q.Run, q.Token), Title: q.Request, Mark: Mark{Ask, "❓"}})
	}
	failed, done := Ended(r)
	if len(waits)+len(failed)+len(done) == 0 {
		return ""
	}
	head, usd := []string{}, 0.0
	for _, spent := range r.Spent {
		usd += spent.USD
	}
	for _, part := range []struct {
		n    int
		said string
	}{{len(waits), "to answer"}, {len(failed), "failed"}, {len(done), "done"}} {
		if part.n > 0 {
			head = append(head, fmt.Sprintf("%d %s", part.n, part.said))
		}
	}
	if usd > 0 {
		head = append(head, wording.USD(usd)+" at list prices")
	}
	lines := []string{strings.Join(head, " · ")}
	all := append(append(waits, failed...), done...)
	for i, t := range all {
		if left := len(all) - i; left > 1 && len(lines) == mostMorning-1 {
			lines = append(lines, fmt.Sprintf("… %d more: afar report", left))
			break
		}
		lines = append(lines, t.Mark.Sign+" "+text.Clip(text.Fold(t.ID+": "+t.Said()), maxMorning))
	}
	return strings.Join(lines, "\n")
}
