package doctor

import (
	"context"
	"os"
	"strings"

	"github.com/afar-sh/afar/coordinator/agentcheck"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/service"
	"github.com/afar-sh/afar/coordinator/wire"
)

// serviceOf returns the login service of this system for a home.
func (x Exam) serviceOf(d home.Dirs) (service.Service, error) {
	return service.Of(d, home.Program(x.Bin, "afar"), x.Getenv("XDG_CONFIG_HOME"))
}

// login checks whether the coordinator starts at the person's login. The service keeps the
// PATH with which it was installed.
func (x Exam) login() wire.Check {
	s, err := x.serviceOf(x.Dirs)
	if err != nil {
		return off("login", err.Error(), "")
	}
	raw, err := os.ReadFile(s.File)
	if err != nil {
		return off("login", "the coordinator starts with the first session or command, not with your login; "+
			"runs and tasks wait until then", "afar install-service starts it with your login")
	}
	d := x.Dirs
	d.Path = service.Path(string(raw))
	if s, err := x.serviceOf(d); err != nil || string(raw) != s.Text {
		return bad("login", s.File+" starts another Afar, or was changed", "afar install-service writes it anew")
	}
	if lost := x.outOfReach(d.Path); len(lost) > 0 {
		return bad("login", "the service does not find "+strings.Join(lost, ", ")+": its PATH is "+d.Path,
			"afar install-service in a shell that does writes your PATH into it")
	}
	if ends := service.EndsAtLogout(); ends != "" {
		return ok("login", "the coordinator starts with your login. %s", ends)
	}
	return ok("login", "the coordinator starts with your login")
}

// outOfReach returns the agents of runs that the service's PATH does not find.
func (x Exam) outOfReach(path string) []string {
	if x.unset != nil {
		return nil // another check says so
	}
	return agentcheck.Missing(x.set.Agents, path, x.Dirs.Path)
}

// agents checks the agents of runs as the next coordinator will start them: that of the service,
// or one that this shell starts.
func (x Exam) agents(ctx context.Context) []wire.Check {
	if x.unset != nil {
		return nil // another check says so
	}
	d := x.Dirs
	if s, err := x.serviceOf(x.Dirs); err == nil {
		if raw, err := os.ReadFile(s.File); err == nil {
			d.Path = service.Path(string(raw))
		}
	}
	return agentcheck.Place{Dirs: d, Getenv: x.Getenv}.Checks(ctx, x.set.Agents)
}
