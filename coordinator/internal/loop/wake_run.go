package loop

import "time"

// Wake returns the prompt that gives the idle run of a loop its next turn, "" if the loop has
// nothing to tell it. The returned stack records that the run was told.
func Wake(s Stack, now time.Time) (Stack, string) {
	if !s.Active() || s.Waits() {
		return s, ""
	}
	text := ""
	switch {
	case s.Unheard, s.top().Tell != "":
		task := s.task()
		s, text = Introduce(s)
		text = task + text
	case s.Paused != nil && s.Paused.Over:
		text = s.Waking()
	default:
		return s, ""
	}
	s.UpdatedAt, s.Paused = stored(now), nil
	return s, text
}

// task returns the whole task of the top frame as a paragraph. The text of an issue is data,
// which Intro shows as such.
func (s Stack) task() string {
	f := s.top()
	if f.Issue != nil || f.IssueID != "" {
		return ""
	}
	return f.Goal + "\n\n"
}

// unpaused is what a run is told when it goes on after a pause of Afar.
const unpaused = "Afar was paused, and is not any more: go on where you were."

// WakeResumed is Wake for the end of a pause of Afar, in which the run stopped.
func WakeResumed(s Stack, now time.Time) (Stack, string) {
	if next, text := Wake(s, now); text != "" {
		return next, text
	}
	if !s.Active() || s.Waits() || s.Paused != nil {
		return s, ""
	}
	s.UpdatedAt = stored(now)
	return s, reason(*s.top(), unpaused, nil, nil)
}

// Holds reports whether the Stop hook of the session waits for an errand or a check.
func (s Stack) Holds() bool { return s.Waits() || s.checking() }
