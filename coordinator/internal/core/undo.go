package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/undo"
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
	*table[undo.ID, undo.Snapshot]
	byAsk   *index[undo.ID, undo.Snapshot]
	byShown *index[undo.ID, undo.Snapshot]
	byLife  *index[undo.ID, undo.Snapshot] // those that are not gone, under active
}

func newUndoTable(s *state) undoTable {
	t := register(s, store.Undos, traits[undo.Snapshot]{due: undoDue, expire: s.expireUndo, touches: undoParts})
	return undoTable{
		table:   t,
		byAsk:   t.indexBy(func(v undo.Snapshot) string { return string(v.Ask) }),
		byShown: t.indexBy(func(v undo.Snapshot) string { return string(v.Shown) }),
		byLife: t.indexBy(func(v undo.Snapshot) string {
			if v.State != undo.Gone {
				return active
			}
			return ""
		}),
	}
}

func undoParts(_, after undo.Snapshot) []Part { return []Part{ofUndo(after.ID)} }

// undoDue returns when a snapshot ends by itself.
func undoDue(v undo.Snapshot, _ time.Time) time.Time { return v.Next() }

func (s *state) expireUndo(b *store.Batch, v undo.Snapshot, now time.Time) {
	if next := undo.Tick(v, now); next.State != v.State {
		s.endUndo(b, next, now)
	}
}

// PlanUndo plans a snapshot of what a call may destroy. It reuses a snapshot that is already
// planned for the same call, because the guard's question and the host's dialog are
// about one call.
func (c *Core) PlanUndo(sn undo.Snapshot) (planned undo.Snapshot, err error) {
	err = c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		old, known := s.plannedUndo(sn)
		switch {
		case known && (old.Ask == sn.Ask || sn.Ask == ""):
			planned = old
			return b, nil
		case known:
			old.Ask = sn.Ask
			planned = old
		default:
			sn.ID = "undo_" + undo.ID(c.cfg.Secret()[8:])
			planned = undo.Plan(sn, now)
			s.makeRoom(&b, now)
		}
		if planned.Shown == "" {
			planned.Shown = s.lentFor(planned.Ask)
		}
		s.putUndo(&b, planned, now)
		return b, nil
	})
	return planned, err
}

// plannedUndo finds the snapshot that was planned for a call: for its ask, or for the
// same call before the ask was opened.
func (s *state) plannedUndo(sn undo.Snapshot) (undo.Snapshot, bool) {
	if v, ok := s.undoOf(nil, sn.Ask); ok {
		return v, true
	}
	for _, v := range s.undos.byLife.all(active) {
		if (v.Ask == "" || sn.Ask == "") && v.Of(sn.Session, sn.Agent, sn.Tool, sn.Hash) {
			return v, true
		}
	}
	return undo.Snapshot{}, false
}

// undoOf returns the snapshot of an ask, as b leaves it.
func (s *state) undoOf(b *store.Batch, id ask.ID) (found undo.Snapshot, ok bool) {
	if id == "" {
		return found, false
	}
	if b != nil {
		for v := range store.Undos.In(b) {
			if v.Ask == id || v.Shown == id {
				found, ok = v, true
			}
		}
	}
	if ok {
		return found, true
	}
	all := append(s.undos.byAsk.all(string(id)), s.undos.byShown.all(string(id))...)
	if len(all) == 0 {
		return found, false
	}
	return slices.MaxFunc(all, func(a, b undo.Snapshot) int { return a.PlannedAt.Compare(b.PlannedAt) }), true
}

// lentFor returns the ask whose late answer allowed the call of another ask. The person
// knows the card of the first.
func (s *state) lentFor(id ask.ID) ask.ID {
	a := s.asks.rows[id]
	if a.Decision == nil || a.Decision.Channel != "lease" {
		return ""
	}
	for _, old := range s.asks.of(a.Session) {
		if old.Lease != nil && old.Lease.UsedAt.Equal(a.OpenedAt) && old.Same(a) {
			return old.ID
		}
	}
	return ""
}

// makeRoom drops the oldest snapshots above the number that is kept.
func (s *state) makeRoom(b *store.Batch, now time.Time) {
	all := s.openUndos()
	for len(all) >= undo.Most {
		if gone, err := undo.Drop(all[0], "there are too many newer ones"); err == nil { // else it is being restored
			s.endUndo(b, gone, now)
		}
		all = all[1:]
	}
}

