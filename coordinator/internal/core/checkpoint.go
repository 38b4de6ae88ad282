package core

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

func init() { decided[ask.Checkpoint] = (*draft).answerCheckpoint }

// ShowCheckpoint asks the person what the checkpoint.md of a task asks. a is the ask for the
// file as it is now, without a hash if there is none. A file is asked about once, and the
// question about an earlier one ends. While a turn works, nothing is asked.
func (c *Core) ShowCheckpoint(slug task.Slug, a ask.Ask) error {
	return c.do(func(s *draft) error {
		t, ok := s.tasks.Rows[slug]
		r := s.runs.Rows[t.Run]
		switch {
		case !ok, r.Live() && !r.Settled() && !t.Asked.Used:
			return nil
		case t.Stopped, !r.Live():
			a = ask.Ask{}
		}
		old := s.asks.Rows[ask.ID(t.Asked.Ask)]
		next, changed := t.Ask(a.Hash, old.Waiting())
		if !changed {
			return nil
		}
		s.endAsk(old, ask.Local, "its checkpoint.md has changed or is gone") // unless it was none
		if a.Hash != "" {
			a.Silent = rang(r, s.now)
			next.Asked.Ask = string(s.openCheckpoint(a))
		}
		s.tasks.Put(s.b, next)
		return nil
	})
}

// openCheckpoint opens the ask for a checkpoint, and returns its id.
func (s *draft) openCheckpoint(a ask.Ask) ask.ID {
	a.ID, a.Nonce, a.Times = ask.ID("ask_"+strings.ToLower(s.cfg.Secret())), s.cfg.Secret(), s.cfg.Rules.Times
	a = ask.Tick(ask.Start(a, s.mode(a.Session, s.now), s.now), s.now)
	text := "task " + a.Task + " asks at a checkpoint (sha256 " + short(a.Hash) + ")"
	s.record(event.AskOpened, a.Session, string(a.ID), text)
	s.putAsk(a)
	return a.ID
}

// answerCheckpoint gives a task the answer to its checkpoint, once.
func (s *draft) answerCheckpoint(a ask.Ask) {
	if a.Reply() == "" {
		return
	}
	s.useCheckpoint(a)
	s.post(message.Message{
		Key:     "ask:" + string(a.ID),
		Task:    a.Task,
		Text:    "Answer to your checkpoint: " + a.Reply(),
		By:      a.Decision.By,
		Channel: a.Decision.Channel,
	})
}

// useCheckpoint notes that the file of a checkpoint is to be removed, because the task has the
// answer.
func (s *draft) useCheckpoint(a ask.Ask) {
	if t, ok := s.tasks.After(s.b, task.Slug(a.Task)); ok && t.Asked.Ask == string(a.ID) {
		s.tasks.Put(s.b, t.Use())
	}
}

// answerWith ends the open checkpoint of the task that gets the person's text m: the text is the
// answer.
func (s *draft) answerWith(m message.Message) error {
	a := s.asks.Rows[ask.ID(s.tasks.Rows[task.Slug(m.Task)].Asked.Ask)]
	if m.Task == "" || a.State != ask.Open {
		return nil
	}
	if err := s.counts(m.Channel); err != nil {
		return err
	}
	next, err := ask.Say(m.Text)(a, ask.Decision{By: m.By, Channel: m.Channel, At: s.now})
	if err != nil {
		return err
	}
	s.putAsk(next)
	s.record(event.AskAnswered, session.ID(next.Session), string(next.ID), s.askLine(next)+answerProof(next))
	s.useCheckpoint(next)
	return nil
}
