// Package wall bounds what a process, and all that it starts, can read and write, by the kernel's own
// means: Landlock on Linux. A Wall is a plain value. It is built from the place in which a program
// works and from the person's settings, shown as it is, and put up by Start before the program begins.
//
// The kernel knows only what is allowed, by subtree, and no wall can be widened once it stands. A link
// needs no rule: what counts is where it leads. A rule for a file holds for that file, and not for
// another one that takes its name.
//
// On systems without Landlock no wall can be built: ABI says so, and nothing pretends.
package wall

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The values of the setting runs.wall.
const (
	On     = "on"
	Off    = "off"
	Strict = "strict"
)

// Modes returns the values of runs.wall.
func Modes() []string { return []string{On, Off, Strict} }

// The levels of Landlock that matter here.
const (
	leastABI  = 3 // before, a file outside could be truncated
	scopedABI = 6 // signals and abstract sockets
	mostABI   = 7 // the newest one that this was tried on
)

// Settings are what the person decides about walls.
type Settings = wire.WallSettings

// A Place is where a program works that gets a wall.
type Place struct {
	Dirs home.Dirs // the person's home, and Afar's own files
	Dir  string    // may be written; "" for none
	Temp string    // TMPDIR, "" for none
	// Program is the path of the program, which can be read with what lies beside it.
	Program string
	// Session is the id of the conversation, "" for a program without one. Only its own folders of the
	// host's state are open.
	Session string
	Getenv  claude.Env // of the program; never nil
	Own     []Row      // what this program alone may write
	Reads   []Row      // what it alone can read of what is hidden
}

// A Row is one path of a table, and why it is there.
type Row struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// A Wall is what a process may do. Nothing outside of Write can be written.
type Wall struct {
	Mode  string `json:"mode"` // On or Strict
	Home  string `json:"home"`
	Write []Row  `json:"write"`
	// Make are folders that are made before the wall goes up, because nothing can make them then.
	Make []string `json:"make"`
	// Touch are files that are made so, empty.
	Touch []string `json:"touch,omitempty"`
	// Read is all that can be read in strict mode, besides Write. Otherwise it is what can be read
	// although it lies in Hide.
	Read []Row `json:"read"`
	Hide []Row `json:"hide"` // what cannot be read, unless a row of Read or Write is inside it
	// Closed are paths that cannot be written although a row of Write has them inside.
	Closed []Row `json:"closed"`
}

// Shown returns the wall for people, as it stands on this system.
func (w Wall) Shown() wire.Wall {
	abi := ABI()
	if !w.Exists() {
		return wire.Wall{Mode: Off, ABI: abi, Missing: missing(abi)}
	}
	return wire.Wall{
		Mode: w.Mode, ABI: abi, Missing: missing(abi), Gaps: Gaps(abi),
		Write: shown(w.Write), Read: shown(w.Read), Hidden: shown(w.Hide), Closed: shown(w.Closed),
	}
}

func shown(rows []Row) []wire.WallRow {
	all := make([]wire.WallRow, len(rows))
	for i, r := range rows {
		all[i] = wire.WallRow(r)
	}
	return all
}

// Exists reports whether there is a wall at all. The zero Wall is none.
func (w Wall) Exists() bool { return w.Mode != "" }

// Missing returns why no wall can stand on this system, in words, "" if one can.
func Missing() string { return missing(ABI()) }

func missing(abi int) string {
	switch {
	case abi == 0:
		return "no wall here: this system has no Landlock (Linux 6.2 or newer has)"
	case abi < leastABI:
		return fmt.Sprintf("no wall here: Landlock ABI %d is too old, want %d (Linux 6.2)", abi, leastABI)
	}
	return ""
}

// Gaps returns what a wall does not stop at a level of Landlock, in words.
func Gaps(abi int) (gaps []string) {
	if abi < scopedABI {
		gaps = append(gaps, "signals not: processes outside can be signalled, and abstract sockets reached "+
			"(closed from Linux 6.12 on)")
	}
	if abi < 5 {
		gaps = append(gaps, "device files can be controlled (closed from Linux 6.10 on)")
	}
	return append(gaps, "sockets by path not: docker, D-Bus, tmux, ssh-agent", "the network is as ever")
}

// New returns the wall for a place. It is the zero Wall if the settings switch walls off, and an
// error if a path cannot be what it has to be.
func New(p Place, set Settings) (w Wall, err error) {
	switch set.Mode {
	case "", Off:
		return w, nil
	case On, Strict:
	default:
		return w, fmt.Errorf("unknown wall %q; want one of %q", set.Mode, Modes())
	}
	if p.Dirs.User == "" {
		return w, errors.New("HOME is not set: a wall needs to know the person's home")
	}
	if err := checkPlace(p); err != nil {
		return w, err
	}
	w = Wall{Mode: set.Mode, Home: real(p.Dirs.User)}
	o := p.writable(set)
	w.Write, w.Make, w.Touch = o.rows, o.made, o.files
	w.Hide = p.hidden(set)
	w.Read = p.readable(set)
	w.Closed = p.closed()
	return w, nil
}

