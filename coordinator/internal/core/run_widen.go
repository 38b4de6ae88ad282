package core

import (
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/redact"
)

func init() { decided[ask.Widen] = (*state).widen }

// widen lets a run write what it has asked for, if that was allowed, and tells it: it then gets the turn in which it can.
func (s *state) widen(b *store.Batch, a ask.Ask, now time.Time) {
	r, ok := s.runOf(b, a.Session)
	path := a.Proposed.Prompt
	if !ok || !a.Decision.Allow || slices.Contains(r.Widened, path) {
		return
	}
	s.open(b, r, path, a.Decision.By, now)
	s.post(b, message.Message{
		Key: "widen:" + string(a.ID), Session: a.Session, By: a.Decision.By,
		Text: "Your person lets you write " + path + ", from this turn on. Go on with what needed it.",
	}, now)
}

// OpenForRun lets a run write a path from its next turn on, as the person says without having been asked.
func (c *Core) OpenForRun(id run.ID, path, by string) (run.Run, error) {
	return c.changeRun(id, func(s *state, b *store.Batch, r run.Run, now time.Time) (run.Run, error) {
		return s.open(b, r, path, by, now), nil
	})
}

func (s *state) open(b *store.Batch, r run.Run, path, by string, now time.Time) run.Run {
	r.Widened = append(slices.Clone(r.Widened), path)
	s.runs.Put(b, r)
	s.noteRun(b, event.RunWidened, r, by+" lets it write "+redact.Clean(path), now)
	return r
}
