package main

import (
	"html"
	"os"
	"regexp"
	"strconv"
	"strings"

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
		return off("login", "the coordinator starts with the first session or command, not with your login",
			"afar install-service, if you want that")
	}
	d := x.dirs
	d.Path = servicePath(string(raw))
	if s, err := x.serviceOf(d); err != nil || string(raw) != s.text {
		return bad("login", s.file+" starts another Afar, or was changed", "afar install-service writes it anew")
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
