package feature

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// The durable actions of LaneUndo. The data of each is a snapshot's id.
const (
	LaneUndo       = "undo"
	ActUndoLook    = "undo.look"    // look at the files after the step
	ActUndoRestore = "undo.restore" // bring it back
	ActUndoDrop    = "undo.drop"    // remove the snapshot from the repository
)

// An undoTable holds the snapshots.
type undoTable struct {
	*table.Table[undo.ID, undo.Snapshot]
	byAsk   *table.Index[undo.ID, undo.Snapshot]
	byShown *table.Index[undo.ID, undo.Snapshot]
	kept    table.Set[undo.ID, undo.Snapshot] // those that are not gone
}

func newUndoTable(s *core.State, o *own) undoTable {
	t := core.Register(s, store.Undos, table.Traits[undo.Snapshot]{
		Due:     func(v undo.Snapshot, _ time.Time) time.Time { return v.Next() },
		Expire:  expiry(s, o, func(s *draft, v undo.Snapshot) { s.putUndo(undo.Tick(v, s.Now)) }),
		Touches: func(_, after undo.Snapshot) []wake.Part { return []wake.Part{ofUndo(after.ID)} },
	})
	return undoTable{
		Table:   t,
		byAsk:   t.IndexBy(func(v undo.Snapshot) string { return string(v.Ask) }),
		byShown: t.IndexBy(func(v undo.Snapshot) string { return string(v.Shown) }),
		kept:    t.Where(func(v undo.Snapshot) bool { return v.State != undo.Gone }),
	}
}

// putUndo records a snapshot, with what follows from its new state, and updates the card of
// its ask.
func (s *draft) putUndo(v undo.Snapshot) {
	s.recordUndo(v)
	a, ok := s.Asks.After(s.Batch, v.Card())
	next := withUndo(a, v)
	if !ok || reflect.DeepEqual(a.Undo, next.Undo) {
		return
	}
	s.Asks.Put(s.Batch, next)
	if next.Shown {
		s.ShowCard(next)
	}
}

// recordUndo records a snapshot, with what follows from its new state: a line in the
// journal, an action, and the snapshot that can undo a restore.
func (s *draft) recordUndo(v undo.Snapshot) {
	before, _ := s.undos.After(s.Batch, v.ID)
	s.undos.Put(s.Batch, v)
	switch {
	case v.State == before.State && v.Holds() == before.Holds():
	case v.State == undo.Gone:
		s.actUndo(ActUndoDrop, v.ID)
		if !v.TakenAt.IsZero() || v.Why != "" {
			s.tellUndo(event.UndoDropped, v, "no snapshot: "+cmp.Or(v.Why, "the step was refused"))
		}
	case v.State == undo.Restoring:
		s.undos.Put(s.Batch, undo.PlanRedo(v, s.Now))
		s.actUndo(ActUndoRestore, v.ID)
	case v.State == undo.Restored:
		s.tellUndo(event.UndoRestored, v, "undone by "+v.Restore.By+": "+v.Restore.Did)
		s.endRedo(v)
	case before.State == undo.Restoring:
		s.tellUndo(event.UndoRefused, v, v.Line())
		s.endRedo(v)
	case v.State == undo.Ready && v.Undoes != "":
		s.tellUndo(event.UndoTaken, v, "before "+string(v.Undoes)+" is undone: "+v.Line())
	case v.State == undo.Ready:
		s.tellUndo(event.UndoTaken, v, v.Line())
	}
}

func (s *draft) actUndo(kind string, id undo.ID) {
	s.Enqueue(LaneUndo, kind+":"+string(id), kind, string(id))
}

func (s *draft) tellUndo(kind event.Kind, v undo.Snapshot, text string) {
	s.Record(kind, v.Session, string(v.ID), s.Token(v.Session)+": "+string(v.ID)+": "+text)
}

