package feature

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/approved"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

func triggerParts(_, _ trigger.Trigger) []wake.Part { return []wake.Part{Triggers} }

// triggerDue returns when the next instant of a trigger passes. A clock that was set back
// makes it due at once, to compute that anew.
func triggerDue(t trigger.Trigger, now time.Time) time.Time {
	if t.Live() && now.Before(t.Until) {
		return now
	}
	return t.Next
}

// ruleOf returns the rule that a person has approved.
func (s *draft) ruleOf(t trigger.Trigger) (trigger.Rule, error) {
	return trigger.Parse(string(t.Name), t.Text, s.Cfg.Zones)
}

// taken reports which instants of a trigger were dealt with. One that was missed may fire after
// the clock was set back.
func (s *draft) taken(name trigger.Name) trigger.Taken {
	return func(key string) bool {
		f, ok := s.firings.Rows[trigger.IDOf(name, key)]
		return ok && f.State != trigger.Passed
	}
}

// expireTrigger deals with the instants of a trigger that have passed.
func (s *draft) expireTrigger(t trigger.Trigger) {
	if next, ok := s.triggers.After(s.Batch, t.Name); ok && !next.On {
		return // the same commit has switched it off
	}
	r, err := s.ruleOf(t)
	if err != nil { // a newer program may have approved it
		t = t.SwitchOff()
		t.LastErr = err.Error()
		s.triggers.Put(s.Batch, t)
		return
	}
	t, step := t.Advance(r, s.taken(t.Name), s.Now)
	s.triggers.Put(s.Batch, t)
	for i, at := range step.Missed {
		f := t.Firing(at, trigger.Passed, "nothing ran at its time")
		if f.DoneAt = s.Now; i == 0 {
			f.Count = step.Older
		}
		s.firings.Put(s.Batch, f)
	}
	for _, at := range step.Fire {
		s.firings.Put(s.Batch, t.Firing(at, trigger.Due, ""))
	}
	switch newest, ok := step.Told(r); {
	case !ok:
	case r.Missed == trigger.Ask:
		s.askMissed(t, r, newest)
	default:
		s.Notify("trigger:"+string(t.Name), "", channel.News{Kind: channel.TriggerMissed, Of: string(t.Name),
			What: newest.At.Format("2 January at 15:04")})
	}
}

// reschedule deals with the instants of all triggers anew: since the last start, the machine may have
// moved to another time zone.
func reschedule(s *draft) error {
	for _, t := range s.triggers.Rows {
		if !t.Next.IsZero() {
			s.expireTrigger(t)
		}
	}
	return nil
}

// triggerClaims returns what the triggers claim that are on.
func (s *draft) triggerClaims() (all []core.Claim) {
	for _, t := range s.triggers.Rows {
		if !t.On || t.Removed {
			continue
		}
		all = append(all, core.Claim{
			Row: store.Triggers.Table + " " + string(t.Name), Kind: event.TriggerOn, Subject: string(t.Name),
			Proof: core.Proof(t.Text + t.Runs), TakeBack: func(d *core.Draft) {
				t.File, t.Next = approved.File{Held: core.Unproven}, time.Time{}
				s.triggers.Put(d.Batch, t)
			},
		})
	}
	return all
}

func (s *draft) noteTrigger(kind event.Kind, name trigger.Name, text string) {
	s.Record(kind, "", string(name), "trigger "+string(name)+": "+core.Folded(text))
}

// ApproveTrigger switches a trigger on with the text of its file, for the person by.
func (c *Core) ApproveTrigger(name trigger.Name, text, by string) (t trigger.Trigger, err error) {
	return c.approveTrigger(name, text, by, func(*trigger.Trigger) {})
}

func (c *Core) approveTrigger(
	name trigger.Name, text, by string, change func(*trigger.Trigger),
) (t trigger.Trigger, err error) {
	err = c.do(func(s *draft) (err error) {
		if t = s.triggers.Rows[name]; t.Removed {
			t = trigger.Trigger{} // another one of the same name
		}
		t.Name = name
		t.Text = text
		r, err := s.ruleOf(t)
		if err != nil {
			return err
		}
		t = t.SwitchOn(text, by, r, s.taken(name), s.Now)
		change(&t)
		s.triggers.Put(s.Batch, t)
		said := "switched on by " + by + " (sha256 " + core.Short(t.Hash) + ")" + core.Proof(t.Text+t.Runs)
		s.noteTrigger(event.TriggerOn, name, said)
		return nil
	})
	return t, err
}

