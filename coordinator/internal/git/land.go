package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Landed says what landing did.
type Landed struct {
	Commit   string // that the base has now
	Base     string
	Checkout string // where it was merged; "" where the base is checked out nowhere
	Pushed   bool   // the remote has it too
}

// Land brings a commit, which is the head of the branch, into the base: by git
// merge --ff-only in the checkout that holds the base, or in the ref alone where
// none does. Nothing that the person has is changed but that, and where
// something speaks against it nothing is changed at all: see the errors.
//
// With push the remote gets the commit first, and only a commit that it took
// lands here. The other order would leave the person with a base that their
// remote refuses. Nothing is ever forced, and nothing is taken back. Without
// push a remote that does not answer is no reason to wait: what was last seen
// of it counts.
//
// Landing what has landed is no error, so after a crash the same call ends it.
func (w Worktree) Land(ctx context.Context, commit string, push bool) (Landed, error) {
	r := Trusted(w.Repo)
	l := Landed{Commit: commit, Base: w.Base}
	if !isCommit(commit) {
		return l, w.landing(fmt.Errorf("%w: %.80q is no full name of a commit", ErrChanged, commit))
	}
	b, err := r.base(ctx, w.Base)
	if err != nil {
		return l, w.landing(err)
	}
	seen := r.fetch(ctx, b) // before the lock: a remote may be slow
	if push && seen != nil && b.theirs != "" {
		return l, w.landing(fmt.Errorf("%w: %w", ErrPush, seen))
	}
	r, err = w.begin(ctx)
	if err != nil {
		return l, w.landing(err)
	}
	defer r.Unlock()
	err = w.land(ctx, r, &l, push)
	return l, w.landing(err)
}

func (w Worktree) landing(err error) error {
	if err != nil {
		return fmt.Errorf("land %s in %s: %w", w.Branch, w.Base, err)
	}
	return nil
}

func isCommit(oid string) bool {
	return (len(oid) == 40 || len(oid) == 64) && strings.Trim(oid, "0123456789abcdef") == ""
}

// land does what Land promises, under the lock.
func (w Worktree) land(ctx context.Context, r Repo, l *Landed, push bool) error {
	if err := r.settleLanding(ctx); err != nil {
		return err
	}
	b, err := r.base(ctx, w.Base)
	if err != nil {
		return err
	}
	if b.tip != "" {
		there, err := r.IsAncestor(ctx, l.Commit, b.tip)
		if err != nil {
			return err
		}
		if there {
			return w.pushLanded(ctx, r, b, l, push)
		}
	}
	if err := w.reviewed(ctx, r, l.Commit); err != nil {
		return err
	}
	if err := r.straight(ctx, b, l.Commit, push); err != nil {
		return err
	}
	if l.Checkout, err = r.checkoutOf(ctx, b); err != nil {
		return err
	}
	if err := r.In(l.Checkout).free(ctx, b, l.Commit, w.Aside); err != nil {
		return err
	}
	if err := w.push(ctx, r, b, l, push); err != nil {
		return err
	}
	err = r.forward(context.WithoutCancel(ctx), b, l)
	if err != nil && l.Pushed {
		err = fmt.Errorf("%w; the remote has it already", err)
	}
	return err
}

// reviewed holds the worktree against the commit that is to land.
func (w Worktree) reviewed(ctx context.Context, r Repo, commit string) error {
	tip, err := r.Resolve(ctx, heads+w.Branch)
	if err == nil && tip != commit {
		err = fmt.Errorf("%w: it is at %.12s and not at %.12s", ErrChanged, tip, commit)
	}
	if err == nil {
		err = w.ours(ctx, r)
	}
	if err == nil {
		err = w.clean(ctx, r)
	}
	return err
}

// landedRef remembers the last commit of ours that a base got, so that what we
// landed is not taken for unpushed work of the person's.
func landedRef(base string) string { return "refs/afar/landed/" + base }

