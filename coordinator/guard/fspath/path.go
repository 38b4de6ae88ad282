// Package fspath compares paths that are only partly known, without looking at a disk.
package fspath

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// Clean removes ".", ".." and double slashes. A hole is an ordinary
// component: ".." after it cannot be resolved, so the result is unknown. The same holds for
// ".." after a "~" at the start.
func Clean(p string) string {
	switch {
	case p == "":
		return "."
	case isClean(p):
		return p
	}
	rooted := p[0] == '/'
	parts := make([]string, 0, strings.Count(p, "/")+1)
	for c := range strings.SplitSeq(p, "/") {
		switch {
		case c == "", c == ".":
		case c != "..":
			parts = append(parts, c)
		case len(parts) > 0 && parts[len(parts)-1] != "..":
			last := parts[len(parts)-1]
			if partial.HasHole(last) || last == "~" && len(parts) == 1 && !rooted {
				return partial.Unknown
			}
			parts = parts[:len(parts)-1]
		case !rooted:
			parts = append(parts, c)
		}
	}
	out := strings.Join(parts, "/")
	if rooted {
		return "/" + out
	}
	return cmp.Or(out, ".")
}

// isClean reports whether Clean would leave a path as it is, which is true of
// most paths.
func isClean(p string) bool {
	for i := 0; i < len(p); {
		n := strings.IndexByte(p[i:], '/')
		if n < 0 {
			n = len(p) - i
		}
		c := p[i : i+n]
		switch {
		case c == ".", c == "..", c == "" && i > 0:
			return false
		}
		i += n + 1
	}
	return p == "/" || p[len(p)-1] != '/'
}

// MaxPath is the length of the longest path that systems accept.
const MaxPath = 4096

// Join resolves a word against a directory.
func Join(dir, word string) string {
	if len(dir)+len(word) > MaxPath {
		return partial.Unknown
	}
	switch {
	case word == "":
		return dir
	case word[0] == '/', word[0] == '~', partial.HasHole(word[:1]):
		return Clean(word)
	case IsDrive(word):
		return Slashed(word)
	case dir == "":
		return Clean(partial.Unknown + "/" + word)
	}
	for strings.HasPrefix(word, "./") {
		word = word[2:]
	}
	return Clean(dir + "/" + word)
}

// IsDrive reports whether a path begins with a Windows drive.
func IsDrive(p string) bool { return len(p) > 1 && p[1] == ':' && lex.IsLetter(p[0]) }

// Slashed returns a Windows path in the one form that the guard uses: with
// forward slashes and in lower case, because Windows ignores case. It returns
// other paths unchanged.
func Slashed(p string) string {
	if !IsDrive(p) {
		return p
	}
	return Clean(strings.ToUpper(p[:1]) + ":/" + strings.ToLower(strings.ReplaceAll(p[2:], "\\", "/")))
}

// Within reports whether path is dir or lies below it.
func Within(path, dir string) bool {
	switch dir {
	case "":
		return false
	case "/":
		return strings.HasPrefix(path, "/")
	}
	return path == dir || strings.HasPrefix(path, dir) && path[len(dir)] == '/'
}

// WithinAny reports whether p is one of the blank-separated directories or below one.
func WithinAny(p, dirs string) bool {
	return lex.AnyWord(p, dirs, Within)
}

// Base returns the last part of a path.
func Base(p string) string {
	return p[strings.LastIndexByte(p, '/')+1:]
}

// Dir returns a path without its last part.
func Dir(p string) string {
	i := strings.LastIndexByte(p, '/')
	switch {
	case i < 0:
		return "."
	case i == 0:
		return "/"
	}
	return p[:i]
}

// HasGlob reports whether s has a wildcard.
func HasGlob(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case '*', '?', '[':
			return true
		}
	}
	return false
}

// IsExact reports whether a path names one file: it is not empty, and has no wildcard and no
// unknown part.
func IsExact(p string) bool { return p != "" && !HasGlob(p) && !partial.HasHole(p) }

// GlobBase removes the pattern from the end of a path. It returns the directory
// in which the pattern matches, and whether it matches everything there.
func GlobBase(p string) (base string, everything bool) {
	if !HasGlob(p) {
		return p, false
	}
	parts := strings.Split(p, "/")
	first := slices.IndexFunc(parts, HasGlob)
	base = cmp.Or(strings.Join(parts[:first], "/"), "/")
	return base, !slices.ContainsFunc(parts[first:], func(part string) bool { return !matchesAll(part) })
}

