package loop

import "fmt"

// An Evidence says what a verdict is based on.
type Evidence string

// The evidences. A verdict other than done has none, unless it is of a loop over
// issues that landed nothing.
const (
	ByCheck   Evidence = "proven"         // a check passed
	ByWord    Evidence = "claimed"        // the session said so; no check ran
	NoLanding Evidence = "nothing landed" // of a loop over issues
)

// hasEnded reports whether there was a loop and it has ended.
func (s Stack) hasEnded() bool { return s.Ended != nil && len(s.Frames) > 0 }

// Evidence returns what the verdict of a loop that has ended is based on.
func (s Stack) Evidence() Evidence {
	if !s.hasEnded() {
		return ""
	}
	return s.Frames[0].evidence(s.Ended.Verdict, s.Ended.Proven)
}

// Called returns the verdict of a loop that has ended in words, such as
// "done (proven)" or "cancelled (nothing landed) by Ann".
func (s Stack) Called() string {
	if !s.hasEnded() {
		return ""
	}
	return s.Frames[0].called(s.Ended.Verdict, s.Ended.Proven, s.Ended.By)
}

// Ending returns the end of a loop in one line: the verdict, what was counted and
// the outermost goal.
func (s Stack) Ending() string {
	if !s.hasEnded() {
		return ""
	}
	f := s.Frames[0]
	return fmt.Sprintf("%s, %s: %s", s.Called(), f.counted(), f.goal())
}

func (f Frame) evidence(v Verdict, proven bool) Evidence {
	switch {
	case f.Issue != nil && f.Issue.Landed == 0:
		return NoLanding
	case v != Done:
		return ""
	case proven:
		return ByCheck
	}
	return ByWord
}

// called returns a verdict of the frame in words, with its evidence.
func (f Frame) called(v Verdict, proven bool, by string) string {
	text := string(v)
	if e := f.evidence(v, proven); e != "" {
		text += fmt.Sprintf(" (%s)", e)
	}
	if by != "" {
		text += " by " + line(by, 60)
	}
	return text
}

// tally says how many issues landed and how many were paused.
func (is *Issue) tally() string {
	text := fmt.Sprintf("%d landed", is.Landed)
	if is.Left > 0 {
		text += fmt.Sprintf(", %d paused", is.Left)
	}
	return text
}

// landedBy says what each issue that landed had to pass.
func (f Frame) landedBy() string {
	switch {
	case f.Check != "" && f.Issue.Reviewed == f.Issue.Landed:
		return "the check passed and a review approved each one that landed"
	case f.Check != "":
		return "the check passed for each one that landed"
	case f.Issue.Reviewed == f.Issue.Landed:
		return "a review approved each one that landed, and no check ran"
	}
	return "what landed was neither checked nor reviewed"
}
