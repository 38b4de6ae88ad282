package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// ErrElsewhere: the base goes to another branch or another remote than when the loop
// began. A session can change that with git config.
var ErrElsewhere = errors.New(
	"where the base goes was changed since the loop began: change it back, or start the loop again")

// Target returns where issues of a repository land now: the short name of the base, and
// where it goes. A loop keeps both, because its session can change them. top is the top
// of the main checkout.
func Target(ctx context.Context, top string) (base, goes string, err error) {
	if base, err = BaseRef(ctx, top); err != nil {
		return "", "", err
	}
	r := Trusted(top)
	b, err := r.Base(ctx, base)
	if err != nil {
		return "", "", err
	}
	return base, r.Destination(ctx, b), nil
}

// Destination returns where a base goes: its branch at the remote and the addresses of
// the remote, without passwords. It is "nowhere" without a remote.
func (r Repo) Destination(ctx context.Context, b Base) string {
	if b.Remote == "" {
		return "nowhere"
	}
	var all []string
	for _, which := range []string{"--all", "--push"} {
		out, _ := r.Run(ctx, "remote", "get-url", "--all", which, b.Remote)
		for _, at := range Lines(out) {
			all = append(all, withoutUser(at))
		}
	}
	return b.Ref + " at " + strings.Join(all, ", ")
}

// withoutUser returns an address without the name and the password in it.
func withoutUser(at string) string {
	u, err := url.Parse(at)
	if err != nil || u.User == nil {
		return at
	}
	u.User = nil
	return u.String()
}

// CheckGoes returns ErrElsewhere unless a base goes where it went when the loop began.
func (w Worktree) CheckGoes(ctx context.Context, r Repo, b Base) error {
	if w.Goes == "" {
		return nil
	}
	if now := r.Destination(ctx, b); now != w.Goes {
		return fmt.Errorf("%w (%s went to %s, and goes to %s)", ErrElsewhere, w.Base, w.Goes, now)
	}
	return nil
}

// Remote asks the remote for the commit of the base. It returns "" if there is no remote
// or no answer. The tracking ref says the same, but a session can write it.
func (r Repo) Remote(ctx context.Context, b Base) string {
	if b.Remote == "" {
		return ""
	}
	out, err := r.Call(ctx, Call{Limit: FetchLimit, Unlocked: true}, "ls-remote", "-q", b.Remote, b.Ref)
	if err != nil {
		return ""
	}
	for _, line := range Lines(out) {
		if oid, name, _ := strings.Cut(line, "\t"); name == b.Ref {
			return oid
		}
	}
	return ""
}

// Has reports whether the repository has a commit.
func (r Repo) Has(ctx context.Context, commit string) bool {
	if commit == "" {
		return false
	}
	oid, err := r.Resolve(ctx, commit)
	return err == nil && oid == commit
}

// Holds reports whether one of the commits is from or a descendant of it.
func (r Repo) Holds(ctx context.Context, from string, commits ...string) (bool, error) {
	for _, c := range commits {
		if c == "" {
			continue
		}
		if is, err := r.IsAncestor(ctx, from, c); err != nil || is {
			return is, err
		}
	}
	return false, nil
}

// ReviewFrom returns the commit at which the diff for a review begins, so that the diff
// shows all that the branch would bring into its base. It is the recorded base of the
// branch, or a later commit of the branch that the remote has or that we landed. Tracking
// refs say nothing here, and the base itself only holds the recorded commit: a session
// can move both over commits that nobody has seen. known are the commits of the remote
// and of our last landing, "" if unknown.
func (w Worktree) ReviewFrom(ctx context.Context, known ...string) (string, error) {
	r := Trusted(w.Repo)
	head, err := r.Resolve(ctx, Heads+w.Branch)
	if err != nil {
		return "", err
	}
	tip, err := r.Resolve(ctx, Heads+w.Base)
	if err != nil {
		return "", err
	}
	known = slices.DeleteFunc(slices.Clone(known), func(c string) bool { return !r.Has(ctx, c) })
	from := w.BaseCommit
	if held, err := r.Holds(ctx, from, append(known, tip)...); err != nil || !held || from == "" {
		from = cmp.Or(append([]string{tip}, known...)...) // the recorded commit is neither in the base nor at the remote
	}
	if from == "" {
		return "", fmt.Errorf("the commit of %s is unknown, here and at its remote", w.Base)
	}
	if from, err = r.fork(ctx, from, head); err != nil {
		return "", err
	}
	for _, c := range known {
		later, err := r.fork(ctx, c, head)
		if err != nil {
			continue
		}
		if is, _ := r.IsAncestor(ctx, from, later); is {
			from = later
		}
	}
	return from, nil
}

// fork returns the commit at which two histories part.
func (r Repo) fork(ctx context.Context, a, b string) (string, error) {
	return r.Line(ctx, "merge-base", a, b)
}
