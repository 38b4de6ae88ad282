// Package land brings the commit of an issue into its base branch. It changes nothing
// else, and never forces anything. After a crash the next call completes the landing.
package land

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/git"
)

// A Ledger is what Afar knows itself about its landings. A ref in the repository says the
// same, but a session can write that.
type Ledger struct {
	// Note keeps a commit before it lands.
	Note func(commit string) error
	// Has reports whether Note kept a commit.
	Has func(commit string) (bool, error)
}

// The reasons why a commit does not land. Each text says what to do. The error that
// wraps it names the branch, the checkout or the files. Land also returns
// git.ErrInTheWay and git.ErrNotClean.
var (
	// ErrDiverged: the base, or its remote, has commits that the branch lacks.
	ErrDiverged = errors.New("the base has moved on: rebase the branch, check and review it again")
	// ErrBaseDirty: the checkout of the base has staged or modified files.
	ErrBaseDirty = errors.New("the checkout of the base has uncommitted changes: commit or stash them")
	// ErrAhead: the base has commits of the person that its remote lacks.
	ErrAhead = errors.New("the base has commits that its remote does not have: push them, or take them off the base")
	// ErrChanged: the branch is not at the commit that was reviewed.
	ErrChanged = errors.New("the branch is not at the commit that was reviewed: review it again")
	// ErrUnseen: the commit would bring in others that no reviewer was shown.
	ErrUnseen = errors.New("commits before the reviewed ones would land too: review it again")
	// ErrPush: the remote refused the commit or could not be reached. Nothing landed.
	ErrPush = errors.New("the remote did not take the commit, so nothing landed")
)

// A Result says what Land did.
type Result struct {
	Commit   string // the commit that landed
	Checkout string // of the base, where the merge ran; "" if the base is not checked out
	Pushed   bool   // the remote has the commit too
}

// A landing is one call of Land.
type landing struct {
	git.Worktree
	repo   git.Repo // the main checkout
	base   git.Base
	ledger Ledger
	theirs string // the commit of the base at the remote, from the remote itself; "" if unknown
	push   bool
	done   Result
}

// Land brings a commit into the base. The commit must be the head of the worktree's
// branch. If the base is checked out, Land runs git merge --ff-only in that checkout;
// else it only moves the ref. If there is an obstacle, Land returns an error and
// changes nothing.
//
// With push, Land pushes the commit to the remote first. Only if the remote accepts
// the commit does it land here; the other order could leave the person with a base
// that the remote refuses. Without push, a remote that does not answer is no
// obstacle; Land uses what was last seen of it.
//
// It lands no commit before w.BaseCommit, where the reviewed diff begins: the base or its remote
// must have that commit.
//
// To land a commit again is not an error, so repeating the call completes a landing
// that a crash interrupted.
func (g Ledger) Land(ctx context.Context, w git.Worktree, commit string, push bool) (Result, error) {
	l := landing{
		Worktree: w,
		repo:     git.Trusted(w.Repo),
		ledger:   g,
		push:     push,
		done:     Result{Commit: commit},
	}
	if err := l.land(ctx); err != nil {
		return l.done, fmt.Errorf("land %s in %s: %w", w.Branch, w.Base, err)
	}
	return l.done, nil
}

func (l *landing) land(ctx context.Context) error {
	if !isFullName(l.done.Commit) {
		return fmt.Errorf("%w: %.80q is not the full name of a commit", ErrChanged, l.done.Commit)
	}
	var err error
	if l.base, err = l.repo.Base(ctx, l.Base); err != nil {
		return err
	}
	if err := l.CheckGoes(ctx, l.repo, l.base); err != nil {
		return err
	}
	fetched := fetch(ctx, l.repo, l.base) // before taking the lock, because a remote may be slow
	l.theirs = l.repo.Remote(ctx, l.base)
	if l.push && fetched != nil && l.base.Theirs != "" {
		return fmt.Errorf("%w: %w", ErrPush, fetched)
	}
	if l.repo, err = l.Begin(ctx); err != nil {
		return err
	}
	defer l.repo.Unlock()
	return l.landLocked(ctx)
}

