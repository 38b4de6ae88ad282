package issuework

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/land"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/tracker"
)

// released releases an issue. A failure is tried again, and reported to the person
// after the last try. The loop does not wait for it.
func (h *Handler) released(ctx context.Context, e core.Errand, last bool) error {
	err := h.release(ctx, e)
	if err == nil || !last {
		return err
	}
	text := fmt.Sprintf("It could not be paused in its tracker, where it is still open: %s", broken(ctx, e.Phase, err))
	return errors.Join(h.core.SayOfIssue(e, "BLOCKED", text), core.GiveUp(err))
}

// release pauses an issue with a comment, and files the findings of the review as a new
// issue. An issue whose commit landed just before is closed instead.
func (h *Handler) release(ctx context.Context, e core.Errand) error {
	if e.Issue.Phase == loop.Cleaning && e.Issue.Commit == "" {
		return worktree(e.Issue).Remove(ctx) // the base had closed it before
	}
	if landed, err := h.landed(ctx, e); err != nil || landed {
		return err
	}
	t, err := h.tracker(e.Issue.Repo)
	if err != nil {
		return err
	}
	if e.Ended && e.Issue.Place.Path != "" {
		if isUntouched, _ := untouched(ctx, worktree(e.Issue)); isUntouched {
			return h.putBack(ctx, e, t)
		}
	}
	if e.Issue.Place.InTree || e.Issue.Place.Path == "" && tracker.InTree(t) {
		return h.pauseInTree(ctx, e, t.Name())
	}
	return h.pause(ctx, e, t)
}

func (h *Handler) landed(ctx context.Context, e core.Errand) (bool, error) {
	if e.Issue.Commit == "" {
		return false, nil
	}
	w := worktree(e.Issue)
	in, err := w.InBase(ctx, e.Issue.Commit)
	if err != nil || !in {
		return false, err
	}
	if !e.Issue.Place.InTree {
		if err := h.close(ctx, e); err != nil {
			return true, err
		}
	}
	switch err := w.Remove(ctx); {
	case errors.Is(err, git.ErrNotClean), errors.Is(err, git.ErrNotMerged): // it has newer work, and stays
	case err != nil:
		return true, err
	}
	if e.Issue.Phase != loop.Landing {
		return true, nil
	}
	return true, h.core.SayOfIssue(e, "LANDED", "It had landed as "+e.Issue.Commit+" when the loop ended.")
}

// putBack leaves an issue open that has no work yet.
func (h *Handler) putBack(ctx context.Context, e core.Errand, t tracker.Tracker) error {
	if !e.Issue.Place.InTree {
		if err := t.Set(ctx, e.Issue.ID, tracker.StatusOpen, ""); err != nil {
			return err
		}
	}
	if err := worktree(e.Issue).Remove(ctx); err != nil {
		return err
	}
	return h.core.SayOfIssue(e, "REOPENED",
		"Nothing was done for it yet, so it stays open and its worktree is removed.")
}

func (h *Handler) pause(ctx context.Context, e core.Errand, t tracker.Tracker) error {
	if e.Findings != "" {
		if err := followUp(ctx, e, t); err != nil {
			return err
		}
	}
	return t.Set(ctx, e.Issue.ID, tracker.StatusPaused, comment(e))
}

// pauseInTree pauses an issue that is a file of the base. It commits the change there
// by itself, because the branch with the work does not land.
func (h *Handler) pauseInTree(ctx context.Context, e core.Errand, name string) error {
	w, err := git.AddWorktree(ctx, e.Issue.Repo, e.Issue.ID+".status", e.Issue.Target.Base)
	if err != nil {
		return err
	}
	t, err := tracker.Open(w.Path, name)
	if err != nil {
		return err
	}
	if err := h.pause(ctx, e, t); errors.Is(err, tracker.ErrNotFound) {
		return errors.Join(h.pauseHere(ctx, e, name), w.Remove(ctx)) // its file was never committed
	} else if err != nil {
		return err
	}
	files, err := w.Loose(ctx)
	if err != nil {
		return err
	}
	commit, _, err := w.Head(ctx)
	if err != nil {
		return err
	}
	if len(files) > 0 {
		message := fmt.Sprintf("Pause issue %s: %s\n\n%s\n", e.Issue.ID, e.Issue.Title, e.Note)
		if commit, err = w.Commit(ctx, message, files...); err != nil {
			return err
		}
	}
	return h.landStatus(ctx, e, w, commit)
}

func (h *Handler) pauseHere(ctx context.Context, e core.Errand, name string) error {
	t, err := tracker.Open(e.Issue.Repo, name)
	if err != nil {
		return err
	}
	return h.pause(ctx, e, t)
}

// landStatus lands a commit that changes nothing but issues.
func (h *Handler) landStatus(ctx context.Context, e core.Errand, w git.Worktree, commit string) (err error) {
	w.Goes = e.Issue.Target.Goes
	g := h.ledger(e)
	if w.BaseCommit, err = g.ReviewFrom(ctx, w); err != nil {
		return err
	}
	_, err = g.Land(ctx, w, commit, h.issues.Push)
	for range 3 {
		if !errors.Is(err, land.ErrDiverged) {
			break
		}
		if commit, err = w.Rebase(ctx); err == nil {
			_, err = g.Land(ctx, w, commit, h.issues.Push)
		}
	}
	if err != nil {
		return err
	}
	return w.Remove(ctx)
}

// comment says in the tracker why an issue is paused and where its work is.
func comment(e core.Errand) string {
	text := "Paused by Afar: " + e.Note + "."
	if p := e.Issue.Place; p.Path != "" {
		text += fmt.Sprintf(" Its work is on the branch %s in %s.", p.Branch, p.Path)
	}
	if e.Issue.Verdict != "" {
		text += " Last review: " + e.Issue.Verdict + "."
	}
	return text
}

// followUp files findings once, as a new issue that needs the reviewed one.
func followUp(ctx context.Context, e core.Errand, t tracker.Tracker) error {
	title := "Mend what the review of " + e.Issue.ID + " found"
	open, err := t.List(ctx)
	if err != nil || slices.ContainsFunc(open, func(i tracker.Issue) bool { return i.Title == title }) {
		return err
	}
	_, err = t.New(ctx, tracker.Draft{Title: title, Body: e.Findings, Needs: []string{e.Issue.ID}})
	return err
}
