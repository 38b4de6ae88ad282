package git

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The reasons why something was not done. Each text says what to do; the error
// that wraps it names the branch, the checkout or the files.
var (
	// ErrConflict: the rebase met changes that contradict each other. Nothing changed.
	ErrConflict = errors.New("the branch and its base change the same lines: merge by hand in the worktree")
	// ErrInTheWay: something that is not ours is where we would write.
	ErrInTheWay = errors.New("something is in the way: move it, or finish what was begun")
	// ErrNotClean: the worktree holds work that is in no commit.
	ErrNotClean = errors.New("the worktree is not clean: commit or remove what it holds")
	// ErrNotMerged: the branch has commits that the base lacks.
	ErrNotMerged = errors.New("the branch has commits that its base does not have: land it first")
)

// A Worktree is the place where one issue is worked on.
type Worktree struct {
	Repo       string // top of the main checkout, absolute
	Path       string // its own top, absolute
	Branch     string // short name
	Base       string // short name of the branch that it lands in
	BaseCommit string // where the branch left the base

	// Aside are files below the top that programs change by themselves, such as
	// an issue tracker's log. In the checkout of the base they may be modified
	// while something lands, and stay so, unless the branch changed one too.
	Aside []string
}

const (
	folder   = ".worktrees" // of a main checkout; git is told to ignore it
	branches = "afar/issue/"
)

// AddWorktree makes the worktree of an issue, <repo>/.worktrees/afar/<id> with
// the branch afar/issue/<id>, and takes what is there already: a crash may have
// left the branch alone, or half a checkout. A branch with commits is continued
// and never reset. What is there and is not such a worktree is ErrInTheWay.
// Submodules are left to whoever works there: to fetch them may take longer than
// anybody waits.
func AddWorktree(ctx context.Context, repo, id string) (Worktree, error) {
	w, err := locate(ctx, repo, id)
	if err != nil {
		return w, fmt.Errorf("add a worktree for %q: %w", id, err)
	}
	r, err := w.Begin(ctx)
	if err != nil {
		return w, err
	}
	defer r.Unlock()
	if w, err = w.add(ctx, r); err != nil {
		err = fmt.Errorf("add the worktree %s: %w", w.Path, err)
	}
	return w, err
}

func locate(ctx context.Context, repo, id string) (Worktree, error) {
	name, err := nameOf(id)
	if err != nil {
		return Worktree{}, err
	}
	top, err := Top(ctx, repo)
	if err != nil {
		return Worktree{}, err
	}
	base, err := BaseRef(ctx, top)
	return Worktree{Repo: top, Path: filepath.Join(top, folder, "afar", name), Branch: branches + name, Base: base}, err
}

// Around returns the top of the worktree that dir is in, "" where it is in
// none. repo is the top of the main checkout.
func Around(ctx context.Context, repo, dir string) (string, error) {
	top, err := Trusted(dir).Line(ctx, "rev-parse", "--show-toplevel")
	if err != nil || filepath.Dir(top) != filepath.Join(repo, folder, "afar") {
		return "", err
	}
	return top, nil
}

// maxName bounds what an id adds to a path.
const maxName = 80

// nameOf makes an id into a part of a path and of a branch. One that must be
// changed for that gets its digest, so that two ids do not meet. An id that
// tries to be more than a name is refused.
func nameOf(id string) (string, error) {
	if id == "" || strings.Contains(id, "..") || strings.HasPrefix(id, "-") ||
		strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", fmt.Errorf("%q cannot name a branch", id)
	}
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || strings.ContainsRune("._-", r)) {
			return r
		}
		return '-'
	}, id)
	name = strings.TrimLeft(name, ".-")
	if name == id && len(name) <= maxName && !strings.HasSuffix(name, ".") &&
		!strings.HasSuffix(strings.ToLower(name), ".lock") {
		return name, nil
	}
	sum := sha256.Sum256([]byte(id))
	return strings.TrimLeft(
		strings.TrimRight(name[:min(len(name), maxName)], ".-")+"-",
		"-",
	) + hex.EncodeToString(
		sum[:4],
	), nil
}

