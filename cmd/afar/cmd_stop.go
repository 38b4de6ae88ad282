package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

const (
	stopFor    = 30 * time.Second
	runsEndFor = 10 * time.Second // for the agents of runs
	lookEvery  = 20 * time.Millisecond
)

func newStop(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "stop", Short: "Stop the coordinator", Args: exactly(),
		Long: "Stops the coordinator and returns when it has ended. The next hook of a session starts it again;\n" +
			"`afar pause` is the way to silence. The agents of runs are ended; their turns go on at the next start.",
		RunE: func(c *cobra.Command, _ []string) error {
			said, err := a.stop(c.Context(), true)
			if said != "" {
				a.page().Whole(said)
			}
			return err
		},
	}
}

// stop ends the coordinator and returns, when it has ended, a sentence about what follows. It says
// by itself that it had to end one that did not answer; then the sentence is "". runs says whether the
// turns of runs end too.
func (a *app) stop(ctx context.Context, runs bool) (said string, err error) {
	d, err := a.dirs()
	if err != nil {
		return "", err
	}
	s, err := call(ctx, a, wire.OpStatus, wire.StatusRequest{}, running)
	if errors.Is(err, client.ErrUnreachable) && !d.HasCoordinator() {
		return "The coordinator does not run.", nil
	}
	if errors.Is(err, client.ErrUnreachable) {
		return "", a.endHolder(ctx, d)
	}
	if err != nil {
		return "", err
	}
	ended, err := call(ctx, a, wire.OpShutdown, wire.ShutdownRequest{Runs: runs}, patient(runsEndFor))
	if err != nil && !errors.Is(err, client.ErrUnreachable) { // it may be gone before it can say so
		return "", err
	}
	next, err := a.waitGone(ctx, d, s.Coordinator.PID)
	if err != nil && ctx.Err() == nil && d.HasCoordinator() {
		return "", a.endHolder(ctx, d)
	}
	if err != nil {
		return "", err
	}
	said = stopped(s, next)
	if ended.Runs > 0 {
		said += fmt.Sprintf("\n%s ended in the middle; the next start goes on with what they did.",
			text.Count(ended.Runs, "run"))
	}
	return said, nil
}

// stopped returns a sentence about what follows from the end of the coordinator: if
// sessions run, the next hook starts another one.
func stopped(before wire.StatusReply, next int) string {
	live := 0
	for _, v := range before.Sessions {
		if v.State != "ended" {
			live++
		}
	}
	switch {
	case next != 0:
		return fmt.Sprintf("The coordinator has stopped, and a hook that waits has started it again (pid %d). `afar "+
			"pause` silences it.", next)
	case live > 0:
		return fmt.Sprintf("The coordinator has stopped. %s will start it again; to silence it: `afar pause`.",
			text.Count(live, "running session"))
	}
	return "The coordinator has stopped."
}

// waitGone waits until a coordinator has released its socket and its lock. next is the
// process of another coordinator that a session has started meanwhile, 0 for none.
func (a *app) waitGone(ctx context.Context, d home.Dirs, pid int) (next int, err error) {
	for end := time.Now().Add(stopFor); time.Now().Before(end); {
		if _, err := os.Lstat(d.Socket()); err != nil && !d.HasCoordinator() {
			return 0, nil
		}
		s, err := call(ctx, a, wire.OpStatus, wire.StatusRequest{}, running)
		if err == nil && s.Coordinator.PID != pid {
			return s.Coordinator.PID, nil
		}
		if err := pause(ctx, lookEvery); err != nil {
			return 0, err
		}
	}
	return 0, fmt.Errorf("the coordinator (pid %d) did not end within %s; its log says more: %s", pid, stopFor, d.Log())
}

// endFor is how long a coordinator that does not answer may take to end after each signal. The first
// one gives it time to end by itself.
const endFor = 15 * time.Second

// endHolder ends the process that holds the life lock and does not answer.
func (a *app) endHolder(ctx context.Context, d home.Dirs) error {
	pid, born := home.Signer(d.LifeLock())
	if pid == 0 || !peer.Lives(pid, born) {
		return fmt.Errorf("a coordinator holds %s and does not answer, and its process is not known; "+
			"`lsof` of that file names it", d.LifeLock())
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Kill} {
		_ = process.Signal(signal) // it may be gone
		for end := time.Now().Add(endFor); time.Now().Before(end); {
			if !d.HasCoordinator() {
				d.NoteStopped()
				a.say("The coordinator (pid %d) did not answer. It was ended.", pid)
				return nil
			}
			if err := pause(ctx, lookEvery); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("the coordinator (pid %d) does not end; its log says more: %s", pid, d.Log())
}
