package feature

import (
	"context"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// Journal returns at most limit entries after seq, oldest first, or the newest
// ones. If there is none, it waits for one until ctx ends.
func (c *Core) Journal(ctx context.Context, after int64, limit int, id session.ID, newest bool) ([]event.Event, error) {
	about := core.Journal
	if id != "" {
		about = core.OfSessionJournal(id)
	}
	return core.AwaitRows(ctx, c.Core, about, func() ([]event.Event, error) { return c.cfg.Store.Journal(after, limit, id, newest) })
}

// LastEntry returns the number of the newest journal entry. The state that is read
// afterwards has the change that the entry is about.
func (c *Core) LastEntry() (seq int64) {
	c.view(func(s *draft) { seq = s.Entry })
	return seq
}

// JournalBefore returns the last limit entries before seq, oldest first, of one session or
// of all.
func (c *Core) JournalBefore(seq int64, limit int, id session.ID) ([]event.Event, error) {
	return c.cfg.Store.JournalBefore(seq, limit, id)
}

// Newest returns at most limit entries of some kinds, oldest first: the last ones, or with
// before the last ones with a smaller number.
func (c *Core) Newest(kinds []event.Kind, before int64, limit int) ([]event.Event, error) {
	return c.cfg.Store.Newest(kinds, 0, before, limit)
}

// Noted reports whether the journal has an entry of a kind about a subject.
func (c *Core) Noted(kind event.Kind, subject string) (bool, error) {
	return c.cfg.Store.Noted(kind, subject)
}

// Verify walks the journal's hash chain; broken is the first entry that does
// not fit, 0 for none.
func (c *Core) Verify() (entries, broken int64, head string, err error) { return c.cfg.Store.Verify() }