// straight reports an error unless the base can go straight to the commit, and
// has nothing of the person's that its remote lacks. A base that is behind its
// remote goes there too, and is not taken past it. One that went apart from it
// by what landed without being pushed goes on like that, as long as nobody wants
// to push.
func (r Repo) straight(ctx context.Context, b base, commit string, push bool) error {
	if b.tip != "" {
		if err := r.reaches(ctx, b.tip, commit); err != nil {
			return err
		}
	}
	if b.theirs == "" {
		return nil
	}
	err := r.reaches(ctx, b.theirs, commit)
	if b.tip == "" {
		return err
	}
	if errors.Is(err, ErrDiverged) {
		behind, why := r.IsAncestor(ctx, b.tip, b.theirs)
		switch {
		case why != nil:
			return why
		case behind:
			return err
		case push:
			return fmt.Errorf("%w (%s and %s went apart: bring them together)", ErrAhead, b.name, b.tracking)
		}
		err = nil
	}
	if err != nil {
		return err
	}
	return r.theirOwn(ctx, b, b.tip)
}

// reaches reports ErrDiverged unless a commit holds another one.
func (r Repo) reaches(ctx context.Context, old, commit string) error {
	in, err := r.IsAncestor(ctx, old, commit)
	if err == nil && !in {
		err = fmt.Errorf("%w (%.12s is not in it)", ErrDiverged, old)
	}
	return err
}

// theirOwn reports ErrAhead where a commit of the base holds what neither the
// remote has nor we landed: that is the person's, and theirs to push.
func (r Repo) theirOwn(ctx context.Context, b base, commit string) error {
	args := []string{"rev-list", "--count", commit, "^" + b.theirs}
	ours, err := r.Resolve(ctx, landedRef(b.name))
	if err != nil {
		return err
	}
	if ours != "" {
		args = append(args, "^"+ours)
	}
	n, err := r.Line(ctx, args...)
	if err == nil && n != "0" {
		err = fmt.Errorf("%w (commits of %s that are not in %s: %s)", ErrAhead, b.name, b.tracking, n)
	}
	return err
}

// checkoutOf returns the checkout that holds the base, "" for none. One that is
// in the middle of something with the base holds it too, and is refused.
func (r Repo) checkoutOf(ctx context.Context, b base) (string, error) {
	dirs, err := r.checkouts(ctx)
	if err != nil {
		return "", err
	}
	for _, dir := range dirs {
		if what := busyWith(dir, heads+b.name); what != "" {
			return "", fmt.Errorf("%w: %s of %s is not finished (%s)", ErrInTheWay, what, b.name, dir)
		}
	}
	out, err := r.Line(ctx, "for-each-ref", "--format=%(worktreepath)", heads+b.name)
	if err != nil || out == "" {
		return "", err
	}
	if _, err := os.Stat(out); err != nil {
		return "", fmt.Errorf("%w: %s is checked out in %s, which is not there", ErrInTheWay, b.name, out)
	}
	return out, nil
}

// checkouts returns the directories in which git keeps the state of each
// checkout of the repository.
func (r Repo) checkouts(ctx context.Context) ([]string, error) {
	common, err := r.CommonDir(ctx)
	if err != nil {
		return nil, err
	}
	linked, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	dirs := []string{common}
	for _, d := range linked {
		dirs = append(dirs, filepath.Join(common, "worktrees", d.Name()))
	}
	return dirs, nil
}

// busyWith says what a checkout is in the middle of with a branch that it has
// put aside meanwhile; "" is nothing.
func busyWith(dir, ref string) string {
	for name, what := range map[string]string{"rebase-merge/head-name": "a rebase", "rebase-apply/head-name": "a rebase", "BISECT_START": "a bisect"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if at := strings.TrimSpace(string(text)); err == nil && (at == ref || heads+at == ref) {
			return what
		}
	}
	return ""
}

// unfinished are the marks of what git was told to do in a checkout and has not
// ended.
var unfinished = map[string]string{
	"MERGE_HEAD": "a merge", "CHERRY_PICK_HEAD": "a cherry-pick", "REVERT_HEAD": "a revert", "BISECT_LOG": "a bisect",
	"rebase-merge": "a rebase", "rebase-apply": "a rebase", "sequencer": "a series of picks", "index.lock": "another git (or a lock that it left: index.lock)",
}

