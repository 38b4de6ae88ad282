package wording

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The sorts of questions in a report, in the order in which they are counted.
const (
	Allowed   = "allowed"
	Denied    = "denied"
	Elsewhere = "answered elsewhere or not at all"
	Waiting   = "still waiting"
)

// Sort says what became of a question.
func Sort(q wire.ReportedAsk) string {
	switch {
	case q.State == "open", q.Parked && q.By == "":
		return Waiting
	case q.By == "":
		return Elsewhere
	case q.Allow:
		return Allowed
	}
	return Denied
}

// Parts returns the questions of a report that wait, and those that do not. Identical ones that were asked on one
// card are one line.
func Parts(asks []wire.ReportedAsk) (waiting, settled []wire.ReportedAsk) {
	seen := map[string]bool{}
	for _, q := range asks {
		if q.Card != "" && seen[q.Card] {
			continue
		}
		seen[q.Card] = true
		if Sort(q) == Waiting {
			waiting = append(waiting, q)
		} else {
			settled = append(settled, q)
		}
	}
	return waiting, settled
}

// Newest leaves each question in a part of the journal its newest entry that says more than that an answer was
// delivered.
func Newest(entries []wire.Entry) (out []wire.Entry) {
	last := map[string]int64{}
	isOfQuestion := func(e wire.Entry) bool { return strings.HasPrefix(e.Kind, "ask.") && e.Subject != "" }
	for _, e := range entries {
		if isOfQuestion(e) && e.Kind != delivered {
			last[e.Subject] = max(last[e.Subject], e.Seq)
		}
	}
	for _, e := range entries {
		if !isOfQuestion(e) || e.Kind != delivered && last[e.Subject] == e.Seq {
			out = append(out, e)
		}
	}
	return out
}

// delivered is the kind of an entry that says only what those of the answer and of the call say.
const delivered = "ask.delivered"

// ReportHead sums the questions up.
func ReportHead(asks []wire.ReportedAsk) string {
	if len(asks) == 0 {
		return "no question was asked."
	}
	parts := []string{text.Count(len(asks), "question")}
	for _, sort := range []string{Allowed, Denied, Elsewhere, Waiting} {
		n := 0
		for _, q := range asks {
			if Sort(q) == sort {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, sort))
		}
	}
	text := strings.Join(parts, " · ")
	if wait, ok := medianWait(asks); ok {
		text += " · answered after " + Span(wait) + " (median)"
	}
	return text
}

// medianWait is how long a person took, in the middle. What a standing permission answered
// did not wait.
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

// Asked returns what a question in a report was about.
func Asked(q wire.ReportedAsk) string {
	if q.Kind == CheckIn {
		return "stopped: " + line(q.Input, 80)
	}
	return strings.TrimSpace(line(q.Tool, 30) + " " + line(q.Input, 80))
}

// DeniedCall returns the rule and the call of an entry about what the guard denied.
func DeniedCall(e wire.Entry) string { return strings.TrimPrefix(e.Text, "guard: deny ") }

// ReportCounts says what else the journal has, as far as a person cares.
func ReportCounts(counts map[string]int) string {
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
