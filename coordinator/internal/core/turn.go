package core

import (
	"fmt"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// The actions of a halt. ActHalts has no data; it updates the mark that tells hooks
// whether any turn must end. The data of ActNudge is a Nudge.
const (
	ActHalts = "halts"
	ActNudge = "nudge"
)

// A Nudge is the word of a halt for the client of a session, at its socket.
type Nudge struct {
	Inbox string `json:"inbox"`
	Word  string `json:"word"`
}

// MayHalt reports whether any session must end its turn.
func (c *Core) MayHalt() (may bool) {
	c.View(func(s *State, _ time.Time) {
		may = slices.ContainsFunc(s.Sessions.living.All(), session.Session.Halting)
	})
	return may
}

// StopTurn ends the running turn of a session, as Esc at its terminal would: its open
// questions are refused, its loop is cancelled, and its next hook ends the turn. The
// news says what happens, and when.
func (c *Core) StopTurn(name string, d ask.Decision) (said channel.News, err error) {
	word := "Afar stops this turn " + c.cfg.Secret()
	err = c.Do(func(s *Draft) (err error) {
		v, ok := s.Find(name)
		if !ok {
			return fmt.Errorf("session %q: %w", name, ErrNotFound)
		}
		said, err = s.stopTurn(v, word, d)
		return err
	})
	return said, err
}

func (s *Draft) stopTurn(v session.Session, word string, d ask.Decision) (said channel.News, err error) {
	if err := s.Counts(d.Channel); err != nil {
		return said, err
	}
	if r, ok := s.RunOf(v.ID); ok && !r.Settled() {
		return s.stopRun(r, d)
	}
	said = channel.News{Kind: channel.NothingStop, Of: v.Token}
	looped := s.cancelLoop(v.ID, d.By)
	switch {
	case !v.Runs() && looped:
		said.Kind = channel.LoopOff
		return said, nil
	case !v.Runs():
		return said, nil
	case s.dropCheckIns(v.ID, "stopped by "+d.By):
		said.Kind = channel.StaysSo
		return said, nil
	}
	asked := s.refuseAll(v.ID, d)
	v.Halt = &session.Halt{By: d.By, Word: word, At: s.Now}
	s.Sessions.Put(s.Batch, v)
	s.markHalts()
	s.Record(event.TurnStopped, v.ID, v.Token, v.Token+": "+d.By+" stops the turn")
	switch {
	case asked:
		said.Kind = channel.StopsAsking
	case s.nudge(v, word):
		said.Kind = channel.StopsSoon
	default:
		said.Kind = channel.StopsLater
	}
	return said, nil
}

// cancelLoop ends the loop of a session, if it has one: a loop would start the turn
// again.
func (s *Draft) cancelLoop(id session.ID, by string) bool {
	l := s.Loops.Rows[id]
	if !l.Active() {
		return false
	}
	out, err := loop.Cancel(l, by, s.Now)
	if err == nil {
		s.PutLoop(id, out)
	}
	return err == nil
}

// refuseAll refuses the open questions of a session and ends the turn with them. It
// reports whether the main agent had one: its end is the end of the turn.
func (s *Draft) refuseAll(id session.ID, d ask.Decision) (asked bool) {
	d.Allow, d.Interrupt = false, true
	d.Message = d.By + " stopped this turn. Do nothing more, and wait for what they say next."
	for _, a := range s.Asks.Of(id) {
		if a.State != ask.Open || a.Hookless() {
			continue
		}
		if next, err := s.answerOne(a, nil, d); err == nil && next.Decision != nil && a.Agent == "" {
			asked = true
		}
	}
	return asked
}

// nudge sends the word of a halt to the session's client, which cuts off the model's
// answer. It sends nothing to a client that would ask the person to accept the message.
func (s *Draft) nudge(v session.Session, word string) bool {
	if v.Inbox == "" || !v.Attended || v.Mode == "bypassPermissions" {
		return false
	}
	s.Enqueue(LaneDisk, "nudge:"+word, ActNudge, Encode(Nudge{v.Inbox, word}))
	return true
}

func (s *Draft) markHalts() {
	s.Enqueue(LaneDisk, ActHalts, ActHalts, "")
}

// Halted returns who wants the turn of a session to end, "" for nobody. With over, the
// hook that asks ends the turn.
func (c *Core) Halted(id session.ID, over bool) (by string, err error) {
	err = c.Do(func(s *Draft) error {
		if v := s.Sessions.Rows[id]; v.Halting() {
			by = v.Halt.By
		}
		if over {
			s.endHalt(id, session.Idle)
		}
		return nil
	})
	return by, err
}

// HaltWord returns who wants the turn of a session to end if a prompt is the word of that
// halt, "" otherwise. The turn is then over.
func (c *Core) HaltWord(id session.ID, prompt string) (by string, err error) {
	c.View(func(s *State, _ time.Time) {
		if v := s.Sessions.Rows[id]; v.HaltedBy(prompt) {
			by = v.Halt.By
		}
	})
	if by == "" {
		return "", nil
	}
	_, err = c.Halted(id, true)
	return by, err
}

// endHalt notes that a halted turn of a session is over.
func (s *Draft) endHalt(id session.ID, then session.State) {
	v := s.Sessions.Rows[id]
	if !v.Halting() {
		return
	}
	v = session.To(session.EndHalt(v, s.Now), then, s.Now)
	s.Sessions.Put(s.Batch, v)
	s.haltEnded(v)
}

// haltEnded tells that a halted turn of a session is over.
func (s *Draft) haltEnded(v session.Session) {
	s.markHalts()
	s.Record(event.TurnStopped, v.ID, v.Token, v.Token+": the turn is over")
	s.Notify("halted", v.ID, channel.News{Kind: channel.Halted, Of: v.Token})
	s.hasten("halted", v.ID) // it answers the person, who waits for it
}
