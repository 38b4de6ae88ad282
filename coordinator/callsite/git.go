package callsite

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/gitfilter"
	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
)

// gitFor bounds how long git may delay a call. The guard asks git only about calls that may
// lose work. If git takes longer, nothing is known of the repository: a command of git counts
// as one that loses work, another command as one that does not.
const gitFor = 2 * time.Second

// A repository asks git. It does not use the session's PATH, because a project can
// set that.
type repository struct {
	dirs home.Dirs
	env  []string // more variables for git
}

// facts returns the state of the work tree around dir.
func (r repository) facts(dir string) guard.GitFacts {
	ctx, cancel := context.WithTimeout(context.Background(), gitFor)
	defer cancel()
	return r.ask(ctx, dir)
}

func (r repository) ask(ctx context.Context, dir string) guard.GitFacts {
	trunk := make(chan string, 1)
	go func() { trunk <- r.trunk(ctx, dir) }()
	out, err := r.status(ctx, dir, "--branch", "--ignore-submodules=dirty")
	if err != nil {
		return guard.GitFacts{}
	}
	facts := parseStatus(out)
	facts.Default = <-trunk
	return facts
}

// merged reports whether git says in time that a commit has all commits of a branch, or that there is no
// such branch.
func (r repository) merged(dir, commit, branch string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), gitFor)
	defer cancel()
	out, err := r.run(ctx, dir, "for-each-ref", "--ignore-case", "--no-merged="+commit, "refs/heads/"+branch)
	return err == nil && out == ""
}

// parseStatus returns the facts in the output of git status.
func parseStatus(status string) guard.GitFacts {
	facts := guard.GitFacts{Known: true}
	for _, line := range strings.Split(status, "\n") {
		header, isHeader := strings.CutPrefix(line, "# branch.")
		key, value, _ := strings.Cut(header, " ")
		switch {
		case line == "":
		case strings.HasPrefix(line, "? "):
			facts.Untracked = true
		case !isHeader:
			facts.Dirty = true
		case key == "head" && value != "(detached)":
			facts.Branch = value
		case key == "upstream":
			facts.HasRemote = true
		}
	}
	return facts
}

// trunk returns the remote's default branch, "" if it is not known.
func (r repository) trunk(ctx context.Context, dir string) string {
	out, err := r.run(ctx, dir, "symbolic-ref", "--short", "refs/remotes/origin/HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(out), "origin/")
}

// status returns what git says of the work tree around dir. Git runs the filters of files to compare
// them, so each filter that is configured is turned off: a file that only a filter makes equal counts
// as changed. In a submodule git would not know of that, so options must leave out its work tree.
func (r repository) status(ctx context.Context, dir string, options ...string) (string, error) {
	keys, _ := r.run(ctx, dir, gitfilter.Args...) // it fails if there are none
	r.env = append(r.env, gitfilter.Off(keys)...)
	return r.run(ctx, dir, append([]string{"status", "--porcelain=v2", "--untracked-files=normal"}, options...)...)
}

// run runs git without what a repository may configure to run: file monitors, hooks, and the fetching
// of objects that are missing. Objects that replace others do not count.
func (r repository) run(ctx context.Context, dir string, args ...string) (string, error) {
	git := r.dirs.Program("git")
	if git == "" {
		return "", exec.ErrNotFound
	}
	safe := []string{
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never", "--no-pager",
		"-C", dir,
	}
	cmd := exec.CommandContext(ctx, git, append(safe, args...)...)
	cmd.Env = append([]string{
		"PATH=" + r.dirs.Path,
		"HOME=" + r.dirs.User,
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"LC_ALL=C",
	}, r.env...)
	cmd.WaitDelay = gitFor
	birthmark.Mark(cmd, birthmark.Shell)
	out, err := cmd.Output()
	return string(out), err
}
