// Package git runs git, to read repositories that are not trusted, and to work in
// the worktrees of issues.
package git

import (
	"context"
	"strings"
)

// Recent returns the last commits, one line each, newest first, and the files
// with uncommitted changes. Both are empty outside a repository.
func Recent(ctx context.Context, dir string) (commits, changed []string) {
	r := Sealed(ctx, dir)
	if out, err := r.Run(ctx, "log", "-3", "--no-show-signature", "--format=%h %s"); err == nil {
		commits = Lines(out)
	}
	if out, err := r.Run(ctx, "status", "--porcelain", "-z", "--ignore-submodules=dirty"); err == nil {
		changed = paths(Records(out))
	}
	return commits, changed
}

// paths returns the paths in the entries of git status --porcelain: two letters, a
// space, a path. The old path of a renamed file follows as a separate entry.
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

// Lines splits the output of git into lines.
func Lines(out []byte) []string {
	text := strings.Trim(string(out), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
