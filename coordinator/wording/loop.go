package wording

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// LoopState returns the verdict of a loop with its evidence, or that there is none yet.
func LoopState(l wire.Loop) string {
	switch {
	case l.Active:
		return "active"
	case l.Verdict == "":
		return "ended"
	case l.Evidence != "":
		return line(l.Verdict, 20) + " (" + line(l.Evidence, 20) + ")"
	}
	return line(l.Verdict, 20)
}

// FrameCount says how far a frame is: iterations, or issues.
func FrameCount(f wire.Frame) string {
	if f.Issue == nil {
		return fmt.Sprintf("%d/%d", f.N, f.Max)
	}
	paused := text.Only(f.Issue.Left > 0, fmt.Sprintf(", %d paused", f.Issue.Left))
	return fmt.Sprintf("%d taken, %d landed", f.N, f.Issue.Landed) + paused
}

// bounds says what ends a frame besides its iterations: a time, or what it may use. It is empty for none.
func bounds(deadline time.Time, usd float64, tokens int64) string {
	ends := text.Series(" or ", text.Only(!deadline.IsZero(), "at "+deadline.Format("Jan 2 15:04")),
		text.Only(usd > 0, "at "+USD(usd)), text.Only(tokens > 0, "at "+Tokens(tokens)))
	return text.Only(ends != "", "ends "+ends)
}

// FrameBounds is bounds for a frame of a reply.
func FrameBounds(f wire.Frame) string {
	var deadline time.Time
	if f.Deadline > 0 {
		deadline = time.UnixMilli(f.Deadline)
	}
	return bounds(deadline, f.BudgetUSD, f.BudgetTokens)
}

// InHand says which issue a frame has in hand, and how far that is. It is empty without one.
func InHand(is wire.LoopIssue) string {
	if is.ID == "" {
		return ""
	}
	held := text.Only(is.Held, ", refused; tried again at the next stop")
	return fmt.Sprintf("issue %s: %s%s", line(is.ID+" "+is.Title, 120), line(is.Phase, 20), held)
}

// Used says what a frame has used so far. It is empty where that is unknown.
func Used(f wire.Frame) string {
	if f.Tokens == 0 {
		return ""
	}
	return Tokens(f.Tokens) + ", " + USD(f.USD) + " at list prices"
}

// ModeAdvice says which permission mode a loop wants that nobody watches. It is empty where
// the session is in such a mode.
func ModeAdvice(mode string) string {
	switch mode {
	case "default", "manual", "plan":
		return fmt.Sprintf("The session's permission mode is %s, so it asks for every step. Where nobody watches, "+
			"use auto (or acceptEdits "+
			"with rules for the commands): Shift+Tab in the session. The guard holds in every mode.", mode)
	}
	return ""
}
