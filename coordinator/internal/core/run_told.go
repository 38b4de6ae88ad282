package core

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// The actions that tell the person of a turn. The data of both is a run.TurnEnd: its words,
// and the file of a result that is too long for a message.
const (
	ActRunEnded = "run-ended"
	ActRunFile  = "run-file"
)

// tellEnd tells the person in every away mode how a turn ended. A loop that goes on tells of
// its own end instead. It returns r as it is then.
func (s *Draft) tellEnd(r run.Run) run.Run {
	next, e, at, ok := run.Tell(r, s.Now)
	loop, _ := s.Loops.After(s.Batch, session.ID(r.Conversation))
	switch {
	case !ok:
		return next
	case !s.Reachable(), loop.Active():
		return r
	}
	if until := s.Cfg.Rules.Quiet.Until(at); !until.IsZero() {
		at = until
	}
	key := "run-ended:" + string(r.ID) // a later end takes the place of one that still waits
	if r.Turn.For != "" {
		key += fmt.Sprintf(":%d", r.Fence)
	}
	s.TellEnding(key, e, at)
	return next
}

// TellEnding tells the person how a turn ended, with a file for a result that is too long for a message.
func (s *Draft) TellEnding(key string, e run.TurnEnd, at time.Time) {
	data := Encode(e)
	s.OnChannels(key, ActRunEnded, data, at)
	if e.Long() {
		s.OnChannels(key+":file", ActRunFile, data, at)
	}
}

// tellLacks tells the person that the agent of a turn worked without some tools, unless the turn
// before did so for the same reason.
func (s *Draft) tellLacks(before, r run.Run) {
	if r.Lacks != "" && r.Lacks != before.Lacks {
		s.Notify("lacks", session.ID(r.Conversation), channel.News{Kind: channel.Lacks, Of: r.Name, What: r.Lacks})
	}
}

// failRun records a run that ends without a word of its agent, and tells all whom that concerns.
func (s *Draft) failRun(r run.Run, words string) {
	s.NoteRun(event.RunEnded, r, words)
	s.putOver(s.tellEnd(r))
}
