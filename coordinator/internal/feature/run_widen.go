package feature

import (
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/redact"
)

// widen lets a run write what it has asked for, if that was allowed, and tells it: it then gets the turn in which it can.
func (s *draft) widen(a ask.Ask) {
	r, ok := s.RunOf(a.Session)
	path := a.Proposed.Prompt
	if !ok || !a.Decision.Allow || slices.Contains(r.Widened, path) {
		return
	}
	open(s.Draft, r, path, a.Decision.By)
	s.Post(message.Message{
		Key: "widen:" + string(a.ID), Session: a.Session, By: a.Decision.By,
		Text: "Your person lets you write " + path + ", from this turn on. Go on with what needed it.",
	})
}

// OpenForRun lets a run write a path from its next turn on, as the person says without having been asked.
func (c *Core) OpenForRun(id run.ID, path, by string) (run.Run, error) {
	return c.ChangeRun(id, func(d *core.Draft, r run.Run) (run.Run, error) {
		return open(d, r, path, by), nil
	})
}

func open(s *core.Draft, r run.Run, path, by string) run.Run {
	r.Widened = append(slices.Clone(r.Widened), path)
	s.Runs.Put(s.Batch, r)
	s.NoteRun(event.RunWidened, r, by+" lets it write "+redact.Clean(path))
	return r
}