// setDaily switches the trigger of the morning message on, to another time or off, as config.toml says.
func (c *Core) setDaily() (err error) {
	const by = "config.toml"
	t, known := c.Trigger(trigger.Daily)
	switch rule := c.Rules().Daily; {
	case rule == "" && known:
		_, err = c.RemoveTrigger(trigger.Daily, by)
	case rule != "" && (t.Text != rule || !t.Live()):
		_, err = c.ApproveTrigger(trigger.Daily, rule, by)
	}
	return err
}

// OffTrigger switches a trigger off, for the person by.
func (c *Core) OffTrigger(name trigger.Name, by string) (trigger.Trigger, error) {
	return c.changeTrigger(name, func(s *draft, t trigger.Trigger) trigger.Trigger {
		s.noteTrigger(event.TriggerOff, name, "switched off by "+by)
		s.dropTriggerAsks(name, "the trigger was switched off")
		return t.SwitchOff()
	})
}

// RemoveTrigger forgets a trigger, for the person by. Its ledger stays.
func (c *Core) RemoveTrigger(name trigger.Name, by string) (trigger.Trigger, error) {
	return c.changeTrigger(name, func(s *draft, t trigger.Trigger) trigger.Trigger {
		s.noteTrigger(event.TriggerRemoved, name, "removed by "+by)
		s.dropTriggerAsks(name, "the trigger was removed")
		t = t.SwitchOff()
		t.Removed = true
		return t
	})
}

// LookedAtTrigger notes how the file of a trigger differs from what the person approved, "" if it does
// not. The person is told once.
func (c *Core) LookedAtTrigger(name trigger.Name, why string) error {
	_, err := c.changeTrigger(name, func(s *draft, t trigger.Trigger) trigger.Trigger {
		r, err := s.ruleOf(t)
		if err != nil || t.Held == why {
			return t
		}
		switch {
		case !t.On:
		case why == "":
			s.noteTrigger(event.TriggerChanged, name, "its file is again what "+t.By+" approved")
		default:
			s.noteTrigger(event.TriggerOff, name, "held: "+why)
			s.Notify("trigger:"+string(name), "", channel.News{Kind: channel.TriggerHeld, Of: string(name), Why: why})
		}
		return t.Look(why, r, s.taken(name), s.Now)
	})
	return err
}

// changeTrigger applies a step to a trigger that a person has approved.
func (c *Core) changeTrigger(
	name trigger.Name, f func(*draft, trigger.Trigger) trigger.Trigger,
) (t trigger.Trigger, err error) {
	err = c.do(func(s *draft) error {
		old := s.triggers.Rows[name]
		if !old.Known() {
			return fmt.Errorf("trigger %q: %w", name, core.ErrNotFound)
		}
		if t = f(s, old); t != old {
			s.triggers.Put(s.Batch, t)
		}
		return nil
	})
	return t, err
}

// NoteTrigger writes into the journal what a person did with a trigger.
func (c *Core) NoteTrigger(name trigger.Name, text string) error {
	return c.do(func(s *draft) error {
		s.noteTrigger(event.TriggerChanged, name, text)
		return nil
	})
}

// Trigger returns what is kept of a trigger. A file that no person has approved has nothing.
func (c *Core) Trigger(name trigger.Name) (t trigger.Trigger, ok bool) {
	c.view(func(s *draft) { t = s.triggers.Rows[name] })
	return t, t.Known()
}

// Triggers returns what is kept of all triggers that have a file, by name.
func (c *Core) Triggers() (all []trigger.Trigger) {
	c.view(func(s *draft) { all = s.triggers.Sorted() })
	return slices.DeleteFunc(all, func(t trigger.Trigger) bool { return !t.Known() || t.Name == trigger.Daily })
}

// A firingTable holds the ledger of about a day, and what is not over.
type firingTable struct {
	*table.Table[trigger.FiringID, trigger.Firing]
	byState *table.Index[trigger.FiringID, trigger.Firing] // of what is not over
}

