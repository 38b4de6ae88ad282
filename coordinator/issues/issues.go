// Package issues shows and changes the issues of the repository around a
// directory, for `afar issue`. It needs no coordinator and runs in the caller's
// process: with the caller's rights, in its directory, and with the programs and
// the sign-ins that its environment has. So a session can change no issue that it
// could not change by hand.
package issues

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/tracker"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Errors of a change.
var (
	// ErrNotFound says that there is no such issue.
	ErrNotFound = tracker.ErrNotFound
	// ErrOver says that the issue to close is over.
	ErrOver = errors.New("there is nothing to close")
	// ErrOpen says that the issue to reopen is open.
	ErrOpen = errors.New("there is nothing to reopen")
)

// Issues are the issues of one repository. The tracker keeps them.
type Issues struct {
	top  string
	in   tracker.Tracker
	here tracker.Tracker // of the issue's worktree around the directory; nil elsewhere
	path string          // of that worktree, below top
}

// Open opens the tracker of the repository around dir: the tracker of its main
// checkout, also from inside a worktree. Where issues are files and dir is in an
// issue's worktree, an issue of that worktree is shown and closed there: the change
// lands with the work, and the main checkout stays clean, as a landing needs it.
func Open(ctx context.Context, dirs home.Dirs, dir string) (Issues, error) {
	settings, err := config.Load(dirs.ConfigFile())
	if err != nil {
		return Issues{}, err
	}
	top, err := git.Top(ctx, dir)
	if err != nil {
		return Issues{}, fmt.Errorf("issues belong to a git repository: %w", err)
	}
	in, err := tracker.Open(top, settings.Issues.Tracker)
	if err != nil || !tracker.InTree(in) {
		return Issues{top: top, in: in}, err
	}
	around, err := git.Around(ctx, top, dir)
	if err != nil || around == "" {
		return Issues{top: top, in: in}, err
	}
	here, err := tracker.Open(around, in.Name())
	if err != nil {
		return Issues{}, err
	}
	path, err := filepath.Rel(top, around)
	return Issues{top: top, in: in, here: here, path: filepath.ToSlash(path)}, err
}

// find returns an issue and the tracker in which it is changed.
func (i Issues) find(ctx context.Context, id string) (tracker.Issue, tracker.Tracker, error) {
	one, err := i.in.Show(ctx, id)
	if err != nil || i.here == nil || one.Status.Over() {
		return one, i.in, err
	}
	there, err := i.here.Show(ctx, one.ID)
	if errors.Is(err, tracker.ErrNotFound) { // it was never committed
		return one, i.in, nil
	}
	there.Path = path.Join(i.path, there.Path)
	return there, i.here, err
}

// List returns the issues that are not over.
func (i Issues) List(ctx context.Context) (wire.Issues, error) {
	return i.wire(i.in.List(ctx))
}

// Ready returns the issues that can be worked on now, best first.
func (i Issues) Ready(ctx context.Context) (wire.Issues, error) {
	return i.wire(i.in.Ready(ctx))
}

// Show returns one issue, by the beginning of its id.
func (i Issues) Show(ctx context.Context, id string) (wire.Issue, error) {
	one, _, err := i.find(ctx, id)
	return wireIssue(one), err
}

// New makes an issue from a title, a body, a priority (0 for the default) and the
// issues that it needs.
func (i Issues) New(ctx context.Context, draft wire.Issue) (wire.Issue, error) {
	one, err := i.in.New(ctx, tracker.Draft{
		Title: draft.Title, Body: draft.Body, Priority: draft.Priority, Needs: draft.Needs,
	})
	return wireIssue(one), err
}

// Close closes an issue, with a comment if there is one. It returns ErrOver and
// the issue where that is over already.
func (i Issues) Close(ctx context.Context, id, note string) (wire.Issue, error) {
	return i.change(ctx, id, note, func(s tracker.Status) (tracker.Status, error) {
		if s.Over() {
			return s, ErrOver
		}
		return tracker.StatusClosed, nil
	})
}

// Reopen opens an issue that is over, with a comment if there is one. It returns
// ErrOpen and the issue where that is not over.
func (i Issues) Reopen(ctx context.Context, id, note string) (wire.Issue, error) {
	return i.change(ctx, id, note, func(s tracker.Status) (tracker.Status, error) {
		if !s.Over() {
			return s, ErrOpen
		}
		return tracker.StatusOpen, nil
	})
}

// Comment adds a comment to an issue, whatever its status.
func (i Issues) Comment(ctx context.Context, id, note string) (wire.Issue, error) {
	return i.change(ctx, id, note, func(s tracker.Status) (tracker.Status, error) { return s, nil })
}

// change gives an issue the status that follows on its own, and a comment. It returns the issue also
// with an error of next.
func (i Issues) change(
	ctx context.Context, id, note string, next func(tracker.Status) (tracker.Status, error),
) (wire.Issue, error) {
	one, in, err := i.find(ctx, id)
	if err != nil {
		return wire.Issue{}, err
	}
	status, err := next(one.Status)
	if err != nil {
		return wireIssue(one), fmt.Errorf("%s is %s: %w", one.ID, one.Status, err)
	}
	if err := in.Set(ctx, one.ID, status, note); err != nil {
		return wireIssue(one), err
	}
	return i.Show(ctx, one.ID)
}

func (i Issues) wire(list []tracker.Issue, err error) (wire.Issues, error) {
	out := wire.Issues{Tracker: i.in.Name(), Top: i.top, Issues: []wire.Issue{}}
	for _, one := range list {
		out.Issues = append(out.Issues, wireIssue(one))
	}
	return out, err
}

func wireIssue(one tracker.Issue) wire.Issue {
	out := wire.Issue{
		ID:       one.ID,
		Title:    one.Title,
		Body:     one.Body,
		Status:   string(one.Status),
		Priority: one.Priority,
		Needs:    one.Needs,
		Waits:    one.Waits,
		Path:     one.Path,
		Broken:   one.Broken,
	}
	if !one.Created.IsZero() {
		out.CreatedAt = one.Created.UnixMilli()
	}
	return out
}
