// Package background bounds the questions that Afar asks a model by itself: to sort events, to
// look after tasks, to learn from what was done. They share one budget a day and one pause after
// a failure. The package is pure.
package background

import (
	"time"

	"github.com/afar-sh/afar/coordinator/text"
)

// The pauses after failures, and after how long the person is told of them.
const (
	firstPause = 30 * time.Second
	mostPause  = 15 * time.Minute
	toldAfter  = 30 * time.Minute
)

// Reserved is what a question counts, in US dollars, from its beginning until its cost is known.
const Reserved = 0.05

// A State is what is kept of the questions.
type State struct {
	Date string  `json:"date,omitempty"` // the day of the local calendar that USD is about
	USD  float64 `json:"usd,omitempty"`  // what the questions of that day cost
	// FailingSince is the first failure since the last answer, and Failures how many there were.
	FailingSince time.Time `json:"failing_since,omitzero"`
	Failures     int       `json:"failures,omitempty"`
	Next         time.Time `json:"next,omitzero"` // no question is asked before, after a failure
	Told         bool      `json:"told,omitempty"`
}

// A Rest is the error of a question that may not be asked now.
type Rest struct {
	Until time.Time // zero if no time ends it
	Why   string
}

func (r *Rest) Error() string { return "no background question now: " + r.Why }

// Spent returns what the questions of the day of now cost, in US dollars.
func (s State) Spent(now time.Time) float64 {
	if s.Date != now.Format(time.DateOnly) {
		return 0
	}
	return s.USD
}

// Begin returns the state while a question is asked, for which an amount is reserved. It returns
// a Rest if the question may not be asked: the budget of the day, in US dollars, is spent, or
// the last question failed a moment ago.
func (s State) Begin(budget float64, now time.Time) (State, *Rest) {
	switch {
	case budget <= 0:
		return s, &Rest{Why: "background.budget is 0"}
	case s.Spent(now) >= budget:
		y, m, d := now.Date()
		return s, &Rest{Until: time.Date(y, m, d+1, 0, 0, 0, 0, now.Location()), Why: "the day's budget is spent"}
	case now.Before(s.Next) && s.Next.Sub(now) <= mostPause: // a clock that was set back does not prolong a pause
		return s, &Rest{Until: s.Next, Why: "the last one failed"}
	}
	return s.book(Reserved, now), nil
}

func (s State) book(usd float64, now time.Time) State {
	s.USD = max(s.Spent(now)+usd, 0)
	s.Date = now.Format(time.DateOnly)
	return s
}

// Answered returns the state after an answer that cost usd.
func (s State) Answered(usd float64, now time.Time) State {
	s = s.book(usd-Reserved, now)
	s.FailingSince, s.Failures, s.Next, s.Told = time.Time{}, 0, time.Time{}, false
	return s
}

// Failed returns the state after a question that failed and cost usd. tell is the text that the
// person is told: once, when the questions have failed for 30 minutes.
func (s State) Failed(usd float64, why string, now time.Time) (_ State, tell string) {
	s = s.book(usd-Reserved, now)
	if s.FailingSince.IsZero() {
		s.FailingSince = now
	}
	s.Next = now.Add(min(firstPause<<min(s.Failures, 10), mostPause))
	s.Failures++
	if !s.Told && now.Sub(s.FailingSince) >= toldAfter {
		s.Told = true
		tell = "⚠️ Afar cannot ask a model in the background since " + s.FailingSince.Format("15:04") +
			". Events are kept unsorted, and tasks go on by their dates alone.\n" + text.Clip(text.Fold(why), 300)
	}
	return s, tell
}