func newFiringTable(s *core.State) firingTable {
	t := core.Register(s, store.Firings, table.Traits[trigger.Firing]{Touches: firingParts, Reloads: true})
	byState := t.IndexBy(func(f trigger.Firing) string { return table.KeyIf(!f.Over(), string(f.State)) })
	return firingTable{Table: t, byState: byState}
}

func firingParts(_, after trigger.Firing) []wake.Part {
	if after.State == trigger.Due {
		return []wake.Part{Firings, Triggers}
	}
	return []wake.Part{Triggers}
}

// A Shot is what makes a trigger fire apart from the clock.
type Shot struct {
	Trigger trigger.Name
	Key     string // of the firing: a second shot with the same key is the same firing
	By      string
	Payload trigger.Payload
	// Waits says that a shot beyond the limit waits for its turn, and is not refused.
	Waits bool
	// Anyway says that the trigger fires also when it is off: a person wants it now.
	Anyway bool
}

// Shoot makes a trigger fire. It returns the firing, also of an earlier shot with the same
// key, and whether it is a new one. wait is the time after which a shot beyond the limit is
// taken.
func (c *Core) Shoot(in Shot) (f trigger.Firing, fresh bool, wait time.Duration, err error) {
	id := trigger.IDOf(in.Trigger, in.Key)
	old, known, err := c.firing(id)
	if err != nil || known {
		return old, false, 0, err
	}
	err = c.do(func(s *draft) (err error) {
		t := s.triggers.Rows[in.Trigger]
		if f, known = s.firings.Rows[id]; known {
			return nil
		}
		r, err := s.ruleOf(t)
		switch {
		case !t.Known():
			return fmt.Errorf("trigger %q: %w", in.Trigger, core.ErrNotFound)
		case err != nil:
			return err
		case !in.Waits:
			if t, wait, err = t.Admit(r.Limit, in.Anyway, s.Now); err != nil {
				return err
			}
			s.triggers.Put(s.Batch, t)
		}
		f = t.Firing(trigger.Instant{At: s.Now, Key: in.Key}, trigger.Due, "")
		f.By, f.Payload, f.Bytes, f.Admitted, f.Anyway = in.By, in.Payload, len(in.Payload.Text), !in.Waits, in.Anyway
		s.firings.Put(s.Batch, f)
		return nil
	})
	return f, !known && err == nil, wait, err
}

// firing returns a line of the ledger, however old it is.
func (c *Core) firing(id trigger.FiringID) (f trigger.Firing, ok bool, err error) {
	c.view(func(s *draft) { f, ok = s.firings.Rows[id] })
	if ok {
		return f, true, nil
	}
	return store.Firings.Get(c.cfg.Store, id)
}

// DueFirings returns the firings that are to be sent, in the order of their times.
func (c *Core) DueFirings() (all []trigger.Firing) {
	c.view(func(s *draft) { all = s.firings.byState.All(string(trigger.Due)) })
	slices.SortFunc(all, func(a, b trigger.Firing) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(string(a.ID), string(b.ID)))
	})
	return all
}

// FiringLog returns at most limit lines of the ledger, of one trigger or of all for "", the
// newest first.
func (c *Core) FiringLog(name trigger.Name, limit int) ([]trigger.Firing, error) {
	return c.cfg.Store.FiringLog(name, limit)
}

// EndFiring ends a firing whose text is not sent. The person is told of one that failed.
func (c *Core) EndFiring(id trigger.FiringID, to trigger.State, why string) error {
	return c.do(func(s *draft) error {
		f, ok := s.firings.Rows[id]
		if !ok {
			return fmt.Errorf("firing %q: %w", id, core.ErrNotFound)
		}
		return s.endFiring(f, to, why)
	})
}

func (s *draft) endFiring(f trigger.Firing, to trigger.State, why string) error {
	next, err := f.End(to, core.Folded(why), s.Now)
	if errors.Is(err, trigger.ErrOver) {
		return nil // done before
	}
	s.firings.Put(s.Batch, next)
	if to == trigger.Failed {
		s.Notify("trigger:"+string(f.Trigger), "",
			channel.News{Kind: channel.TriggerFailed, Of: string(f.Trigger), Why: core.Folded(why)})
	}
	return err
}
