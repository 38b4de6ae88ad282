package main

import (
	"path/filepath"
	"slices"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A hostClient is one installed Claude Code. An unknown version is "".
type hostClient struct{ path, version string }

// clients returns each Claude Code on this machine once, in the order in which a
// shell finds them: those on PATH, then those in the host's own folders.
func (x exam) clients() []hostClient {
	dirs := append(filepath.SplitList(x.getenv("PATH")),
		filepath.Join(x.dirs.User, ".local", "bin"), filepath.Join(x.dirs.HostDir(), "local"))
	var found []hostClient
	var seen []string
	for _, dir := range dirs {
		path := lookPath(dir, "claude")
		real, err := filepath.EvalSymlinks(path)
		if path == "" || err != nil || slices.Contains(seen, real) {
			continue
		}
		seen = append(seen, real)
		found = append(found, hostClient{path, claude.Version(path, nil, hostFor)})
	}
	return found
}

// client checks whether a client is supported, and what it does with a call that the
// guard cannot judge.
func (x exam) client(c hostClient) wire.Check {
	name, proved := c.path+", "+c.version, x.proved(c.version)
	if proved != "" {
		name += ", proved with --live on " + proved
	}
	switch {
	case c.version == "":
		return off("claude", c.path+" does not say its version: whether a guard that fails stops the call is unknown",
			"type `"+c.path+" --version` and see")
	case claude.Before(c.version, claude.Oldest):
		return bad("claude", name+": older than "+claude.Oldest+", the oldest client that Afar supports",
			"claude update")
	case !claude.Stops(c.version):
		return off("claude", name+": a missing, crashed or overdue guard lets the call run"+c.discards(),
			"claude update: from "+claude.FailClosed+" on it stops the call")
	case claude.Before(claude.Newest, c.version) && proved == "":
		return off("claude", name+": newer than "+claude.Newest+", the newest client that Afar was tested on. "+
			"A missing, crashed or overdue guard should stop the call", "afar doctor --live proves it")
	}
	return ok("claude", "%s: a missing, crashed or overdue guard stops the call%s", name, c.discards())
}

// discards returns the end of a sentence about the questions that the client does not
// let its person answer from afar, "" for none.
func (c hostClient) discards() string {
	if !claude.Before(c.version, claude.AsksInPrint) {
		return ""
	}
	return ". Its `claude -p` refuses by itself what it would ask; the guard's questions still come. " +
		"Pages of MCP servers (URL mode) may never come"
}
