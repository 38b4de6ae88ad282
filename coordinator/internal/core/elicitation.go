package core

import (
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// handOver moves the forms of a session to its terminal, because a person types there
// now. If the person has said that they are away, the forms stay on the channels.
func (s *Draft) handOver(id session.ID) {
	if s.Mode(id, s.Now) == session.On {
		return
	}
	for _, a := range s.Asks.Of(id) {
		if a.State == ask.Open {
			s.EndAsk(a, ask.Hand, "handed to the terminal: somebody types there")
		}
	}
}

// Interrupted ends the forms of a session whose turn was ended at the terminal. The host
// tells neither their hooks nor their servers. It ends no form while a subagent runs: a
// subagent's forms go on, and the host does not say which forms those are.
func (c *Core) Interrupted(id session.ID) error {
	return c.Do(func(s *Draft) error {
		for _, a := range s.Asks.Of(id) {
			if a.State == ask.Open && a.Kind == ask.Elicitation && !s.Sessions.Rows[id].Agents {
				s.EndAsk(a, ask.Cancel, "ended at the terminal")
			}
		}
		return nil
	})
}
