package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator"
	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/cannotstart"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/logfile"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wire"
)

// takeOverFor is how long serve waits for the lock of a coordinator that does not answer.
const takeOverFor = 5 * time.Second

func newServe(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "serve", Short: "Run the coordinator in the foreground", Args: exactly(),
		Long: "Runs the coordinator until it is interrupted or `afar stop` ends it. Nobody needs to type\n" +
			"this: every command and every hook that needs the coordinator starts it in the background.",
	}
	standby := c.Flags().Bool("standby", false,
		"wait while another coordinator serves, and take its place when it dies")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *standby {
			return a.standby(c.Context())
		}
		return a.serve(c.Context())
	}
	return c
}

// keepLogs is how many files of the coordinator's log are kept, with the current one.
const keepLogs = 3

func (a *app) serve(ctx context.Context) error {
	if home.InSession(a.getenv) { // a hook that starts the coordinator cleans its environment
		return errors.New("serve is a decision of the person: type it in a terminal of your own, not inside a " +
			"session; a hook starts the coordinator where there is none")
	}
	dirs, err := a.dirs()
	if err != nil {
		return err
	}
	file := &logfile.File{Path: dirs.Log(), Max: logfile.Usual, Keep: keepLogs}
	if err := file.Open(); err != nil {
		return errors.Join(err, dirs.NoteFailure(err.Error()))
	}
	defer file.Close()
	cfg := coordinator.Config{
		Dirs:    dirs,
		Bin:     a.bin,
		Version: versionText(),
		Log:     slog.New(a.logTo(file)),
		Getenv:  a.getenv,
		Now:     a.now,
	}
	if a.alone {
		if err := protect(); err != nil {
			return err
		}
		cfg.Abandon = func() { os.Exit(1) }
	}
	co, err := a.open(ctx, cfg)
	if err != nil {
		if !errors.Is(err, errServed) && ctx.Err() == nil {
			cannotstart.Report(ctx, dirs, cfg.Log, err)
		}
		return err
	}
	dirs.ForgetFailure()
	if isTerminal(a.stderr) {
		a.tell("Serving at %s. Ctrl-C ends it.", dirs.Socket())
	}
	return errors.Join(co.Run(ctx), co.Close())
}

// errServed says that another coordinator serves, and answers.
var errServed = errors.New("already running")

// logTo returns a handler that writes JSON lines to the log, and text for a person who
// watches.
func (a *app) logTo(file *logfile.File) slog.Handler {
	toFile := slog.NewJSONHandler(file, nil)
	if !isTerminal(a.stderr) {
		return toFile
	}
	return slog.NewMultiHandler(toFile, slog.NewTextHandler(a.stderr, nil))
}

// open takes over from a coordinator that no longer answers. It waits for the lock: a
// coordinator that was just killed may still hold it, and the caller does not start
// another process.
func (a *app) open(ctx context.Context, cfg coordinator.Config) (*coordinator.Coordinator, error) {
	for end := time.Now().Add(takeOverFor); ; {
		co, err := coordinator.Open(cfg)
		if !errors.Is(err, coordinator.ErrRunning) {
			return co, err
		}
		if s, err := call(ctx, a, wire.OpStatus, wire.StatusRequest{}, running); err == nil {
			return nil, fmt.Errorf("%w (pid %d)", errServed, s.Coordinator.PID)
		}
		if time.Now().After(end) {
			pid, _ := home.Signer(cfg.Dirs.LifeLock())
			return nil, fmt.Errorf("already running (pid %d), but it does not answer; `afar stop` ends it", pid)
		}
		if err := pause(ctx, retryEvery); err != nil {
			return nil, err
		}
	}
}

// protect keeps other processes of the user from tracing this one. It also gives this process the
// birthmark of a client, which all that it starts inherits. The first process of a container gets
// none: every process there descends from it, so the birthmark would tell nothing.
func protect() error {
	if err := peer.Seal(); err != nil {
		return fmt.Errorf("keep others from tracing the coordinator: %w", err)
	}
	pid := os.Getpid()
	if pid == 1 {
		return nil
	}
	if err := birthmark.Lower(pid, birthmark.Client); err != nil {
		return fmt.Errorf("give the coordinator its birthmark: %w", err)
	}
	return nil
}
