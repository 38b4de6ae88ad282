// Package issuework does the work that issue loops ask for: it picks an issue,
// prepares its worktree, has its commit reviewed and lands it. It carries out the
// actions of core.LaneIssue.
package issuework

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/consult"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/land"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/tracker"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// errandFor bounds each errand. If a tool hangs, the errand fails with that reason and
// its loop goes on. A review has another limit for each program, see consult.
var errandFor = map[loop.Phase]time.Duration{
	loop.Picking:   time.Minute,
	loop.Preparing: 5 * time.Minute,
	loop.Sealing:   3 * time.Minute,
	loop.Reviewing: time.Hour,
	loop.Landing:   5 * time.Minute,
	loop.Rebasing:  5 * time.Minute,
	loop.Closing:   time.Minute,
	loop.Cleaning:  2 * time.Minute,
	loop.Releasing: 5 * time.Minute,
}

const (
	errandTries = 3                // tries of an errand whose tool fails
	disabledFor = 30 * time.Second // between two checks whether a project is still switched off
)

// A Handler carries out the errands of issue loops. Each errand may be a repetition of one
// that an earlier coordinator began.
type Handler struct {
	core    *feature.Core
	dirs    home.Dirs
	issues  config.Issues
	reviews consult.Config
}

// New returns a handler that has commits reviewed by reviews.
func New(c *feature.Core, dirs home.Dirs, issues config.Issues, reviews consult.Config) *Handler {
	return &Handler{core: c, dirs: dirs, issues: issues, reviews: reviews}
}

// Run works until ctx ends.
func (h *Handler) Run(ctx context.Context) { h.core.WorkEach(ctx, core.LaneIssue, h.act) }

func (h *Handler) act(ctx context.Context, a store.Action) error {
	var e core.Errand
	if err := json.Unmarshal([]byte(a.Data), &e); err != nil {
		return core.GiveUp(err)
	}
	if h.core.AwaitResumed(ctx); !h.core.WantsErrand(e) {
		return ctx.Err()
	}
	if err := h.silenced(e.Issue.Repo); err != nil {
		return err
	}
	bound, cancel := context.WithTimeout(ctx, errandFor[e.Phase])
	defer cancel()
	if e.Phase == loop.Releasing {
		return h.released(bound, e, a.Tries+1 >= errandTries)
	}
	r := h.errand(bound, e)
	r.Broken, r.Why, r.Findings = redact.Clean(r.Broken), redact.Clean(r.Why), redact.Clean(r.Findings)
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // the errand begins again at the next start
	case r.Broken != "" && a.Tries+1 < errandTries && retries(e.Phase):
		return errors.New(r.Broken)
	}
	return h.core.AdvanceIssue(e, r)
}

// silenced returns a delay while a project asks for silence, unless the person has decided that Afar
// works there. They hear of it once: a session may have made the file.
func (h *Handler) silenced(repo string) error {
	_, err := os.Lstat(filepath.Join(repo, home.SwitchOff))
	if err != nil || home.Marked(h.dirs.HeardMark(repo)) {
		return nil
	}
	if err := h.core.TellSilence("telegram", repo, home.SwitchOff); err != nil {
		return err
	}
	return &core.Delay{After: disabledFor, Err: fmt.Errorf("%s holds %s", repo, home.SwitchOff)}
}

// retries reports whether an errand that failed is tried again at once.
func retries(p loop.Phase) bool {
	return slices.Contains([]loop.Phase{loop.Picking, loop.Preparing, loop.Closing, loop.Cleaning}, p)
}

func (h *Handler) errand(ctx context.Context, e core.Errand) (r loop.Result) {
	var err error
	switch e.Phase {
	case loop.Picking:
		r, err = h.pick(ctx, e)
	case loop.Preparing:
		r, err = h.prepare(ctx, e)
	case loop.Sealing:
		r, err = h.seal(ctx, e)
	case loop.Reviewing:
		r, err = h.review(ctx, e)
	case loop.Landing:
		r, err = h.land(ctx, e)
	case loop.Rebasing:
		r, err = h.rebase(ctx, e)
	case loop.Closing:
		err = h.close(ctx, e)
	case loop.Cleaning:
		err = worktree(e.Issue).Remove(ctx)
	default:
		err = fmt.Errorf("unknown errand %q", e.Phase)
	}
	if err != nil {
		r.Broken = broken(ctx, e.Phase, err)
	}
	return r
}

