package run

import "time"

// A Clock is one of the three clocks of a turn.
type Clock string

// The clocks of a turn.
const (
	Silence Clock = "silence" // no output
	Ending  Clock = "ending"  // no result after the last words
	Leaving Clock = "leaving" // no exit after the result
)

// The times of the clocks.
const (
	silenceFor = 10 * time.Minute
	endingFor  = 5 * time.Minute
	leavingFor = 10 * time.Second
)

// Words says what the clock means, for people.
func (c Clock) Words() string {
	switch c {
	case Silence:
		return "it printed nothing for " + silenceFor.String()
	case Ending:
		return "it had no result " + endingFor.String() + " after its last words"
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
}

// NewWatch returns the watch of a turn that starts now.
func NewWatch(now time.Time) Watch { return Watch{heard: now, tools: map[string]time.Time{}} }

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
			w.tools[call] = now.Add(silenceFor)
		}
	}
}

// Next returns the clock that runs out first, and when.
func (w *Watch) Next() (Clock, time.Time) {
	switch {
	case w.result && w.background == 0:
		return Leaving, w.heard.Add(leavingFor)
	case w.spoke && len(w.tools) == 0 && w.background == 0:
		return Ending, w.heard.Add(endingFor)
	}
	at := w.heard.Add(silenceFor)
	for _, until := range w.tools {
		if until.After(at) {
			at = until.Add(silenceFor)
		}
	}
	return Silence, at
}