// openUndos returns the snapshots that are not gone, oldest first.
func (s *state) openUndos() (out []undo.Snapshot) {
	out = s.undos.byLife.all(active)
	slices.SortFunc(out, func(a, b undo.Snapshot) int {
		if c := a.PlannedAt.Compare(b.PlannedAt); c != 0 {
			return c
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	return out
}

// putUndo records a snapshot, and updates the card of its ask.
func (s *state) putUndo(b *store.Batch, v undo.Snapshot, now time.Time) {
	s.undos.put(b, v)
	a, ok := s.asks.after(b, v.Card())
	next := sayUndo(a, v)
	if !ok || reflect.DeepEqual(a.Undo, next.Undo) {
		return
	}
	s.asks.put(b, next)
	if next.Shown {
		s.showCard(b, next, now)
	}
}

// sayUndo returns an ask with what its card says of its snapshot.
func sayUndo(a ask.Ask, v undo.Snapshot) ask.Ask {
	a.Undo = nil
	if line := v.Line(); line != "" {
		a.Undo = &ask.Undo{ID: string(v.ID), Line: line, Button: v.Button(), Anyway: len(v.Newer) > 0}
	}
	return a
}

// followUndo applies a change of an ask to its snapshot, and returns the ask with what
// its card says of the snapshot.
func (s *state) followUndo(b *store.Batch, a ask.Ask, now time.Time) ask.Ask {
	v, ok := s.undoOf(b, a.ID)
	if !ok {
		return a
	}
	if v.Ask == a.ID {
		if next := undo.Follow(v, a); next.State != v.State {
			v = next
			s.undos.put(b, v)
			s.dropUndo(b, v, now)
		}
	}
	return sayUndo(a, v)
}

// endUndo records a snapshot, and drops it when it is gone.
func (s *state) endUndo(b *store.Batch, v undo.Snapshot, now time.Time) {
	s.putUndo(b, v, now)
	if v.State == undo.Gone {
		s.dropUndo(b, v, now)
	}
}

// dropUndo adds an action that removes a gone snapshot from its repository.
func (s *state) dropUndo(b *store.Batch, v undo.Snapshot, now time.Time) {
	b.Actions = append(b.Actions, undoAction(ActUndoDrop, v.ID, now))
	if v.TakenAt.IsZero() && v.Why == "" {
		return // there was nothing to keep, or the step was refused
	}
	s.tellUndo(b, event.UndoDropped, v, "no snapshot: "+cmp.Or(v.Why, "the step was refused"), now)
}

func undoAction(kind string, id undo.ID, now time.Time) store.Action {
	return store.Action{Key: kind + ":" + string(id), Lane: LaneUndo, Kind: kind, Data: string(id), Due: now}
}

func (s *state) tellUndo(b *store.Batch, kind event.Kind, v undo.Snapshot, text string, now time.Time) {
	record(b, kind, v.Session, string(v.ID), s.token(v.Session)+": "+string(v.ID)+": "+text, now)
}

// TookUndo notes what was kept before a step, or why nothing was kept.
func (c *Core) TookUndo(id undo.ID, pictures []undo.Picture, why string) (undo.Snapshot, error) {
	return c.changeUndo(id, func(s *state, b *store.Batch, v undo.Snapshot, now time.Time) (undo.Snapshot, error) {
		next, err := undo.Take(v, pictures, now)
		if why != "" {
			next, err = undo.Fail(v, why)
		}
		if err != nil && next.State != undo.Gone {
			return next, err
		}
		if next.State == undo.Gone && next.Pictures == nil {
			next.Pictures = pictures // so that they can be dropped
		}
		if next.State == undo.Ready && next.Holds() != v.Holds() {
			s.tellUndo(b, event.UndoTaken, next, next.Line(), now)
		}
		return next, nil
	})
}

// LookedUndo records the state of the files after the step.
func (c *Core) LookedUndo(id undo.ID, after []undo.Picture) error {
	_, err := c.changeUndo(id, func(_ *state, _ *store.Batch, v undo.Snapshot, _ time.Time) (undo.Snapshot, error) {
		return undo.Looked(v, after)
	})
	return err
}

// An undoStep is one transition of a snapshot.
type undoStep func(*state, *store.Batch, undo.Snapshot, time.Time) (undo.Snapshot, error)

// changeUndo applies one transition to one snapshot. A result may come twice or late. One
// that no longer fits changes nothing.
func (c *Core) changeUndo(id undo.ID, f undoStep) (after undo.Snapshot, err error) {
	err = c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		v, ok := s.undos.rows[id]
		if !ok {
			return b, fmt.Errorf("snapshot %q: %w", id, ErrNotFound)
		}
		after, err = f(s, &b, v, now)
		if errors.Is(err, undo.ErrState) {
			return store.Batch{}, nil
		}
		if err == nil {
			s.endUndo(&b, after, now)
		}
		return b, err
	})
	return after, err
}

// ranUndo notes that the step of a snapshot is over, and adds the action that looks at
// the files it left.
func (s *state) ranUndo(b *store.Batch, o Outcome, now time.Time) {
	for _, v := range s.openUndos() {
		if !v.Of(o.Session, o.Agent, o.Tool, o.Hash) {
			continue
		}
		next, err := undo.Ran(v, now)
		if err != nil {
			return // cannot happen: it is the snapshot of this step
		}
		s.endUndo(b, next, now)
		if next.State == undo.Ready {
			b.Actions = append(b.Actions, undoAction(ActUndoLook, v.ID, now))
		}
		return
	}
}

// endUndos notes that the allowed steps of an ended session are over. The hook that
// reports that may have died with the session.
func (s *state) endUndos(b *store.Batch, id session.ID, now time.Time) {
	for _, v := range s.openUndos() {
		switch {
		case v.Session != id, v.State != undo.Ready, !v.RanAt.IsZero(), !allowed(s.asks.rows[v.Ask]):
			continue
		}
		if next, err := undo.Ran(v, now); err == nil {
			s.putUndo(b, next, now)
		}
	}
}

// Undos returns the snapshots that can be or were restored, oldest first.
func (c *Core) Undos() (out []undo.Snapshot) {
	c.view(func(s *state, _ time.Time) {
		for _, v := range s.openUndos() {
			if v.State != undo.Planned {
				out = append(out, v)
			}
		}
	})
	return out
}

// Undo returns a snapshot, even if it is gone.
func (c *Core) Undo(id undo.ID) (v undo.Snapshot, err error) {
	ok := false
	c.view(func(s *state, _ time.Time) { v, ok = s.undos.rows[id] })
	if !ok {
		return v, fmt.Errorf("snapshot %q: %w", id, ErrNotFound)
	}
	return v, nil
}

// UndoOf returns the snapshot of an ask.
func (c *Core) UndoOf(id ask.ID) (v undo.Snapshot, ok bool) {
	c.view(func(s *state, _ time.Time) { v, ok = s.undoOf(nil, id) })
	return v, ok
}

// StartUndo starts to restore a snapshot. The snapshot later shows the result.
func (c *Core) StartUndo(id undo.ID, r undo.Restore) (v undo.Snapshot, err error) {
	err = c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		v, err = c.startUndo(s, &b, id, r, now)
		return b, err
	})
	return v, err
}