// broken returns an error as people read it. It says when a tool took too long.
func broken(ctx context.Context, p loop.Phase, err error) string {
	said := text.Fold(err.Error())
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		said = fmt.Sprintf("%s took more than %s: %s", p, errandFor[p], said)
	}
	return said
}

func worktree(is loop.Issue) git.Worktree {
	p := is.Place
	return git.Worktree{
		Repo:       is.Repo,
		Path:       p.Path,
		Branch:     p.Branch,
		Base:       p.Base,
		BaseCommit: p.BaseCommit,
		Goes:       is.Target.Goes,
		Aside:      tracker.Logs,
	}
}

func (h *Handler) tracker(top string) (tracker.Tracker, error) {
	return tracker.Open(top, h.issues.Tracker)
}

func (h *Handler) pick(ctx context.Context, e core.Errand) (r loop.Result, err error) {
	t, err := h.tracker(e.Issue.Repo)
	if err != nil {
		return r, err
	}
	if r.Target = e.Issue.Target; r.Target == (loop.Target{}) {
		if r.Target.Base, r.Target.Goes, err = git.Target(ctx, e.Issue.Repo); err != nil {
			return r, err
		}
	}
	ready, err := t.Ready(ctx)
	for _, i := range ready {
		r.Ready = append(r.Ready, loop.Found{ID: i.ID, Title: i.Title, Body: i.Body})
	}
	return r, err
}

func (h *Handler) prepare(ctx context.Context, e core.Errand) (r loop.Result, err error) {
	w, err := git.AddWorktree(ctx, e.Issue.Repo, e.Issue.ID, e.Issue.Target.Base)
	if err != nil {
		return r, err
	}
	r.Place = loop.Place{Path: w.Path, Branch: w.Branch, Base: w.Base, BaseCommit: w.BaseCommit}
	t, err := h.tracker(e.Issue.Repo)
	if err != nil {
		return r, err
	}
	file, inTree, err := h.fileOf(ctx, t, w, e.Issue.ID)
	if err != nil {
		return r, err
	}
	if r.Place.InTree = inTree; !inTree {
		return r, t.Set(ctx, e.Issue.ID, tracker.StatusInProgress, "")
	}
	isUntouched, err := untouched(ctx, w)
	r.Over = isUntouched && file.Status.Over() // the base has it closed
	return r, err
}

// untouched reports whether a worktree has no work at all.
func untouched(ctx context.Context, w git.Worktree) (bool, error) {
	head, clean, err := w.Head(ctx)
	return clean && head == w.BaseCommit, err
}

// fileOf finds the issue among the files of its worktree. An issue whose file was never
// committed is not there. It is changed in the main checkout, like an issue of a tool.
func (h *Handler) fileOf(
	ctx context.Context, t tracker.Tracker, w git.Worktree, id string,
) (i tracker.Issue, inTree bool, err error) {
	if !tracker.InTree(t) {
		return i, false, nil
	}
	there, err := tracker.Open(w.Path, t.Name())
	if err != nil {
		return i, false, err
	}
	i, err = there.Show(ctx, id)
	if errors.Is(err, tracker.ErrNotFound) {
		return i, false, nil
	}
	return i, err == nil, err
}

// seal checks what the session committed. If the issue is a file of the tree, seal closes
// it, so that the closing is reviewed and lands with the work.
func (h *Handler) seal(ctx context.Context, e core.Errand) (r loop.Result, err error) {
	w := worktree(e.Issue)
	var file tracker.Issue
	t, err := h.tracker(w.Path)
	if err != nil {
		return r, err
	}
	if e.Issue.Place.InTree {
		if file, err = t.Show(ctx, e.Issue.ID); err != nil {
			return r, err
		}
	}
	loose, err := w.Loose(ctx)
	if err != nil {
		return r, err
	}
	if r.Loose = slices.DeleteFunc(loose, func(name string) bool { return name == file.Path }); len(r.Loose) > 0 {
		return r, nil
	}
	diff, _, err := w.Diff(ctx, 1<<10)
	if err != nil {
		return r, err
	}
	if r.Empty = diff == ""; r.Empty {
		return r, nil
	}
	if e.Issue.Place.InTree {
		if err := t.Set(ctx, e.Issue.ID, tracker.StatusClosed, ""); err != nil {
			return r, err
		}
		r.Commit, err = w.Commit(ctx, fmt.Sprintf("Close issue %s: %s\n", e.Issue.ID, e.Issue.Title), file.Path)
		return r, err
	}
	r.Commit, _, err = w.Head(ctx)
	return r, err
}