// free reports an error where landing would touch what is the person's in the
// checkout of the base.
func (r Repo) free(ctx context.Context, b base, commit string, aside []string) error {
	if r.Dir == "" {
		return nil // checked out nowhere
	}
	own, err := r.GitDir(ctx)
	if err != nil {
		return err
	}
	for name, what := range unfinished {
		if _, err := os.Lstat(filepath.Join(own, name)); err == nil {
			return fmt.Errorf("%w: %s is not finished in %s", ErrInTheWay, what, r.Dir)
		}
	}
	changes, err := r.changes(ctx)
	if err != nil {
		return err
	}
	touched, err := r.names(ctx, "", b.tip, commit)
	if err != nil {
		return err
	}
	changes = slices.DeleteFunc(changes, func(c pending) bool {
		return harmless(c) || c.logged() && slices.Contains(aside, c.path) && !slices.Contains(touched, c.path)
	})
	if len(changes) > 0 {
		return fmt.Errorf("%w: in %s: %s", ErrBaseDirty, r.Dir, some(changes))
	}
	return r.room(ctx, b.tip, commit)
}

// harmless is what a fast-forward leaves alone: files that git does not track
// (room looks at those) and what is checked out in a submodule.
func harmless(c pending) bool { return c.kind == '?' || c.sub && c.index == '.' }

// logged is a change as a program makes it in a file of its own: nothing staged,
// nothing gone.
func (c pending) logged() bool { return c.kind == '1' && c.index == '.' && c.work == 'M' }

// room reports an error where going from one commit to another would write over
// a file that git does not track, an ignored one too: git itself takes those
// for worthless.
func (r Repo) room(ctx context.Context, from, to string) error {
	gone, err := r.names(ctx, "D", from, to)
	if err != nil {
		return err
	}
	added, err := r.names(ctx, "A", from, to)
	if err != nil {
		return err
	}
	blind, _ := r.Line(ctx, "config", "--type=bool", "--get", "core.ignoreCase")
	tracked := map[string]bool{}
	for _, name := range gone {
		tracked[fold(name, blind == "true")] = true
	}
	var taken []string
	for _, name := range added {
		if at := r.taken(name, func(p string) bool { return tracked[fold(p, blind == "true")] }); at != "" && !slices.Contains(taken, at) {
			taken = append(taken, at)
		}
	}
	if len(taken) > 0 {
		return fmt.Errorf("%w: %s would write over files that are not tracked: %s", ErrInTheWay, r.Dir, someNames(taken))
	}
	if blind == "true" {
		return r.clash(ctx, added, to)
	}
	return nil
}

// clash reports an error where an added file is another one of the commit but
// for its case, on a file system that does not tell them apart.
func (r Repo) clash(ctx context.Context, added []string, commit string) error {
	all, err := r.tracked(ctx, commit)
	count := map[string]int{}
	for name := range all {
		count[fold(name, true)]++
	}
	for _, name := range added {
		if count[fold(name, true)] > 1 {
			return fmt.Errorf("%w: this file system takes %q for another file of the branch", ErrInTheWay, name)
		}
	}
	return err
}

func fold(name string, blind bool) string {
	if blind {
		return strings.ToLower(name)
	}
	return name
}

// taken returns what stands where a file would be written, "" for nothing. Of
// directories git takes care itself.
func (r Repo) taken(name string, tracked func(string) bool) string {
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		at := name[:i]
		info, err := os.Lstat(filepath.Join(r.Dir, at))
		if err != nil {
			return ""
		}
		if !info.IsDir() {
			if tracked(at) {
				return ""
			}
			return at
		}
	}
	return ""
}

