package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/service"
	"github.com/afar-sh/afar/coordinator/terminal"
)

func newInstallService(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "install-service", Short: "Start the coordinator with your login, and again when it dies", Args: exactly(),
		Long: "Without it, the coordinator starts with the first session or command. " +
			"Afar uses what your system has:\n" +
			"a systemd user unit, or a launchd agent. `afar stop` stops the coordinator with it, too, until the\n" +
			"next session, command or login. `afar doctor` says whether it is on.",
	}
	show := c.Flags().Bool("print", false, "print the unit or the launchd agent, and install nothing")
	remove := c.Flags().Bool("remove", false, "take the service away; the coordinator that runs stays")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *show && *remove {
			return usage("install-service takes --print or --remove, not both")
		}
		s, err := a.service()
		if err != nil {
			return err
		}
		if *show {
			_, err := io.WriteString(a.stdout, s.Text)
			return err
		}
		if err := a.personOnly("install-service"); err != nil {
			return err
		}
		if *remove {
			return a.removeService(c.Context(), s)
		}
		return a.installService(c.Context(), s)
	}
	return c
}

// service returns the login service of this system.
func (a *app) service() (service.Service, error) {
	d, err := a.dirs()
	if err != nil {
		return service.Service{}, err
	}
	return service.Of(d, home.Program(a.bin, "afar"), a.getenv("XDG_CONFIG_HOME"))
}

// installService writes the service and starts it. If the system does not accept it,
// installService removes it again.
func (a *app) installService(ctx context.Context, s service.Service) error {
	if err := os.MkdirAll(filepath.Dir(s.File), 0o755); err != nil {
		return fmt.Errorf("write the service: %w", err)
	}
	if err := os.WriteFile(s.File, []byte(s.Text), 0o644); err != nil {
		return fmt.Errorf("write the service: %w", err)
	}
	for _, c := range s.Old {
		_ = a.tool(ctx, c) // there is usually no old one
	}
	for _, c := range s.On {
		if err := a.tool(ctx, c); err != nil {
			return errors.Join(fmt.Errorf("this system did not accept the service, so it is not installed: %w", err),
				os.Remove(s.File))
		}
	}
	a.say("The coordinator starts with your login now (%s).", s.File)
	if ends := service.EndsAtLogout(); ends != "" {
		a.say("%s", ends)
	}
	a.say("`afar install-service --remove` takes that away.")
	return nil
}

func (a *app) removeService(ctx context.Context, s service.Service) error {
	if _, err := os.Lstat(s.File); errors.Is(err, fs.ErrNotExist) {
		a.say("The service is not installed.")
		return nil
	}
	for _, c := range s.Off {
		if err := a.tool(ctx, c); err != nil {
			a.tell("Warning: %v", err) // the file must go all the same
		}
	}
	if err := os.Remove(s.File); err != nil {
		return fmt.Errorf("remove the service: %w", err)
	}
	a.say("The coordinator does not start with your login any more. Removed %s.", s.File)
	return nil
}

// toolFor bounds one run of a program of the system.
const toolFor = 30 * time.Second

// tool runs a program of the system. Its error contains what the program printed.
func (a *app) tool(ctx context.Context, command []string) error {
	path := home.LookIn(a.getenv("PATH"), command[0])
	if path == "" {
		return fmt.Errorf("%s is not on PATH", command[0])
	}
	ctx, cancel := context.WithTimeout(ctx, toolFor)
	defer cancel()
	c := exec.CommandContext(ctx, path, command[1:]...)
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, terminal.OneLine(string(out), 300))
	}
	return nil
}

// standbyEvery is how often standby looks whether a coordinator is needed.
const standbyEvery = 5 * time.Second

// standby serves while no other coordinator does, until ctx ends. It also takes over when
// a coordinator dies, but not when a person stopped it.
func (a *app) standby(ctx context.Context) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	c.Dirs.ForgetStopped()
	for {
		if !c.Dirs.Stopped() && !c.Answering() {
			if err := a.serve(ctx); err != nil && !errors.Is(err, errServed) {
				return err
			}
		}
		if pause(ctx, standbyEvery) != nil {
			return nil // told to end, as every service is
		}
	}
}
