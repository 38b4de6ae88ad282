package core

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
	"github.com/afar-sh/afar/coordinator/text"
)

// LaneTriggers is the lane of the actions that write the folder of the triggers.
const LaneTriggers = "triggers"

// ActWake is an action whose data is a Waking.
const ActWake = "wake"

// A Waking is a wake-up that the person has allowed.
type Waking struct {
	Trigger trigger.Name `json:"trigger"`
	Rule    string       `json:"rule"`
	By      string       `json:"by"`
	Risk    string       `json:"risk,omitempty"` // of its check, as the person saw it
}

// ProposeWake asks the person whether a session may be woken by a check. A second call with the
// same id returns the ask of the first.
func (c *Core) ProposeWake(a ask.Ask) (ask.Ask, error) {
	err := c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		if old, ok := s.asks.rows[a.ID]; ok {
			a = old
			return b, nil
		}
		text := fmt.Sprintf("%s wants to be woken by a check (sha256 %s)", s.label(&b, a.Session), short(a.Hash))
		a = s.openAside(&b, ask.Start(a, s.mode(a.Session, now), now), text, now)
		return b, nil
	})
	return a, err
}

// OpenWakes returns how many wake-ups of a session wait for the person's answer.
func (c *Core) OpenWakes(id session.ID) (n int) {
	c.view(func(s *state, _ time.Time) {
		for _, a := range s.asks.of(id) {
			if a.Kind == ask.WakeUp && a.State == ask.Open {
				n++
			}
		}
	})
	return n
}

// ApproveWake switches on the trigger that a session made for itself.
func (c *Core) ApproveWake(w Waking) error {
	_, err := c.approveTrigger(w.Trigger, w.Rule, w.By, func(t *trigger.Trigger) { t.Own, t.Risk = true, w.Risk })
	return err
}

// NotYet ends a firing whose check has not passed. failed says why the check could not tell, ""
// for a plain not yet.
func (c *Core) NotYet(id trigger.FiringID, failed string) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		f, ok := s.firings.rows[id]
		t := s.triggers.rows[f.Trigger]
		r, err := s.ruleOf(t)
		if !ok || err != nil {
			return b, err
		}
		t, _ = t.Looked(r, f, failed)
		s.triggers.put(&b, t)
		why := "not yet"
		if failed != "" {
			why = fmt.Sprintf("the check failed, %d of %d: %s", t.Fails, trigger.MostFails, failed)
		}
		return b, s.endFiring(&b, f, trigger.Dropped, why, now)
	})
}

// askMissed asks the person whether a trigger is to fire for a time at which nothing ran. It takes
// the place of an earlier question about the trigger.
func (s *state) askMissed(b *store.Batch, t trigger.Trigger, r trigger.Rule, at trigger.Instant, now time.Time) {
	s.dropMissed(b, t.Name, "the trigger was due again", now)
	about := ask.About{Trigger: string(t.Name), Firing: string(trigger.IDOf(t.Name, at.Key))}
	if f, ok := s.firings.after(b, trigger.FiringID(about.Firing)); ok {
		f.Asked = true
		s.firings.put(b, f)
	}
	when := at.At.Format("2 January at 15:04")
	does := "send this to " + r.To.Text
	if r.To.New {
		does = "start a run with this"
	}
	a := ask.Start(ask.NewMissed(about, r.Prompt, does+", as was due on "+when), session.On, now)
	a.ExpiresAt = t.AskedUntil(now)
	s.openAside(b, a, "trigger "+string(t.Name)+" was due on "+when+", and nothing ran; the person is asked", now)
}

// dropMissed ends the open question about a missed time of a trigger.
func (s *state) dropMissed(b *store.Batch, name trigger.Name, why string, now time.Time) {
	for _, a := range s.asks.waiting() {
		if a.Kind != ask.Missed || a.State != ask.Open || a.About.Trigger != string(name) {
			continue
		}
		if next, err := ask.Local(a, why, now); err == nil {
			s.putAsk(b, next, now)
			record(b, event.AskEnded, "", string(a.ID), s.askLine(next), now)
		}
	}
}

// triggerDecided carries out an answer to an ask about a trigger.
func (s *state) triggerDecided(b *store.Batch, a ask.Ask, now time.Time) {
	switch {
	case a.About == nil || a.Decision == nil || !a.Decision.Allow:
	case a.Kind == ask.WakeUp:
		w := Waking{Trigger: trigger.Name(a.About.Trigger), Rule: a.About.Rule, By: a.Decision.By, Risk: a.Why}
		b.Actions = append(b.Actions, store.Action{
			Key: "wake:" + a.About.Trigger, Lane: LaneTriggers, Kind: ActWake, Data: encode(w), Due: now,
		})
	case a.Kind == ask.Missed:
		f := s.firings.rows[trigger.FiringID(a.About.Firing)]
		if next, err := f.Again(a.Decision.By); err == nil {
			s.firings.put(b, next)
		}
	}
}

// triggerAskOver tells what follows from an ask about a trigger that has ended without an allow:
// the ledger says so, and the session of a wake-up is told.
func (s *state) triggerAskOver(b *store.Batch, a ask.Ask, now time.Time) {
	if a.About == nil || !a.Declined() {
		return
	}
	f, ok := s.firings.after(b, trigger.FiringID(a.About.Firing))
	if ok && f.Asked {
		f.Asked = false
		f.Why = "nothing ran at its time; " + a.Ending()
		s.firings.put(b, f)
	}
	v := s.sessions.rows[a.Session]
	if a.Kind != ask.WakeUp || a.Decision == nil && v.State == session.Ended {
		return
	}
	m := message.Message{Key: "wake:" + string(a.ID), Session: a.Session, By: "Afar"}
	why := cmp.Or(a.Note, string(a.State))
	if d := a.Decision; d != nil {
		m.By, m.Channel = d.By, d.Channel
		why = strings.TrimRightFunc(d.Message, unicode.IsSpace)
	}
	m.Text = fmt.Sprintf("Your wake-up with the check `%s` was not allowed, so nothing wakes you: %s",
		text.Clip(text.Fold(a.Text), 200), cmp.Or(why, "no reason was given"))
	s.post(b, m, now)
}