// matchesAll reports whether a part of a pattern matches every name.
func matchesAll(component string) bool {
	switch strings.ReplaceAll(component, "**", "*") {
	case "*", ".*", "?*", ".[!.]*", "[!.]*", ".??*", "*.*", "{*,.*}":
		return true
	}
	return false
}

// SystemDirs lists the system directories that must not be deleted as a whole.
const SystemDirs = "/bin /boot /dev /etc /lib /lib32 /lib64 /opt /proc /root /run /sbin /srv /sys /usr /var " +
	"/System /Library /Applications /Volumes /private /mnt /media /nix " +
	"/usr/bin /usr/lib /usr/local /usr/sbin /usr/share /usr/local/bin /usr/local/lib /usr/include /var/lib " +
	"/var/log /var/mail /var/spool /var/db /private/etc /private/var /etc/ssl /etc/systemd /etc/nginx " +
	"/snap /Windows /Users/Shared C:"

// Made says how the folders of a name come about.
type Made uint8

// A folder may hold programs of other people, files that a tool makes again by itself, or
// results of programs, which no person wrote.
const (
	Installed Made = 1 << iota
	Rebuilt
	Generated
)

var madeFolders = [...]struct {
	names string
	how   Made
}{
	{"node_modules .tox", Installed | Rebuilt | Generated},
	{".venv venv", Installed | Generated},
	{"site-packages", Installed},
	{"__pycache__ .pytest_cache .mypy_cache .ruff_cache DerivedData", Rebuilt | Generated},
	{"dist build out target coverage .next .nuxt .cache tmp .tmp", Generated},
}

// IsMade reports whether folders of a name come about in that way.
func IsMade(name string, how Made) bool {
	for _, f := range madeFolders {
		if f.how&how != 0 && lex.OneOf(name, f.names) {
			return true
		}
	}
	return false
}

// InMade reports whether a path leads through such a folder.
func InMade(path string, how Made) bool {
	folders := strings.Split(path, "/")
	folders = folders[:len(folders)-1]
	return slices.ContainsFunc(folders, func(name string) bool { return IsMade(name, how) })
}

// onMount returns the part of a path below the root of a mounted disk, in lower case.
// It returns "" for a path on no such disk.
func onMount(p string) string {
	if IsDrive(p) {
		return strings.TrimPrefix(p[2:], "/")
	}
	for _, m := range [...]struct {
		dir   string
		names int // parts of the path that name the disk
	}{{"/mnt/", 1}, {"/Volumes/", 1}, {"/run/media/", 2}, {"/media/", 2}} {
		rest, ok := strings.CutPrefix(p, m.dir)
		if !ok {
			continue
		}
		for range m.names {
			_, rest, _ = strings.Cut(rest, "/")
		}
		return strings.ToLower(rest)
	}
	return ""
}

// IsOtherSystem reports whether a path lies in a folder of Windows itself, on a
// drive or on a mounted disk.
func IsOtherSystem(p string) bool {
	head, _, _ := strings.Cut(onMount(p), "/")
	switch head {
	case "windows", "program files", "program files (x86)", "programdata", "recovery", "system volume information":
		return true
	}
	return false
}

// IsOtherTemp reports whether a path lies in the temp directory of a person on a
// Windows that is mounted.
func IsOtherTemp(p string) bool {
	rest := onMount(p)
	return strings.HasPrefix(rest, "users/") && strings.Contains(rest, "/appdata/local/temp/")
}

// IsProfile reports whether a path is the home of a person on another system that
// is mounted, or the folder of all homes.
func IsProfile(p string) bool {
	rest := onMount(p)
	name, found := strings.CutPrefix(rest, "users/")
	return rest == "users" || found && !strings.Contains(name, "/")
}

// IsDriveDir reports whether a path is a Windows drive or a system directory on
// one.
func IsDriveDir(p string) bool {
	if !IsDrive(p) { // as Linux mounts it
		name, ok := strings.CutPrefix(p, "/mnt/")
		return ok && len(name) == 1 && lex.IsLetter(name[0])
	}
	switch strings.TrimSuffix(p[2:], "/"+partial.Unknown) {
	case "", "/windows", "/users", "/programdata", "/windows/system32", "/boot", "/recovery",
		"/program files", "/program files (x86)":
		return true
	}
	return false
}

// IsDevice reports whether a path is a disk or the memory of the machine.
func IsDevice(p string) bool {
	rest, ok := strings.CutPrefix(p, "/dev/")
	if !ok {
		return lex.BeginsWith(p, "\\\\.\\ //./")
	}
	return lex.BeginsWith(rest, "sd hd vd xvd nvme mmcblk disk rdisk mapper/ md dm- loop mem kmem port")
}