// withUndo returns an ask with what its card says of its snapshot.
func withUndo(a ask.Ask, v undo.Snapshot) ask.Ask {
	a.Undo = nil
	if line := v.Line(); line != "" {
		a.Undo = &ask.Undo{ID: string(v.ID), Line: line, Button: v.Button(), Anyway: len(v.Newer) > 0}
	}
	return a
}

// PlanUndo plans a snapshot of what a call may destroy. It reuses a snapshot that is already
// planned for the same call, because the guard's question and the host's dialog are
// about one call. There is room for a number of snapshots; the oldest goes first.
func (c *Core) PlanUndo(sn undo.Snapshot) (planned undo.Snapshot, err error) {
	err = c.do(func(s *draft) error {
		old, known := s.plannedUndo(sn)
		if planned = old; !known {
			sn.ID = newUndoID(s.Cfg)
			planned = undo.Plan(sn, s.Now)
		}
		planned.Ask = cmp.Or(sn.Ask, planned.Ask)
		if known && planned.Ask == old.Ask {
			return nil
		}
		planned.Shown = cmp.Or(planned.Shown, s.lentFor(planned.Ask))
		s.putUndo(planned)
		if all := s.openUndos(); !known && len(all) >= undo.Most {
			s.putUndo(undo.Drop(all[0], "there are too many newer ones"))
		}
		return nil
	})
	return planned, err
}

func newUndoID(cfg *core.Config) undo.ID { return "undo_" + undo.ID(cfg.Secret()[8:]) }

// plannedUndo finds the snapshot that was planned for a call: for its ask, or for the
// same call before the ask was opened.
func (s *draft) plannedUndo(sn undo.Snapshot) (undo.Snapshot, bool) {
	if v, ok := s.undoOf(sn.Ask); ok {
		return v, true
	}
	for _, v := range s.undos.kept.All() {
		if (v.Ask == "" || sn.Ask == "") && v.Of(sn.Session, sn.Agent, sn.Tool, sn.Hash) {
			return v, true
		}
	}
	return undo.Snapshot{}, false
}

// undoOf returns the latest snapshot of an ask, as the draft leaves it.
func (s *draft) undoOf(id ask.ID) (v undo.Snapshot, ok bool) {
	all := append(s.undos.byAsk.All(string(id)), s.undos.byShown.All(string(id))...)
	if len(all) == 0 {
		return v, false
	}
	v = slices.MaxFunc(all, func(a, b undo.Snapshot) int { return a.PlannedAt.Compare(b.PlannedAt) })
	return s.undos.After(s.Batch, v.ID)
}

// lentFor returns the ask whose late answer allowed the call of another ask. The person
// knows the card of the first.
func (s *draft) lentFor(id ask.ID) ask.ID {
	a := s.Asks.Rows[id]
	if a.Decision == nil || a.Decision.Channel != "lease" {
		return ""
	}
	for _, old := range s.Asks.Of(a.Session) {
		if old.Lease != nil && old.Lease.UsedAt.Equal(a.OpenedAt) && old.Same(a) {
			return old.ID
		}
	}
	return ""
}

// openUndos returns the snapshots that are not gone, oldest first.
func (s *draft) openUndos() []undo.Snapshot {
	return slices.SortedFunc(slices.Values(s.undos.kept.All()), func(a, b undo.Snapshot) int {
		return cmp.Or(a.PlannedAt.Compare(b.PlannedAt), cmp.Compare(a.ID, b.ID))
	})
}

// followUndo applies a change of an ask to its snapshot, and returns the ask with what
// its card says of the snapshot.
func (s *draft) followUndo(a ask.Ask) ask.Ask {
	v, ok := s.undoOf(a.ID)
	if !ok {
		return a
	}
	if next := undo.Follow(v, a); v.Ask == a.ID && next.State != v.State {
		v = next
		s.recordUndo(v)
	}
	return withUndo(a, v)
}