// add does what AddWorktree promises, under the lock.
func (w Worktree) add(ctx context.Context, r Repo) (Worktree, error) {
	b, err := r.Base(ctx, w.Base)
	if err != nil {
		return w, err
	}
	start, err := r.start(ctx, b)
	if err != nil {
		return w, err
	}
	if err := r.exclude(ctx); err != nil {
		return w, err
	}
	there, err := w.adopt(ctx, r)
	if err == nil && !there {
		err = w.create(ctx, r, start)
	}
	if err == nil {
		w.BaseCommit, err = r.Line(ctx, "merge-base", start, Heads+w.Branch)
	}
	return w, err
}

// exclude has git ignore our worktrees in every checkout of the repository,
// without a change that anybody would have to commit.
func (r Repo) exclude(ctx context.Context) error {
	common, err := r.CommonDir(ctx)
	if err != nil {
		return err
	}
	name := filepath.Join(common, "info", "exclude")
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for line := range bytes.Lines(text) {
		if strings.Trim(string(line), "/\r\n ") == folder {
			return nil
		}
	}
	line := folder + "\n"
	if len(text) > 0 && text[len(text)-1] != '\n' {
		line = "\n" + line
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

// adopt takes over a worktree that is there already. It returns false where one
// can be made.
func (w Worktree) adopt(ctx context.Context, r Repo) (bool, error) {
	for _, dir := range []string{filepath.Join(w.Repo, folder), filepath.Dir(w.Path), w.Path} {
		info, err := os.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return false, w.forget(ctx, r)
		}
		if err != nil || !info.IsDir() {
			return false, fmt.Errorf("%w: %s is not a directory", ErrInTheWay, dir)
		}
	}
	if err := w.finishAdd(ctx, r); err != nil {
		return false, err
	}
	if err := os.Remove(w.Path); err == nil || errors.Is(err, fs.ErrNotExist) {
		return false, w.forget(ctx, r) // it was empty
	}
	return true, w.Verify(ctx, r)
}

// Verify returns an error unless the directory at the path is the worktree of the
// branch.
func (w Worktree) Verify(ctx context.Context, r Repo) error {
	at := r.In(w.Path)
	top, err := at.Line(ctx, "rev-parse", "--show-toplevel")
	if err != nil || !same(top, w.Path) {
		return fmt.Errorf("%w: %s is no worktree of this repository", ErrInTheWay, w.Path)
	}
	mine, err := at.CommonDir(ctx)
	if err != nil {
		return err
	}
	if common, err := r.CommonDir(ctx); err != nil || common != mine {
		return fmt.Errorf("%w: %s is a repository of its own", ErrInTheWay, w.Path)
	}
	return w.onBranch(ctx, at)
}

// onBranch reports an error where the worktree is on no branch or on another.
func (w Worktree) onBranch(ctx context.Context, at Repo) error {
	head, err := at.Line(ctx, "symbolic-ref", "-q", "HEAD")
	if err == nil && head == Heads+w.Branch {
		return nil
	}
	if head == "" {
		head = "no branch"
	}
	return fmt.Errorf("%w: %s is on %s and not on %s", ErrInTheWay, w.Path, strings.TrimPrefix(head, Heads), w.Branch)
}

func same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two)
}

// create makes the worktree, with its branch where that is not there yet. A
// branch that has nothing of its own begins at start.
func (w Worktree) create(ctx context.Context, r Repo, start string) error {
	tip, err := r.Resolve(ctx, Heads+w.Branch)
	if err != nil {
		return err
	}
	if err := w.notElsewhere(ctx, r); err != nil {
		return err
	}
	if tip == "" {
		_, err = r.Run(ctx, "worktree", "add", "-q", "--no-track", "-b", w.Branch, w.Path, start)
		return err
	}
	behind, err := r.IsAncestor(ctx, tip, start)
	if behind && tip != start {
		_, err = r.Run(ctx, "update-ref", "-m", "afar: begin at the base", Heads+w.Branch, start, tip)
	}
	if err == nil {
		_, err = r.Run(ctx, "worktree", "add", "-q", w.Path, w.Branch)
	}
	return err
}