// review has the sealed commit reviewed. It ends early if the loop does not want the
// review any more.
func (h *Handler) review(ctx context.Context, e core.Errand) (r loop.Result, err error) {
	w := worktree(e.Issue)
	if w.BaseCommit, err = h.ledger(e).ReviewFrom(ctx, w); err != nil {
		return r, err
	}
	if h.issues.Review != config.ReviewOn {
		return loop.Result{Approved: true, From: w.BaseCommit}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		h.core.AwaitUnwanted(ctx, e)
		cancel()
	}()
	head, clean, err := w.Head(ctx)
	if err != nil {
		return r, err
	}
	if head != e.Issue.Commit || !clean {
		return loop.Result{Refused: loop.Changed}, nil
	}
	diff, cut, err := w.Diff(ctx, consult.MaxDiff)
	if err != nil {
		return r, err
	}
	by := h.reviews
	by.Repo = w.Repo
	v, err := consult.Review(ctx, by, consult.Change{
		Issue:  e.Issue.Title + "\n\n" + e.Issue.Body,
		Diff:   diff,
		Cut:    cut,
		Commit: head,
	})
	if err := noteReview(h.core, e, w.BaseCommit, head, v); err != nil {
		return r, err
	}
	isInstalled := func(m consult.Miss) bool { return !m.Absent }
	return loop.Result{
		From:     w.BaseCommit,
		Approved: v.Approved,
		By:       v.By,
		Digest:   v.Digest,
		Findings: v.Findings,
		Nobody:   errors.Is(err, consult.ErrNone) && !slices.ContainsFunc(v.Missed, isInstalled),
	}, err
}

// noteReview writes a verdict into the journal, before it has any effect.
func noteReview(c *feature.Core, e core.Errand, from, commit string, v consult.Verdict) error {
	if v.By == "" {
		return nil // no program was asked
	}
	word := "not approved"
	if v.Approved {
		word = "approved"
	}
	note := fmt.Sprintf("commit %s of issue %s is %s by %s (%s), sha256 %s", commit, e.Issue.ID, word, v.By, v.Path,
		v.Digest)
	note += "; the diff began at " + from
	for _, m := range v.Missed {
		note += "; " + redact.Clean(m.String())
	}
	return c.Note(event.ReviewMade, e.Session, e.Issue.ID, text.Fold(note))
}

// ledger returns what the journal knows about our landings.
func (h *Handler) ledger(e core.Errand) land.Ledger {
	return land.Ledger{
		Note: func(commit string) error {
			text := fmt.Sprintf("commit %s of issue %s is about to land on %s", commit, e.Issue.ID, e.Issue.Place.Base)
			return h.core.Note(event.IssueLanding, e.Session, commit, text)
		},
		Has: func(commit string) (bool, error) { return h.core.Noted(event.IssueLanding, commit) },
	}
}

func (h *Handler) land(ctx context.Context, e core.Errand) (loop.Result, error) {
	l, err := h.ledger(e).Land(ctx, worktree(e.Issue), e.Issue.Commit, h.issues.Push)
	r := refusal(err)
	r.Commit = l.Commit
	if r.Refused != "" {
		err = nil
	}
	return r, err
}

func (h *Handler) rebase(ctx context.Context, e core.Errand) (loop.Result, error) {
	w := worktree(e.Issue)
	commit, err := w.Rebase(ctx)
	r := refusal(err)
	r.Commit, r.From = commit, w.BaseCommit
	if r.Refused != "" {
		err = nil
	}
	return r, err
}

// refusal translates an error of git into a refusal; zero for any other error.
func refusal(err error) (r loop.Result) {
	for _, c := range []struct {
		is   error
		what loop.Refusal
	}{
		{land.ErrDiverged, loop.Diverged},
		{land.ErrChanged, loop.Changed},
		{land.ErrUnseen, loop.Changed},
		{git.ErrElsewhere, loop.Blocked},
		{git.ErrNotClean, loop.Changed},
		{git.ErrConflict, loop.Conflict},
		{land.ErrBaseDirty, loop.Blocked},
		{git.ErrInTheWay, loop.Blocked},
		{land.ErrAhead, loop.Blocked},
		{land.ErrPush, loop.Blocked},
	} {
		if errors.Is(err, c.is) {
			return loop.Result{Refused: c.what, Why: err.Error()}
		}
	}
	return r
}

func (h *Handler) close(ctx context.Context, e core.Errand) error {
	t, err := h.tracker(e.Issue.Repo)
	if err != nil {
		return err
	}
	return t.Set(ctx, e.Issue.ID, tracker.StatusClosed, "landed as "+e.Issue.Commit)
}
