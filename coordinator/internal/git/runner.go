package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/gitfilter"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/text"
)

// Time limits of git. Commands that talk to a remote get less than local ones:
// a remote either answers soon or waits for a person who is not there.
const (
	localLimit = 5 * time.Minute
	PushLimit  = 90 * time.Second
	FetchLimit = 30 * time.Second
)

// maxOut bounds the output of one git command.
const maxOut = 1 << 30

// realHistory are variables that make git show the commits as they are. Replace refs and
// grafts, which a session may write, would show others instead.
var realHistory = []string{"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=" + os.DevNull}

// A profile says what git and the programs it starts may see and do.
type profile struct {
	options []string      // options of git, before the command
	inherit []string      // variables that git gets from our environment
	env     []string      // more variables for git
	grace   time.Duration // between the request to end and the kill

	isTrusted bool // it may start what a repository names, and is behind the wall of Bound
}

// sealedProfile is for a repository that is not trusted: git starts no program that
// the repository configures. File monitors, hooks and the fetching of missing objects
// are off. Sealed also turns off the filters.
var sealedProfile = profile{
	options: []string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"},
	inherit: []string{"PATH", "HOME"},
	env: []string{
		"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "LC_ALL=C",
	},
	grace: time.Second,
}

// trustedProfile is for changes in the person's checkouts. Git uses the person's
// configuration and the filters of the repository, because a file of git-lfs or
// git-crypt that is written unfiltered is broken. These are behind a wall, see Bound.
//
// Hooks do not run. Git asks for no password and opens no editor. The options keep
// the person's settings from changing what a command means. claude.ChildMark marks the
// programs that git starts as part of a session, so that they cannot answer for the
// person. The oldest supported git is 2.30.
var trustedProfile = profile{
	options: []string{
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false",
		"-c", "core.filesRefLockTimeout=2000", "-c", "core.packedRefsTimeout=2000",
		"-c", "core.commitGraph=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "rerere.enabled=false",
		"-c", "submodule.recurse=false", "-c", "fetch.recurseSubmodules=false",
		"-c", "rebase.updateRefs=false", "-c", "rebase.missingCommitsCheck=ignore",
		"-c", "rebase.rebaseMerges=false", "-c", "rebase.instructionFormat=",
		"-c", "commit.verbose=false", "-c", "advice.detachedHead=false", "--no-pager", "--literal-pathspecs",
	},
	inherit: []string{
		"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "LANG", "LC_CTYPE",
		"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "GNUPGHOME",
		"http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SYSTEMROOT",
	},
	env: []string{
		"LC_MESSAGES=C", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never",
		"GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:", "GIT_OPTIONAL_LOCKS=0", claude.ChildMark,
	},
	grace: graceToEnd, isTrusted: true,
}

// graceToEnd is how long a changing git may take to remove its lock files.
const graceToEnd = 5 * time.Second

// A Repo runs git in one directory under one profile.
type Repo struct {
	Dir string

	profile profile
	env     []string  // variables for this repository
	held    *repoLock // nil without the lock
}

// Trusted returns a Repo that changes dir as the person's own git would.
func Trusted(dir string) Repo { return Repo{Dir: dir, profile: trustedProfile} }

// Sealed returns a Repo that starts no program that the repository around dir
// configures. It asks git for the configured filters and turns each of them off.
func Sealed(ctx context.Context, dir string) Repo {
	r := Repo{Dir: dir, profile: sealedProfile}
	keys, err := r.Run(ctx, gitfilter.Args...)
	if err == nil { // otherwise there are no filters
		r.env = append(r.env, gitfilter.Off(string(keys))...)
	}
	return r
}

// With returns r with more options, which git gets before the command.
func (r Repo) With(options ...string) Repo {
	r.profile.options = slices.Concat(r.profile.options, options)
	return r
}

// In returns r for another checkout of the same repository.
func (r Repo) In(dir string) Repo {
	r.Dir = dir
	return r
}

// A Call describes one run of git.
type Call struct {
	In       []byte
	Env      []string
	Limit    time.Duration // 0 is localLimit
	Unlocked bool          // git may outlive this process without holding the lock
	Most     int           // bytes of output to keep; with 0, more than maxOut is an error
}

// Run runs git and returns its output. The error contains git's message.
func (r Repo) Run(ctx context.Context, args ...string) ([]byte, error) {
	return r.Call(ctx, Call{}, args...)
}

