package agentrun

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/sessions"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wire"
)

// An Interactive is the agent's own client on the conversation of a run, at the terminal of a
// person who has taken the run.
type Interactive struct {
	Dirs    home.Dirs
	Bin     string   // directory of Afar's programs
	Environ []string // of the person's shell
	ID      string   // of the run
	Fence   int64    // of the taking
	Session wire.RunTurnReply
}

// environ returns the environment of the client: the person's own, and that of the agent's
// turns where it differs.
func (i Interactive) environ() ([]string, error) {
	env := append(append([]string{}, i.Environ...), toolsEnv(i.Session)...)
	if i.Session.EnvFile == "" {
		return env, nil
	}
	own, err := readEnvFile(i.Session.EnvFile)
	return append(env, own...), err
}

// errOpen says that a process outside Afar has the conversation open.
type errOpen struct {
	where   string
	process session.Process
}

func (e errOpen) Error() string { return "the conversation is open in " + e.where }

// checkDir returns an error if the folder that an agent works in is gone. The system would say that
// the program is missing.
func checkDir(dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("its folder %s is gone", dir)
	}
	return nil
}

// notStarted returns the end of a turn that started no agent.
func notStarted(err error) run.End {
	end := run.End{Exit: run.CannotStart, Words: err.Error()}
	if open := (errOpen{}); errors.As(err, &open) {
		end.Open = open.process
	}
	return end
}

// checkOpen returns errOpen if a client of the host has a conversation open. env is the
// environment of the client that is about to continue it.
func checkOpen(dirs home.Dirs, env []string, conversation string) error {
	lookup := func(name string) (value string) {
		for _, entry := range env {
			if v, ok := strings.CutPrefix(entry, name+"="); ok {
				value = v
			}
		}
		return value
	}
	for _, dir := range []string{dirs.HostDir(), claude.Env(lookup).ConfigDir()} {
		if f, ok := sessions.Open(dir, conversation); dir != "" && ok {
			return errOpen{f.Where(), session.Process{PID: f.PID, Born: peer.Birth(f.PID)}}
		}
	}
	return nil
}