// isFullName reports whether a text is the full name of a commit: a SHA-1 or SHA-256 in hex.
func isFullName(commit string) bool {
	return slices.Contains([]int{40, 64}, len(commit)) && strings.Trim(commit, "0123456789abcdef") == ""
}

// landLocked does the work of Land. The caller holds the lock of the repository.
func (l *landing) landLocked(ctx context.Context) (err error) {
	if err := settle(ctx, l.repo); err != nil {
		return err
	}
	if l.base, err = l.repo.Base(ctx, l.Base); err != nil {
		return err
	}
	if err := l.CheckGoes(ctx, l.repo, l.base); err != nil {
		return err
	}
	if l.theirs != "" && l.repo.Has(ctx, l.theirs) {
		l.base.Theirs = l.theirs
	}
	if err := l.checkSeen(ctx); err != nil {
		return err
	}
	hasLanded, err := l.repo.IsAncestor(ctx, l.done.Commit, l.base.Tip)
	if err != nil {
		return err
	}
	if hasLanded {
		return l.pushLanded(ctx)
	}
	for _, check := range []func(context.Context) error{
		l.checkReviewed,
		l.checkFastForward,
		l.findCheckout,
		l.checkFree,
	} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	if l.push {
		if err := l.pushCommit(ctx); err != nil {
			return err
		}
	}
	err = l.forward(context.WithoutCancel(ctx))
	if err != nil && l.done.Pushed {
		err = fmt.Errorf("%w; the remote has it already", err)
	}
	return err
}

// checkSeen returns ErrUnseen unless the base, its remote or our last landing there holds
// the commit at which the reviewed diff begins.
func (l *landing) checkSeen(ctx context.Context) error {
	if l.BaseCommit == "" {
		return nil // an issue that began before this was recorded
	}
	known := []string{l.base.Tip}
	if l.theirs != "" && l.repo.Has(ctx, l.theirs) {
		known = append(known, l.theirs)
	}
	isIn, err := l.repo.Holds(ctx, l.BaseCommit, known...)
	if err == nil && !isIn {
		err = fmt.Errorf("%w: %.12s, where they begin, is not in %s", ErrUnseen, l.BaseCommit, l.base.Name)
	}
	return err
}

// checkReviewed returns an error unless the worktree is at the commit and is clean.
func (l *landing) checkReviewed(ctx context.Context) error {
	tip, err := l.repo.Resolve(ctx, git.Heads+l.Branch)
	if err != nil {
		return err
	}
	if tip != l.done.Commit {
		return fmt.Errorf("%w: it is at %.12s and not at %.12s", ErrChanged, tip, l.done.Commit)
	}
	if err := l.Verify(ctx, l.repo); err != nil {
		return err
	}
	return l.CheckClean(ctx, l.repo)
}

// checkFastForward returns an error unless the base can be fast-forwarded to the
// commit. It also returns one if the base has commits of the person that the remote
// lacks, or if the base is behind the remote and the commit would make them diverge.
// Without push, a base may have diverged from its remote through commits that we
// landed.
func (l *landing) checkFastForward(ctx context.Context) error {
	if err := l.checkContains(ctx, l.base.Tip); err != nil {
		return err
	}
	if l.base.Theirs == "" {
		return nil
	}
	err := l.checkContains(ctx, l.base.Theirs)
	if errors.Is(err, ErrDiverged) {
		err = l.checkAhead(ctx, err)
	}
	if err != nil || l.base.Tip == "" {
		return err
	}
	return l.checkPushed(ctx, l.base.Tip)
}

// checkAhead checks a base whose remote has diverged from the commit. It returns
// diverged if the base is only behind the remote. Else the base has diverged itself,
// which is an error with push.
func (l *landing) checkAhead(ctx context.Context, diverged error) error {
	isBehind, err := l.repo.IsAncestor(ctx, l.base.Tip, l.base.Theirs)
	switch {
	case err != nil:
		return err
	case isBehind:
		return diverged
	case l.push:
		return fmt.Errorf("%w (%s and %s have diverged: merge them)", ErrAhead, l.base.Name, l.base.Tracking)
	}
	return nil
}

