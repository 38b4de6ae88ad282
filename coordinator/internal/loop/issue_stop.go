package loop

import "time"

// stopIssue answers a stop before it is judged what the session says about its work: the
// session must get news first, or an errand runs. It owns s.
func (s Stack) stopIssue(in Stopping, now time.Time) (o Outcome, answered bool) {
	f, is := s.top(), s.issue()
	if f.Tell == "" && (is == nil || is.Phase == Working) {
		return o, false
	}
	if s.stale(now) {
		return o.followedBy(endAll(s, s.staleEnding(), now)), true
	}
	s.spend(in.Spent)
	s.Read, s.UpdatedAt, s.Paused = in.Read, now, nil
	if in.Tools > 0 {
		s.Quiet, f.Idle = 0, 0
	}
	if f.Tell != "" && !s.Waits() {
		return s.deliverNews(in, now), true
	}
	w := &work{s: s, at: s.owner(), now: now}
	switch {
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

// deliverNews blocks with the news for the session, unless a limit ends the loop.
func (s Stack) deliverNews(in Stopping, now time.Time) Outcome {
	s.top().LastStopAt = now
	return Outcome{}.goOn(s, in, false, now)
}

// overLimit returns the index of the outermost issue frame that has reached one of its
// limits, or -1. The limits of its inner frames do not matter.
func (s Stack) overLimit(now time.Time) (at int, end ending) {
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

// checkedAgain returns the news about a check that is red after a rebase, or "". It sends
// the issue back to Working.
func (s Stack) checkedAgain() string {
	is := s.issue()
	if is == nil || is.Phase != Checking {
		return ""
	}
	is.Phase = Working
	return rebasedNews
}

// waiting says in words which errand the session waits for.
func (s Stack) waiting() string { return s.issue().waiting() }

// nested counts the loops inside the outermost one. A task frame of an issue does not
// count.
func (s Stack) nested() (n int) {
	for _, f := range s.Frames[1:] {
		if f.IssueID == "" {
			n++
		}
	}
	return n
}

// handIn ends the session's work on an issue. If the session says that it is done, the
// issue goes to review. Otherwise the issue is given up. It owns s.
func (o Outcome) handIn(s Stack, at int, end ending, now time.Time) Outcome {
	w := &work{Outcome: o, s: s, at: at, now: now}
	if end.verdict == Done {
		t := w.task()
		t.Proven, t.Green = false, 0 // they are about this commit; the next one needs its own proof
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
