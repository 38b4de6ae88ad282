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

	"github.com/afar-sh/afar/coordinator/internal/child"
)

// How long git may take. What talks to a remote gets less: it either answers or
// waits for somebody who is not there.
const (
	localFor = 5 * time.Minute
	pushFor  = 90 * time.Second
	fetchFor = 30 * time.Second
	endsIn   = 5 * time.Second // after it was told to; it takes its lock files with it
)

// A hand runs git in one checkout to change something there, as the person's
// own git would: with their configuration and with the filters of the
// repository, because a file of git-lfs or git-crypt that went in or out
// unfiltered is a broken file. That gives a repository nothing new: a session
// runs the same filters with any git command of its own. What those programs
// are told by their environment is that they descend from a session, so none of
// them can decide anything in the person's place.
//
// Hooks do not run, no program is asked for a password or an editor, and there
// is no terminal to ask at. A git outlives us: it keeps the lock, and comes to an
// end that the next one understands. The oldest git that this works with is 2.30.
type hand struct {
	dir  string
	held *repoLock // nil where nothing is changed
}

// steady keeps the person's settings from making one command into another.
var steady = []string{
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
	"-c", "core.filesRefLockTimeout=2000", "-c", "core.packedRefsTimeout=2000", "-c", "submodule.recurse=false", "-c", "fetch.recurseSubmodules=false", "-c", "rerere.enabled=false", "-c", "core.quotePath=false",
	"-c", "rebase.updateRefs=false", "-c", "rebase.missingCommitsCheck=ignore", "-c", "rebase.rebaseMerges=false", "-c", "rebase.instructionFormat=",
	"-c", "commit.verbose=false", "-c", "advice.detachedHead=false", "--no-pager", "--literal-pathspecs",
}

// kept are the variables that programs of the person need to find their
// settings, their keys and their network. No GIT_ variable is among them.
var kept = []string{
	"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "LANG", "LC_CTYPE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
	"SSH_AUTH_SOCK", "GNUPGHOME", "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SYSTEMROOT",
}

// alone is what keeps git from asking anybody, and its programs from deciding
// for somebody.
var alone = []string{
	"LC_MESSAGES=C", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never",
	"GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:", "GIT_OPTIONAL_LOCKS=0", "CLAUDECODE=1",
}

// A call is one run of git.
type call struct {
	in   []byte
	env  []string
	wait time.Duration // 0 is localFor
	free bool          // it may outlive us without holding the lock
	most int           // of its output is taken; 0 is all, and more than maxOut an error
}

// maxOut is more than git ever has to say to us.
const maxOut = 1 << 30

// run returns what git printed. The error carries what git said of it.
func (h hand) run(ctx context.Context, args ...string) ([]byte, error) {
	return h.call(ctx, call{}, args...)
}

func (h hand) call(ctx context.Context, c call, args ...string) ([]byte, error) {
	p := child.Program{
		Path: "git", Args: append(append([]string{"-C", h.dir}, steady...), args...), In: string(c.in),
		Env:   append(append(keptOf(os.Environ()), alone...), c.env...),
		Limit: cmp.Or(c.wait, localFor), Grace: endsIn, Most: cmp.Or(c.most, maxOut), Outlives: true,
	}
	if !c.free {
		p.Files = h.held.Files()
	}
	out, err := p.Run(ctx)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return out.Text, fmt.Errorf("git %s: %s (%w)", args[0], short(out.Said), err)
	case err != nil:
		return nil, fmt.Errorf("git %s in %s: %w", args[0], h.dir, err)
	case out.Cut && c.most == 0:
		return nil, fmt.Errorf("git %s in %s: it printed more than %d MiB", args[0], h.dir, maxOut>>20)
	}
	return out.Text, nil
}

// killed reports whether git did not come to an end of its own.
func killed(err error) bool {
	var exit *exec.ExitError
	return err != nil && !(errors.As(err, &exit) && exit.Exited())
}

func keptOf(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return !slices.Contains(kept, name)
	})
}

// maxSaid bounds what is passed on of git's own words, in bytes.
const maxSaid = 1000

// short is what git said in one line, without its advice for a terminal.
func short(said string) string {
	var parts []string
	for line := range strings.Lines(strings.ToValidUTF8(said[:min(len(said), maxSaid)], "\uFFFD")) {
		if line = strings.Join(strings.Fields(line), " "); line != "" && !strings.HasPrefix(line, "hint:") {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, "; ")
}

// line is the output of git without its last newline.
func (h hand) line(ctx context.Context, args ...string) (string, error) {
	out, err := h.run(ctx, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// holds asks git a question that it answers with its exit code: 0 yes, 1 no.
func (h hand) holds(ctx context.Context, args ...string) (bool, error) {
	_, err := h.run(ctx, args...)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return false, nil
	}
	return err == nil, err
}

// commit resolves a name, "" when there is none.
func (h hand) commit(ctx context.Context, name string) (string, error) {
	out, err := h.line(ctx, "rev-parse", "-q", "--verify", name+"^{commit}")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", nil
	}
	return out, err
}

// within reports whether commit a is b or one of b's ancestors.
func (h hand) within(ctx context.Context, a, b string) (bool, error) {
	return h.holds(ctx, "merge-base", "--is-ancestor", a, b)
}

// common returns the directory that all checkouts of a repository share.
func (h hand) common(ctx context.Context) (string, error) {
	dir, err := h.line(ctx, "rev-parse", "--git-common-dir")
	if err == nil && dir == "" {
		err = fmt.Errorf("git does not say where the repository of %s is", h.dir)
	}
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(h.dir, dir)
	}
	return filepath.EvalSymlinks(dir)
}

// own returns the directory that git keeps for this checkout alone.
func (h hand) own(ctx context.Context) (string, error) {
	dir, err := h.line(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// hold takes the lock of the repository, which all loops and all processes
// share. It waits for it as long as ctx does. A git that outlives us keeps it:
// nobody else begins while it still writes.
func (h hand) hold(ctx context.Context) (hand, error) {
	common, err := h.common(ctx)
	if err != nil {
		return h, err
	}
	h.held, err = awaitLock(ctx, filepath.Join(common, "afar.lock"))
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%s is being worked on by another loop: %w", h.dir, err)
	}
	return h, err
}

// in is the same hand in another checkout of the repository.
func (h hand) in(dir string) hand {
	h.dir = dir
	return h
}
