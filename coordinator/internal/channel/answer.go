package channel

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// An Answer is what an answer did to the asks of a card.
type Answer struct {
	Card  ask.Card // that it changed, or the one that shows why it changed none
	Err   error    // why it changed none
	Ended bool     // the session has ended
}

// Words says what it did.
func (r Answer) Words() string {
	a := r.Card[0]
	switch err := r.Err; {
	case errors.Is(err, ask.ErrScope):
		return "Nothing was decided: " + err.Error() + "."
	case errors.Is(err, ask.ErrSettled):
		return "Too late: " + a.Ending() + "."
	case errors.Is(err, ask.ErrTerminal):
		return "Nothing was decided: only the session's terminal can answer this dialog."
	case err != nil:
		return notTaken(err)
	}
	text := cmp.Or(ownText(a), callText(a, len(r.Card)))
	if r.Ended && a.Lease != nil {
		text += " But the session has ended: it hears of it only if it is resumed."
	}
	return text
}

// ownText returns what an answer did to an ask that is about no call, "" if it is about one.
func ownText(a ask.Ask) string {
	switch {
	case a.Kind == ask.CheckIn:
		return "Fine. The session rests."
	case a.Kind == ask.Proposal && a.Starts():
		return "Allowed. Run " + a.Proposed.Run.Name + " starts; its result goes to the session that proposed it."
	case a.Kind == ask.Widen && a.Decision.Allow:
		return "Allowed. Run " + a.Proposed.Run.Name + " can write there from its next turn on."
	case a.Kind == ask.Widen:
		return "Denied. Its wall stays as it is."
	case a.Kind == ask.Checkpoint && a.Decision != nil:
		return "Answered. Task " + a.Task + " gets it."
	case a.Kind == ask.Suggestion && a.Decision.Allow:
		return "Accepted. It becomes a task, and an agent begins to work on it."
	case a.Kind == ask.Suggestion:
		return "Dismissed. It does not come back."
	case a.Kind == ask.WakeUp && a.Decision.Allow:
		return "Allowed. The session is woken as soon as the check passes: trigger " + a.About.Trigger + "."
	case a.Kind == ask.WakeUp:
		return "Denied. The session is told."
	case a.Kind == ask.Missed && a.Decision.Allow:
		return "Trigger " + a.About.Trigger + " fires now."
	case a.Kind == ask.Missed:
		return "Skipped. Trigger " + a.About.Trigger + " fires when it is due again."
	}
	return ""
}

// callText returns what an answer did to calls that go on or wait with it.
func callText(a ask.Ask, calls int) string {
	many := ""
	if calls > 1 {
		many = fmt.Sprintf(", %d calls", calls)
	}
	switch {
	case a.Lease != nil:
		return leaseText(a, many)
	case slices.Contains([]ask.Kind{ask.Questions, ask.Plan, ask.Elicitation}, a.Kind):
		return taken(a)
	case a.Decision.Allow && a.Decision.Scope == ask.Session:
		until := a.Decision.At.Add(a.Times.GrantFor()).Format("15:04")
		return "Allowed for the session, until " + until + ": " + a.ForSession()
	case a.Decision.Allow:
		return "Allowed" + many + ". The card will say how it turned out."
	}
	return "Denied" + many + "."
}

// leaseText returns what an answer did to a call that had been refused before.
func leaseText(a ask.Ask, many string) string {
	switch {
	case a.Kind == ask.Denied:
		return retried(a)
	case a.Lease.Decision.Allow:
		until := a.Lease.Until.Format("15:04")
		return "Allowed" + many + ": the exact call may run once until " + until + ", if the session tries it again."
	}
	return "Denied" + many + ". The call had been refused already."
}

// taken returns what a step of a question or a plan has led to.
func taken(a ask.Ask) string {
	d := a.Decision
	if d == nil {
		return unfinished(a)
	}
	switch a.Kind {
	case ask.Plan:
		return planText(*d)
	case ask.Elicitation:
		if !d.Allow {
			return "Declined. The server is told."
		}
		return "Answered. The server gets it now."
	}
	if !d.Allow {
		return "Denied."
	}
	return "Answered. The session gets it now."
}

func planText(d ask.Decision) string {
	switch {
	case d.AcceptEdits:
		return "Approved, edits accepted."
	case d.Allow:
		return "Approved."
	}
	return "Sent back with your words."
}

// unfinished returns what is chosen so far, or what comes next.
func unfinished(a ask.Ask) string {
	now, _ := a.Form.Current()
	if len(now.Picked) > 0 {
		return "Chosen: " + now.Answer() + ". Done sends it."
	}
	if now.Multi && a.Form.At == 0 {
		return "Nothing is chosen."
	}
	return fmt.Sprintf("Noted. Question %d of %d is on the card.", a.Form.At+1, len(a.Form.Questions))
}

// notTaken returns why a step changed nothing.
func notTaken(err error) string {
	switch {
	case errors.Is(err, ask.ErrPassed):
		return "That question is answered already; the card shows the next one."
	case errors.Is(err, ask.ErrNothing):
		return "Choose at least one first, or reply with your own words."
	}
	return "Nothing was changed: " + err.Error() + "."
}

// retried says what the person's answer to auto mode's refusal does.
func retried(a ask.Ask) string {
	if !a.Lease.Decision.Allow {
		return "Noted: the session is told, and the call stays refused."
	}
	return "Told the session: the exact call may run once until " + a.Lease.Until.Format("15:04:05") + "."
}