// names lists the paths that were added (A) or deleted (D) between two commits.
func (r Repo) names(ctx context.Context, filter, from, to string) (names []string, err error) {
	out, err := r.Run(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none", "--diff-filter="+filter, from, to)
	return Records(out), err
}

// push gives the remote the commit where that is wanted.
func (w Worktree) push(ctx context.Context, r Repo, b base, l *Landed, wanted bool) error {
	if !wanted {
		return nil
	}
	if b.remote == "" {
		return fmt.Errorf("%w: there is no remote", ErrPush)
	}
	if b.theirs == "" { // all that the person has in it would go there
		return fmt.Errorf("%w: %s has no branch %s that we know of; push it once yourself", ErrPush, b.remote, b.name)
	}
	there, err := r.IsAncestor(ctx, l.Commit, b.theirs)
	if l.Pushed = there; err != nil || there {
		return err
	}
	err = w.pushLarge(ctx, r, b, l.Commit)
	if err == nil {
		_, err = r.Call(ctx, Call{Limit: PushLimit, Unlocked: true}, "push", "-q", "--no-verify", "--no-follow-tags", "--end-of-options", b.remote, l.Commit+":"+b.ref)
	}
	if l.Pushed = err == nil; l.Pushed {
		return nil
	}
	return r.whyNot(ctx, b, l.Commit, err)
}

// pushLanded is push for a commit that the base has already, and maybe more.
func (w Worktree) pushLanded(ctx context.Context, r Repo, b base, l *Landed, wanted bool) error {
	if wanted && b.theirs != "" {
		if err := r.theirOwn(ctx, b, l.Commit); err != nil {
			return err
		}
	}
	return w.push(ctx, r, b, l, wanted)
}

// whyNot tells a remote that has moved from one that refuses.
func (r Repo) whyNot(ctx context.Context, b base, commit string, why error) error {
	if r.fetch(ctx, b) == nil {
		now, _ := r.Resolve(ctx, b.tracking)
		if in, err := r.IsAncestor(ctx, now, commit); now != "" && err == nil && !in {
			return fmt.Errorf("%w (%.12s of %s is not in it)", ErrDiverged, now, b.remote)
		}
	}
	return fmt.Errorf("%w: %w", ErrPush, why)
}

// pushLarge gives the remote the large files of git-lfs, which its hook would do
// if hooks ran: the commit alone would be a repository that nobody can check
// out.
func (w Worktree) pushLarge(ctx context.Context, r Repo, b base, commit string) error {
	if _, err := os.Lstat(w.Path); err == nil {
		r = r.In(w.Path) // its attributes are those of the commit
	}
	in, err := r.Run(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=AM", b.theirs, commit)
	if err != nil || len(in) == 0 {
		return err
	}
	out, err := r.Call(ctx, Call{In: in}, "check-attr", "-z", "--stdin", "filter")
	if err != nil || !large(out) {
		return err
	}
	url, err := r.Line(ctx, "remote", "get-url", "--push", b.remote)
	if err != nil {
		return err
	}
	line := fmt.Sprintf("%s %s %s %s\n", heads+w.Branch, commit, b.ref, b.theirs)
	_, err = r.Call(ctx, Call{In: []byte(line), Unlocked: true}, "lfs", "pre-push", b.remote, url)
	return err
}

// large reads git check-attr -z: path, attribute, value, each ended by NUL.
func large(out []byte) bool {
	list := Records(out)
	for i := 2; i < len(list); i += 3 {
		if list[i] == "lfs" {
			return true
		}
	}
	return false
}

// forward moves the base. The merge decides by itself whether it still may.
func (r Repo) forward(ctx context.Context, b base, l *Landed) error {
	if _, err := r.Run(ctx, "update-ref", "-m", "afar: landing", landedRef(b.name), l.Commit); err != nil {
		return err
	}
	var err error
	if l.Checkout == "" {
		_, err = r.Run(ctx, "update-ref", "-m", "afar: land", heads+b.name, l.Commit, orNew(b.tip, l.Commit))
	} else {
		err = r.merge(ctx, b, l)
	}
	if err == nil {
		return nil
	}
	now, _ := r.Resolve(ctx, heads+b.name)
	if in, _ := r.IsAncestor(ctx, now, l.Commit); now != "" && !in {
		return fmt.Errorf("%w: %w", ErrDiverged, err)
	}
	return fmt.Errorf("%w: %w", ErrInTheWay, err)
}

func (r Repo) merge(ctx context.Context, b base, l *Landed) error {
	common, err := r.CommonDir(ctx)
	if err != nil {
		return err
	}
	name := filepath.Join(common, landingMark)
	m := mark{Checkout: l.Checkout, Ref: heads + b.name, From: b.tip, To: l.Commit}
	var why error
	err = marked(name, m, func() error {
		_, why = r.In(l.Checkout).Call(ctx, Call{Env: []string{"GIT_REFLOG_ACTION=afar: land"}},
			"merge", "-q", "--ff-only", "--no-overwrite-ignore", "--no-autostash", "--no-squash", "--no-stat", l.Commit)
		if why != nil {
			return r.settleLanding(ctx)
		}
		return nil
	})
	return errors.Join(why, err)
}

// orNew is the old value of a ref as update-ref compares it: that of one that is
// not there is zero.
func orNew(old, like string) string {
	if old == "" {
		return strings.Repeat("0", len(like))
	}
	return old
}
