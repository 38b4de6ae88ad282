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
	"regexp"
	"strings"
)

// The errors of this package. Each text says what to do. The error that wraps it
// names the branch, the checkout or the files.
var (
	// ErrConflict: the rebase met changes that contradict each other. Nothing changed.
	ErrConflict = errors.New("the branch and its base change the same lines: merge by hand in the worktree")
	// ErrInTheWay: something that is not ours exists where we would write.
	ErrInTheWay = errors.New("something is in the way: move it, or finish what was begun")
	// ErrNotClean: the worktree has work that is not committed.
	ErrNotClean = errors.New("the worktree is not clean: commit or remove what it holds")
	// ErrNotMerged: the branch has commits that the base lacks.
	ErrNotMerged = errors.New("the branch has commits that its base does not have: land it first")
)

// A Worktree is the git worktree in which one issue or one run works.
type Worktree struct {
	Repo       string // top of the main checkout, absolute
	Path       string // its own top, absolute
	Branch     string // short name
	Base       string // short name of the branch that it lands in
	BaseCommit string // the commit of the base at which the branch began; what is reviewed begins there too
	// Goes is where the base went when the loop began, as Destination says; "" if unknown.
	Goes string

	// Aside are files, relative to the top, that programs change by themselves,
	// such as the log of an issue tracker. In the checkout of the base they may
	// be modified while a branch lands, unless the branch changes them too.
	Aside []string
}

const folder = ".worktrees" // in the main checkout; git ignores it

// A use says for what a worktree is: the folder of such worktrees, and the beginning of their
// branches.
type use struct{ dir, branches string }

var (
	forIssue = use{dir: "afar", branches: "afar/issue/"}
	forRun   = use{dir: "afar-runs", branches: "afar/run/"}
)

// AddWorktree makes the worktree of an issue: <repo>/.worktrees/afar/<id> with the
// branch afar/issue/<id>. It uses what exists already, because a crash may have left
// only the branch, or half a checkout. It never resets a branch that has commits. If
// something else is at the path, the error is ErrInTheWay. AddWorktree does not fetch
// submodules, because that may take too long. base is the short name of the base, "" for the one
// that BaseRef returns now.
func AddWorktree(ctx context.Context, repo, id, base string) (Worktree, error) {
	return forIssue.addWorktree(ctx, repo, id, base)
}

// AddRunWorktree is AddWorktree for a run: <repo>/.worktrees/afar-runs/<name> with the branch
// afar/run/<name>.
func AddRunWorktree(ctx context.Context, repo, name string) (Worktree, error) {
	return forRun.addWorktree(ctx, repo, name, "")
}

func (u use) addWorktree(ctx context.Context, repo, id, base string) (Worktree, error) {
	w, err := u.locate(ctx, repo, id, base)
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

// locate returns the worktree with an id, whether or not it exists.
func (u use) locate(ctx context.Context, repo, id, base string) (Worktree, error) {
	name, err := nameOf(id)
	if err != nil {
		return Worktree{}, err
	}
	top, err := Top(ctx, repo)
	if err != nil {
		return Worktree{}, err
	}
	if base == "" {
		base, err = BaseRef(ctx, top)
	}
	path := filepath.Join(top, folder, u.dir, name)
	return Worktree{Repo: top, Path: path, Branch: u.branches + name, Base: base}, err
}

// Around returns the top of the worktree of an issue or a run that contains dir, "" if dir
// is in none. repo is the top of the main checkout.
func Around(ctx context.Context, repo, dir string) (string, error) {
	top, err := Trusted(dir).Line(ctx, "rev-parse", "--show-toplevel")
	if err != nil || !forIssue.holds(repo, top) && !forRun.holds(repo, top) {
		return "", err
	}
	return top, nil
}

// holds reports whether the worktree with this top is one of the use.
func (u use) holds(repo, top string) bool {
	return filepath.Dir(top) == filepath.Join(repo, folder, u.dir)
}

// maxName bounds how many bytes an id adds to a path.
const maxName = 80

// nameOf returns an id as a part of paths and branch names. If the id has to be
// changed for that, a digest of the id is added, so that two ids never get the same
// name. An id that could lead elsewhere, or be taken for an option, is an error.
func nameOf(id string) (string, error) {
	if unusableID.MatchString(id) {
		return "", fmt.Errorf("%q cannot name a branch", id)
	}
	name := strings.TrimLeft(otherRunes.ReplaceAllString(id, "-"), ".-")
	if name == id && len(name) <= maxName && !unusableEnd.MatchString(name) {
		return name, nil
	}
	sum := sha256.Sum256([]byte(id))
	stem := strings.TrimRight(name[:min(len(name), maxName)], ".-")
	return strings.TrimLeft(stem+"-", "-") + hex.EncodeToString(sum[:4]), nil
}

var (
	// unusableID matches ids that nameOf refuses.
	unusableID = regexp.MustCompile(`^$|^-|\.\.|[\x00-\x1f\x7f]`)
	// otherRunes matches what a name does not contain.
	otherRunes = regexp.MustCompile(`[^0-9A-Za-z._-]`)
	// unusableEnd matches the ends that git does not allow in a branch name.
	unusableEnd = regexp.MustCompile(`(?i)\.(lock)?$`)
)

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

// exclude makes git ignore our worktrees in every checkout of the repository. It
// changes no file that would have to be committed. It does not write through a link,
// which could lead to any file of the person: the folder of the worktrees then gets an
// ignore file of its own.
func (r Repo) exclude(ctx context.Context) error {
	common, err := r.CommonDir(ctx)
	if err != nil {
		return err
	}
	name := filepath.Join(common, "info", "exclude")
	text, err := os.ReadFile(name)
	if err := unlessMissing(err); err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		if strings.Trim(string(line), "/\r\n ") == folder {
			return nil
		}
	}
	at, err := os.OpenRoot(common)
	if err != nil {
		return err
	}
	defer at.Close()
	if isLink(at, "info") || isLink(at, "info/exclude") {
		return r.excludeInside()
	}
	line := folder + "\n"
	if len(text) > 0 && text[len(text)-1] != '\n' {
		line = "\n" + line
	}
	if err := at.MkdirAll("info", 0o755); err != nil {
		return err
	}
	return appendTo(at, "info/exclude", line)
}

