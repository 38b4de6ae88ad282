package callsite

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/guard"
)

// gitFor bounds what git may cost a call. A repository that takes longer is
// unknown, and the guard then assumes the worse.
const gitFor = 20 * time.Millisecond

// A repository asks git. The session's PATH is not believed: a project can set
// it.
type repository struct{ path, home string }

// facts says how the work tree around dir stands.
func (r repository) facts(dir string) guard.GitFacts {
	ctx, cancel := context.WithTimeout(context.Background(), gitFor)
	defer cancel()
	return r.ask(ctx, dir)
}

func (r repository) ask(ctx context.Context, dir string) guard.GitFacts {
	trunk := make(chan string, 1)
	go func() { trunk <- r.trunk(ctx, dir) }()
	out, err := r.run(ctx, dir, "status", "--porcelain=v2", "--branch", "--untracked-files=normal")
	if err != nil {
		return guard.GitFacts{}
	}
	facts := read(out)
	facts.Default = <-trunk
	return facts
}

// merged is true if git says in time that all commits of a branch are in the
// current one.
func (r repository) merged(dir, branch string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), gitFor)
	defer cancel()
	_, err := r.run(ctx, dir, "merge-base", "--is-ancestor", "refs/heads/"+branch, "HEAD")
	return err == nil
}

// read takes the facts from git status.
func read(status string) guard.GitFacts {
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

// trunk is the remote's default branch, "" when it is not known.
func (r repository) trunk(ctx context.Context, dir string) string {
	out, err := r.run(ctx, dir, "symbolic-ref", "--short", "refs/remotes/origin/HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(out), "origin/")
}

func (r repository) run(ctx context.Context, dir string, args ...string) (string, error) {
	git := r.program()
	if git == "" {
		return "", exec.ErrNotFound
	}
	cmd := exec.CommandContext(ctx, git, append([]string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C", dir}, args...)...)
	cmd.Env = []string{"PATH=" + r.path, "HOME=" + r.home, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"}
	cmd.WaitDelay = gitFor
	out, err := cmd.Output()
	return string(out), err
}

// program looks git up in the PATH that was in force at install.
func (r repository) program() string {
	for _, dir := range filepath.SplitList(r.path) {
		name := filepath.Join(dir, "git")
		if info, err := os.Stat(name); filepath.IsAbs(name) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return name
		}
	}
	return ""
}
