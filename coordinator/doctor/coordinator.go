package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wire"
)

// coordinator checks the daemon, and then asks it to check itself.
func (x Exam) coordinator(ctx context.Context) []wire.Check {
	s, err := x.Status(ctx)
	if errors.Is(err, client.ErrUnreachable) {
		return x.silent(ctx, err)
	}
	if err != nil {
		return []wire.Check{bad("coordinator", err.Error(), "afar restart")}
	}
	checks := append([]wire.Check{x.version(s.Coordinator), x.socket()}, sandboxes(s.Sessions)...)
	own, err := x.Inner(ctx)
	if err != nil {
		return append(checks, bad("coordinator", err.Error(), "afar restart"))
	}
	return append(checks, own.Checks...)
}

// silent checks the parts of a coordinator that does not answer. If it does not run,
// silent can look at its database and its log.
func (x Exam) silent(ctx context.Context, err error) []wire.Check {
	if x.Dirs.HasCoordinator() {
		pid, _ := home.Signer(x.Dirs.LifeLock())
		fix := fmt.Sprintf("look into %s, then afar stop, which ends its process %d (afar serve)", x.Dirs.Log(), pid)
		return []wire.Check{bad("coordinator", "running but not responding: "+err.Error(), fix)}
	}
	none := off("coordinator", "does not run", "nothing to do: it starts when a session or a command needs it")
	return append([]wire.Check{none, x.database(), x.lastWords()}, x.agents(ctx)...)
}

func (x Exam) version(c wire.Coordinator) wire.Check {
	if c.Version != x.Version {
		return bad("coordinator", fmt.Sprintf("runs version %s, this command is %s", c.Version, x.Version),
			"afar restart")
	}
	return ok("coordinator", "runs, pid %d, version %s", c.PID, c.Version)
}

func (x Exam) socket() wire.Check {
	path := x.Dirs.Socket()
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return bad("socket", err.Error(), "afar restart")
	case info.Mode()&fs.ModeSocket == 0:
		return bad("socket", path+" is not a socket", "move it away, then afar restart")
	case othersMay(info):
		return bad("socket", path+" is open to other users", "afar restart")
	}
	return ok("socket", "%s", path)
}
