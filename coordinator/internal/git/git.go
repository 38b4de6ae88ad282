// Package git asks a repository by running git. The repository is not trusted:
// nothing that its configuration names is run.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Recent returns the last commits, one line each, newest first, and the files
// with uncommitted changes. Both are empty outside a repository.
func Recent(ctx context.Context, dir string) (commits, changed []string) {
	r := open(ctx, dir)
	if out, err := r.run(ctx, "log", "-3", "--no-show-signature", "--format=%h %s"); err == nil {
		commits = lines(string(out), "\n")
	}
	if out, err := r.run(ctx, "status", "--porcelain", "-z", "--ignore-submodules=dirty"); err == nil {
		changed = paths(lines(string(out), "\x00"))
	}
	return commits, changed
}

// paths reads the entries of a status: two letters, a blank, a path. The old
// path of a renamed file follows as an entry of its own.
func paths(entries []string) (out []string) {
	for i := 0; i < len(entries); i++ {
		e := entries[i]
		if len(e) <= 3 {
			continue
		}
		out = append(out, e[3:])
		if strings.ContainsAny(e[:2], "RC") {
			i++
		}
	}
	return out
}

func lines(text, sep string) []string {
	text = strings.Trim(text, sep)
	if text == "" {
		return nil
	}
	return strings.Split(text, sep)
}

// A repo runs git in one directory with nothing of the environment but PATH and
// HOME. No program that the repository configures is started: no file monitor,
// no hook, no filter, no transport that would fetch what is missing, and
// nothing at all in a submodule.
type repo struct {
	dir string
	env []string
}

func open(ctx context.Context, dir string) repo {
	r := repo{dir: dir}
	keys, err := r.run(ctx, "config", "-z", "--name-only", "--get-regexp", `^filter\.`)
	if err != nil {
		return r // there is none
	}
	off := lines(string(keys), "\x00")
	r.env = append(r.env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(off)))
	for i, key := range off {
		value := ""
		if strings.HasSuffix(key, ".required") {
			value = "false"
		}
		r.env = append(r.env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, value))
	}
	return r
}

func (r repo) run(ctx context.Context, args ...string) ([]byte, error) {
	return r.pipe(ctx, nil, nil, args...)
}

// pipe is run with an input and more of an environment.
func (r repo) pipe(ctx context.Context, in []byte, env []string, args ...string) ([]byte, error) {
	cmd := r.command(ctx, env, args...)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		said, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		err = fmt.Errorf("git %s: %s: %w", args[0], said, err)
	}
	return out, err
}

func (r repo) command(ctx context.Context, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C", r.dir}, args...)...)
	cmd.Env = append(minimal(cmd.Environ()), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
	cmd.Env = append(append(cmd.Env, r.env...), env...)
	cmd.WaitDelay = time.Second
	return cmd
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
