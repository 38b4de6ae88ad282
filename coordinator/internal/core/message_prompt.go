package core

import (
	"context"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// The mod of a session that is idle has modFor to take a text, before a hook hands it over. A
// text that it took must be seen in a prompt within shownFor.
const (
	modFor   = 5 * time.Second
	shownFor = 5 * time.Second
)

// submittable returns the text that the mod of a session may take next.
func (s *State) submittable(id session.ID) (m message.Message, ok bool) {
	texts := message.Waiting(s.here(id), id)
	if len(texts) == 0 || !texts[0].Submittable() {
		return m, false
	}
	return texts[0], true
}

// reservedUntil returns until when the next text of a session is left to its mod, the zero time
// if it is not.
func (s *State) reservedUntil(id session.ID, now time.Time) (until time.Time) {
	v := s.Sessions.Rows[id]
	m, ok := s.submittable(id)
	if !ok || !v.Mod.Known() {
		return until
	}
	from := now
	if v.State == session.Idle {
		from = v.Since
		if m.At.After(from) {
			from = m.At
		}
	}
	return from.Add(modFor)
}

// submits reports whether the mod of a session is about to submit a text: it has it, or is left it.
func (s *State) submits(id session.ID, now time.Time) bool {
	for _, m := range s.here(id) {
		if m.State == message.Delivered && m.Submitted {
			return true
		}
	}
	return now.Before(s.reservedUntil(id, now))
}

// LeaveToMod reports whether the Stop hook of a session must let it stop, because its mod submits
// the next text. The session is then idle.
func (c *Core) LeaveToMod(id session.ID) (left bool, err error) {
	err = c.Do(func(s *Draft) error {
		v, ok := s.Sessions.Rows[id]
		if left = ok && s.Now.Before(s.reservedUntil(id, s.Now)); left {
			s.Sessions.Put(s.Batch, session.To(v, session.Idle, s.Now))
		}
		return nil
	})
	return left, err
}

// AwaitPrompt waits until a text of the person may be submitted in a session, at most until ctx
// ends. Its mod waits in the process waiter. The answer is that of AwaitWake.
func (c *Core) AwaitPrompt(ctx context.Context, id session.ID, waiter session.Process) (answer string, err error) {
	lived := false
	for {
		news := false
		c.await(ctx, func(s *State, now time.Time) (done bool, at time.Time) {
			v := s.Sessions.Rows[id]
			news = v.Live() && v.Mod != waiter
			answer, at = s.prompts(v, now)
			return news || answer == Wake || lived && !v.Live(), at
		}, OfSession(id), Paused)
		switch {
		case !news:
			if answer == End && !lived && ctx.Err() == nil {
				answer = Wait
			}
			return answer, nil
		case !waiter.Known():
			return End, nil
		}
		lived = true
		err = c.Do(func(s *Draft) error {
			if v := s.Sessions.Rows[id]; v.Live() {
				v.Mod = waiter
				s.Sessions.Put(s.Batch, v)
			}
			return nil
		})
		if err != nil || ctx.Err() != nil {
			return Wait, err
		}
	}
}

// prompts returns what the mod of a session must do, and when that changes by itself.
func (s *State) prompts(v session.Session, now time.Time) (answer string, at time.Time) {
	_, waits := s.submittable(v.ID)
	switch {
	case !v.Live():
		return End, at
	case s.Settings.Paused, v.State != session.Idle, !waits:
		return Wait, at
	}
	if at = v.Since.Add(idleFor); now.Before(at) {
		return Wait, at
	}
	return Wake, time.Time{}
}

// Submit gives the next text of an idle session to its mod, in the process taker. A call with the
// same delivery gets the same text again. It returns "" if no text may be submitted now.
func (c *Core) Submit(id session.ID, delivery string, taker session.Process) (prompt string, err error) {
	err = c.Do(func(s *Draft) error {
		for _, m := range s.here(id) {
			if m.State == message.Delivered && m.Submitted && m.Delivery == delivery {
				prompt = m.Prompt()
				return nil
			}
		}
		m, _ := s.submittable(id)
		if answer, _ := s.prompts(s.Sessions.Rows[id], s.Now); answer != Wake {
			return nil
		}
		m = message.Submit(m, delivery, taker, s.Now)
		s.Messages.Put(s.Batch, m)
		prompt = m.Prompt()
		text := s.Token(id) + ": the text of " + m.By + " is submitted as their prompt"
		s.Record(event.MessageDelivered, id, string(m.ID), text)
		return nil
	})
	return prompt, err
}

// PromptShown notes a prompt of a session, and reports whether it is a text of the person that a
// mod submitted. delivery names the prompt's hook. own is true if our mod submitted the prompt.
func (c *Core) PromptShown(id session.ID, prompt, delivery string, own bool) (shown bool, err error) {
	err = c.Do(func(s *Draft) error {
		m, ok := message.ShowPrompt(s.here(id), id, prompt, delivery, own, s.Now)
		if shown = ok; ok {
			s.Messages.Put(s.Batch, m)
			s.takeReplies(id)
		}
		return nil
	})
	return shown, err
}

// An UnshownPrompt is a text that a mod took and that no prompt has shown in time.
type UnshownPrompt struct {
	Session    session.ID
	Transcript string
	Delivery   string
	Text       string
	At         time.Time // when the mod took it
}

// UnshownPrompts returns the texts that mods took and that were not seen in time, in no order.
// While a session works its prompts wait, so their time begins when it is idle. Where a session has ended,
// they include those that only a prompt showed.
func (c *Core) UnshownPrompts() (out []UnshownPrompt) {
	c.View(func(s *State, now time.Time) {
		for _, m := range s.Messages.delivered() {
			v := s.Sessions.Rows[m.Session]
			late := now.Sub(v.Since) >= shownFor && now.Sub(m.DeliveredAt) >= shownFor
			if m.Submitted && !m.Unproven && (v.State == session.Ended || v.State == session.Idle && late) {
				out = append(out, UnshownPrompt{m.Session, v.Transcript, m.Delivery, m.Prompt(), m.DeliveredAt})
			}
		}
	})
	return out
}

// NeedsLooks reports whether Look must be called every few seconds, because no event tells what it waits
// for: a mod took a text that no prompt has shown, see UnshownPrompts, or a turn of a run waits.
func (c *Core) NeedsLooks() (needs bool) {
	c.View(func(s *State, _ time.Time) {
		needs = slices.ContainsFunc(s.Messages.delivered(), func(m message.Message) bool { return m.Submitted }) ||
			slices.ContainsFunc(s.Runs.active(), func(r run.Run) bool { return r.State == run.Queued })
	})
	return needs
}

// SubmittedPrompts returns the texts of a session that its mod took and that no prompt has shown.
func (c *Core) SubmittedPrompts(id session.ID) (out []UnshownPrompt) {
	c.View(func(s *State, _ time.Time) {
		for _, m := range s.here(id) {
			if m.State == message.Delivered && m.Submitted {
				path := s.Sessions.Rows[id].Transcript
				out = append(out, UnshownPrompt{id, path, m.Delivery, m.Prompt(), m.DeliveredAt})
			}
		}
	})
	return out
}

// SettlePrompt notes whether a conversation has a text that UnshownPrompts returned. If not, the
// text waits again; a hook hands it over while the session lives.
func (c *Core) SettlePrompt(p UnshownPrompt, proof message.Proof) error {
	return c.Do(func(s *Draft) error {
		v := s.Sessions.Rows[p.Session]
		if v.Live() {
			proof.Sure = false // it may still come
		}
		for _, m := range message.Verify(s.here(p.Session), p.Session, map[string]message.Proof{p.Delivery: proof}, s.Now) {
			s.Messages.Put(s.Batch, m)
			if m.State == message.Done {
				s.takeReplies(p.Session)
				continue
			}
			text := s.Token(m.Session) + ": the text of " + m.By + " was not submitted, and is offered again"
			s.Record(event.MessageAdded, m.Session, string(m.ID), text)
			if v.State == session.Ended {
				s.tellMissed(v)
			}
		}
		return nil
	})
}
