// Package workplace looks at the place where a session works: its repository, its transcript, its settings and the
// file of its loop's goal. It changes nothing and keeps nothing.
package workplace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/mods"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/toolcall"
	"github.com/afar-sh/afar/coordinator/internal/usage"
	"github.com/afar-sh/afar/coordinator/redact"
)

// GitFor bounds how long git may take while somebody waits.
const GitFor = 2 * time.Second

// Git is what is asked of a repository. Each function returns with an empty result if it cannot tell.
type Git struct {
	Tree   func(ctx context.Context, dir string) string                      // digest of the work tree
	Recent func(ctx context.Context, dir string) (commits, changed []string) // newest first
	Top    func(ctx context.Context, dir string) (string, error)             // of the main checkout
}

// A Reader looks at workplaces.
type Reader struct {
	Dirs home.Dirs
	Bin  string // directory of Afar's binaries
	Git  Git
	// Usage returns what a transcript reports as used after the byte from, and the
	// transcript's end. With a negative from it only finds the end.
	Usage func(transcript string, from int64) (sum usage.Sum, end int64)
	// LastText returns the last text that the model wrote in a transcript since the last
	// prompt, "" for none.
	LastText func(transcript string) string
}

// Tree returns the digest of the work tree at dir. It returns "" if that is unknown or dir
// is empty.
func (r Reader) Tree(ctx context.Context, dir string) string {
	if dir == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, GitFor)
	defer cancel()
	return r.Git.Tree(ctx, dir)
}

// IsSandboxed reports whether the host's sandbox is on in a session, as far as its settings say.
func (r Reader) IsSandboxed(v session.Session) bool {
	return mods.Sandboxed(cmp.Or(claude.ConfigDir(v.Transcript), r.Dirs.HostDir()), v.Project)
}

// Facts returns what an anchor says of a session with a loop, with what git says of the directory that it works in.
func (r Reader) Facts(ctx context.Context, v session.Session, l loop.Stack) loop.AnchorFacts {
	ctx, cancel := context.WithTimeout(ctx, GitFor)
	defer cancel()
	facts := r.FactsAtOnce(v, l)
	facts.Commits, facts.Files = r.Git.Recent(ctx, l.WorksIn(v.Cwd))
	return facts
}

// FactsAtOnce is Facts without what git says.
func (r Reader) FactsAtOnce(v session.Session, l loop.Stack) loop.AnchorFacts {
	said := ""
	if v.Transcript != "" {
		said = redact.Clean(r.LastText(v.Transcript))
	}
	return loop.AnchorFacts{Said: said, Asked: v.Typed, Whole: r.wholeGoal(v, l)}
}

// wholeGoal returns the path of the file that holds the whole goal of a session's loop,
// "" if there is no such file.
func (r Reader) wholeGoal(v session.Session, l loop.Stack) string {
	f, ok := l.Top()
	if !ok || f.GoalFile() == "" {
		return ""
	}
	path := filepath.Join(r.Dirs.Sessions(), v.Token, f.GoalFile())
	if _, err := os.Lstat(path); err != nil {
		return ""
	}
	return path
}

// Options reads the arguments of /loop, for a loop in session v. The usage of v before
// the loop does not count.
func (r Reader) Options(ctx context.Context, args string, v session.Session) (loop.Options, error) {
	o, err := loop.Parse(args)
	if errors.Is(err, loop.ErrNoTask) && o.Every == "" {
		o.Repo, err = r.repository(ctx, existingDir(v))
	}
	if err == nil && o.Check != "" {
		// If the guard would ask, the person has already answered by typing the check.
		o.Dir, err = v.Cwd, toolcall.JudgeCheck(r.Dirs, r.Bin, o.Check, v.Cwd, v.Project).Refused()
	}
	if o.Read = -1; v.Transcript != "" { // otherwise the first stop names the transcript and finds its end
		_, o.Read = r.Usage(v.Transcript, -1)
	}
	return o, err
}

// existingDir returns the directory of a session. It returns the session's project if that
// directory is gone, such as a worktree that was removed when its issue landed.
func existingDir(v session.Session) string {
	if _, err := os.Stat(v.Cwd); errors.Is(err, fs.ErrNotExist) && v.Project != "" {
		return v.Project
	}
	return v.Cwd
}

// repository returns the main checkout of the repository whose issues a loop without a
// task works through.
func (r Reader) repository(ctx context.Context, cwd string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, GitFor)
	defer cancel()
	top, err := r.Git.Top(ctx, cwd)
	switch {
	case err == nil:
		return top, nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("%w: git did not say within %s which repository %s is in: try again",
			loop.ErrNoTask, GitFor, cwd)
	}
	return "", fmt.Errorf("%w: say what to do, as in /loop --max 5 make the tests pass "+
		"(without a task a git repository's issues are worked through, and %s is in none)", loop.ErrNoTask, cwd)
}
