package doctor

import (
	"path/filepath"
	"slices"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A Client is one installed Claude Code. An unknown version is "".
type Client struct{ Path, Version string }

// Clients returns each Claude Code on this machine once, in the order in which a
// shell finds them: those on path, which is like PATH, then those in the host's own folders.
func Clients(d home.Dirs, path string) []Client {
	dirs := append(filepath.SplitList(path),
		filepath.Join(d.User, ".local", "bin"), filepath.Join(d.HostDir(), "local"))
	var found []Client
	var seen []string
	for _, dir := range dirs {
		file := home.LookIn(dir, "claude")
		real, err := filepath.EvalSymlinks(file)
		if file == "" || err != nil || slices.Contains(seen, real) {
			continue
		}
		seen = append(seen, real)
		found = append(found, Client{file, claude.Version(file, nil, hostFor)})
	}
	return found
}

// client checks whether a client is supported, and what it does with a call that the
// guard cannot judge.
func (x Exam) client(c Client) wire.Check {
	name, proved := c.Path+", "+c.Version, x.proved(c.Version)
	if proved != "" {
		name += ", proved with --live on " + proved
	}
	switch {
	case c.Version == "":
		return off("claude", c.Path+" does not say its version: whether a guard that fails stops the call is unknown",
			"type `"+c.Path+" --version` and see")
	case claude.Before(c.Version, claude.Oldest):
		return bad("claude", name+": older than "+claude.Oldest+", the oldest client that Afar supports",
			"claude update")
	case !claude.Stops(c.Version):
		return off("claude", name+": a missing, crashed or overdue guard lets the call run"+c.discards(),
			"claude update: from "+claude.FailClosed+" on it stops the call")
	case claude.Before(claude.Newest, c.Version) && proved == "":
		return off("claude", name+": newer than "+claude.Newest+", the newest client that Afar was tested on. "+
			"A missing, crashed or overdue guard should stop the call", "afar doctor --live proves it")
	}
	return ok("claude", "%s: a missing, crashed or overdue guard stops the call%s", name, c.discards())
}

// discards returns the end of a sentence about the questions that the client does not
// let its person answer from afar, "" for none.
func (c Client) discards() string {
	if !claude.Before(c.Version, claude.AsksInPrint) {
		return ""
	}
	return ". Its `claude -p` refuses by itself what it would ask; the guard's questions still come. " +
		"Pages of MCP servers (URL mode) may never come"
}