// ranUndo notes that the step of a call is over, and adds the action that looks at the files
// it left.
func (s *draft) ranUndo(o ask.Outcome) {
	for _, v := range s.openUndos() {
		if !v.Of(o.Session, o.Agent, o.Tool, o.Hash) {
			continue
		}
		if s.endStep(v) {
			s.actUndo(ActUndoLook, v.ID)
		}
		return
	}
}

// endStep notes that the step of a snapshot is over. It reports whether the step can be
// undone.
func (s *draft) endStep(v undo.Snapshot) bool {
	next, err := undo.Ran(v, s.Now)
	if err != nil {
		return false // it was over before
	}
	s.putUndo(next)
	return next.State == undo.Ready
}

// endUndos notes that the allowed steps of an ended session are over. The hook that
// reports that may have died with the session. When a step ended is not known, so nobody
// looks at the files that it left.
func (s *draft) endUndos(id session.ID) {
	for _, v := range s.openUndos() {
		if v.Session == id && v.State == undo.Ready && s.Asks.Rows[v.Ask].WasAllowed() {
			s.endStep(v)
		}
	}
}

// endRedo notes, in the snapshot that was taken before v was restored, how that ended.
func (s *draft) endRedo(v undo.Snapshot) {
	redo, ok := s.undos.After(s.Batch, v.Restore.Redo)
	switch {
	case !ok:
	case v.State == undo.Restored:
		s.endStep(redo)
	case redo.State == undo.Planned:
		s.putUndo(undo.Drop(redo, ""))
	}
}

// Undos returns the snapshots that can be or were restored, oldest first.
func (c *Core) Undos() (out []undo.Snapshot) {
	c.view(func(s *draft) { out = s.openUndos() })
	return slices.DeleteFunc(out, func(v undo.Snapshot) bool { return v.State == undo.Planned })
}

// Undo returns a snapshot, even if it is gone.
func (c *Core) Undo(id undo.ID) (v undo.Snapshot, err error) {
	c.view(func(s *draft) { v, err = s.undo(id) })
	return v, err
}

func (s *draft) undo(id undo.ID) (undo.Snapshot, error) {
	v, ok := s.undos.Rows[id]
	if !ok {
		return v, fmt.Errorf("snapshot %q: %w", id, core.ErrNotFound)
	}
	return v, nil
}

// UndoOf returns the snapshot of an ask.
func (c *Core) UndoOf(id ask.ID) (v undo.Snapshot, ok bool) {
	c.view(func(s *draft) { v, ok = s.undoOf(id) })
	return v, ok
}

// An UndoStep is one transition of a snapshot.
type UndoStep func(v undo.Snapshot, now time.Time) (undo.Snapshot, error)

// ChangeUndo applies one transition to a snapshot, and returns the snapshot after it. A
// result may come twice or late. One that no longer fits changes nothing.
func (c *Core) ChangeUndo(id undo.ID, change UndoStep) (after undo.Snapshot, err error) {
	err = c.do(func(s *draft) (err error) {
		v, err := s.undo(id)
		if err != nil {
			return err
		}
		if after, err = change(v, s.Now); errors.Is(err, undo.ErrState) {
			return nil
		}
		if err == nil {
			s.putUndo(after)
		}
		return err
	})
	return after, err
}

// StartUndo starts to restore a snapshot. The snapshot later shows the result.
func (c *Core) StartUndo(id undo.ID, r undo.Restore) (undo.Snapshot, error) {
	r.Redo = newUndoID(c.cfg)
	return c.ChangeUndo(id, func(v undo.Snapshot, _ time.Time) (undo.Snapshot, error) { return undo.Start(v, r) })
}

// AwaitUndo waits until a snapshot is no longer being restored, at most until
// ctx ends.
func (c *Core) AwaitUndo(ctx context.Context, id undo.ID) (v undo.Snapshot, err error) {
	c.until(ctx, func(s *draft) bool {
		v = s.undos.Rows[id]
		return v.State != undo.Restoring
	}, ofUndo(id))
	if v.State == undo.Restoring {
		return v, ctx.Err()
	}
	return v, nil
}
