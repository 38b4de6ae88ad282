// Package undowork takes snapshots before destructive steps and restores them. It
// carries out the actions of core.LaneUndo.
package undowork

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/snapshot"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// The time limits for one repository.
const (
	takeFor    = time.Minute     // of a snapshot
	restoreFor = 5 * time.Minute // of a restore
)

// A Snapshotter takes snapshots while a hook waits. The actions of core.LaneUndo record
// the state after the step, and restore and drop snapshots.
type Snapshotter struct {
	core   *core.Core
	keeper snapshot.Keeper
	log    *slog.Logger

	mu     sync.Mutex // guards all below
	taking map[undo.ID]*taking
	parts  sync.WaitGroup // the takings; none is added when closed
	closed bool
}

// A taking is one snapshot being taken.
type taking struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// New returns a snapshotter that keeps its files in dir. It removes the files that a
// coordinator that died has left there.
func New(c *core.Core, dir string, log *slog.Logger) (*Snapshotter, error) {
	s := &Snapshotter{core: c, keeper: snapshot.New(dir), log: log, taking: map[undo.ID]*taking{}}
	return s, s.keeper.Clear()
}

var errSlow = errors.New("git took too long")

// Run works until ctx ends, and then ends all takings.
func (s *Snapshotter) Run(ctx context.Context) {
	s.core.Work(ctx, core.LaneUndo, s.act)
	s.mu.Lock()
	s.closed = true
	for _, t := range s.taking {
		t.cancel(context.Canceled)
	}
	s.mu.Unlock()
	s.parts.Wait()
}

// Take takes a planned snapshot, or replaces one, and waits for it at most as long as
// within. With last, the step runs after Take, so Take gives up a snapshot that is late.
func (s *Snapshotter) Take(ctx context.Context, id undo.ID, within time.Duration, last bool) {
	t := s.begin(id)
	if t == nil {
		return
	}
	late := time.NewTimer(within)
	defer late.Stop()
	select {
	case <-t.done:
		return
	case <-late.C:
	case <-ctx.Done():
	}
	if last {
		t.cancel(errSlow)
		<-t.done
	}
}

// begin starts a taking, or returns the one that is running. It returns nil when closed.
func (s *Snapshotter) begin(id undo.ID) *taking {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.taking[id]; ok || s.closed {
		return t
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	t := &taking{cancel: cancel, done: make(chan struct{})}
	s.taking[id] = t
	s.parts.Go(func() {
		s.takeNow(ctx, id)
		s.mu.Lock()
		delete(s.taking, id)
		s.mu.Unlock()
		close(t.done)
		cancel(nil)
	})
	return t
}

func (s *Snapshotter) takeNow(ctx context.Context, id undo.ID) {
	bound, cancel := context.WithTimeoutCause(ctx, takeFor, errSlow)
	defer cancel()
	v, err := s.core.Undo(id)
	if err != nil {
		return
	}
	scopes, why := s.keeper.Scopes(bound, v.Losses)
	pictures, err := s.pictures(bound, scopes, id)
	switch {
	case errors.Is(context.Cause(bound), context.Canceled):
		return // the coordinator ends; the hook asks its successor
	case context.Cause(bound) != nil:
		why = context.Cause(bound).Error()
	case err != nil:
		why = err.Error()
	case len(pictures) > 0 && why != "":
		pictures[0].Left, why = append(pictures[0].Left, why), ""
	}
	if _, err := s.core.TookUndo(id, pictures, why); err != nil {
		s.log.Error("note snapshot", "id", id, "err", err)
	}
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

func (s *Snapshotter) act(ctx context.Context, a store.Action) error {
	ctx, cancel := context.WithTimeout(ctx, restoreFor)
	defer cancel()
	v, err := s.core.Undo(undo.ID(a.Data))
	if err != nil {
		return core.GiveUp(err)
	}
	switch a.Kind {
	case core.ActUndoLook:
		return s.look(ctx, v)
	case core.ActUndoRestore:
		return s.restore(ctx, v)
	case core.ActUndoDrop:
		return s.drop(ctx, v)
	}
	return core.GiveUp(errors.New("unknown action " + strconv.Quote(a.Kind)))
}

// look records the state after the step. Without it, a restore asks before it changes
// anything that differs.
func (s *Snapshotter) look(ctx context.Context, v undo.Snapshot) error {
	after, err := s.picturesAfter(ctx, v)
	if err != nil {
		return core.GiveUp(err)
	}
	return s.core.LookedUndo(v.ID, after)
}

func (s *Snapshotter) picturesAfter(ctx context.Context, v undo.Snapshot) ([]undo.Picture, error) {
	var scopes []undo.Scope
	for _, p := range v.Pictures {
		scopes = append(scopes, p.Again())
	}
	return s.pictures(ctx, scopes, v.ID)
}

// restore restores a snapshot. It does not repeat what a coordinator that died has done.
func (s *Snapshotter) restore(ctx context.Context, v undo.Snapshot) error {
	if v.State != undo.Restoring {
		return nil
	}
	todo, err := s.plan(ctx, v)
	if err != nil {
		return s.broke(ctx, v, err)
	}
	if newer := todo.newer(); !v.Covered(newer) {
		return s.core.RefuseUndo(v.ID, newer)
	}
	if err := s.core.KeepRedo(v, todo.now()); err != nil {
		return err
	}
	for _, p := range todo {
		if err := s.keeper.Apply(ctx, p); err != nil {
			return s.broke(ctx, v, err)
		}
	}
	after, err := s.picturesAfter(ctx, v)
	if err != nil {
		after = nil // then an undo of the restore asks first
	}
	return s.core.UndoneTo(v.ID, todo.did(), after)
}

// broke records that a restore failed, unless it failed because the coordinator ends.
func (s *Snapshotter) broke(ctx context.Context, v undo.Snapshot, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	return s.core.BreakUndo(v.ID, err.Error())
}

// plans holds one plan for each repository of a snapshot.
type plans []*snapshot.Plan

func (s *Snapshotter) plan(ctx context.Context, v undo.Snapshot) (all plans, err error) {
	for i, before := range v.Pictures {
		var after *undo.Picture
		if i < len(v.After) {
			after = &v.After[i]
		}
		p, err := s.keeper.Plan(ctx, before, after, v.RanAt, v.Restore.Redo)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func (all plans) newer() (names []string) {
	for _, p := range all {
		names = append(names, p.Newer...)
	}
	return names
}

func (all plans) now() (pictures []undo.Picture) {
	for _, p := range all {
		pictures = append(pictures, p.Now)
	}
	return pictures
}

func (all plans) did() string {
	did := ""
	for _, p := range all {
		if text := p.Did(); text != "" && did != "" {
			did += "; " + text
		} else {
			did += text
		}
	}
	if did == "" {
		return "everything was as it had been already"
	}
	return did
}

// drop deletes the objects of a snapshot. It may run again after a coordinator died.
func (s *Snapshotter) drop(ctx context.Context, v undo.Snapshot) error {
	if v.State != undo.Gone {
		return nil
	}
	roots := map[string]bool{}
	for _, p := range v.Pictures {
		roots[p.Scope.Root] = true
	}
	scopes, _ := s.keeper.Scopes(ctx, v.Losses)
	for _, c := range scopes {
		roots[c.Root] = true
	}
	for root := range roots {
		if err := s.keeper.Forget(ctx, root, v.ID); err != nil {
			return err
		}
	}
	return nil
}
