package core

import (
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

func init() { decided[ask.Checkpoint] = (*state).answerCheckpoint }

// ShowCheckpoint asks the person what the checkpoint.md of a task asks. a is the ask for the
// file as it is now, without a hash if there is none. A file is asked about once, and the
// question about an earlier one ends. While a turn works, nothing is asked.
func (c *Core) ShowCheckpoint(slug task.Slug, a ask.Ask) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, _ error) {
		t, ok := s.tasks.Rows[slug]
		r := s.runs.Rows[t.Run]
		switch {
		case !ok, r.Live() && !r.Settled() && !t.Asked.Used:
			return b, nil
		case t.Stopped, !r.Live():
			a = ask.Ask{}
		}
		old := s.asks.Rows[ask.ID(t.Asked.Ask)]
		next, changed := t.Ask(a.Hash, old.Waiting())
		if !changed {
			return b, nil
		}
		s.endAsk(&b, old, ask.Local, "its checkpoint.md has changed or is gone", now) // unless it was none
		if a.Hash != "" {
			a.Silent = rang(r, now)
			next.Asked.Ask = string(s.openCheckpoint(&b, a, now))
		}
		s.tasks.Put(&b, next)
		return b, nil
	})
}

// openCheckpoint opens the ask for a checkpoint, and returns its id.
func (s *state) openCheckpoint(b *store.Batch, a ask.Ask, now time.Time) ask.ID {
	a.ID, a.Nonce, a.Times = ask.ID("ask_"+strings.ToLower(s.cfg.Secret())), s.cfg.Secret(), s.cfg.Rules.Times
	a = ask.Tick(ask.Start(a, s.mode(a.Session, now), now), now)
	text := "task " + a.Task + " asks at a checkpoint (sha256 " + short(a.Hash) + ")"
	record(b, event.AskOpened, a.Session, string(a.ID), text, now)
	s.putAsk(b, a, now)
	return a.ID
}

// answerCheckpoint gives a task the answer to its checkpoint, once.
func (s *state) answerCheckpoint(b *store.Batch, a ask.Ask, now time.Time) {
	if a.Reply() == "" {
		return
	}
	s.useCheckpoint(b, a)
	s.post(b, message.Message{
		Key:     "ask:" + string(a.ID),
		Task:    a.Task,
		Text:    "Answer to your checkpoint: " + a.Reply(),
		By:      a.Decision.By,
		Channel: a.Decision.Channel,
	}, now)
}

// useCheckpoint notes that the file of a checkpoint is to be removed, because the task has the
// answer.
func (s *state) useCheckpoint(b *store.Batch, a ask.Ask) {
	if t, ok := s.tasks.After(b, task.Slug(a.Task)); ok && t.Asked.Ask == string(a.ID) {
		s.tasks.Put(b, t.Use())
	}
}

// answerWith ends the open checkpoint of the task that gets the person's text m: the text is the
// answer.
func (s *state) answerWith(b *store.Batch, m message.Message, now time.Time) error {
	a := s.asks.Rows[ask.ID(s.tasks.Rows[task.Slug(m.Task)].Asked.Ask)]
	if m.Task == "" || a.State != ask.Open {
		return nil
	}
	if err := s.counts(m.Channel); err != nil {
		return err
	}
	next, err := ask.Say(m.Text)(a, ask.Decision{By: m.By, Channel: m.Channel, At: now})
	if err != nil {
		return err
	}
	s.putAsk(b, next, now)
	record(b, event.AskAnswered, session.ID(next.Session), string(next.ID), s.askLine(next)+answerProof(next), now)
	s.useCheckpoint(b, next)
	return nil
}
