package main

import (
	"context"
	"html"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/agentcheck"
	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/wire"
)

// login checks whether the coordinator starts at the person's login. The service keeps the
// PATH with which it was installed.
func (x exam) login() wire.Check {
	s, err := x.service()
	if err != nil {
		return off("login", err.Error(), "")
	}
	raw, err := os.ReadFile(s.file)
	if err != nil {
		return off("login", "the coordinator starts with the first session or command, not with your login; "+
			"runs and tasks wait until then", "afar install-service starts it with your login")
	}
	d := x.dirs
	d.Path = servicePath(string(raw))
	if s, err := x.serviceOf(d); err != nil || string(raw) != s.text {
		return bad("login", s.file+" starts another Afar, or was changed", "afar install-service writes it anew")
	}
	if lost := x.outOfReach(d.Path); len(lost) > 0 {
		return bad("login", "the service does not find "+strings.Join(lost, ", ")+": its PATH is "+d.Path,
			"afar install-service in a shell that does writes your PATH into it")
	}
	if ends := x.endsAtLogout(); ends != "" {
		return ok("login", "the coordinator starts with your login. %s", ends)
	}
	return ok("login", "the coordinator starts with your login")
}

var (
	unitPath  = regexp.MustCompile(`(?m)^Environment=("PATH=.*")$`)
	agentPath = regexp.MustCompile(`<key>PATH</key><string>(.*)</string>`)
)

// servicePath returns the PATH in the text of a service, "" if it has none.
func servicePath(text string) string {
	if m := unitPath.FindStringSubmatch(text); m != nil {
		entry, _ := strconv.Unquote(strings.ReplaceAll(m[1], "%%", "%")) // "" if somebody changed it
		return strings.TrimPrefix(entry, "PATH=")
	}
	if m := agentPath.FindStringSubmatch(text); m != nil {
		return html.UnescapeString(m[1])
	}
	return ""
}

// outOfReach returns the agents of runs that the service's PATH does not find.
func (x exam) outOfReach(path string) []string {
	cfg, err := config.Load(x.dirs.ConfigFile())
	if err != nil {
		return nil // another check says so
	}
	return agentcheck.Missing(cfg.Agents, path, x.dirs.Path)
}

// agents checks the agents of runs as the next coordinator will start them: that of the service,
// or one that this shell starts.
func (x exam) agents(ctx context.Context) []wire.Check {
	cfg, err := config.Load(x.dirs.ConfigFile())
	if err != nil {
		return nil // another check says so
	}
	d := x.dirs
	if s, err := x.service(); err == nil {
		if raw, err := os.ReadFile(s.file); err == nil {
			d.Path = servicePath(string(raw))
		}
	}
	return agentcheck.Place{Dirs: d, Getenv: x.getenv}.Checks(ctx, cfg.Agents)
}
