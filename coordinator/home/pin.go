package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
)

// pinName is the file next to the binaries that fixes the home. A project's own
// settings can set any variable of a hook, HOME too. So an installed hook does not
// take Afar's directories from its environment.
const pinName = "afar.pin"

// ForHook resolves the directories for a process that runs inside a session, with
// its binaries in bin. If there is a pin in bin, ForHook takes them from the pin and
// does not read the environment. Otherwise, as in a test that built its own
// binaries, the environment counts.
func ForHook(bin string, getenv func(string) string) (d Dirs, pinned bool, err error) {
	path := filepath.Join(bin, pinName)
	raw, err := slurp(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d, err = FromEnv(getenv)
		return d, false, err
	case err != nil:
		return Dirs{}, true, fmt.Errorf("read %s: %w; run install.sh again", path, err)
	}
	if d = unpin(string(raw)); d.isRelative() {
		return Dirs{}, true, fmt.Errorf("%s is damaged: run install.sh again", path)
	}
	return d, true, nil
}

// maxPin bounds the size of a pin, in bytes. A pin holds a few paths.
const maxPin = 64 << 10

// slurp reads a small file of Afar's, like os.ReadFile. Every hook waits for it before
// it can connect, and an os.File would cost twice as much.
func slurp(path string) (raw []byte, err error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	raw = make([]byte, 0, 1<<10)
	for len(raw) < maxPin {
		raw = slices.Grow(raw, 1)
		n, err := syscall.Read(fd, raw[len(raw):cap(raw)])
		if n <= 0 {
			return raw, err // at the end of the file, or because of an error
		}
		raw = raw[:len(raw)+n]
	}
	return nil, errors.New("it is too large")
}

// ForPerson resolves the directories for a person's command from its environment.
// Inside a session it resolves them as ForHook does.
func ForPerson(bin string, getenv func(string) string) (Dirs, error) {
	if InSession(getenv) {
		d, _, err := ForHook(bin, getenv)
		return d, err
	}
	return FromEnv(getenv)
}

// InSession reports whether the environment says that this process descends from
// a session of the host. It is no protection, because a session can change its
// environment; the coordinator looks at the process itself.
func InSession(getenv func(string) string) bool {
	return claude.Env(getenv).InSession()
}

// Pinned reports whether the binaries in bin have a pin.
func Pinned(bin string) bool {
	_, err := os.Stat(filepath.Join(bin, pinName))
	return err == nil
}

// WritePin fixes d for the binaries in bin. Writing the same pin again leaves
// the file as it is.
func WritePin(bin string, d Dirs) error {
	path := filepath.Join(bin, pinName)
	text := d.pin()
	if strings.Count(text, "\n") != 1+len(d.pinned()) {
		return errors.New("write pin: a path with a line break cannot be pinned")
	}
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return nil
	}
	if err := atomicfile.Write(path, text); err != nil {
		return fmt.Errorf("write pin: %w", err)
	}
	return nil
}

func (d *Dirs) pinned() []struct {
	key string
	val *string
} {
	return []struct {
		key string
		val *string
	}{
		{"root", &d.Root}, {"user", &d.User}, {"config", &d.Config}, {"state", &d.State},
		{"run", &d.Run}, {"workspace", &d.Workspace}, {"path", &d.Path},
	}
}

func (d Dirs) pin() string {
	var b strings.Builder
	b.WriteString("# Where Afar lives, fixed at install. Written by: afar pin write\n")
	for _, f := range d.pinned() {
		fmt.Fprintf(&b, "%s %s\n", f.key, *f.val)
	}
	return b.String()
}

// unpin reads the text that pin wrote. It allocates as little as possible, because
// it runs on every tool call.
func unpin(text string) (d Dirs) {
	fields := d.pinned()
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		for _, f := range fields {
			if f.key == key {
				*f.val = value
			}
		}
	}
	return d
}

// isRelative reports whether one of the directories is not an absolute path.
func (d Dirs) isRelative() bool {
	return slices.ContainsFunc(d.All(), func(dir string) bool { return !filepath.IsAbs(dir) })
}

// Overruled lists the variables that disagree with the pinned directories, as
// NAME=value. Of the variables that have no value in Env, only AFAR_HOME counts,
// which would move all directories.
func (d Dirs) Overruled(getenv func(string) string) (out []string) {
	for _, name := range dirVars {
		if v := getenv(name); v != "" && d.overrules(name, v) {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// overrules reports whether the value v of a variable disagrees with the pinned one.
func (d Dirs) overrules(name, v string) bool {
	want := d.value(name)
	if want == "" {
		return name == "AFAR_HOME"
	}
	return filepath.Clean(v) != filepath.Clean(want)
}

// Bin returns the directory of the running binary, with symbolic links resolved.
func Bin() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find own binary: %w", err)
	}
	if runtime.GOOS == "linux" {
		return filepath.Dir(exe), nil // the kernel has resolved it; to do so again would slow every tool call
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real
	}
	return filepath.Dir(exe), nil
}