// checkContains returns ErrDiverged unless old is an ancestor of the commit that
// lands.
func (l *landing) checkContains(ctx context.Context, old string) error {
	isIn, err := l.repo.IsAncestor(ctx, old, l.done.Commit)
	if err != nil {
		return err
	}
	if !isIn {
		return fmt.Errorf("%w (%.12s is not in it)", ErrDiverged, old)
	}
	return nil
}

// checkPushed returns ErrAhead if a commit of the base has ancestors that the remote
// lacks and that we did not land. Only the person may push those.
func (l *landing) checkPushed(ctx context.Context, commit string) error {
	args := []string{"rev-list", "--count", commit, "^" + l.base.Theirs}
	landed, err := l.ledger.last(ctx, l.repo, l.base.Name)
	if err != nil {
		return err
	}
	if landed != "" {
		args = append(args, "^"+landed)
	}
	n, err := l.repo.Line(ctx, args...)
	if err == nil && n != "0" {
		err = fmt.Errorf("%w (commits of %s that are not in %s: %s)", ErrAhead, l.base.Name, l.base.Tracking, n)
	}
	return err
}

// findCheckout finds the checkout of the base. It returns an error if any checkout is
// in the middle of a rebase or bisect of the base.
func (l *landing) findCheckout(ctx context.Context) error {
	dirs, err := l.repo.Checkouts(ctx)
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if what := busyWith(dir, l.base.Name); what != "" {
			return fmt.Errorf("%w: %s of %s is not finished (%s)", git.ErrInTheWay, what, l.base.Name, dir)
		}
	}
	path, err := l.repo.Line(ctx, "for-each-ref", "--format=%(worktreepath)", git.Heads+l.base.Name)
	if err != nil || path == "" {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("%w: %s is checked out in %s, which is not there", git.ErrInTheWay, l.base.Name, path)
	}
	l.done.Checkout = path
	return nil
}

// suspended are the files in which git names the branch to which a checkout returns
// when an operation is finished, with the name of the operation.
var suspended = map[string]string{
	"rebase-merge/head-name": "a rebase",
	"rebase-apply/head-name": "a rebase",
	"BISECT_START":           "a bisect",
}

// busyWith returns the unfinished operation of a checkout on a branch, "" if there is
// none.
func busyWith(dir, branch string) string {
	for name, what := range suspended {
		text, _ := os.ReadFile(filepath.Join(dir, name)) // most checkouts have none of these files
		if strings.TrimPrefix(strings.TrimSpace(string(text)), git.Heads) == branch {
			return what
		}
	}
	return ""
}

// unfinished are the files that exist while an operation in a checkout is not
// finished, with the name of the operation.
var unfinished = map[string]string{
	"MERGE_HEAD":       "a merge",
	"CHERRY_PICK_HEAD": "a cherry-pick",
	"REVERT_HEAD":      "a revert",
	"BISECT_LOG":       "a bisect",
	"rebase-merge":     "a rebase",
	"rebase-apply":     "a rebase",
	"sequencer":        "a series of picks",
	"index.lock":       "another git (or a lock that it left: index.lock)",
}

// checkFree returns an error if landing would touch the person's work in the checkout
// of the base.
func (l *landing) checkFree(ctx context.Context) error {
	if l.done.Checkout == "" {
		return nil
	}
	at := l.repo.In(l.done.Checkout)
	own, err := at.GitDir(ctx)
	if err != nil {
		return err
	}
	for name, what := range unfinished {
		if _, err := os.Lstat(filepath.Join(own, name)); err == nil {
			return fmt.Errorf("%w: %s is not finished in %s", git.ErrInTheWay, what, at.Dir)
		}
	}
	changes, err := at.Changes(ctx)
	if err != nil {
		return err
	}
	touched, err := at.ChangedPaths(ctx, "", l.base.Tip, l.done.Commit)
	if err != nil {
		return err
	}
	isTouched := func(path string) bool { return slices.Contains(touched, path) }
	aside := slices.DeleteFunc(slices.Clone(l.Aside), isTouched)
	changes = slices.DeleteFunc(changes, func(c git.Change) bool { return isHarmless(c, aside) })
	if len(changes) > 0 {
		return fmt.Errorf("%w: in %s: %s", ErrBaseDirty, at.Dir, git.NameChanges(changes))
	}
	return at.CheckRoom(ctx, l.base.Tip, l.done.Commit)
}

