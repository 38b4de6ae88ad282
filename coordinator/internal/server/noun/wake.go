package noun

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/toolcall"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The limits of the wake-ups of one session or run.
const (
	mostWakes  = 20
	wakeApart  = time.Minute
	mostChecks = 1000 // runs of one check
)

// wakePrefix begins the name of the trigger of a wake-up.
const wakePrefix = "wake-"

// wake has a session woken at a time, or as soon as a check passes: a trigger that fires once, to
// the session's own address. The person is asked about a check; no other trigger is made without
// a person.
func (s *Server) wake(c *door.Call, in wire.WakeRequest) (out wire.WakeReply, err error) {
	v, _ := c.Author()
	if v.ID == "" {
		return out, door.BadRequest("only a session or a run is woken: write a trigger instead, with afar trigger new")
	}
	if err := checkText(in.Text, maxSent); err != nil {
		return out, err
	}
	sum := sha256.Sum256([]byte(string(v.ID) + " " + in.ID))
	name := trigger.Name(wakePrefix + hex.EncodeToString(sum[:6]))
	if _, known := s.cfg.Core.Trigger(name); known { // the same call again
		out.Trigger = s.wireTrigger(name)
		return out, nil
	}
	at := time.UnixMilli(in.At).UTC().Add(time.Minute - 1).Truncate(time.Minute) // a rule has no seconds
	if err := s.checkWake(v, at); err != nil {
		return out, err
	}
	rule := wire.TriggerNewRequest{
		ID:     string(name),
		Title:  "Wake-up of " + v.Token,
		On:     "once " + at.Format(wakeTime),
		To:     s.ownAddress(v),
		Missed: string(trigger.RunOnce),
		Prompt: in.Text,
	}
	if in.Check != "" {
		return s.wakeByCheck(c.Ctx, v, in, rule, at)
	}
	return s.wakeAt(v, rule)
}

// wakeTime is how the rule of a wake-up writes its time.
const wakeTime = "2006-01-02 15:04 UTC"

// wakeAt makes the trigger of a wake-up at a time.
func (s *Server) wakeAt(v session.Session, rule wire.TriggerNewRequest) (out wire.WakeReply, err error) {
	file, err := s.wakeRule(rule)
	if err != nil {
		return out, err
	}
	name := trigger.Name(rule.ID)
	if err := s.cfg.Triggers.Folder.Create(name, file); err != nil {
		return out, door.BadRequest("%v", err)
	}
	err = s.cfg.Core.ApproveWake(feature.Waking{Trigger: name, Rule: file, By: text.Fold(v.Token) + ", for itself"})
	out.Trigger = s.wireTrigger(name)
	return out, err
}

// wakeRule returns the file of a wake-up.
func (s *Server) wakeRule(rule wire.TriggerNewRequest) (file string, err error) {
	if file, err = newRule(rule); err != nil {
		return "", err
	}
	if _, err := trigger.Parse(rule.ID, file, s.cfg.Triggers.Zones); err != nil {
		return "", door.BadRequest("%v", withoutLine(err))
	}
	return file, nil
}

// wakeByCheck asks the person whether a session may be woken by a check. Nothing is written or run
// before they allow it.
func (s *Server) wakeByCheck(
	ctx context.Context, v session.Session, in wire.WakeRequest, rule wire.TriggerNewRequest, until time.Time,
) (out wire.WakeReply, err error) {
	every := time.Duration(in.EveryMS) * time.Millisecond
	if err := checkLooks(every, time.Until(until)); err != nil {
		return out, err
	}
	if s.cfg.Core.Settings().Paused {
		return out, door.BadRequest("Afar is paused, so nobody is asked whether the check may run")
	}
	check := toolcall.JudgeCheck(s.cfg.Place.Dirs, s.cfg.Place.Bin, in.Check, v.Cwd, v.Cwd)
	if err := check.Refused(); err != nil {
		return out, door.BadRequest("%v", err)
	}
	runs, err := check.Runs(ctx)
	if err != nil {
		return out, err
	}
	rule.On, rule.Until = "every "+every.String(), until.Format(wakeTime)
	rule.Check, rule.Dir = in.Check, v.Cwd
	file, err := s.wakeRule(rule)
	if err != nil {
		return out, err
	}
	a := ask.NewWakeUp(v.ID, ask.About{Trigger: rule.ID, Rule: file, Runs: runs}, in.Check, in.Text, v.Cwd)
	a.Why = check.Risk()
	a.Does = fmt.Sprintf("run it every %s without asking again, until %s at the latest", text.Length(every),
		until.Local().Format("2 January at 15:04"))
	if a, err = s.cfg.Core.AskAside(a, "to be woken by a check"); err != nil {
		return out, err
	}
	if a.State != ask.Open && a.Declined() {
		return out, fmt.Errorf("%w: the wake-up was not allowed: %s", door.ErrDenied, a.Ending())
	}
	out.ID, out.Next, out.Ask = rule.ID, until.UnixMilli(), string(a.ID)
	return out, nil
}

// checkLooks returns an error if a check cannot be run so often for so long.
func checkLooks(every, length time.Duration) error {
	switch {
	case every < wakeApart:
		return door.BadRequest("a check runs at most once in %s, and this one would run every %s", text.Length(wakeApart),
			text.Length(every))
	case length > mostChecks*every:
		return door.BadRequest("a check runs at most %d times, and this one would run %d times; want an earlier end, "+
			"or a longer time between two runs", mostChecks, length/every)
	}
	return nil
}

// ownAddress returns the address of a session, or of the task or the run that it belongs to.
func (s *Server) ownAddress(v session.Session) string {
	r, ok := s.cfg.Core.RunOf(v.ID)
	if slug, worked := s.cfg.Core.TaskOfRun(r.ID); worked {
		return message.Address{Kind: message.ToTask, Name: string(slug)}.String()
	}
	if ok {
		return message.Address{Kind: message.ToRun, Name: r.Name}.String()
	}
	return message.Address{Kind: message.ToSession, Name: v.Token}.String()
}

// checkWake returns an error if a session may not be woken at a time.
func (s *Server) checkWake(v session.Session, at time.Time) error {
	if now := time.Now(); at.Before(now.Add(wakeApart)) {
		return door.BadRequest("a wake-up is at least %s from now, and this one would be at %s; it is %s now",
			text.Length(wakeApart), at.Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	to, open := s.ownAddress(v), s.cfg.Core.CountOpen(v.ID, ask.WakeUp)
	for _, t := range s.cfg.Core.Triggers() {
		w := s.wireTrigger(t.Name)
		if !strings.HasPrefix(w.ID, wakePrefix) || w.To != to || t.Next.IsZero() {
			continue
		}
		open++
		if gap := at.Sub(t.Next).Abs(); w.Check == "" && gap < wakeApart {
			return door.BadRequest("%s wakes you at that minute already; want another time, or put both into one text", w.ID)
		}
	}
	if open >= mostWakes {
		return door.BadRequest("%d wake-ups are open, the most there can be; wait for one of them", open)
	}
	return nil
}
