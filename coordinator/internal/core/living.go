package core

import (
	"maps"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// clientGone is the reason for the end of a session whose client no longer runs.
const clientGone = "its client is gone"

// Look asks the system which processes have ended. It ends the sessions of ended
// clients, removes ended hooks from the waiters, replaces ended runners, and frees the runs that
// waited for an ended process. Afterwards the state is current.
func (c *Core) Look() error {
	over := map[session.Process]bool{}
	for _, p := range c.Processes() {
		over[p] = !c.cfg.Lives(p)
	}
	return c.Do(func(s *Draft) error {
		s.buryHooks(over)
		s.buryTakers(over)
		s.burySessions(over)
		s.buryRunners(over)
		s.buryOpeners(over)
		s.StartTurns()
		return nil
	})
}

// Processes returns the processes whose end Look would deal with, each once, in no order.
func (c *Core) Processes() []session.Process {
	all := map[session.Process]bool{}
	c.View(func(s *State, _ time.Time) {
		for _, p := range slices.Concat(s.processes(), s.takers(), s.runners(), s.openers()) {
			all[p] = true
		}
	})
	return slices.Collect(maps.Keys(all))
}

// processes returns the processes that sessions depend on.
func (s *State) processes() (all []session.Process) {
	for _, v := range s.Sessions.living.All() {
		for _, p := range []session.Process{v.Process(), v.WaitsIn, v.Holder, v.Mod} {
			if p.Known() {
				all = append(all, p)
			}
		}
	}
	return all
}

// buryHooks forgets the hooks that have ended and waited for a session.
func (s *Draft) buryHooks(over map[session.Process]bool) {
	for _, v := range s.Sessions.living.All() {
		waits, holds, submits := over[v.WaitsIn], over[v.Holder], over[v.Mod]
		if !waits && !holds && !submits {
			continue
		}
		if waits {
			v.Waiter, v.WaitsIn = "", session.Process{}
		}
		if holds {
			v.Holder = session.Process{}
		}
		if submits {
			v.Mod = session.Process{}
		}
		s.Sessions.Put(s.Batch, v)
	}
}

// burySessions ends the sessions whose client has ended.
func (s *Draft) burySessions(over map[session.Process]bool) {
	for _, v := range s.Sessions.living.All() {
		if over[v.Process()] {
			s.endSession(v, clientGone, ask.Local)
		}
	}
}
