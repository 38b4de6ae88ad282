package feature

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
)

// A Report is what happened since a time.
type Report struct {
	Since, Until time.Time
	Asks         []ask.Ask // opened, settled or still waiting in it, oldest first
	Counts       map[event.Kind]int
	Loops        []event.Event // that ended, oldest first
	Issues       []event.Event // that landed or were paused, oldest first
	Refused      []event.Event
	Denied       []event.Event // calls that the guard denied, oldest first
	Overridden   []event.Event // calls that got past the guard, oldest first
}

// maxReported bounds the journal entries of one kind in a report.
const maxReported = 50

// Report tells what happened since a time.
func (c *Core) Report(since time.Time) (r Report, err error) {
	r.Since, r.Until = since, c.cfg.Now()
	opened, bad, err := c.cfg.Store.AsksSince(since)
	if err := errors.Join(err, c.ReportBad(bad)); err != nil {
		return r, err
	}
	r.Asks = c.reportedAsks(opened, since)
	first, err := c.cfg.Store.FirstSince(since)
	if err != nil {
		return r, err
	}
	if r.Counts, err = c.cfg.Store.Tally(first); err != nil {
		return r, err
	}
	for _, list := range []struct {
		of    *[]event.Event
		kinds []event.Kind
	}{
		{&r.Loops, []event.Kind{event.LoopEnded}},
		{&r.Issues, []event.Kind{event.IssueLanded, event.IssuePaused}},
		{&r.Refused, []event.Kind{event.Refused}},
		{&r.Denied, []event.Kind{event.GuardDenied}},
		{&r.Overridden, []event.Kind{event.GuardOverridden}},
	} {
		if *list.of, err = c.cfg.Store.Newest(list.kinds, first, 0, maxReported); err != nil {
			return r, err
		}
	}
	return r, nil
}

// AsksEnded returns at most limit asks that are not open, newest first: those that were
// opened before the ask with an id, or the newest for "".
func (c *Core) AsksEnded(before ask.ID, limit int) ([]ask.Ask, error) {
	ended, bad, err := c.cfg.Store.AsksEnded(before, limit)
	return ended, errors.Join(err, c.ReportBad(bad))
}

// AsksEndedSince returns the asks whose cards were shown and that were settled at a time or later, as far as they are
// in memory: for hours at least. Those that were opened first come first.
func (c *Core) AsksEndedSince(at time.Time) (ended []ask.Ask) {
	c.view(func(s *draft) {
		for _, a := range s.Asks.Rows {
			if a.Shown && !a.Waiting() && !a.Answered().Before(at) {
				ended = append(ended, a)
			}
		}
	})
	slices.SortFunc(ended, func(a, b ask.Ask) int { return a.OpenedAt.Compare(b.OpenedAt) })
	return ended
}

// reportedAsks adds to the asks that were opened in time the older ones that ended
// in it, or have not ended.
func (c *Core) reportedAsks(opened []ask.Ask, since time.Time) []ask.Ask {
	all := map[ask.ID]ask.Ask{}
	for _, a := range opened {
		all[a.ID] = a
	}
	for _, a := range c.Asks(true) {
		if _, ok := all[a.ID]; ok || a.Waiting() || !a.Answered().Before(since) {
			all[a.ID] = a
		}
	}
	return slices.SortedFunc(maps.Values(all), ask.Older)
}
