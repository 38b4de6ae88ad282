package fspath

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// Clean removes ".", ".." and double slashes. A hole is an ordinary
// component: ".." after it cannot be resolved, so the result is unknown.
func Clean(p string) string {
	switch {
	case p == "":
		return "."
	case isClean(p):
		return p
	}
	rooted := p[0] == '/'
	var parts []string
	for rest, more := p, true; more; {
		var c string
		c, rest, more = strings.Cut(rest, "/")
		switch {
		case c == "" || c == ".":
		case c == ".." && len(parts) > 0 && parts[len(parts)-1] != "..":
			if partial.HasHole(parts[len(parts)-1]) || parts[len(parts)-1] == "~" {
				return partial.Unknown
			}
			parts = parts[:len(parts)-1]
		case c == ".." && rooted:
		default:
			parts = append(parts, c)
		}
	}
	out := strings.Join(parts, "/")
	if rooted {
		return "/" + out
	}
	if out == "" {
		return "."
	}
	return out
}

// isClean is true of a path without any component that cleanPath takes away.
// Most are.
func isClean(p string) bool {
	for i := 0; i < len(p); {
		n := strings.IndexByte(p[i:], '/')
		if n < 0 {
			n = len(p) - i
		}
		c := p[i : i+n]
		if c == "" && i > 0 || lex.OneOf(c, ". ..") {
			return false
		}
		i += n + 1
	}
	return p == "/" || p[len(p)-1] != '/'
}

// MaxPath is what systems take.
const MaxPath = 4096

// Join resolves a word against a directory.
func Join(dir, word string) string {
	if len(dir)+len(word) > MaxPath {
		return partial.Unknown
	}
	switch {
	case word == "":
		return dir
	case word[0] == '/' || word[0] == '~':
		return Clean(word)
	case partial.HasHole(word[:1]):
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

// IsDrive is true of a path that begins with a drive of Windows.
func IsDrive(p string) bool { return len(p) > 1 && p[1] == ':' && lex.IsLetter(p[0]) }

// Slashed is the one form that a path of Windows has here: C:/dir/file, in small
// letters, as case means nothing there. Other paths stay as they are.
func Slashed(p string) string {
	if !IsDrive(p) {
		return p
	}
	return Clean(strings.ToUpper(p[:1]) + ":/" + strings.ToLower(strings.ReplaceAll(p[2:], "\\", "/")))
}

// Within is true if path is dir or lies below it.
func Within(path, dir string) bool {
	if dir == "" || path == "" {
		return false
	}
	if dir == "/" {
		return path[0] == '/'
	}
	return path == dir || len(path) > len(dir) && path[:len(dir)] == dir && path[len(dir)] == '/'
}

func Base(p string) string {
	return p[strings.LastIndexByte(p, '/')+1:]
}

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

func HasGlob(s string) bool { return strings.ContainsAny(s, "*?[") }

// GlobBase takes the pattern off the end of a path: the directory that it
// matches in, and whether it matches everything there.
func GlobBase(p string) (base string, everything bool) {
	if !HasGlob(p) {
		return p, false
	}
	parts := strings.Split(p, "/")
	for i, c := range parts {
		if !HasGlob(c) {
			continue
		}
		base = strings.Join(parts[:i], "/")
		if base == "" {
			base = "/"
		}
		for _, rest := range parts[i:] {
			if !matchesAll(rest) {
				return base, false
			}
		}
		return base, true
	}
	return p, false
}

func matchesAll(component string) bool {
	switch strings.ReplaceAll(component, "**", "*") {
	case "*", ".*", "?*", ".[!.]*", "[!.]*", ".??*", "*.*", "{*,.*}":
		return true
	}
	return false
}
