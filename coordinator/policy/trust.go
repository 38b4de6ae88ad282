package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
)

// The trust file holds what the person accepted, in whole: a line with the
// length of the content and the directory it holds in and below, then the
// content. Equal bytes need no hash, whose package would cost each start of the
// hook more than this. It lies among Afar's own files, which no session may touch.

// maxTrust bounds the trust file: a few dozen policies of the largest size.
const maxTrust = 4 << 20

type trusted struct{ text, dir string }

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
		case t.text == string(f.Text) && below(dir, t.dir):
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
	return parseTrust(string(raw))
}

// parseTrust reads up to what is not of its form: all before it was accepted.
func parseTrust(text string) (out []trusted) {
	for {
		head, rest, _ := strings.Cut(text, "\n")
		size, dir, _ := strings.Cut(head, " ")
		n, err := strconv.Atoi(size)
		if err != nil || n < 0 || n >= len(rest) || rest[n] != '\n' || !filepath.IsAbs(dir) {
			return out
		}
		out = append(out, trusted{rest[:n], dir})
		text = rest[n+1:]
	}
}

func othersWrite(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0
}

// ErrTrust wraps what stands against trusting a file.
var ErrTrust = errors.New("cannot be trusted")

// Trust accepts a project's policy file with the very content that f holds, in
// the place of what was accepted of it before. f is from Project.
func Trust(dirs home.Dirs, f File) error {
	dir := real(filepath.Dir(f.Path))
	all := append(others(dirs, dir), trusted{string(f.Text), dir})
	switch {
	case strings.Contains(dir, "\n"):
		return fmt.Errorf("%s %w: a line break stands in its path", f.Path, ErrTrust)
	case len(written(all)) > maxTrust:
		return fmt.Errorf("%s %w: too much is trusted already; take some back with --forget", f.Path, ErrTrust)
	}
	return writeTrust(dirs, all)
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

func written(all []trusted) string {
	var b strings.Builder
	for _, t := range all {
		fmt.Fprintf(&b, "%d %s\n%s\n", len(t.text), t.dir, t.text)
	}
	return b.String()
}

func writeTrust(dirs home.Dirs, all []trusted) error {
	if err := atomicfile.Write(dirs.TrustFile(), written(all)); err != nil {
		return fmt.Errorf("write trust: %w", err)
	}
	return nil
}