// Head returns the commit that the worktree is at, and whether it holds nothing
// else: nothing staged, modified or untracked. Ignored files do not count.
func (w Worktree) Head(ctx context.Context) (commit string, clean bool, err error) {
	r := Trusted(w.Path)
	if err := w.Verify(ctx, r.In(w.Repo)); err != nil {
		return "", false, err
	}
	if commit, err = r.Line(ctx, "rev-parse", "--verify", "HEAD^{commit}"); err != nil {
		return "", false, err
	}
	changes, err := r.Changes(ctx)
	return commit, err == nil && len(changes) == 0, err
}

// Loose returns the files of the worktree that are in no commit: staged, modified
// or untracked ones. Ignored files do not count.
func (w Worktree) Loose(ctx context.Context) (files []string, err error) {
	r := Trusted(w.Repo)
	if err := w.Verify(ctx, r); err != nil {
		return nil, err
	}
	changes, err := r.In(w.Path).Changes(ctx)
	for _, c := range changes {
		files = append(files, c.Path)
	}
	return files, err
}

// InBase reports whether the base has a commit.
func (w Worktree) InBase(ctx context.Context, commit string) (bool, error) {
	r := Trusted(w.Repo)
	b, err := r.Base(ctx, w.Base)
	if err != nil || b.Tip == "" {
		return false, err
	}
	return r.IsAncestor(ctx, commit, b.Tip)
}

// CheckClean returns nil where Head would say clean. Its error names the files.
func (w Worktree) CheckClean(ctx context.Context, r Repo) error {
	changes, err := r.In(w.Path).Changes(ctx)
	if err == nil && len(changes) > 0 {
		err = fmt.Errorf("%w: %s", ErrNotClean, NameChanges(changes))
	}
	return err
}

// Commit commits paths of the worktree, relative to its top, and nothing else.
// Files that are gone are removed. It returns the commit of the branch afterwards,
// which is the old one where there was nothing to commit.
func (w Worktree) Commit(ctx context.Context, message string, paths ...string) (commit string, err error) {
	for _, p := range paths {
		if !filepath.IsLocal(p) || InGitDir(p) {
			return "", fmt.Errorf("commit %q: it is not below the worktree", p)
		}
	}
	if len(paths) == 0 {
		return "", errors.New("commit: no file is named")
	}
	r, err := w.Begin(ctx)
	if err != nil {
		return "", err
	}
	defer r.Unlock()
	if err := w.Verify(ctx, r); err != nil {
		return "", err
	}
	at := r.In(w.Path)
	changes, err := at.Changes(ctx, paths...)
	var why error
	if err == nil && len(changes) > 0 {
		err = w.withMark(ctx, r, "", func() error {
			if why = at.commitOnly(ctx, message, changes); wasKilled(why) {
				return why
			}
			return nil // git put its own things away
		})
	}
	if err := cmp.Or(err, why); err != nil {
		return "", fmt.Errorf("commit in %s: %w", w.Path, err)
	}
	return at.Line(ctx, "rev-parse", "--verify", "HEAD^{commit}")
}

// withMark lets git work in the worktree under a mark. onto is the commit to which
// git takes the branch, "" where the branch stays.
func (w Worktree) withMark(ctx context.Context, r Repo, onto string, do func() error) error {
	at := r.In(w.Path)
	own, err := at.GitDir(ctx)
	if err != nil {
		return err
	}
	head, err := at.Line(ctx, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return err
	}
	if onto == "" {
		onto = head
	}
	return WithMark(
		filepath.Join(own, workMark), Mark{Checkout: w.Path, Ref: Heads + w.Branch, From: head, To: onto}, do,
	)
}

func (r Repo) commitOnly(ctx context.Context, message string, changes []Change) error {
	args := []string{"--"}
	for _, c := range changes {
		args = append(args, c.Path)
	}
	if _, err := r.Run(ctx, append([]string{"add", "-A"}, args...)...); err != nil {
		return err
	}
	_, err := r.Call(
		ctx,
		Call{In: []byte(message)},
		append([]string{"commit", "-q", "--no-verify", "--cleanup=whitespace", "-F", "-", "--only"}, args...)...)
	return err
}
