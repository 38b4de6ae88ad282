package feature

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
	"github.com/afar-sh/afar/coordinator/text"
)

// LaneTriggers is the lane of the actions that write the folder of the triggers.
const LaneTriggers = "triggers"

// The actions of LaneTriggers. The data of ActWake is a Waking, ActClear has none.
const (
	ActWake  = "wake"
	ActClear = "clear" // remove the triggers that are over
)

// A Waking is a wake-up that the person has allowed.
type Waking struct {
	Trigger trigger.Name `json:"trigger"`
	Rule    string       `json:"rule"`
	By      string       `json:"by"`
	Risk    string       `json:"risk,omitempty"` // of its check, as the person saw it
	Runs    string       `json:"runs,omitempty"` // digest of the files that its check runs
	For     session.ID   `json:"for,omitempty"`  // who is woken
}

// AskAside asks the person for what a session wants, in words for the journal. A second call with the same id
// returns the ask of the first.
func (c *Core) AskAside(a ask.Ask, wants string) (ask.Ask, error) {
	err := c.do(func(s *draft) error {
		if old, ok := s.Asks.Rows[a.ID]; ok {
			a = old
			return nil
		}
		text := fmt.Sprintf("%s wants %s (sha256 %s)", s.Label(a.Session), wants, core.Short(a.Hash))
		a = s.openAside(ask.Start(a, s.Mode(a.Session, s.Now), s.Now), text)
		return nil
	})
	return a, err
}

// CountOpen returns how many questions of a kind about a session wait for the person's answer.
func (c *Core) CountOpen(id session.ID, kind ask.Kind) (n int) {
	c.view(func(s *draft) {
		for _, a := range s.Asks.Of(id) {
			if a.Kind == kind && a.State == ask.Open {
				n++
			}
		}
	})
	return n
}

// ApproveWake switches on the trigger that a session made for itself.
func (c *Core) ApproveWake(w Waking) error {
	_, err := c.approveTrigger(w.Trigger, w.Rule, w.By, func(t *trigger.Trigger) {
		t.Own, t.Risk, t.Runs, t.For = true, w.Risk, w.Runs, string(w.For)
	})
	return err
}

// AskWakeAgain asks the person about the check of a wake-up that is not what they allowed, and ends the
// firing that would have run it. Until they answer they are not asked again. The wake-up goes on with an
// allow, and ends without one.
func (c *Core) AskWakeAgain(a ask.Ask, f trigger.FiringID, until time.Time) error {
	return c.do(func(s *draft) error {
		fired, due := s.firings.Rows[f]
		if !due || fired.State != trigger.Due {
			return nil
		}
		if err := s.endFiring(fired, trigger.Dropped, "the check has changed; the person is asked"); err != nil {
			return err
		}
		old, known := s.Asks.Rows[a.ID]
		switch {
		case s.asksAbout(trigger.Name(a.About.Trigger), ask.WakeUp):
		case known && old.Declined():
			s.endWake(old)
		case known: // they have allowed this one before
			s.wakeDecided(old)
		default:
			a = ask.Start(a, s.Mode(a.Session, s.Now), s.Now)
			if until.Before(a.ExpiresAt) {
				a.ExpiresAt = until
			}
			s.openAside(a, fmt.Sprintf("the check of trigger %s has changed; the person is asked (sha256 %s)",
				a.About.Trigger, core.Short(a.Hash)))
		}
		return nil
	})
}

// asksAbout reports whether a question of a kind about a trigger is open.
func (s *draft) asksAbout(name trigger.Name, kind ask.Kind) bool {
	return slices.ContainsFunc(s.Asks.Waiting(), func(a ask.Ask) bool {
		return a.Kind == kind && a.State == ask.Open && a.About.Trigger == string(name)
	})
}

// NotYet ends a firing whose check has not passed. failed says why the check could not tell, ""
// for a plain not yet.
func (c *Core) NotYet(id trigger.FiringID, failed string) error {
	return c.do(func(s *draft) (err error) {
		f, ok := s.firings.Rows[id]
		t := s.triggers.Rows[f.Trigger]
		r, err := s.ruleOf(t)
		if !ok || err != nil {
			return err
		}
		t, _ = t.Looked(r, f, failed)
		s.triggers.Put(s.Batch, t)
		why := "not yet"
		if failed != "" {
			why = fmt.Sprintf("the check failed, %d of %d: %s", t.Fails, trigger.MostFails, failed)
		}
		return s.endFiring(f, trigger.Dropped, why)
	})
}

