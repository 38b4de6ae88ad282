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

// PolicyFile is the name of the policy file of a person and of a project. The
// guard protects a file of this name in every directory.
const PolicyFile = "guard.toml"

// HookEvents lists the names of Afar's hook binaries, without "hook-".
const HookEvents = "session-start session-end pre-tool-use post-tool-use post-tool-use-failure " +
	"permission-request permission-denied stop stop-failure " +
	"elicitation subagent-start subagent-stop pre-compact user-prompt-submit user-prompt-expansion notification " +
	"config-change stop-rewake"

// LinkedProgram reports whether p is a link to the program that install makes.
func LinkedProgram(p string) bool {
	return strings.HasSuffix(p, "/.local/bin/afar") || p == "/usr/local/bin/afar"
}

// GuardedName reports whether a path belongs to Afar by its name alone: a policy
// file, the switch, the link to the program, its service, or a file of Afar that
// a search finds by name.
func GuardedName(p string) bool {
	base := fspath.Base(p)
	switch {
	case base == SwitchOff, strings.EqualFold(base, PolicyFile), LinkedProgram(p):
		return true
	case strings.Contains(base, "afar"):
		return lex.Mentions(p, "/LaunchAgents/ /systemd/") ||
			partial.HasHole(p) && lex.OneOf(base, "afar.db afar.sock afar")
	}
	event, ok := strings.CutPrefix(base, "hook-")
	return ok && partial.HasHole(p) && lex.OneOf(event, HookEvents)
}

// undoRefs is the namespace of Afar's snapshots in a repository.
const undoRefs = "refs/afar"

// HoldsUndo reports whether a ref, or a pattern for refs, names Afar's snapshots.
func HoldsUndo(ref string) bool {
	return fspath.Within(ref, undoRefs) || strings.HasPrefix(ref, undoRefs+"*")
}

// browserFiles are the files in which browsers keep cookies and passwords, in lower case. A
// comma stands for a blank. Those of the second list have the name in a browser's folder only.
const (
	browserFiles = "cookies.sqlite cookies.binarycookies login,data,for,account"
	profileFiles = "cookies login,data safe,browsing,cookies extension,cookies local,state " +
		"logins.json key4.db signons.sqlite"
	browserSuffix = "-wal -journal -shm .bak .corrupt"
)

// browserFolders are parts of paths below which browsers keep their profiles, in lower case.
const browserFolders = "/.mozilla /firefox /librewolf /.librewolf /waterfox /.waterfox /.zen /zen " +
	"/google-chrome /chromium " +
	"/google/chrome /bravesoftware /brave-browser /microsoft-edge /microsoft,edge /microsoft/edge /vivaldi " +
	"/opera " +
	"/com.operasoftware.opera /arc/user,data /user,data /com.apple.safari /library/cookies /org.mozilla.firefox " +
	"/org.chromium.chromium /com.google.chrome /com.brave.browser /com.microsoft.edge /epiphany /qutebrowser /falkon"

// BrowserStore reports whether a file holds the cookies or passwords of a browser, or is a
// folder of a browser that holds such files. Afar's page is open to who has its cookie.
func BrowserStore(p string) bool {
	if !MayBeBrowser(p) {
		return false
	}
	low := strings.NewReplacer(" ", ",", `\`, "/").Replace(strings.ToLower(strings.TrimRight(p, `/\`)))
	base := fspath.Base(low)
	for rest := browserSuffix; rest != ""; {
		var suffix string
		suffix, rest, _ = strings.Cut(rest, " ")
		base = strings.TrimSuffix(base, suffix)
	}
	if lex.OneOf(base, browserFiles) {
		return true
	}
	tail, ok := belowBrowser(low)
	return ok && (lex.OneOf(base, profileFiles) || isProfile(tail))
}

// MayBeBrowser reports whether a text contains a part of what BrowserStore knows. It costs less.
func MayBeBrowser(text string) bool {
	switch {
	case len(text) < len("zen"):
		return false
	case text[0] == '.', strings.ContainsAny(text, `/\`), lex.Mentions(text, "ookies ogin"):
		return lex.Mentions(strings.ToLower(text), "cookies login mozilla firefox librewolf waterfox zen chrom brave "+
			"edge vivaldi opera arc user safari epiphany qutebrowser falkon")
	}
	return false
}

// belowBrowser returns the part of a path below the folder of a browser in a home.
func belowBrowser(low string) (tail string, ok bool) {
	if !lex.Mentions(low, "/. /library/ /appdata/ /snap/ /user,data") {
		return "", false // the sources of a browser, a folder of drivers
	}
	for rest := browserFolders; rest != ""; {
		var folder string
		folder, rest, _ = strings.Cut(rest, " ")
		if i := strings.LastIndex(low, folder); i >= 0 {
			below := low[i+len(folder):]
			if below == "" || strings.IndexByte("/*-,", below[0]) >= 0 {
				return below, true
			}
		}
	}
	return "", false
}

// isProfile reports whether a path below the folder of a browser is that of a whole profile,
// of what holds profiles, or of a pattern that finds the files in one.
func isProfile(tail string) bool {
	if tail == "" || fspath.HasGlob(tail) {
		return true
	}
	base := fspath.Base(tail)
	return lex.OneOf(base, "default profiles network firefox user,data") ||
		strings.HasPrefix(base, "profile,") || strings.Contains(base, ".default")
}

// readsCookies are programs and modules that read the cookies of browsers.
const readsCookies = "browser_cookie3 browsercookie pycookiecheat rookiepy chrome-cookies-secure " +
	"cookies-from-browser chrome_cookies get-cookie sweetcookie hackbrowserdata"

// ReadsBrowser reports whether a program text names a module that reads the cookies of
// browsers, or the parts of a path to them.
func ReadsBrowser(text string) bool {
	low := strings.ToLower(text)
	if lex.Mentions(low, readsCookies) {
		return true
	}
	return lex.Mentions(low, "google-chrome chromium bravesoftware microsoft-edge vivaldi opera google/chrome") &&
		(lex.Mentions(low, `"cookies" 'cookies' /cookies" /cookies'`) || strings.Contains(low, "login data"))
}
