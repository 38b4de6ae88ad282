package loop

import (
	"fmt"
	"time"
)

// Touch records activity: a tool call or a prompt. It ends a pause. It does not revive a
// loop whose two hours are already over.
func Touch(s Stack, now time.Time) Stack {
	if !s.Active() || s.stale(now) {
		return s
	}
	s.UpdatedAt, s.Paused = stored(now), nil
	return s
}

// Next returns when Expire has something to do. The zero time means never.
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

// Expire applies what the passing of time causes. It ends a loop without activity for two
// hours, a frame whose time is over, and a pause that is over.
func Expire(s Stack, now time.Time) Outcome {
	if !s.Active() {
		return Outcome{Stack: s}
	}
	now = stored(now)
	if s.stale(now) {
		return endAll(s.clone(), s.staleEnding(), now)
	}
	o := overdue(s.clone(), now)
	if s = o.Stack; s.Active() && s.stale(now) { // the removed frame had waited for a check, which extends the time
		return o.followedBy(endAll(s, s.staleEnding(), now))
	}
	if s.Paused == nil || !passed(s.Paused.Until, now) {
		return o
	}
	over := *s.Paused
	over.Until, over.Over = time.Time{}, true
	o.Stack.Paused = &over
	return o
}

// The texts that wake a session.
const (
	shellRuns = "A background shell still runs. Go on without it, or end it if it is of no use any more."
	limitOver = "The provider refused the last request. Its limit may be over: go on where you were."
)

// Waking returns the text that wakes an idle session for its loop: one that was started
// from outside, or one whose pause is over. It returns "" if there is no reason to wake
// the session.
func (s Stack) Waking() string {
	switch {
	case !s.Active():
		return ""
	case s.Unheard && !s.Waits():
		return "Afar: a loop was started in this session from outside. Its goal is in the context of this turn."
	case s.Paused == nil, !s.Paused.Over:
		return ""
	case s.Paused.Shell:
		return reason(*s.top(), shellRuns, nil, nil)
	}
	return reason(*s.top(), limitOver, nil, nil)
}

// overdue removes the frames whose time is over. The session is not stopping, so nothing
// is blocked: the outer frame waits for the next stop.
func overdue(s Stack, now time.Time) Outcome {
	o := Outcome{}
	end := ending{verdict: Timeout, note: "its time is over"}
	for passed(s.top().Deadline, now) {
		if at := s.owner(); at >= 0 {
			s.Frames = s.Frames[:at+1] // a task frame ends with its issue frame
		}
		if len(s.Frames) == 1 {
			return o.followedBy(endAll(s, end, now))
		}
		o.pop(&s, end, now)
	}
	o.Stack = s
	return o
}

// Limit pauses the loop because the provider refuses work for now. until is the time of the
// next try; if it is zero, the pause does not end by itself. Any activity ends the pause.
// At until, Waking returns a text that wakes the session. A pause that nothing ends becomes
// the loop's verdict. The person is told once per pause, however often the provider
// refuses.
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

// Leave records that the session ended before its loop. It returns a text for the person,
// or "" if the person knows already.
func Leave(s Stack) (Stack, string) {
	if !s.Active() || s.Refused() || s.Left {
		return s, ""
	}
	s.Left = true
	f := s.top()
	return s, fmt.Sprintf("The client ended, and its loop had not: %s\n%s. "+
		"It goes on with the session's next prompt, when it is resumed.", f.goal(), f.counted())
}

// longestRetry is the longest time between two tries of a refused loop.
const longestRetry = time.Hour

// Retry returns when a refused loop is tried again. The wait doubles with each refusal in
// a row.
func Retry(s Stack, after time.Duration, now time.Time) time.Time {
	if s.Refused() {
		after <<= min(s.Paused.Tries, 10)
	}
	return now.Add(min(after, longestRetry))
}

// Rest lets the session stop, because a background shell that it just started will wake
// it. At until, Waking wakes it otherwise. Rest returns false, and changes nothing, if the
// iteration has rested already: a session that starts a shell each time must still reach
// its cap.
func Rest(s Stack, until, now time.Time) (Stack, bool) {
	if !s.Active() || s.Rested {
		return s, false
	}
	now = stored(now)
	s.Rested, s.UpdatedAt = true, now
	s.Paused = &Pause{At: now, Until: stored(until), Note: "a background shell runs", Shell: true}
	return s, true
}

// Rests reports whether the session stopped for a background shell and has not gone on
// since.
func (s Stack) Rests() bool { return s.Active() && s.Paused.shell() }

// staleAt returns when an active loop ends because there was no activity.
func (s Stack) staleAt() time.Time {
	p := s.Paused
	switch {
	case p.shell() && p.Until.IsZero():
		return s.UpdatedAt.Add(idleLimit)
	case p == nil:
		limit := idleLimit
		if s.checking() {
			limit += s.top().CheckTimeout
		}
		return s.UpdatedAt.Add(limit)
	case p.Until.IsZero():
		return p.At.Add(pauseLimit)
	}
	return p.Until.Add(idleLimit)
}

func (s Stack) stale(now time.Time) bool { return passed(s.staleAt(), now) }

func (s Stack) staleEnding() ending {
	if s.Refused() {
		return ending{verdict: Limited, note: s.Paused.Note}
	}
	return ending{verdict: Expired, note: "no sign of life for 2 hours"}
}

// passed reports whether t has come. The zero time never comes.
func passed(t, now time.Time) bool { return !t.IsZero() && !now.Before(t) }

// earliest returns the earlier of a and b. It ignores a zero time.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