// Call runs git as c describes. Git may outlive this process; it then keeps the lock
// of the repository until it ends.
func (r Repo) Call(ctx context.Context, c Call, args ...string) ([]byte, error) {
	p := child.Program{
		Path:     program(),
		Args:     slices.Concat([]string{"-C", r.Dir}, r.profile.options, args),
		Env:      slices.Concat(inherited(r.profile.inherit), r.profile.env, realHistory, r.env, c.Env),
		In:       string(c.In),
		Limit:    cmp.Or(c.Limit, localLimit),
		Grace:    r.profile.grace,
		Most:     cmp.Or(c.Most, maxOut),
		Outlives: true,
	}
	if !c.Unlocked {
		p.Files = r.held.Files()
	}
	if err := r.putBehind(ctx, &p, args[0]); err != nil {
		return nil, fmt.Errorf("git %s in %s: %w", args[0], r.Dir, err)
	}
	out, err := p.Run(ctx)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return out.Text, fmt.Errorf("git %s: %s (%w)", args[0], message(out.Said), err)
	case err != nil:
		return nil, fmt.Errorf("git %s in %s: %w", args[0], r.Dir, err)
	case out.Cut && c.Most == 0:
		return nil, fmt.Errorf("git %s in %s: the output is longer than %d MiB", args[0], r.Dir, maxOut>>20)
	}
	return out.Text, nil
}

// program returns the path of git, which is found once, or its name if it is not found.
func program() string {
	path, err := child.Find("git", os.Getenv("PATH"), "")
	if err != nil {
		return "git"
	}
	return path
}

// inherited returns the variables of our environment with the given names.
func inherited(names []string) []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return !slices.Contains(names, name)
	})
}

// maxMessage bounds how much of git's message an error contains, in bytes.
const maxMessage = 1000

// message returns git's message in one line, without its hints.
func message(said string) string {
	var parts []string
	for line := range strings.Lines(strings.ToValidUTF8(said[:min(len(said), maxMessage)], "\uFFFD")) {
		line = text.Fold(line)
		if line != "" && !strings.HasPrefix(line, "hint:") {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, "; ")
}

// wasKilled reports whether git did not exit by itself.
func wasKilled(err error) bool {
	if err == nil {
		return false
	}
	var exit *exec.ExitError
	return !errors.As(err, &exit) || !exit.Exited()
}

// saysNo reports whether git exited with 1, its code for the answer no.
func saysNo(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == 1
}

// Line returns the output of git without its last newline.
func (r Repo) Line(ctx context.Context, args ...string) (string, error) {
	out, err := r.Run(ctx, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// Resolve returns the commit that a name stands for, "" if there is none.
func (r Repo) Resolve(ctx context.Context, name string) (string, error) {
	out, err := r.Line(ctx, "rev-parse", "-q", "--verify", name+"^{commit}")
	if saysNo(err) {
		return "", nil
	}
	return out, err
}

// IsAncestor reports whether commit a is b or one of b's ancestors. The name "" is no
// commit: an ancestor of every commit, and a descendant of none.
func (r Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	if a == "" {
		return true, nil
	}
	if b == "" {
		return false, nil
	}
	_, err := r.Run(ctx, "merge-base", "--is-ancestor", a, b)
	if saysNo(err) {
		return false, nil
	}
	return err == nil, err
}

// CommonDir returns the directory that all checkouts of a repository share.
func (r Repo) CommonDir(ctx context.Context) (string, error) {
	dir, err := r.Line(ctx, "rev-parse", "--git-common-dir")
	if err == nil && dir == "" {
		err = fmt.Errorf("git does not say where the repository of %s is", r.Dir)
	}
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.Dir, dir)
	}
	return filepath.EvalSymlinks(dir)
}

// GitDir returns the directory that git keeps for this checkout alone.
func (r Repo) GitDir(ctx context.Context) (string, error) {
	dir, err := r.Line(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// lock takes the lock of the repository, which all loops and processes share. It
// waits until ctx ends. A git that outlives this process keeps the lock, so that no
// other change begins while it still writes.
func (r Repo) lock(ctx context.Context) (Repo, error) {
	common, err := r.CommonDir(ctx)
	if err != nil {
		return r, err
	}
	r.held, err = awaitLock(ctx, filepath.Join(common, "afar.lock"))
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%s is being worked on by another loop: %w", r.Dir, err)
	}
	return r, err
}

// Unlock releases the lock of the repository.
func (r Repo) Unlock() { r.held.Release() }

// Records splits output in which git ends each record with NUL.
func Records(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}
