package callsite

import (
	"context"
	"path/filepath"
	"strconv"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
)

// kept returns a function that reports whether a file is as in the last commit before a
// time. The content counts, not what git's index says about it.
func (r repository) kept(before time.Time) func(path string) bool {
	return func(path string) bool {
		raw := content(path)
		if raw == nil {
			return false
		}
		ctx, cancel := context.WithTimeout(context.Background(), gitFor)
		defer cancel()
		real := newResolver().resolve(path)
		dir, base := filepath.Dir(real), filepath.Base(real)
		commit, err := r.run(ctx, dir, "rev-list", "-1", "--min-age="+strconv.FormatInt(before.Unix(), 10), "HEAD")
		if err != nil || len(commit) < 40 {
			return false
		}
		text, err := r.run(ctx, dir, "cat-file", "blob", commit[:len(commit)-1]+":./"+base)
		return err == nil && text == string(raw)
	}
}

// Kept returns a function that reports whether a file is as in the last commit before
// the session began, which is when its transcript was created. If that time is not
// known, no file counts as kept.
func Kept(dirs home.Dirs, transcript string) func(path string) bool {
	return func(path string) bool {
		since := born(transcript)
		git := repository{dirs: dirs}
		return !since.IsZero() && git.kept(since)(path)
	}
}
