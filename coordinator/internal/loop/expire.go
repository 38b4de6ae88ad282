package loop

import (
	"fmt"
	"time"
)

// Touch records a sign of life: a tool call or a prompt. It ends a pause. It does not
// revive a loop whose two hours are already over.
func Touch(s Stack, now time.Time) Stack {
	if !s.Active() || s.stale(now) {
		return s
	}
	s.UpdatedAt, s.Paused = stored(now), nil
	return s
}

// Next returns when Expire has something to do, zero for never.
func (s Stack) Next() time.Time {
	if !s.Active() {
		return time.Time{}
	}
	next := earliest(s.staleAt(), s.top().Deadline)
	if s.Paused != nil {
		next = earliest(next, s.Paused.Until)
	}
	return next
}

// Expire applies what the passing of time causes. It ends a loop without a sign of life
// for two hours, a frame whose time is over, and a pause that is over.
func Expire(s Stack, now time.Time) Outcome {
	if !s.Active() {
		return Outcome{Stack: s}
	}
	now = stored(now)
	if s.stale(now) {
		return endAll(s.clone(), s.staleEnding(), now)
	}
	o := overdue(s.clone(), now)
	if s = o.Stack; s.Active() && s.stale(now) { // the frame taken off had waited for a check, which gave it longer
		return o.and(endAll(s, s.staleEnding(), now))
	}
	if s.Paused == nil || !passed(s.Paused.Until, now) {
		return o
	}
	over := *s.Paused
	over.Until, over.Over = time.Time{}, true
	o.Stack.Paused = &over
	return o
}

// What a session is woken with.
const (
	shellRuns = "A background shell still runs. Go on without it, or end it if it is of no use any more."
	limitOver = "The provider refused the last request. Its limit may be over: go on where you were."
)

// Waking returns the text that wakes an idle session for its loop: one that was
// started from outside, or one whose pause is over. It is empty while there is
// nothing to wake it for.
func (s Stack) Waking() string {
	switch {
	case !s.Active():
		return ""
	case s.Unheard && !s.Waits():
		return "Afar: a loop was started in this session from outside. Its goal is in the context of this turn."
	case s.Paused == nil || !s.Paused.Over:
		return ""
	}
	if s.Paused.Shell {
		return reason(*s.top(), shellRuns, nil, nil)
	}
	return reason(*s.top(), limitOver, nil, nil)
}

// overdue takes off the frames whose time is over. The session is at work or
// idle, so there is nothing to block: the frame below waits for the next stop.
func overdue(s Stack, now time.Time) Outcome {
	o := Outcome{}
	end := ending{verdict: Timeout, note: "its time is over"}
	for passed(s.top().Deadline, now) {
		if at := s.owner(); at >= 0 {
			s.Frames = s.Frames[:at+1] // a frame that works on an issue ends with its issue loop
		}
		if len(s.Frames) == 1 {
			return o.over(s, end, now)
		}
		o.pop(&s, end, now)
	}
	o.Stack = s
	return o
}

// Limit pauses the loop because the provider refuses work for now; until is when
// it is tried again, zero for never by itself. Any sign of life ends the pause; at
// until, Waking gives a text to wake the session with. A pause that nothing ends
// becomes the loop's verdict. The person is told once per pause, however often
// the provider refuses.
func Limit(s Stack, note string, until, now time.Time) (Outcome, error) {
	if !s.Active() {
		return Outcome{}, fmt.Errorf("limit loop: %w", ErrNone)
	}
	now = stored(now)
	next := Pause{At: now, Note: note, Tries: 1}
	told := s.Refused()
	if told {
		next.At, next.Tries = s.Paused.At, s.Paused.Tries+1
	}
	if until.After(now) {
		next.Until = stored(until)
	}
	s.UpdatedAt, s.Paused = now, &next
	o := Outcome{Stack: s, Verdict: Limited}
	if !told {
		o.Notify = pauseLine(*s.top(), next)
	}
	return o, nil
}

// Refused reports whether the loop is paused because the provider refused.
func (s Stack) Refused() bool { return s.Paused != nil && !s.Paused.Shell }

// Leave notes that the session ended before its loop did, and that nobody was
// there to see it. The text is for the person; it is empty when they know.
func Leave(s Stack) (Stack, string) {
	if !s.Active() || s.Refused() || s.Left {
		return s, ""
	}
	s.Left = true
	f := s.top()
	return s, fmt.Sprintf(
		"The client ended, and its loop had not: %s\n%s. It goes on with the session's next prompt, when it is "+
			"resumed.",
		f.goal(),
		f.counted(),
	)
}

// longestRetry is the longest that a refused loop waits before it is tried again.
const longestRetry = time.Hour

// Retry returns when a refused loop is tried again. The wait doubles with each refusal in
// a row.
func Retry(s Stack, after time.Duration, now time.Time) time.Time {
	if s.Refused() {
		after <<= min(s.Paused.Tries, 10)
	}
	return now.Add(min(after, longestRetry))
}

// Rest lets the session stop because a background shell that it just started will
// wake it. When that has not happened by until, Waking does. It is false, and
// changes nothing, when the iteration has rested already: else a session that
// starts a shell each time would never come to its cap.
func Rest(s Stack, until, now time.Time) (Stack, bool) {
	if !s.Active() || s.Rested {
		return s, false
	}
	now = stored(now)
	s.Rested, s.UpdatedAt = true, now
	s.Paused = &Pause{At: now, Until: stored(until), Note: "a background shell runs", Shell: true}
	return s, true
}

// Rests reports whether the session was let stop for a background shell, and has
// not gone on since.
func (s Stack) Rests() bool { return s.Active() && s.Paused != nil && s.Paused.Shell }

func (s Stack) staleAt() time.Time {
	if s.Paused == nil && s.top().Checking {
		return s.UpdatedAt.Add(s.top().CheckTimeout + idleLimit)
	}
	if s.Paused == nil {
		return s.UpdatedAt.Add(idleLimit)
	}
	if !s.Paused.Until.IsZero() {
		return s.Paused.Until.Add(idleLimit)
	}
	if s.Paused.Shell {
		return s.UpdatedAt.Add(idleLimit)
	}
	return s.Paused.At.Add(pauseLimit)
}

func (s Stack) stale(now time.Time) bool { return passed(s.staleAt(), now) }

func (s Stack) staleEnding() ending {
	if s.Refused() {
		return ending{verdict: Limited, note: s.Paused.Note}
	}
	return ending{verdict: Expired, note: "no sign of life for 2 hours"}
}

// passed reports whether t has come; the zero time never comes.
func passed(t, now time.Time) bool { return !t.IsZero() && !now.Before(t) }

// earliest ignores zero times.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