// askMissed asks the person whether a trigger is to fire for a time at which nothing ran. It takes
// the place of an earlier question about the trigger.
func (s *draft) askMissed(t trigger.Trigger, r trigger.Rule, at trigger.Instant) {
	s.dropTriggerAsks(t.Name, "the trigger was due again")
	about := ask.About{Trigger: string(t.Name), Firing: string(trigger.IDOf(t.Name, at.Key))}
	if f, ok := s.firings.After(s.Batch, trigger.FiringID(about.Firing)); ok {
		f.Asked = true
		s.firings.Put(s.Batch, f)
	}
	when := at.At.Format("2 January at 15:04")
	does := "send this to " + r.To.Text
	if r.To.New {
		does = "start a run with this"
	}
	a := ask.Start(ask.NewMissed(about, r.Prompt, does+", as was due on "+when), session.On, s.Now)
	a.ExpiresAt = t.AskedUntil(s.Now)
	s.openAside(a, "trigger "+string(t.Name)+" was due on "+when+", and nothing ran; the person is asked")
}

// dropTriggerAsks ends the open question about a missed time of a trigger, or about its check.
func (s *draft) dropTriggerAsks(name trigger.Name, why string) {
	for _, a := range s.Asks.Waiting() {
		asks := a.Kind == ask.Missed || a.Kind == ask.WakeUp
		if asks && a.State == ask.Open && a.About.Trigger == string(name) {
			s.EndAsk(a, ask.Local, why)
		}
	}
}

// missedDecided lets a trigger fire after all.
func (s *draft) missedDecided(a ask.Ask) {
	f := s.firings.Rows[trigger.FiringID(a.About.Firing)]
	if next, err := f.Again(a.Decision.By); err == nil && a.Decision.Allow {
		s.firings.Put(s.Batch, next)
	}
}

// missedDeclined notes in the ledger why a trigger does not fire.
func (s *draft) missedDeclined(a ask.Ask) {
	if f, ok := s.firings.After(s.Batch, trigger.FiringID(a.About.Firing)); ok && f.Asked {
		f.Asked = false
		f.Why = "nothing ran at its time; " + a.Ending()
		s.firings.Put(s.Batch, f)
	}
}

// wakeDecided has the trigger of an allowed wake-up switched on.
func (s *draft) wakeDecided(a ask.Ask) {
	over := a.About.Again && !s.triggers.Rows[trigger.Name(a.About.Trigger)].On // or switched off meanwhile
	if over || !a.Decision.Allow {
		return
	}
	w := Waking{
		Trigger: trigger.Name(a.About.Trigger), Rule: a.About.Rule, By: a.Decision.By, Risk: a.Why,
		Runs: a.About.Runs, For: a.Session,
	}
	s.Enqueue(LaneTriggers, "wake:"+string(a.ID), ActWake, core.Encode(w))
}

// wakeDeclined tells a session that nothing wakes it, and ends a wake-up that it had.
func (s *draft) wakeDeclined(a ask.Ask) {
	if a.About.Again && !s.endWake(a) {
		return // the session was told when the wake-up was over
	}
	if a.Decision == nil && s.Sessions.Rows[a.Session].State == session.Ended {
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
	s.Post(m)
}

// endWake ends a wake-up whose check the person was asked about again and did not allow. It returns
// false for one that is over already.
func (s *draft) endWake(a ask.Ask) bool {
	name := trigger.Name(a.About.Trigger)
	t, ok := s.triggers.After(s.Batch, name)
	if !ok || !t.Known() || !t.On {
		return false
	}
	t = t.SwitchOff()
	t.Over = true
	s.triggers.Put(s.Batch, t)
	s.noteTrigger(event.TriggerOff, name, "its check has changed; "+a.Ending())
	s.Enqueue(LaneTriggers, "clear:"+string(a.ID), ActClear, "")
	return true
}