func (c *Core) startUndo(s *state, b *store.Batch, id undo.ID, r undo.Restore, now time.Time) (undo.Snapshot, error) {
	v, ok := s.undos.rows[id]
	if !ok {
		return v, fmt.Errorf("snapshot %q: %w", id, ErrNotFound)
	}
	r.At, r.Redo = now, "undo_"+undo.ID(c.cfg.Secret()[8:])
	next, err := undo.Ask(v, r)
	if err != nil {
		return v, fmt.Errorf("snapshot %s: %w", id, err)
	}
	s.putUndo(b, next, now)
	b.Actions = append(b.Actions, undoAction(ActUndoRestore, id, now))
	return next, nil
}

// AwaitUndo waits until a snapshot is no longer being restored, at most until
// ctx ends.
func (c *Core) AwaitUndo(ctx context.Context, id undo.ID) (v undo.Snapshot, err error) {
	c.until(ctx, func(s *state) bool {
		v = s.undos.rows[id]
		return v.State != undo.Restoring
	}, ofUndo(id))
	if v.State == undo.Restoring {
		return v, ctx.Err()
	}
	return v, nil
}

// KeepRedo records the state before a snapshot is restored. It records it only once,
// because a restore that broke off has already changed some of it.
func (c *Core) KeepRedo(of undo.Snapshot, pictures []undo.Picture) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		if _, ok := s.undos.rows[of.Restore.Redo]; ok {
			return b, nil
		}
		redo, err := undo.Take(undo.Plan(undo.Snapshot{
			ID: of.Restore.Redo, Session: of.Session, Tool: of.Tool, Text: of.Text, Undoes: of.ID,
		}, now), pictures, now)
		if err != nil {
			return b, err
		}
		s.putUndo(&b, redo, now)
		if redo.State == undo.Ready {
			s.tellUndo(&b, event.UndoTaken, redo, "before "+string(of.ID)+" is undone: "+redo.Line(), now)
		}
		return b, nil
	})
}