// Writes reports whether a path without links can be written.
func (w Wall) Writes(path string) bool {
	for _, row := range w.Write {
		at := real(row.Path)
		isClosed := slices.ContainsFunc(w.Closed, func(c Row) bool {
			return within(path, real(c.Path)) && within(real(c.Path), at)
		})
		if within(path, at) && !isClosed {
			return true
		}
	}
	return false
}

// Widens reports whether a person may open a path without links for one program: none that is, or has inside, the home,
// Afar's own files or the settings of agents, or that lies in these.
func (p Place) Widens(path string) bool {
	return !within(real(p.Dirs.User), path) && !slices.ContainsFunc(p.never(), func(r Row) bool {
		closed := real(r.Path)
		return within(closed, path) || within(path, closed)
	})
}

// checkPlace returns an error for a directory that a program behind an earlier wall may have replaced
// by a link.
func checkPlace(p Place) error {
	info, err := os.Lstat(p.Dir)
	isLink := err == nil && info.Mode()&os.ModeSymlink != 0
	if isLink && isIn(filepath.Dir(p.Dir), temporary) {
		return fmt.Errorf("%s is a link in a directory that everybody writes; want the directory itself", p.Dir)
	}
	return nil
}

func isIn(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return within(path, dir) })
}

// within reports whether a path is a directory or lies in it.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// real returns a path without links, as far as it exists.
func real(path string) string {
	if path == "" {
		return ""
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	dir, name := filepath.Split(filepath.Clean(path))
	if dir = filepath.Clean(dir); dir == path {
		return path
	}
	return filepath.Join(real(dir), name)
}

// In returns a path of the settings: with the home for ~.
func In(user, path string) string {
	if path == "~" {
		return user
	}
	if below, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(user, below)
	}
	return filepath.Clean(path)
}

// An allowance is one rule for the kernel.
type allowance struct {
	path    string
	isDir   bool
	writes  bool
	control bool // of devices
}

// allowances returns the rules of the wall, for what there is on the disk now.
func (w Wall) allowances() (all []allowance) {
	seen := resolver{}
	barred := seen.paths(w.Hide)
	if w.Mode != Strict {
		all = grant(all, allowance{path: "/", isDir: true}, barred)
	}
	for _, path := range seen.paths(w.Read) {
		all = append(all, allowance{path: path, isDir: isDir(path)})
	}
	barred = append(barred, seen.paths(w.Closed)...)
	for _, path := range seen.paths(w.Write) {
		all = grant(all, allowance{path: path, isDir: isDir(path), writes: true}, barred)
	}
	for _, path := range devices {
		found, _ := filepath.Glob(path) // the patterns are ours
		for _, f := range found {
			all = append(all, allowance{path: f, isDir: isDir(f), writes: true, control: true})
		}
	}
	return all
}

// grant adds the rules that allow a path without what is barred inside it: the entries that it has now,
// where something is. A path that is barred itself, and asked for by its name, is allowed.
func grant(all []allowance, at allowance, barred []string) []allowance {
	inside := map[string][]string{} // what is barred, by the entry of the path in which it is
	for _, b := range barred {
		if b != at.path && within(b, at.path) {
			name, _, _ := strings.Cut(strings.TrimPrefix(b[len(at.path):], "/"), "/")
			inside[name] = append(inside[name], b)
		}
	}
	if len(inside) == 0 {
		return append(all, at)
	}
	entries, err := os.ReadDir(at.path)
	if err != nil {
		return all
	}
	for _, e := range entries {
		next, below := at, inside[e.Name()]
		next.path, next.isDir = filepath.Join(at.path, e.Name()), e.IsDir()
		isLink := e.Type()&os.ModeSymlink != 0
		if isLink || slices.Contains(below, next.path) {
			continue
		}
		all = grant(all, next, below)
	}
	return all
}

// A resolver knows paths without links, as far as they exist. It asks the system once for each.
type resolver map[string]string

func (r resolver) paths(rows []Row) (all []string) {
	for _, row := range rows {
		all = append(all, r.real(row.Path))
	}
	return all
}

func (r resolver) real(path string) string {
	if known, ok := r[path]; ok {
		return known
	}
	dir, name := filepath.Split(filepath.Clean(path))
	at := path
	if dir = filepath.Clean(dir); dir != path && dir != "." {
		at = filepath.Join(r.real(dir), name)
		if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
			at = real(at)
		}
	}
	r[path] = at
	return at
}

// Here returns the settings as they hold on this system: without Landlock, walls are off.
func Here(set Settings) Settings {
	if Missing() != "" {
		set.Mode = Off
	}
	return set
}

// Words returns which wall a turn with these settings gets that begins now: its mode, or why it gets none.
func Words(set Settings) string {
	if set.Mode == "" || set.Mode == Off {
		return Off
	}
	return cmp.Or(Missing(), set.Mode)
}

// From returns the variables of an environment. The last one of a name counts.
func From(env []string) claude.Env {
	return func(name string) string {
		for _, entry := range slices.Backward(env) {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}
}
