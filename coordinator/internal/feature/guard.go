package feature

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// Denied notes in the journal that the guard denied a call, and returns how often the
// rule did so in the turn. It tells the person once per turn that a session keeps
// trying.
func (c *Core) Denied(id session.ID, turn, rule, text string) (times int, err error) {
	err = c.do(func(s *draft) error {
		v, n := session.Deny(s.Sessions.Rows[id], s.turnOf(id, turn), rule)
		times = n
		s.Record(event.GuardDenied, id, rule, text)
		if v.ID == "" {
			return nil
		}
		s.Sessions.Put(s.Batch, v)
		if times == session.DenyLoop {
			s.denyLoop(v, rule)
		}
		return nil
	})
	return times, err
}

// turnOf returns what tells the turn of a call from others: the prompt, as the host names it, or
// the number of the run's turn.
func (s *draft) turnOf(id session.ID, prompt string) string {
	r, ok := s.Runs.ByConversation.One(string(id))
	if prompt != "" || !ok {
		return prompt
	}
	return fmt.Sprint("turn ", r.Fence)
}

// countAnswer notes that a hook takes the answer to an ask, which may be one more refusal.
func (s *draft) countAnswer(a ask.Ask) {
	v, ok := s.Sessions.Rows[a.Session]
	if !ok || a.Decision == nil || a.Decision.Allow && v.Denials.Row == 0 {
		return
	}
	s.Sessions.Put(s.Batch, session.Answered(v, s.turnOf(a.Session, a.Prompt), a.Decision.Allow))
}

// TaskRefusals returns how many calls of a session were refused in a row in its turn, if it is
// the run of a task, and else 0.
func (c *Core) TaskRefusals(id session.ID) (n int) {
	c.view(func(s *draft) {
		r, _ := s.Runs.ByConversation.One(string(id))
		if _, works := s.TaskOf(r.ID); works {
			n = s.Sessions.Rows[id].Denials.Row
		}
	})
	return n
}

func (s *draft) denyLoop(v session.Session, rule string) {
	text := fmt.Sprintf("%s was denied %d times by %s in one turn and told to stop trying",
		v.Token, session.DenyLoop, rule)
	s.Record(event.GuardLoop, v.ID, rule, text)
	if !s.Settings.Paused {
		n := channel.News{Kind: channel.DeniedAgain, Of: v.Token, What: rule, N: session.DenyLoop}
		s.Notify("denied", v.ID, n)
	}
}

// PolicyBroken records what is wrong with the guard's policy files in a session. fresh
// is true if the person has not been told of it there.
func (c *Core) PolicyBroken(id session.ID, text string) (fresh bool, err error) {
	err = c.do(func(s *draft) error {
		v, ok := s.Sessions.Rows[id]
		if fresh = ok && v.Broken != text; !fresh {
			return nil
		}
		v.Broken = text
		s.Sessions.Put(s.Batch, v)
		s.Record(event.PolicyBroken, id, v.Token, v.Token+": "+text)
		if !s.Settings.Paused {
			s.Notify("policy", id, channel.News{Kind: channel.Warning, Of: v.Token, What: text})
		}
		return nil
	})
	return fresh, err
}
