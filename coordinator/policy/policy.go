// Package policy reads the guard's policy files, which are named guard.toml. The
// person's own file is next to config.toml. A project's files are in its
// directory and in the directories above it, up to the root of the repository.
// The hook reads them itself on every call, so they apply even if the
// coordinator does not run.
//
// A file that cannot be read is reported as broken, and the built-in rules apply
// unchanged. The person's own file may turn an ask off. A project's file may only
// make rules stricter, until the person trusts its exact content.
package policy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
)

// maxFile bounds a policy file, because it is read on every tool call.
const maxFile = 64 << 10

// A State says whether a policy file applies.
type State string

// The states of a policy file.
const (
	InForce   State = "in force"  // all of it applies
	Untrusted State = "untrusted" // it would turn asks off, but is not trusted
	Changed   State = "changed"   // untrusted, but another content of it was trusted
	Broken    State = "broken"    // none of it applies
)

// A File is one policy file that exists.
type File struct {
	Path      string
	State     State
	Err       error  // why it is broken
	Text      []byte // its content; nil when broken
	Amendment guard.Amendment
}

// Quiets returns the asks that the file turns off, or would turn off if trusted.
func (f File) Quiets() (out []guard.Change) {
	for _, c := range f.Amendment.Changes {
		if c.Verdict == guard.None {
			out = append(out, c)
		}
	}
	return out
}

// Quieted says which rules still ask as long as the file is not trusted.
func (f File) Quieted() string {
	quiets := f.Quiets()
	if len(quiets) == 1 {
		return quiets[0].Rule + " still asks"
	}
	return fmt.Sprintf("%d rules still ask", len(quiets))
}

// Files reads the policy files for a session of project that works in cwd. It
// returns the person's file first, then those of the project and of cwd, from the
// root of the repository down. Both paths may be empty.
func Files(dirs home.Dirs, cwd, project string) []File {
	if project == "" {
		project = cwd
	}
	var out []File
	if f, ok := read(dirs.GuardFile()); ok {
		f.Amendment.Loosens = true // it is the person's own
		f.Amendment.Base = project
		out = append(out, f)
	}
	for _, dir := range places(dirs.User, cwd, project) {
		if f, ok := read(filepath.Join(dir, guard.PolicyFile)); ok && f.Path != dirs.GuardFile() {
			out = append(out, f.judged(dirs, cwd))
		}
	}
	return out
}

// Amendments returns the amendments of the files that are not broken.
func Amendments(files []File) (out []guard.Amendment) {
	for _, f := range files {
		if f.State != Broken {
			out = append(out, f.Amendment)
		}
	}
	return out
}

// Warning returns one line that names the broken files, or "" if none is broken.
func Warning(files []File) string {
	var broken []string
	for _, f := range files {
		if f.State == Broken {
			broken = append(broken, f.Path+": "+f.Err.Error())
		}
	}
	if len(broken) == 0 {
		return ""
	}
	return "The guard's policy is broken, so only its built-in rules hold: " + strings.Join(broken, "; ")
}

// maxAbove bounds the directories that are searched for a repository.
const maxAbove = 64

// places returns the directories whose policy files apply to a session of project
// that works in cwd.
func places(home, cwd, project string) []string {
	out := dirsAbove(home, project)
	if cwd == project {
		return out // the usual case; a second search would slow down every tool call
	}
	for _, dir := range dirsAbove(home, cwd) {
		if !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// dirsAbove returns the directories from the root of the outermost repository
// down to dir, or dir alone if it lies in no repository. The outermost one counts
// because a session could create a repository inside another to hide its policy.
// The search stops below the home.
func dirsAbove(home, dir string) []string {
	if !filepath.IsAbs(dir) {
		return nil
	}
	dir = filepath.Clean(dir)
	all, root := []string{dir}, 0
	for at := dir; len(all) < maxAbove; {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			root = len(all) - 1
		}
		up := filepath.Dir(at)
		if up == at || up == home {
			break
		}
		at, all = up, append(all, up)
	}
	all = all[:root+1]
	slices.Reverse(all)
	return all
}

// read reads the policy file at path. ok is false if there is no such file.
func read(path string) (f File, ok bool) {
	f = File{Path: path, State: InForce}
	raw, err := readPlain(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, false
	}
	if err == nil {
		f.Amendment, err = Parse(raw)
	}
	if err != nil {
		return File{Path: path, State: Broken, Err: err}, true
	}
	f.Amendment.File, f.Amendment.Base = path, filepath.Dir(path)
	f.Text = raw
	return f, true
}

// readPlain returns the content of a regular file of at most max bytes. It refuses a
// link, because the guard does not protect the file that the link points to.
func readPlain(path string, max int64) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, withoutPath(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, errors.New("it is a symbolic link, which the guard cannot protect: put the file itself there")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > max:
		return nil, fmt.Errorf("it is larger than %d kB", max>>10)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if int64(len(raw)) > max {
		return nil, fmt.Errorf("it is larger than %d kB", max>>10)
	}
	return raw, nil
}

// withoutPath removes the path from an error that is shown next to the path.
func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