// isHarmless reports whether a fast-forward may happen despite a change: an untracked
// file, which CheckRoom checks, the checkout of a submodule, or an unstaged
// modification of one of the files aside.
func isHarmless(c git.Change, aside []string) bool {
	switch {
	case c.Kind == '?':
		return true
	case c.Index != '.':
		return false // staged
	case c.Sub:
		return true
	}
	return c.Work == 'M' && slices.Contains(aside, c.Path)
}

// last returns the commit that we landed last in a base, "" if there is none.
func (g Ledger) last(ctx context.Context, r git.Repo, base string) (string, error) {
	landed, err := r.Resolve(ctx, git.LandedRef(base))
	if err != nil || landed == "" {
		return "", err
	}
	if is, err := g.Has(landed); err != nil || !is {
		return "", err
	}
	return landed, nil
}

// ReviewFrom returns the commit at which the diff for a review of a worktree's branch
// begins, see git.Worktree.ReviewFrom. It asks the remote first.
func (g Ledger) ReviewFrom(ctx context.Context, w git.Worktree) (string, error) {
	r := git.Trusted(w.Repo)
	b, err := r.Base(ctx, w.Base)
	if err != nil {
		return "", err
	}
	if err := w.CheckGoes(ctx, r, b); err != nil {
		return "", err
	}
	_ = fetch(ctx, r, b) // without an answer of the remote, more is reviewed
	landed, err := g.last(ctx, r, w.Base)
	if err != nil {
		return "", err
	}
	return w.ReviewFrom(ctx, r.Remote(ctx, b), landed)
}

// forward moves the base. git itself refuses if the base has moved since the checks.
func (l *landing) forward(ctx context.Context) error {
	if err := l.ledger.Note(l.done.Commit); err != nil {
		return err
	}
	_, err := l.repo.Run(ctx, "update-ref", "-m", "afar: landing", git.LandedRef(l.base.Name), l.done.Commit)
	if err != nil {
		return err
	}
	if l.done.Checkout == "" {
		err = l.moveRef(ctx)
	} else {
		err = l.merge(ctx)
	}
	if err == nil {
		return nil
	}
	tip, _ := l.repo.Resolve(ctx, git.Heads+l.base.Name)
	if isIn, _ := l.repo.IsAncestor(ctx, tip, l.done.Commit); !isIn {
		return fmt.Errorf("%w: %w", ErrDiverged, err)
	}
	return fmt.Errorf("%w: %w", git.ErrInTheWay, err)
}

// moveRef moves a base that is not checked out.
func (l *landing) moveRef(ctx context.Context) error {
	old := l.base.Tip
	if old == "" {
		old = strings.Repeat("0", len(l.done.Commit)) // update-ref's name for no value
	}
	_, err := l.repo.Run(ctx, "update-ref", "-m", "afar: land", git.Heads+l.base.Name, l.done.Commit, old)
	return err
}

// merge moves a base that is checked out, and updates the checkout.
func (l *landing) merge(ctx context.Context) error {
	common, err := l.repo.CommonDir(ctx)
	if err != nil {
		return err
	}
	m := git.Mark{
		Checkout: l.done.Checkout,
		Ref:      git.Heads + l.base.Name,
		From:     l.base.Tip,
		To:       l.done.Commit,
	}
	var failed error
	err = git.WithMark(filepath.Join(common, markName), m, func() error {
		_, failed = l.repo.In(l.done.Checkout).Call(ctx, git.Call{Env: []string{"GIT_REFLOG_ACTION=afar: land"}},
			"merge", "-q", "--ff-only", "--no-overwrite-ignore", "--no-autostash", "--no-squash", "--no-stat",
			l.done.Commit)
		if failed != nil {
			return settle(ctx, l.repo)
		}
		return nil
	})
	return errors.Join(failed, err)
}
