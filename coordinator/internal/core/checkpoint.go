package core

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// ShowCheckpoint asks the person what the checkpoint.md of a task asks. a is the ask for the
// file as it is now, without a hash if there is none. A file is asked about once, and the
// question about an earlier one ends. While a turn works, nothing is asked.
func (c *Core) ShowCheckpoint(slug task.Slug, a ask.Ask) error {
	return c.Do(func(s *Draft) error {
		t, ok := s.Tasks.Rows[slug]
		r := s.Runs.Rows[t.Run]
		switch {
		case !ok, r.Live() && !r.Settled() && !t.Asked.Used:
			return nil
		case t.Stopped, !r.Live():
			a = ask.Ask{}
		}
		old := s.Asks.Rows[ask.ID(t.Asked.Ask)]
		next, changed := t.Ask(a.Hash, old.Waiting())
		if !changed {
			return nil
		}
		s.EndAsk(old, ask.Local, "its checkpoint.md has changed or is gone") // unless it was none
		if a.Hash != "" {
			a.Silent = rang(r, s.Now)
			next.Asked.Ask = string(s.openCheckpoint(a))
		}
		s.Tasks.Put(s.Batch, next)
		return nil
	})
}

// openCheckpoint opens the ask for a checkpoint, and returns its id.
func (s *Draft) openCheckpoint(a ask.Ask) ask.ID {
	a.ID, a.Nonce, a.Times = ask.ID("ask_"+strings.ToLower(s.Cfg.Secret())), s.Cfg.Secret(), s.Cfg.Rules.Times
	a = ask.Tick(ask.Start(a, s.Mode(a.Session, s.Now), s.Now), s.Now)
	text := "task " + a.Task + " asks at a checkpoint (sha256 " + Short(a.Hash) + ")"
	s.Record(event.AskOpened, a.Session, string(a.ID), text)
	s.PutAsk(a)
	return a.ID
}

// answerCheckpoint gives a task the answer to its checkpoint, once.
func (s *Draft) answerCheckpoint(a ask.Ask) {
	if a.Kind != ask.Checkpoint || a.Reply() == "" {
		return
	}
	s.useCheckpoint(a)
	s.Post(message.Message{
		Key:     "ask:" + string(a.ID),
		Task:    a.Task,
		Text:    "Answer to your checkpoint: " + a.Reply(),
		By:      a.Decision.By,
		Channel: a.Decision.Channel,
	})
}

// useCheckpoint notes that the file of a checkpoint is to be removed, because the task has the
// answer.
func (s *Draft) useCheckpoint(a ask.Ask) {
	if t, ok := s.Tasks.After(s.Batch, task.Slug(a.Task)); ok && t.Asked.Ask == string(a.ID) {
		s.Tasks.Put(s.Batch, t.Use())
	}
}

// answerWith ends the open checkpoint of the task that gets the person's text m: the text is the
// answer.
func (s *Draft) answerWith(m message.Message) error {
	a := s.Asks.Rows[ask.ID(s.Tasks.Rows[task.Slug(m.Task)].Asked.Ask)]
	if m.Task == "" || a.State != ask.Open {
		return nil
	}
	if err := s.Counts(m.Channel); err != nil {
		return err
	}
	next, err := ask.Say(m.Text)(a, ask.Decision{By: m.By, Channel: m.Channel, At: s.Now})
	if err != nil {
		return err
	}
	s.PutAsk(next)
	s.Record(event.AskAnswered, session.ID(next.Session), string(next.ID), s.askLine(next)+answerProof(next))
	s.useCheckpoint(next)
	return nil
}
