package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/doctor"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newDoctor(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "doctor", Short: "Check every part, and say how to mend what is broken", Args: exactly(),
		Example: "afar doctor\nafar doctor --live",
		Long: "Checks every part: ✔ fine, ✖ broken, ○ not set up. Ends with 0 when nothing is broken.\n" +
			"Starts nothing and changes nothing, except with --repair. With --live it also starts a session of its " +
			"own on each\n" +
			"installed Claude Code, with a home, a project and a model on this machine that are thrown away, and " +
			"shows what is\n" +
			"seen of running sessions.",
	}
	asJSON := jsonFlag(c, "checks: a list of id, state (ok, off, bad), text, fix")
	report := c.Flags().String("report", "", "write all that a bug report needs into a new `file`, secrets masked")
	live := c.Flags().Bool("live", false, "prove on each installed Claude Code that guard, questions and loops work")
	repair := c.Flags().Bool("repair", false,
		"save what can be read of a damaged database into a new one; the damaged one is kept")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *repair {
			return a.repair()
		}
		found, err := a.examine(c.Context(), *live)
		if err != nil {
			return err
		}
		if c.Flags().Changed("report") {
			return a.writeReport(*report, found)
		}
		if *asJSON {
			err = a.printJSON(found)
		} else {
			terminal.Checks(a.page(), found)
		}
		if err != nil {
			return err
		}
		return verdictOf(found)
	}
	return c
}

func verdictOf(found wire.DoctorReply) error {
	broken := 0
	for _, f := range found.Checks {
		if f.State == "bad" {
			broken++
		}
	}
	if broken == 0 {
		return nil
	}
	return fmt.Errorf("doctor: %s failed", text.Count(broken, "check"))
}

// examine runs every check.
func (a *app) examine(ctx context.Context, live bool) (wire.DoctorReply, error) {
	at, err := a.here()
	if err != nil {
		return wire.DoctorReply{}, err
	}
	x := doctor.Exam{
		Dirs: at.dirs, Bin: a.bin, Version: versionText(), Cwd: at.cwd, Project: at.project,
		Getenv: a.getenv, Now: a.now, InSession: a.inSession(),
		Trying: func(client string) { a.tell("Trying Claude Code %s. That takes some seconds.", client) },
		Status: func(ctx context.Context) (wire.StatusReply, error) {
			return call(ctx, a, wire.OpStatus, wire.StatusRequest{}, running)
		},
		Inner: func(ctx context.Context) (wire.DoctorReply, error) {
			return call(ctx, a, wire.OpDoctor, wire.None{}, running)
		},
		Tools: func(ctx context.Context) (wire.ToolsReply, error) {
			return call(ctx, a, wire.OpTools, wire.None{}, running)
		},
	}
	found, err := interruptible(ctx, func() ([]wire.Check, error) { return x.Checks(ctx, live) })
	return wire.DoctorReply{Checks: found}, err
}
