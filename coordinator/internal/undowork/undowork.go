// Package undowork takes snapshots before destructive steps and restores them. It
// carries out the actions of feature.LaneUndo.
package undowork

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// The time limits.
const (
	takeFor    = 3 * time.Second // of a snapshot, while a hook waits
	restoreFor = 5 * time.Minute // of a restore
)

// A Snapshotter takes snapshots while a hook waits. The actions of feature.LaneUndo record
// the state after the step, and restore and drop snapshots.
type Snapshotter struct {
	core   *feature.Core
	keeper Keeper
}

// New returns a snapshotter that keeps its files in dir. It removes the files that a
// coordinator that died has left there.
func New(c *feature.Core, dir string) (*Snapshotter, error) {
	s := &Snapshotter{core: c, keeper: NewKeeper(dir)}
	return s, s.keeper.Clear()
}

// Run carries out the actions until ctx ends.
func (s *Snapshotter) Run(ctx context.Context) { s.core.Work(ctx, feature.LaneUndo, s.act) }

var errSlow = errors.New("git took too long")

// Take takes a planned snapshot, or replaces one, and returns it. The step must not run before
// Take returns. Take gives up when git is slow. When ctx ends, it records nothing: the hook is
// gone, or asks the next coordinator.
func (s *Snapshotter) Take(ctx context.Context, id undo.ID) (undo.Snapshot, error) {
	v, err := s.core.Undo(id)
	if err != nil || !v.AwaitsStep() {
		return v, err
	}
	bound, cancel := context.WithTimeoutCause(ctx, takeFor, errSlow)
	defer cancel()
	scopes, why := s.keeper.Scopes(bound, v.Losses)
	pictures, err := s.pictures(bound, scopes, id)
	err = cmp.Or(context.Cause(bound), err)
	switch {
	case ctx.Err() != nil:
		return v, ctx.Err()
	case err != nil:
		pictures, why = nil, err.Error()
	case len(pictures) > 0 && why != "":
		pictures[0].Left, why = append(pictures[0].Left, why), ""
	}
	return s.core.ChangeUndo(id, func(v undo.Snapshot, now time.Time) (undo.Snapshot, error) {
		return undo.Take(v, pictures, why, now)
	})
}

// pictures takes a picture of each repository.
func (s *Snapshotter) pictures(ctx context.Context, scopes []undo.Scope, id undo.ID) (out []undo.Picture, err error) {
	for _, scope := range scopes {
		p, err := s.keeper.Take(ctx, scope, id)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// act carries out an action. It may run again after a coordinator died.
func (s *Snapshotter) act(ctx context.Context, a store.Action) error {
	ctx, cancel := context.WithTimeout(ctx, restoreFor)
	defer cancel()
	v, err := s.core.Undo(undo.ID(a.Data))
	wanted := map[string]undo.State{feature.ActUndoRestore: undo.Restoring, feature.ActUndoDrop: undo.Gone}
	state, isBound := wanted[a.Kind]
	switch {
	case err != nil:
		return core.GiveUp(err)
	case isBound && v.State != state:
		return nil // it was carried out before
	case a.Kind == feature.ActUndoRestore:
		return s.restore(ctx, v)
	case a.Kind == feature.ActUndoDrop:
		return s.drop(ctx, v)
	case a.Kind == feature.ActUndoLook:
		return s.look(ctx, v)
	}
	return core.GiveUp(errors.New("unknown action " + strconv.Quote(a.Kind)))
}

// look records the state after the step. Without it, a restore asks before it changes
// anything that differs.
func (s *Snapshotter) look(ctx context.Context, v undo.Snapshot) error {
	var scopes []undo.Scope
	for _, p := range v.Pictures {
		scopes = append(scopes, p.Again())
	}
	after, err := s.pictures(ctx, scopes, v.ID)
	if err != nil {
		return core.GiveUp(err)
	}
	_, err = s.core.ChangeUndo(v.ID, func(v undo.Snapshot, _ time.Time) (undo.Snapshot, error) {
		return undo.Looked(v, after)
	})
	return err
}

// restore restores a snapshot and records the result. A coordinator that ends leaves the rest
// to its successor.
func (s *Snapshotter) restore(ctx context.Context, v undo.Snapshot) error {
	result, err := s.bringBack(ctx, v)
	switch {
	case err != nil && errors.Is(ctx.Err(), context.Canceled):
		return err
	case err != nil:
		result.Failed = err.Error()
	}
	_, err = s.core.ChangeUndo(v.ID, func(v undo.Snapshot, now time.Time) (undo.Snapshot, error) {
		return undo.End(v, result, now)
	})
	return err
}

// bringBack changes the repositories of a snapshot, unless newer work would be overwritten of
// which the person does not know.
func (s *Snapshotter) bringBack(ctx context.Context, v undo.Snapshot) (result undo.Result, err error) {
	var plans []*Plan
	var now []undo.Picture
	var newer []string
	for i, before := range v.Pictures {
		var after *undo.Picture
		if i < len(v.After) {
			after = &v.After[i]
		}
		p, err := s.keeper.Plan(ctx, before, after, v.RanAt, v.Restore.Redo)
		if err != nil {
			return result, err
		}
		plans, now, newer = append(plans, p), append(now, p.Now), append(newer, p.Newer...)
	}
	if !v.Covered(newer) {
		return undo.Result{Newer: newer}, nil
	}
	if err := s.keepRedo(v, now); err != nil {
		return result, err
	}
	var did []string
	for _, p := range plans {
		if err := s.keeper.Apply(ctx, p); err != nil {
			return result, err
		}
		did = append(did, p.Did())
	}
	if redo, err := s.core.Undo(v.Restore.Redo); err == nil && redo.State == undo.Ready {
		_ = s.look(ctx, redo) // without it, an undo of the restore asks first
	}
	did = slices.DeleteFunc(did, func(text string) bool { return text == "" })
	result.Did = cmp.Or(strings.Join(did, "; "), "everything was as it had been already")
	return result, nil
}

// keepRedo records the state before a restore. It records it only once, because a restore
// that broke off has already changed some of it.
func (s *Snapshotter) keepRedo(v undo.Snapshot, pictures []undo.Picture) error {
	_, err := s.core.ChangeUndo(v.Restore.Redo, func(redo undo.Snapshot, now time.Time) (undo.Snapshot, error) {
		if redo.State != undo.Planned {
			return redo, nil
		}
		return undo.Take(redo, pictures, "", now)
	})
	return err
}

// drop deletes the objects of a snapshot. The taking of one that has no pictures may have
// kept some.
func (s *Snapshotter) drop(ctx context.Context, v undo.Snapshot) error {
	scopes, _ := s.keeper.Scopes(ctx, v.Losses)
	for _, p := range v.Pictures {
		scopes = append(scopes, p.Scope)
	}
	for _, scope := range scopes {
		if err := s.keeper.Forget(ctx, scope.Root, v.ID); err != nil {
			return err
		}
	}
	return nil
}
