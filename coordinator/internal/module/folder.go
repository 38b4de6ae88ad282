package module

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds of the folder of a module. It is read whole before each start.
const (
	MaxEntries = 5000
	MaxContent = 64 << 20 // of all files, in bytes
)

// An Entry is a file, a folder or a link below the folder of a module.
type Entry struct {
	Path string      // from the folder, with slashes
	Mode fs.FileMode // its kind and its permissions
	Size int64       // of a file, in bytes
	Sum  string      // the hash of a file's content
	Link string      // what a link says
}

// kinds are the names of what a folder may contain.
var kinds = map[fs.FileMode]string{0: "file", fs.ModeDir: "folder", fs.ModeSymlink: "link"}

// kept are the bits of a mode that count beside its kind.
const kept = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// Hash returns the hash of a whole folder: of each name, kind, permission, content and link. It
// refuses what is neither file, folder nor link, and a link that leads out of the folder,
// because its content would not count.
func Hash(entries []Entry) (string, error) {
	if len(entries) > MaxEntries {
		return "", fmt.Errorf("it has more than %d files", MaxEntries)
	}
	sorted := slices.SortedFunc(slices.Values(entries), func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	sum := sha256.New()
	for _, e := range sorted {
		kind, ok := kinds[e.Mode.Type()]
		if !ok {
			return "", fmt.Errorf("%q is neither a file, a folder nor a link", e.Path)
		}
		if kind == "link" && !inside(path.Dir(e.Path), e.Link) {
			return "", fmt.Errorf("the link %q leads out of the folder", e.Path)
		}
		mode := strconv.FormatUint(uint64(e.Mode&kept), 8)
		for _, field := range []string{e.Path, kind, mode, e.Sum, e.Link} {
			fmt.Fprintf(sum, "%d:%s,", len(field), field) // so that no two folders are written alike
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// inside reports whether a name, seen from a folder of the module, stays in the module. It may
// go up only at its beginning: behind a link, "up" is another place than its text says.
func inside(dir, name string) bool {
	name = strings.TrimSuffix(strings.ReplaceAll(name, `\`, "/"), "/")
	if name == "" || path.IsAbs(name) || isWindowsPath(name) {
		return false
	}
	down := false
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." && down {
			return false
		}
		down = down || part != ".." && part != "."
	}
	whole := path.Join(dir, name)
	return whole != ".." && !strings.HasPrefix(whole, "../")
}

// A Content is what the folder of a module holds.
type Content struct {
	Manifest
	Hash    string // of the whole folder
	Files   int    // in it
	Entries []Entry
}

// A Status is what the source of a module does now.
type Status struct {
	PID   int       // of its process, 0 if none runs
	Since time.Time // when that was started
	Next  time.Time // when it is started again, zero if it runs
	Ends  int       // how often in a row it has ended
	Why   string    // it ended last
}
