package protected

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// HostPath reports whether a file decides which hooks the host runs.
func HostPath(p, home string, env map[string]string) bool {
	low := strings.ToLower(p)
	base := fspath.Base(low)
	if lex.OneOf(base, "managed-settings.json remote-settings.json .claude.json") {
		return true
	}
	tail, ok := HostFolder(p, env)
	return ok && hostTail(tail)
}

// HostFolder returns the part of a path below a folder of the host, in lower
// case: "" for the folder itself, otherwise a text that begins with a slash.
func HostFolder(p string, env map[string]string) (tail string, ok bool) {
	if dir := env["CLAUDE_CONFIG_DIR"]; dir != "" && fspath.Within(p, dir) && hostTail(strings.ToLower(p[len(dir):])) {
		return strings.ToLower(p[len(dir):]), true
	}
	low := strings.ToLower(p)
	if i := strings.LastIndex(low, "/.claude/"); i >= 0 {
		return low[i+len("/.claude"):], true
	}
	return "", strings.HasSuffix(low, "/.claude")
}

func hostTail(tail string) bool {
	base := fspath.Base(tail)
	if tail == "" || tail == "/" {
		return true
	}
	if strings.HasPrefix(base, "settings") &&
		(strings.HasSuffix(base, ".json") || fspath.HasGlob(base) || partial.HasHole(base)) {
		return true
	}
	return fspath.Within(tail, "/plugins") || fspath.Within(tail, "/hooks") || fspath.Within(tail, "/dev-mods") ||
		lex.OneOf(tail, "/* /.credentials.json") ||
		tail == "/"+partial.Unknown
}

// SwitchOff is the name of the file that turns Afar off in a project.
const SwitchOff = ".afar-disabled"