// UndoneTo ends a restore that succeeded; after is the state after it.
func (c *Core) UndoneTo(id undo.ID, did string, after []undo.Picture) error {
	_, err := c.changeUndo(id, func(s *state, b *store.Batch, v undo.Snapshot, now time.Time) (undo.Snapshot, error) {
		next, err := undo.Done(v, did, now)
		if err != nil {
			return v, err
		}
		s.keptRedo(b, v.Restore.Redo, after, now)
		s.tellUndo(b, event.UndoRestored, v, "undone by "+v.Restore.By+": "+did, now)
		return next, nil
	})
	return err
}

// keptRedo notes, in the snapshot that was taken before a restore, that the restore is
// over, and the state after it.
func (s *state) keptRedo(b *store.Batch, id undo.ID, after []undo.Picture, now time.Time) {
	redo, err := undo.Ran(s.undos.rows[id], now)
	if err != nil {
		return // there was nothing to keep
	}
	if seen, err := undo.Looked(redo, after); err == nil {
		redo = seen
	}
	s.putUndo(b, redo, now)
}

// RefuseUndo ends a restore that would overwrite newer work.
func (c *Core) RefuseUndo(id undo.ID, newer []string) error {
	return c.stopUndo(id, func(v undo.Snapshot, now time.Time) (undo.Snapshot, error) {
		return undo.Refuse(v, newer, now)
	})
}

// BreakUndo ends a restore that failed. The person may start it again.
func (c *Core) BreakUndo(id undo.ID, why string) error {
	return c.stopUndo(id, func(v undo.Snapshot, now time.Time) (undo.Snapshot, error) {
		return undo.Break(v, why, now)
	})
}

func (c *Core) stopUndo(id undo.ID, f func(undo.Snapshot, time.Time) (undo.Snapshot, error)) error {
	_, err := c.changeUndo(id, func(s *state, b *store.Batch, v undo.Snapshot, now time.Time) (undo.Snapshot, error) {
		next, err := f(v, now)
		if err == nil {
			s.tellUndo(b, event.UndoRefused, next, next.Line(), now)
		}
		return next, err
	})
	return err
}

// PressUndo applies a tap on Undo. anyway says that the button named newer work
// that will be overwritten. It takes effect once and always gets an accurate
// answer.
func (c *Core) PressUndo(p Press, anyway bool) error {
	a, known := c.AskByNonce(p.Nonce)
	if !known {
		return c.Acknowledge(p.Act, "This snapshot is no longer known. Nothing was changed.")
	}
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		b.Act = p.Act
		s.settle(&b, p.Act, c.pressUndo(s, &b, a.ID, p, anyway, now), now)
		return b, nil
	})
}

func (c *Core) pressUndo(s *state, b *store.Batch, id ask.ID, p Press, anyway bool, now time.Time) string {
	v, ok := s.undoOf(b, id)
	if !ok {
		return "There is no snapshot of this step. Nothing was changed."
	}
	r := undo.Restore{By: p.Decision.By, Channel: p.Decision.Channel}
	if anyway {
		r.Known = v.Newer
	}
	_, err := c.startUndo(s, b, v.ID, r, now)
	switch {
	case err == nil:
		return "Undoing. The card says how it turns out."
	case errors.Is(err, undo.ErrGone) && v.Why != "":
		return "Too late, the snapshot is gone: " + v.Why + "."
	case errors.Is(err, undo.ErrDone):
		return "It was undone by " + v.Restore.By + " at " + v.Restore.DoneAt.Format("15:04:05") + "."
	}
	return "Nothing was changed: " + err.Error() + "."
}
