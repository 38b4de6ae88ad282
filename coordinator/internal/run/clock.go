package run

import (
	"cmp"
	"time"
)

// A Clock is one of the three clocks of a turn.
type Clock string

// The clocks of a turn.
const (
	Silence Clock = "silence" // no output
	Ending  Clock = "ending"  // no result after the last words
	Leaving Clock = "leaving" // no exit after the result
)

// Times are how long the agent of a turn may take. A zero time is the usual one.
type Times struct {
	Silence  time.Duration // without output
	Ending   time.Duration // to its result after its last words
	Leaving  time.Duration // to its exit after its result, and after it was told to end
	Starting time.Duration // to start: one that ends earlier fails to start
}

// Usual are the usual times.
var Usual = Times{
	Silence:  10 * time.Minute,
	Ending:   5 * time.Minute,
	Leaving:  10 * time.Second,
	Starting: 5 * time.Second,
}

// Or returns t with the usual times for those that are zero.
func (t Times) Or(usual Times) Times {
	return Times{
		Silence:  cmp.Or(t.Silence, usual.Silence),
		Ending:   cmp.Or(t.Ending, usual.Ending),
		Leaving:  cmp.Or(t.Leaving, usual.Leaving),
		Starting: cmp.Or(t.Starting, usual.Starting),
	}
}

// Words says what it means that the clock c has run out, for people.
func (t Times) Words(c Clock) string {
	switch t = t.Or(Usual); c {
	case Silence:
		return "it printed nothing for " + t.Silence.String()
	case Ending:
		return "it had no result " + t.Ending.String() + " after its last words"
	case Leaving:
		return "it did not exit after its result"
	}
	return ""
}

// A Watch is what the clocks of a turn look at.
type Watch struct {
	heard      time.Time            // the last output
	tools      map[string]time.Time // the limits of the tools that run, by call; zero if unknown
	spoke      bool                 // the last output is the agent's own text
	result     bool                 // the last output is a result
	background int                  // work behind the turn
	times      Times
}

// NewWatch returns the watch of a turn that starts now.
func NewWatch(t Times, now time.Time) Watch {
	return Watch{heard: now, tools: map[string]time.Time{}, times: t.Or(Usual)}
}

// See notes an event.
func (w *Watch) See(e Event, now time.Time) {
	w.heard = now
	if e.Background != nil {
		w.background = *e.Background
	}
	switch e.Kind {
	case ToolStart:
		w.tools[e.Call] = toolLimit(e.Limit, now)
	case ToolResult:
		delete(w.tools, e.Call)
	case Usage, Context: // they come with other events
		return
	}
	w.spoke, w.result = e.Kind == Text && e.Of == "", e.Kind == Result
}

func toolLimit(limit time.Duration, now time.Time) time.Time {
	if limit == 0 {
		return time.Time{}
	}
	return now.Add(limit)
}

// Hear notes output that makes no event.
func (w *Watch) Hear(now time.Time) { w.heard = now }

// Hold notes that the turn waited for a person until now.
func (w *Watch) Hold(now time.Time) {
	w.heard = now
	for call, at := range w.tools {
		if !at.IsZero() {
			w.tools[call] = now.Add(w.times.Silence)
		}
	}
}

// Next returns the clock that runs out first, and when.
func (w *Watch) Next() (Clock, time.Time) {
	switch {
	case w.result && w.background == 0:
		return Leaving, w.heard.Add(w.times.Leaving)
	case w.spoke && len(w.tools) == 0 && w.background == 0:
		return Ending, w.heard.Add(w.times.Ending)
	}
	at := w.heard.Add(w.times.Silence)
	for _, until := range w.tools {
		if until.After(at) {
			at = until.Add(w.times.Silence)
		}
	}
	return Silence, at
}
