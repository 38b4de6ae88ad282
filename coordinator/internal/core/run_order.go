package core

import (
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// stopRun ends what a run does, and says what happens.
func (s *Draft) stopRun(r run.Run, d ask.Decision) (said channel.News, err error) {
	said = channel.News{Kind: channel.StoppedRun, Of: r.Name}
	switch err := s.Counts(d.Channel); {
	case err != nil:
		return said, err
	case !r.Live():
		said.Kind = channel.RunGone
		return said, nil
	case r.Settled():
		said.Kind = channel.NothingStop
		return said, nil
	}
	next, err := s.endRun(r, d.By)
	if next.Busy() {
		said.Kind = channel.StopsRun
	}
	return said, err
}

// ConversationOf returns the conversation of a run, "" for one that was removed.
func (c *Core) ConversationOf(id run.ID) session.ID {
	r, err := c.RunByID(id)
	if err != nil {
		return ""
	}
	return session.ID(r.Conversation)
}
