package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Top returns the top of the main checkout of the repository around dir, even if dir
// is in a linked worktree. For a bare repository it returns an error.
func Top(ctx context.Context, dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("%q is not an absolute path", dir)
	}
	r := Trusted(dir)
	common, err := r.CommonDir(ctx)
	if err != nil {
		return "", err
	}
	own, err := r.GitDir(ctx)
	if err != nil {
		return "", err
	}
	if own == common {
		return r.Line(ctx, "rev-parse", "--show-toplevel")
	}
	return mainTop(ctx, common)
}

// mainTop returns the top of the main checkout: the parent of the .git directory, or
// what the configuration names, as in a submodule.
func mainTop(ctx context.Context, common string) (string, error) {
	r := Trusted(filepath.Dir(common))
	if at, _ := r.Line(ctx, "--git-dir="+common, "config", "--get", "core.worktree"); at != "" {
		if r.Dir = at; !filepath.IsAbs(at) {
			r.Dir = filepath.Join(common, at)
		}
	}
	if own, _ := r.GitDir(ctx); own != common {
		return "", fmt.Errorf("the repository %s has no main checkout: the worktrees of issues need one", common)
	}
	return r.Line(ctx, "rev-parse", "--show-toplevel")
}

// BaseRef returns the short name of the branch that issues start from and land
// in: git config afar.baseRef, else the default branch of the remote, else main,
// else master, else the branch of HEAD.
func BaseRef(ctx context.Context, repo string) (string, error) {
	r := Trusted(repo)
	if name, _ := r.Line(ctx, "config", "--get", "afar.baseRef"); name != "" {
		return r.configured(ctx, name)
	}
	remote := r.remote(ctx)
	for _, b := range []struct{ remote, name string }{
		{remote, r.branchOf(ctx, remotes+remote+"/HEAD", remotes+remote+"/")},
		{"", "main"},
		{"", "master"},
		{"", r.branchOf(ctx, "HEAD", Heads)},
	} {
		if r.known(ctx, b.remote, b.name) {
			return b.name, nil
		}
	}
	return "", errors.New(
		"there is no branch to land in: make a commit, or name one with git config afar.baseRef BRANCH",
	)
}

// The prefixes of the refs of branches.
const (
	Heads   = "refs/heads/"
	remotes = "refs/remotes/"
)

// branchOf returns the ref that a symbolic ref names, without the prefix. It returns ""
// if there is none with that prefix.
func (r Repo) branchOf(ctx context.Context, symbolic, prefix string) string {
	full, _ := r.Line(ctx, "symbolic-ref", "-q", symbolic)
	name, ok := strings.CutPrefix(full, prefix)
	if !ok {
		return ""
	}
	return name
}

// configured returns the branch that afar.baseRef names, or an error if there is no
// such branch.
func (r Repo) configured(ctx context.Context, name string) (string, error) {
	name = strings.TrimPrefix(name, Heads)
	if strings.HasPrefix(name, "-") || !r.known(ctx, r.remote(ctx), name) {
		return "", fmt.Errorf("git config afar.baseRef names %q, and there is no such branch", name)
	}
	return name, nil
}

// known reports whether a branch exists here, or at the remote when last seen.
func (r Repo) known(ctx context.Context, remote, name string) bool {
	if name == "" {
		return false
	}
	oid, _ := r.Resolve(ctx, Heads+name)
	if oid == "" {
		oid, _ = r.Resolve(ctx, remotes+remote+"/"+name)
	}
	return oid != ""
}

// remote returns origin if there is such a remote, else the only remote. It returns
// "" if there is none, or if several have other names.
func (r Repo) remote(ctx context.Context) string {
	out, _ := r.Run(ctx, "remote")
	names := Lines(out)
	switch {
	case slices.Contains(names, "origin"):
		return "origin"
	case len(names) == 1:
		return names[0]
	}
	return ""
}

// A Base is the branch in which an issue lands, as it is now, with what is known
// about that branch at the remote.
type Base struct {
	Name string
	Tip  string // "" if only the remote has the branch

	Remote   string // "" if there is none
	Ref      string // full name of the branch at the remote
	Tracking string // the local ref for the remote's branch
	Theirs   string // the remote's commit when last seen; "" if unknown
}

// Base returns the branch with a short name, and what is known about it at its
// remote.
func (r Repo) Base(ctx context.Context, name string) (Base, error) {
	b := Base{Name: name}
	out, err := r.Run(
		ctx, "for-each-ref",
		"--format=%(refname)%00%(objectname)%00%(upstream)%00%(upstream:remotename)%00%(upstream:remoteref)",
		Heads+name,
	)
	if err != nil {
		return b, err
	}
	if part := strings.Split(strings.TrimSuffix(string(out), "\n"), "\x00"); len(part) == 5 && part[0] == Heads+name {
		b.Tip, b.Tracking, b.Remote, b.Ref = part[1], part[2], part[3], part[4]
	}
	if slices.Contains([]string{"", "."}, b.Remote) || b.Ref == "" {
		b.Remote, b.Ref, b.Tracking = r.remote(ctx), Heads+name, ""
	}
	if b.Remote != "" && b.Tracking == "" {
		b.Tracking = remotes + b.Remote + "/" + name
	}
	if b.Tracking != "" {
		b.Theirs, err = r.Resolve(ctx, b.Tracking)
	}
	if err == nil && b.Tip+b.Theirs == "" {
		err = fmt.Errorf("the branch %s is gone", name)
	}
	return b, err
}

// start returns the commit at which work begins: the tip of the branch, or of the
// remote's branch if that is ahead. Work that began behind the remote could not be
// pushed.
func (r Repo) start(ctx context.Context, b Base) (string, error) {
	behind, err := r.IsAncestor(ctx, b.Tip, b.Theirs)
	if behind {
		return b.Theirs, err
	}
	return b.Tip, err
}
