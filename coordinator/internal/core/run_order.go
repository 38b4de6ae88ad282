package core

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

const runGone = "This run was removed. Nothing was changed."

// stopRun ends what a run does, and says what happens.
func (s *state) stopRun(b *store.Batch, r run.Run, d ask.Decision, now time.Time) (text string, err error) {
	if err := s.counts(d.Channel); err != nil {
		return "", err
	}
	if !r.Live() {
		return runGone, nil
	}
	if r.Settled() {
		return "Nothing runs in " + r.Name + " now, so there was nothing to stop.", nil
	}
	next, err := s.endRun(b, r, d.By, now)
	if err != nil {
		return "", err
	}
	if next.Busy() {
		return "⏹ Stopping " + r.Name + ".", nil
	}
	return "⏹ " + r.Name + " has stopped.", nil
}

// ConversationOf returns the conversation of a run, "" for one that was removed.
func (c *Core) ConversationOf(id run.ID) session.ID {
	r, err := c.RunByID(id)
	if err != nil {
		return ""
	}
	return session.ID(r.Conversation)
}
