package runwork

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// Bounds of the work of git for a run.
const (
	settleFor = 5 * time.Minute
	clearFor  = 2 * time.Minute
)

// settle makes the worktree of a run. It uses one that exists already.
func (w *Worker) settle(ctx context.Context, r run.Run) error {
	bound, cancel := context.WithTimeout(ctx, settleFor)
	defer cancel()
	p, dir, err := makePlace(bound, r)
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // it begins again at the next start
	case err != nil:
		err = w.core.UnsettleRun(r.ID, text.Fold(redact.Clean(err.Error())))
	default:
		err = w.core.SettleRun(r.ID, p, dir)
	}
	if errors.Is(err, core.ErrNotFound) || errors.Is(err, run.ErrState) {
		return nil // it was stopped or removed meanwhile
	}
	return err
}

// makePlace makes the worktree of a run. dir is the directory there that the run was
// started in.
func makePlace(ctx context.Context, r run.Run) (p run.Place, dir string, err error) {
	below, err := git.Trusted(r.Dir).Line(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return p, "", err
	}
	w, err := git.AddRunWorktree(ctx, r.Dir, r.Name)
	if err != nil {
		return p, "", err
	}
	dir = filepath.Join(w.Path, below)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() { // it is not in the base
		dir = w.Path
	}
	p = run.Place{Repo: w.Repo, Path: w.Path, Branch: w.Branch, Base: w.Base, BaseCommit: w.BaseCommit}
	return p, dir, nil
}

func worktree(p run.Place) git.Worktree {
	return git.Worktree{Repo: p.Repo, Path: p.Path, Branch: p.Branch, Base: p.Base, BaseCommit: p.BaseCommit}
}

// Keeps returns why the worktree of a run stays when the run is removed, "" if it goes: it
// stays while it holds work that has not landed.
func Keeps(ctx context.Context, p run.Place) string {
	if p == (run.Place{}) {
		return ""
	}
	if err := worktree(p).Removable(ctx); err != nil {
		return text.Fold(redact.Clean(err.Error()))
	}
	return ""
}

// clear removes the files of a run that was removed, and its worktree if all work in it has
// landed.
func (w *Worker) clear(ctx context.Context, a store.Action) error {
	var r core.Cleared
	if err := json.Unmarshal([]byte(a.Data), &r); err != nil {
		return core.GiveUp(err)
	}
	if err := w.forget(string(r.ID)); err != nil {
		return err
	}
	if r.Place == (run.Place{}) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, clearFor)
	defer cancel()
	err := worktree(r.Place).Remove(ctx)
	for _, stays := range []error{git.ErrNotClean, git.ErrNotMerged, git.ErrInTheWay} {
		if errors.Is(err, stays) {
			note := fmt.Sprintf("run %s: its worktree stays: %s", r.Name, text.Fold(redact.Clean(err.Error())))
			return w.core.Note(event.RunRemoved, "", r.Name, note)
		}
	}
	return err
}
