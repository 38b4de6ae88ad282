package ask

import (
	"cmp"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// An Outcome is what a PostToolUse hook reports.
type Outcome struct {
	Session           session.ID
	Prompt            string // the host's prompt_id, if known
	Agent, Tool, Hash string
	Run               Run
}

// Of returns the ask of a finished call, of those of its session. Among the asks for the same input whose call
// has not run yet, it prefers one that was allowed, and else takes the oldest. A refusal
// at the terminal cannot be told from an approval there.
func (o Outcome) Of(asks []Ask, now time.Time) (found Ask, ok bool) {
	matching := slices.DeleteFunc(asks, func(a Ask) bool { return !o.matches(a, now) })
	if slices.ContainsFunc(matching, Ask.WasAllowed) {
		matching = slices.DeleteFunc(matching, func(a Ask) bool { return !a.WasAllowed() })
	}
	return Oldest(matching)
}

// matches reports whether the call may be the call of a. The host reports an approved plan
// without its text, but a session shows only one plan at a time. A denied call did not
// run, unless it ran before. The host names the session's current prompt, so a
// subagent's call may begin at one prompt and end at another.
func (o Outcome) matches(a Ask, now time.Time) bool {
	switch {
	case a.Session != o.Session, a.Agent != o.Agent, a.Tool != o.Tool:
		return false
	case a.Hash != o.Hash && a.Kind != Plan:
		return false
	case a.Run != nil, a.State == Cancelled, a.Parked, a.Lease != nil:
		return false
	}
	otherPrompt := a.Agent == "" && a.Prompt != "" && o.Prompt != "" && a.Prompt != o.Prompt
	denied := a.Decision != nil && !a.Decision.Allow && !a.overtaken(o.Run, now)
	return !otherPrompt && !denied
}

// WasAllowed reports whether the call of a was allowed by an answer that its hook has printed.
func (a Ask) WasAllowed() bool { return a.State == Delivered && a.Decision.Allow }

// Oldest returns the ask that was opened first, or false if there is none.
func Oldest(asks []Ask) (Ask, bool) {
	if len(asks) == 0 {
		return Ask{}, false
	}
	return slices.MinFunc(asks, Older), true
}

// Older compares two asks by when they were opened.
func Older(a, b Ask) int { return cmp.Or(a.OpenedAt.Compare(b.OpenedAt), cmp.Compare(a.ID, b.ID)) }

// Sorted returns the asks of one card in order: first the ask that the card was made for.
func (c Card) Sorted() Card {
	joined := func(a Ask) int { return min(len(a.On), 1) }
	slices.SortFunc(c, func(a, b Ask) int { return cmp.Or(cmp.Compare(joined(a), joined(b)), Older(a, b)) })
	return c
}
