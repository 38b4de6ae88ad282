package core

import (
	"errors"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// ActRunView is an action whose data is a RunView.
const ActRunView = "run-view"

// A RunView shows runs at an address of a channel: all of them, or one.
type RunView struct {
	To  channel.Address `json:"to"`
	Run run.ID          `json:"run,omitempty"` // "" for all
}

// OrderRuns lists the runs for a command of the person on a channel.
func (c *Core) OrderRuns(act channel.Act) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, _ error) {
		b.Act = act
		s.showRun(&b, act, RunView{To: act.At}, now)
		return b, nil
	})
}

func (s *state) showRun(b *store.Batch, act channel.Act, v RunView, now time.Time) {
	key := fmt.Sprintf("run-view:%d", act.Update)
	b.Actions = append(b.Actions, channelAction(act.Channel, key, ActRunView, encode(v), now))
}

const runGone = "This run was removed. Nothing was changed."

// TapRun shows on a channel what a run did last, for a tap of the person.
func (c *Core) TapRun(act channel.Act, id run.ID) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, _ error) {
		b.Act = act
		r := s.runs.rows[id]
		if !r.Live() {
			s.settle(&b, act, runGone, now)
			return b, nil
		}
		s.settle(&b, act, r.Name+" is "+string(r.State)+".", now)
		s.showRun(&b, act, RunView{To: act.At, Run: id}, now)
		return b, nil
	})
}

// TapStopRun ends what a run does, for a tap of the person.
func (c *Core) TapStopRun(act channel.Act, id run.ID, d ask.Decision) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, _ error) {
		b.Act = act
		text, err := s.stopRun(&b, s.runs.rows[id], d, now)
		if err != nil {
			text = channel.NotTaken(err)
		}
		s.settle(&b, act, text, now)
		return b, nil
	})
}

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

// OrderSend gives a session, a run or a task a text of the person, who wrote it on a channel.
// held says when a task at rest gets it, see taskFate.
func (c *Core) OrderSend(act channel.Act, m message.Message, held string) error {
	if err := c.Look(); err != nil {
		return err
	}
	return c.do(func(s *state, now time.Time) (b store.Batch, _ error) {
		b.Act = act
		m.Key = act.Channel + ":" + itoa(act.Update)
		if err := errors.Join(s.answerCheckIn(&b, m, now), s.answerWith(&b, m, now)); err != nil {
			return b, err
		}
		s.post(&b, m, now)
		said := s.fate(m.Session)
		if m.Task != "" {
			said = "📨 task " + m.Task + " gets it " + s.taskFate(m, held) + "."
		}
		s.settle(&b, act, said, now)
		return b, nil
	})
}

// ConversationOf returns the conversation of a run, "" for one that was removed.
func (c *Core) ConversationOf(id run.ID) session.ID {
	r, err := c.RunByID(id)
	if err != nil {
		return ""
	}
	return session.ID(r.Conversation)
}
