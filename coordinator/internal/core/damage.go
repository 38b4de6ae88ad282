package core

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// restarted makes the first change after a start. It reports rows that cannot be read,
// and gives the hooks of the open asks time to connect again.
func restarted(bad []store.Bad) func(*Draft) error {
	return func(s *Draft) error {
		s.Record(event.Started, "", "", "the coordinator started")
		s.reportBad(bad)
		for _, r := range bad {
			if r.Table == store.Loops.Table {
				s.PutLoop(session.ID(r.ID), unreadable(r.ID, s.Now))
			}
		}
		s.loseAsks()
		return nil
	}
}

// unreadable returns a failed loop that replaces one of which only the session is known.
func unreadable(id string, now time.Time) loop.Outcome {
	f := loop.Frame{ID: "unreadable", Mode: loop.Task, Goal: "its record cannot be read", StartedAt: now}
	out, _ := loop.Fail(loop.Stack{Session: id, Frames: []loop.Frame{f}}, "the row in the database is damaged", now)
	return out // a loop with a frame runs
}

// ReportBad notes rows that were found damaged after the start in the log and the
// journal, each once.
func (c *Core) ReportBad(bad []store.Bad) error {
	fresh := c.unreported(bad)
	if len(fresh) == 0 {
		return nil
	}
	err := c.Do(func(s *Draft) error {
		s.reportBad(fresh)
		return nil
	})
	if err == nil {
		c.reported(fresh)
	}
	return err
}

// unreported returns those of the rows that the journal does not name yet.
func (c *Core) unreported(bad []store.Bad) (fresh []store.Bad) {
	c.lock()
	defer c.unlock()
	for _, r := range bad {
		if !c.damaged[rowName(r)] {
			fresh = append(fresh, r)
		}
	}
	return fresh
}

// reported notes that the journal names rows, and logs them.
func (c *Core) reported(bad []store.Bad) {
	c.lock()
	defer c.unlock()
	for _, r := range bad {
		c.damaged[rowName(r)] = true
		c.cfg.Log.Error("a damaged row of the database is left out", "table", r.Table, "row", r.ID, "err", r.Err)
	}
}

// rowName is the subject of the journal's entry about a row.
func rowName(r store.Bad) string { return r.Table + " " + r.ID }

func (s *Draft) reportBad(bad []store.Bad) {
	for _, r := range bad {
		s.Record(event.Damaged, "", rowName(r), "a row cannot be read: "+r.Err.Error())
	}
}
