package core

import (
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// Beside is what stands beside core, see package feature: it follows what happens to sessions, questions and runs. Core
// calls it with its lock held, within the change of the state that it tells of.
type Beside interface {
	// AskChanges returns an ask as it is to be kept; its card may say more.
	AskChanges(s *Draft, a ask.Ask) ask.Ask
	// Decided follows the person's decision about an ask. Declined follows an end without a yes, and each later change of
	// an ask that has ended so.
	Decided(s *Draft, a ask.Ask)
	Declined(s *Draft, a ask.Ask)
	// AnswerTaken follows a hook that has taken the answer to an ask.
	AnswerTaken(s *Draft, a ask.Ask)
	// CallRan follows the run of a call.
	CallRan(s *Draft, o ask.Outcome)
	// SessionEnds follows the end of a session.
	SessionEnds(s *Draft, id session.ID)
	// RunChanged follows a change of a run, which may have settled by it.
	RunChanged(s *Draft, id run.ID)
	// Forward sends what the person decided about an ask of another machine to that machine, and returns what they are
	// told.
	Forward(s *Draft, a ask.Ask, p Press) channel.Worded
}
