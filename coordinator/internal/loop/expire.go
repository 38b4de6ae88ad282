package loop

import "time"

// Touch notes a sign of life: a tool call or a prompt. It ends a pause. It does
// not bring back a loop whose two hours are already over.
func Touch(s Stack, now time.Time) Stack {
	if !s.Active() || s.stale(now) {
		return s
	}
	s.UpdatedAt, s.Paused = stored(now), nil
	return s
}

// Next is when Expire has something to do; zero when it never will.
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

// Expire does what time alone brings about: the end of a loop that nobody has
// heard of for two hours, of a frame whose time is over, of a pause.
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
	if !s.Active() || s.Paused == nil || !passed(s.Paused.Until, now) {
		return o
	}
	o.Stack.Paused, o.Stack.UpdatedAt = nil, now
	o.Wake = reason(*s.top(), "The provider's limit should be over.", nil, nil)
	return o
}

// overdue takes off the frames whose time is over. The session is at work or
// idle, so there is nothing to block: the frame below waits for the next stop.
func overdue(s Stack, now time.Time) Outcome {
	o := Outcome{}
	end := ending{verdict: Timeout, note: "its time is over"}
	for passed(s.top().Deadline, now) {
		if at := s.owner(); at >= 0 && passed(s.Frames[at].Deadline, now) {
			s.Frames = s.Frames[:at+1] // the frame that works on an issue ends with the issue's
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
// that ends, zero when unknown. Any sign of life ends the pause; at until, Expire
// gives a text to wake the session with. A pause that nothing ends becomes the
// loop's verdict. The person is told once per pause.
func Limit(s Stack, note string, until, now time.Time) Outcome {
	if !s.Active() {
		return Outcome{Stack: s}
	}
	now = stored(now)
	told := s.Paused != nil
	s = s.clone()
	s.UpdatedAt, s.Paused = now, &Pause{At: now, Note: note}
	if until.After(now) {
		s.Paused.Until = stored(until)
	}
	o := Outcome{Stack: s, Verdict: Limited}
	if !told {
		o.Notify = pauseLine(*s.top(), *s.Paused)
	}
	return o
}

func (s Stack) staleAt() time.Time {
	if s.Paused == nil && s.top().Checking {
		return s.UpdatedAt.Add(s.top().CheckTimeout + idleLimit)
	}
	if s.Paused == nil {
		return s.UpdatedAt.Add(idleLimit)
	}
	if s.Paused.Until.IsZero() {
		return s.UpdatedAt.Add(pauseLimit)
	}
	return s.Paused.Until.Add(idleLimit)
}

func (s Stack) stale(now time.Time) bool { return passed(s.staleAt(), now) }

func (s Stack) staleEnding() ending {
	if s.Paused != nil {
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
