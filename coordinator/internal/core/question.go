package core

import (
	"errors"
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// taken says what a step of a question or a plan has led to.
func taken(a ask.Ask) string {
	d := a.Decision
	switch {
	case d == nil:
		return unfinished(a)
	case a.Kind == ask.Questions && d.Allow:
		return "Answered. The session gets it now."
	case a.Kind == ask.Elicitation && d.Allow:
		return "Answered. The server gets it now."
	case a.Kind == ask.Elicitation:
		return "Declined. The server is told."
	case a.Kind == ask.Plan && d.AcceptEdits:
		return "Approved, edits accepted."
	case a.Kind == ask.Plan && d.Allow:
		return "Approved."
	case a.Kind == ask.Plan:
		return "Sent back with your words."
	}
	return "Denied."
}

// unfinished says what is chosen so far, or what comes next.
func unfinished(a ask.Ask) string {
	now, _ := a.Form.Now()
	if len(now.Picked) > 0 {
		return "Chosen: " + now.Answer() + ". Done sends it."
	}
	if now.Multi && a.Form.At == 0 {
		return "Nothing is chosen."
	}
	return fmt.Sprintf("Noted. Question %d of %d is on the card.", a.Form.At+1, len(a.Form.Questions))
}

// notTaken says why a step changed nothing.
func notTaken(err error) string {
	switch {
	case errors.Is(err, ask.ErrPassed):
		return "That question is answered already; the card shows the next one."
	case errors.Is(err, ask.ErrNothing):
		return "Choose at least one first, or reply with your own words."
	}
	return "Nothing was changed: " + err.Error() + "."
}
