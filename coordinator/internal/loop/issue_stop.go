package loop

import (
	"time"
)

// stopIssue answers a stop that is not, or not yet, about what the session says of
// its work: it has something to hear first, or an errand runs. It owns s.
func (s Stack) stopIssue(in Stopping, now time.Time) (o Outcome, answered bool) {
	f, i := s.top(), s.owner()
	result := f.Checking && in.Check != nil && in.Check.Frame == f.ID
	waits := i >= 0 && s.Frames[i].Issue.Phase != Working
	if f.Tell == "" && !waits || result {
		return o, false
	}
	if s.stale(now) {
		return o.and(endAll(s, s.staleEnding(), now)), true
	}
	s.spend(in.Spent)
	s.Read, s.UpdatedAt, s.Paused = in.Read, now, nil
	if in.Tools > 0 {
		s.Quiet, f.Idle = 0, 0
	}
	if f.Tell != "" && !s.Waits() {
		return s.hear(in, now), true
	}
	w := &work{s: s, at: i, now: now}
	switch is := w.issue(); {
	case is.Phase == Checking:
		f.Checking, f.LastStopAt = true, now
		w.Check = f.asked()
	case is.Held:
		w.enter(Landing)
		fallthrough
	default:
		w.Wait = is.waiting()
	}
	w.Stack = w.s
	return w.Outcome, true
}

// hear blocks with what the session is to hear, if it may go on at all.
func (s Stack) hear(in Stopping, now time.Time) Outcome {
	s.top().LastStopAt = now
	return Outcome{}.goOn(s, in, false, now)
}

// overdrawn finds the lowest issue frame that has used up what it may, whatever
// the frames on top of it say; -1 for none.
func (s Stack) overdrawn(now time.Time) (at int, end ending) {
	for i, f := range s.Frames {
		if f.Issue == nil {
			continue
		}
		if end = f.limits(now); end.verdict != "" {
			return i, end
		}
	}
	return -1, ending{}
}

// checkedAgain is what the session hears of a check that is red behind a rebase.
// The issue is then worked on again.
func (s Stack) checkedAgain() string {
	i := s.owner()
	if i < 0 || s.Frames[i].Issue.Phase != Checking {
		return ""
	}
	s.Frames[i].Issue.Phase = Working
	return rebasedNews
}

// waiting is the errand that the session waits for, in words.
func (s Stack) waiting() string { return s.Frames[s.owner()].Issue.waiting() }

// nested counts the loops inside the outermost one. The frame that works on an
// issue is none of its own.
func (s Stack) nested() (n int) {
	for _, f := range s.Frames[1:] {
		if f.IssueID == "" {
			n++
		}
	}
	return n
}

// handIn ends the work of the session on an issue: what it says is done goes to
// review, all else is left. It owns s.
func (o Outcome) handIn(s Stack, at int, end ending, now time.Time) Outcome {
	w := &work{Outcome: o, s: s, at: at, now: now}
	if end.verdict == Done {
		t := w.task()
		t.Proven, t.Green = false, 0 // of this commit; the next one has to prove itself
		w.enter(Sealing)
	} else {
		w.leave(string(end.verdict)+because(end.note), "")
	}
	w.Stack = w.s
	if w.s.Waits() {
		w.Wait = w.s.waiting()
	}
	return w.Outcome
}
