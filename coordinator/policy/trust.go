package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
)

// The trust file lists what the person accepted: one line each, the content's
// sha256 and the directory it holds in and below. It lies among Afar's own
// files, which no session may touch.

// maxTrust bounds the trust file.
const maxTrust = 1 << 20

type trusted struct{ hash, dir string }

// judged says how a project's file stands. It turns asks off only where the
// session works below it, so that another project cannot borrow the trust.
func (f File) judged(dirs home.Dirs, cwd string) File {
	if f.State == Broken || len(f.Quiets()) == 0 {
		return f
	}
	f.State = Untrusted
	dir := real(filepath.Dir(f.Path))
	for _, t := range readTrust(dirs) {
		switch {
		case t.hash == f.Hash && below(dir, t.dir):
			f.State = InForce
			f.Amendment.Loosens = below(real(cwd), dir)
			return f
		case t.dir == dir:
			f.State = Changed
		}
	}
	return f
}

// below reports whether a path is dir or lies in it.
func below(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

func real(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return filepath.Clean(path)
}

// readTrust returns what was accepted. A trust file that others could have
// written counts for nothing.
func readTrust(dirs home.Dirs) (out []trusted) {
	info, err := os.Lstat(dirs.TrustFile())
	if err != nil || !info.Mode().IsRegular() || othersWrite(info) || info.Size() > maxTrust {
		return nil
	}
	raw, err := os.ReadFile(dirs.TrustFile())
	if err != nil {
		return nil
	}
	for _, line := range strings.Split(string(raw), "\n") {
		if hash, dir, ok := strings.Cut(line, " "); ok && len(hash) == 64 && filepath.IsAbs(dir) {
			out = append(out, trusted{hash, dir})
		}
	}
	return out
}

func othersWrite(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0
}

// ErrTrust wraps what stands against trusting a file.
var ErrTrust = errors.New("cannot be trusted")

// Trust accepts the project's policy file at path, if its content still has
// the hash that the person saw, in the place of what was accepted of it before.
func Trust(dirs home.Dirs, path, hash string) (File, error) {
	f, err := Project(path)
	switch {
	case err != nil:
		return f, err
	case f.Hash != hash:
		return f, fmt.Errorf("%s %w: its content has changed meanwhile", path, ErrTrust)
	}
	dir := real(filepath.Dir(path))
	if strings.Contains(dir, "\n") {
		return f, fmt.Errorf("%s %w: a line break stands in its path", path, ErrTrust)
	}
	return f, writeTrust(dirs, append(others(dirs, dir), trusted{hash, dir}))
}

// Forget takes back what was accepted of the policy file at path. forgot is
// false when it was never trusted.
func Forget(dirs home.Dirs, path string) (forgot bool, err error) {
	dir := real(filepath.Dir(path))
	rest := others(dirs, dir)
	if len(rest) == len(readTrust(dirs)) {
		return false, nil
	}
	return true, writeTrust(dirs, rest)
}

// Project reads the policy file at path as a project's, for the person to look
// at. One that cannot be trusted is an error.
func Project(path string) (File, error) {
	if filepath.Base(path) != guard.PolicyFile || !filepath.IsAbs(path) {
		return File{}, fmt.Errorf("%s %w: a project's policy is a file named %s", path, ErrTrust, guard.PolicyFile)
	}
	f, ok := read(path)
	switch {
	case !ok:
		return f, fmt.Errorf("%s %w: it is not there", path, ErrTrust)
	case f.State == Broken:
		return f, fmt.Errorf("%s %w: %w", path, ErrTrust, f.Err)
	}
	return f, nil
}

func others(dirs home.Dirs, dir string) (out []trusted) {
	for _, t := range readTrust(dirs) {
		if t.dir != dir {
			out = append(out, t)
		}
	}
	return out
}

// writeTrust replaces the file in one step, 0600.
func writeTrust(dirs home.Dirs, all []trusted) error {
	var b strings.Builder
	for _, t := range all {
		b.WriteString(t.hash + " " + t.dir + "\n")
	}
	path := dirs.TrustFile()
	f, err := os.CreateTemp(filepath.Dir(path), ".trust-*")
	if err != nil {
		return fmt.Errorf("write trust: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(b.String())
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write trust: %w", err)
	}
	return nil
}
