// Package policy reads the guard's policy files, guard.toml: the person's own,
// beside config.toml, and the project's, in its directory and above it up to the
// root of the repository. The hook reads them itself on every call, so that
// they hold without the coordinator.
//
// A file that cannot be read is broken, and says so; the built-in rules hold
// as they stand. The person's own file may turn an ask off. A project's may
// only make rules stricter, until the person trusts its exact content.
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

// maxFile bounds a policy file: it is read on every tool call.
const maxFile = 64 << 10

// A State is how a policy file stands.
type State string

// The states of a policy file.
const (
	InForce   State = "in force"  // all of it
	Untrusted State = "untrusted" // it would turn asks off, and may not yet
	Changed   State = "changed"   // the same, and another content of it was trusted
	Broken    State = "broken"    // none of it
)

// A File is one policy file that is there.
type File struct {
	Path      string
	Mine      bool // the person's own, not a project's
	State     State
	Err       error  // why it is broken
	Text      []byte // its content; nil when broken
	Amendment guard.Amendment
}

// Quiets returns the asks that the file turns off, or would when trusted.
func (f File) Quiets() (out []guard.Change) {
	for _, c := range f.Amendment.Changes {
		if c.Verdict == guard.None {
			out = append(out, c)
		}
	}
	return out
}

// Files reads the policy files for a session of project that works in cwd: the
// person's, then those of the project and of the directory that it works in,
// from the top of the repository down. Both paths may be empty.
func Files(dirs home.Dirs, cwd, project string) []File {
	if project == "" {
		project = cwd
	}
	var out []File
	if f, ok := read(dirs.GuardFile()); ok {
		f.Mine, f.Amendment.Loosens = true, true
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

// Amendments returns what the files add to the guard.
func Amendments(files []File) (out []guard.Amendment) {
	for _, f := range files {
		if f.State != Broken {
			out = append(out, f.Amendment)
		}
	}
	return out
}

// Warning says that files are broken, in one line; "" when none is.
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

// maxAbove bounds the search for repositories.
const maxAbove = 64

// places lists the directories whose policy holds for a session of project that
// works in cwd.
func places(home, cwd, project string) []string {
	out := above(home, project)
	if cwd == project {
		return out // most often; each look costs every tool call
	}
	for _, dir := range above(home, cwd) {
		if !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// above lists the directories from the root of the outermost repository down to
// dir, or dir alone where it lies in none. A repository that a session makes
// inside another one does not hide the policy of that. The home is nobody's
// project.
func above(home, dir string) []string {
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

// read takes a policy file in. ok is false when there is none.
func read(path string) (f File, ok bool) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, false
	}
	f = File{Path: path, State: InForce}
	raw, err := content(path, info, err)
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

// content reads a plain file. A link is refused: what it leads to could be
// changed where the guard does not look.
func content(path string, info fs.FileInfo, err error) ([]byte, error) {
	switch {
	case err != nil:
		return nil, plainly(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, errors.New("it is a symbolic link, which the guard cannot protect: put the file itself there")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no plain file")
	case info.Size() > maxFile:
		return nil, fmt.Errorf("it is larger than %d kB", maxFile>>10)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, plainly(err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, plainly(err)
	}
	if len(raw) > maxFile {
		return nil, fmt.Errorf("it is larger than %d kB", maxFile>>10)
	}
	return raw, nil
}

// plainly leaves the path out of an error: it is named beside it.
func plainly(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