// excludeInside writes an ignore file into the folder of the worktrees.
func (r Repo) excludeInside() error {
	at, err := os.OpenRoot(r.Dir)
	if err != nil {
		return err
	}
	defer at.Close()
	if err := at.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	name := folder + "/.gitignore"
	if isLink(at, folder) || isLink(at, name) {
		return fmt.Errorf("%w: %s is a link", ErrInTheWay, filepath.Join(r.Dir, name))
	}
	if info, err := at.Lstat(name); err == nil && info.Size() > 0 {
		return nil
	}
	return appendTo(at, name, "*\n")
}

// isLink reports whether a name below root is a link.
func isLink(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// appendTo appends a text to a file below root.
func appendTo(root *os.Root, name, text string) error {
	f, err := root.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// adopt takes over an existing worktree. It returns false if there is none, and one
// can be created.
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
	if removeFile(w.Path) == nil {
		return false, w.forget(ctx, r) // it was empty
	}
	return true, w.Verify(ctx, r)
}

// Verify returns an error unless the directory at the path is the worktree of the
// branch.
func (w Worktree) Verify(ctx context.Context, r Repo) error {
	at := r.In(w.Path)
	top, _ := at.Line(ctx, "rev-parse", "--show-toplevel")
	if !same(top, w.Path) {
		return fmt.Errorf("%w: %s is not a worktree of this repository", ErrInTheWay, w.Path)
	}
	mine, err := at.CommonDir(ctx)
	if err != nil {
		return err
	}
	if common, _ := r.CommonDir(ctx); common != mine {
		return fmt.Errorf("%w: %s is a repository of its own", ErrInTheWay, w.Path)
	}
	return w.onBranch(ctx, at)
}

// onBranch returns an error unless the worktree is on its branch.
func (w Worktree) onBranch(ctx context.Context, at Repo) error {
	head, _ := at.Line(ctx, "symbolic-ref", "-q", "HEAD")
	if head == Heads+w.Branch {
		return nil
	}
	if head == "" {
		head = "no branch"
	}
	return fmt.Errorf("%w: %s is on %s and not on %s", ErrInTheWay, w.Path, strings.TrimPrefix(head, Heads), w.Branch)
}

// same reports whether two paths name the same file or directory.
func same(a, b string) bool {
	one, _ := os.Stat(a)
	two, _ := os.Stat(b)
	return os.SameFile(one, two) // never true of nil
}

// create makes the worktree, and the branch if it does not exist. A branch without
// commits of its own begins at start.
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

// Head returns the commit of the worktree. clean reports that nothing is staged,
// modified or untracked there. Ignored files do not count.
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

// Loose returns the files of the worktree that are not committed: staged, modified
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

// InBase reports whether the base contains a commit.
func (w Worktree) InBase(ctx context.Context, commit string) (bool, error) {
	r := Trusted(w.Repo)
	b, err := r.Base(ctx, w.Base)
	if err != nil {
		return false, err
	}
	return r.IsAncestor(ctx, commit, b.Tip)
}

// CheckClean returns an error that names the files if the worktree is not clean, as
// Head defines it.
func (w Worktree) CheckClean(ctx context.Context, r Repo) error {
	changes, err := r.In(w.Path).Changes(ctx)
	return cmp.Or(err, checkNone(changes))
}

// checkNone returns an error that names the changes, nil if there are none.
func checkNone(changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrNotClean, NameChanges(changes))
}

// Commit commits the given paths of the worktree, relative to its top, and nothing
// else. A path that no longer exists is committed as deleted. Commit returns the new
// commit of the branch, or the old one if there was nothing to commit.
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
			return nil // git cleaned up itself
		})
	}
	if err := cmp.Or(err, why); err != nil {
		return "", fmt.Errorf("commit in %s: %w", w.Path, err)
	}
	return at.Line(ctx, "rev-parse", "--verify", "HEAD^{commit}")
}

// withMark calls do, which runs git in the worktree, under a mark. onto is the commit
// to which git moves the branch, "" if the branch does not move.
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

// commitOnly commits the changed paths and leaves the rest of the index alone.
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
