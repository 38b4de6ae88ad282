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

// The trust file holds the full content of each policy that the person accepted:
// a line with the length of the content and the directory in and below which it
// applies, then the content. Contents are compared byte by byte, because a package
// for hashes would cost more at each start of the hook. The file is one of Afar's
// own files, which no session may change.

// maxTrust bounds the trust file. It has room for a few dozen policies of the
// largest size.
const maxTrust = 4 << 20

type trusted struct{ text, dir string }

// judged returns a project's file with its state. The file may turn asks off only
// in a session that works below it, so that another project cannot use the trust.
func (f File) judged(dirs home.Dirs, cwd string) File {
	if len(f.Quiets()) == 0 {
		return f
	}
	f.State = Untrusted
	dir := real(filepath.Dir(f.Path))
	for _, t := range readTrust(dirs) {
		switch {
		case t.text == string(f.Text) && isWithin(dir, t.dir):
			f.State = InForce
			f.Amendment.Loosens = isWithin(real(cwd), dir)
			return f
		case t.dir == dir:
			f.State = Changed
		}
	}
	return f
}

// isWithin reports whether a path is dir or lies in it.
func isWithin(path, dir string) bool {
	slash := string(filepath.Separator)
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, slash)+slash)
}

// real returns a path with its symbolic links resolved, or the clean path if that
// fails.
func real(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return filepath.Clean(path)
}

// readTrust returns the accepted policies. It ignores a trust file that other
// users could have written.
func readTrust(dirs home.Dirs) (out []trusted) {
	info, err := os.Lstat(dirs.TrustFile())
	if err != nil || othersWrite(info) {
		return nil
	}
	raw, err := readPlain(dirs.TrustFile(), maxTrust)
	if err != nil {
		return nil
	}
	return parseTrust(string(raw))
}

// parseTrust returns the accepted policies up to the first one that is malformed
// or cut off.
func parseTrust(text string) (out []trusted) {
	for {
		head, rest, _ := strings.Cut(text, "\n")
		size, dir, _ := strings.Cut(head, " ")
		n, err := strconv.ParseUint(size, 10, 31)
		content := rest[:min(int(n), len(rest))]
		next, isWhole := strings.CutPrefix(rest[len(content):], "\n")
		if err != nil || !isWhole || !filepath.IsAbs(dir) {
			return out
		}
		out = append(out, trusted{content, dir})
		text = next
	}
}

// othersWrite reports whether other users may write a file.
func othersWrite(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0
}

// ErrTrust is wrapped by the errors that say why a file cannot be trusted.
var ErrTrust = errors.New("cannot be trusted")

// Trust accepts a project's policy file with exactly the content of f, which
// Project returned. It replaces the content that was accepted before.
func Trust(dirs home.Dirs, f File) error {
	dir := real(filepath.Dir(f.Path))
	all := append(trustedElsewhere(dirs, dir), trusted{string(f.Text), dir})
	switch {
	case strings.Contains(dir, "\n"):
		return fmt.Errorf("%s %w: its path contains a line break", f.Path, ErrTrust)
	case len(formatTrust(all)) > maxTrust:
		return fmt.Errorf("%s %w: too much is trusted already; take some back with --forget", f.Path, ErrTrust)
	}
	return writeTrust(dirs, all)
}

// Forget removes the trust in the policy file at path. forgot is false if the
// file was not trusted.
func Forget(dirs home.Dirs, path string) (forgot bool, err error) {
	dir := real(filepath.Dir(path))
	rest := trustedElsewhere(dirs, dir)
	if len(rest) == len(readTrust(dirs)) {
		return false, nil
	}
	return true, writeTrust(dirs, rest)
}

// Project reads a project's policy file at path to show it to the person. It
// returns an error if the file cannot be trusted.
func Project(path string) (File, error) {
	if filepath.Base(path) != guard.PolicyFile || !filepath.IsAbs(path) {
		return File{}, fmt.Errorf("%s %w: a project's policy is a file named %s", path, ErrTrust, guard.PolicyFile)
	}
	f, ok := read(path)
	switch {
	case !ok:
		return f, fmt.Errorf("%s %w: it does not exist", path, ErrTrust)
	case f.State == Broken:
		return f, fmt.Errorf("%s %w: %w", path, ErrTrust, f.Err)
	}
	return f, nil
}

// trustedElsewhere returns the accepted policies of all directories other than dir.
func trustedElsewhere(dirs home.Dirs, dir string) (out []trusted) {
	for _, t := range readTrust(dirs) {
		if t.dir != dir {
			out = append(out, t)
		}
	}
	return out
}

// formatTrust returns the text of a trust file.
func formatTrust(all []trusted) string {
	var b strings.Builder
	for _, t := range all {
		fmt.Fprintf(&b, "%d %s\n%s\n", len(t.text), t.dir, t.text)
	}
	return b.String()
}

func writeTrust(dirs home.Dirs, all []trusted) error {
	if err := atomicfile.Write(dirs.TrustFile(), formatTrust(all)); err != nil {
		return fmt.Errorf("write trust: %w", err)
	}
	return nil
}
