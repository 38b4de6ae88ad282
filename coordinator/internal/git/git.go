// Package git asks a repository by running git. The repository is not trusted:
// nothing that its configuration names is run.
package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os/exec"
	"strings"
	"time"
)

// Tree returns a digest of the work tree of the repository around dir: its
// HEAD, its staged and unstaged changes, its untracked files by name. It is ""
// outside a repository and where git does not answer before ctx ends.
func Tree(ctx context.Context, dir string) string {
	h := sha256.New()
	for _, args := range [][]string{
		{"status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all"},
		{"diff", "--no-ext-diff", "--no-textconv", "HEAD"},
	} {
		out, err := run(ctx, dir, args...)
		if err != nil && args[0] == "status" {
			return ""
		}
		h.Write(out) // a repository without a commit has no HEAD to compare with
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Recent returns the last commits, one line each, newest first, and the files
// with uncommitted changes. Both are empty outside a repository.
func Recent(ctx context.Context, dir string) (commits, changed []string) {
	if out, err := run(ctx, dir, "log", "-3", "--no-show-signature", "--format=%h %s"); err == nil {
		commits = lines(string(out), "\n")
	}
	if out, err := run(ctx, dir, "status", "--porcelain", "-z"); err == nil {
		for _, entry := range lines(string(out), "\x00") {
			if len(entry) > 3 {
				changed = append(changed, entry[3:])
			}
		}
	}
	return commits, changed
}

func lines(text, sep string) []string {
	text = strings.Trim(text, sep)
	if text == "" {
		return nil
	}
	return strings.Split(text, sep)
}

// run runs git in dir with nothing of the environment but PATH and HOME. A file
// monitor or a hook that the repository configures is not started.
func run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C", dir}, args...)...)
	cmd.Env = append(minimal(cmd.Environ()), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	return cmd.Output()
}

func minimal(env []string) []string {
	var out []string
	for _, v := range env {
		if strings.HasPrefix(v, "PATH=") || strings.HasPrefix(v, "HOME=") {
			out = append(out, v)
		}
	}
	return out
}
