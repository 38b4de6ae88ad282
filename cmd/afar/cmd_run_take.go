package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/agentrun"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

func newRunTake(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "take NAME", Short: "Continue a run yourself, in this terminal",
		Example: "afar run take nightly",
		Long: "Waits for the end of the turn, then opens the agent's own client on the conversation. " +
			"Meanwhile no turn\n" +
			"starts, and messages to the run wait. At the end you are asked whether to give the run back.",
		Args: exactly(runName),
	}
	now := c.Flags().Bool("now", false, "interrupt the turn")
	c.RunE = func(c *cobra.Command, args []string) error { return a.runTake(c.Context(), args[0], *now) }
	return c
}

func (a *app) runTake(ctx context.Context, name string, now bool) error {
	if a.inSession() {
		return errors.New("a session cannot take a run: type it in a terminal of your own")
	}
	if !isTerminal(a.stdin) || !isTerminal(a.stdout) {
		return errors.New("afar run take opens the agent's client, which needs a terminal")
	}
	taken, err := a.takeRun(ctx, name, now)
	if err != nil {
		return err
	}
	if err := a.interactive(taken); err != nil {
		return errors.Join(err, a.giveRun(ctx, taken.Run.ID))
	}
	// A Ctrl-C that was for the client has ended ctx.
	return a.offerBack(context.WithoutCancel(ctx), taken.Run)
}

// takeRun takes a run. If a turn runs, it waits for the end, and says once what the run does.
func (a *app) takeRun(ctx context.Context, name string, now bool) (out wire.RunTakeReply, err error) {
	told := ""
	for {
		in := wire.RunTakeRequest{ID: name, Now: now, WaitMS: waitEach.Milliseconds()}
		if told == "" {
			in.WaitMS = 0 // to say at once what it waits for
		}
		if out, err = call(ctx, a, wire.OpRunTake, in, reviving(waitEach)); err != nil {
			return out, err
		}
		if out.Taken {
			return out, nil
		}
		if told, err = a.tellTurn(out.Run, told, now); err != nil {
			return out, err
		}
	}
}

// tellTurn says what the turn of a run does that somebody waits for. It returns an error if no
// turn runs.
func (a *app) tellTurn(r wire.Run, told string, now bool) (what string, err error) {
	what = "It works. Its conversation opens here when the turn is over; --now interrupts it."
	switch {
	case r.State == "queued", wording.RunOver(r.State):
		return "", fmt.Errorf("run %s was not taken: it is %s. %s", r.Name, r.State, terminal.OneLine(r.Why, 1000))
	case r.State == "waiting" && now:
		what = "Its turn is interrupted; its question is withdrawn."
	case r.State == "waiting":
		what = "It waits for your answer: afar asks. Its conversation opens here when the turn is over."
	case now:
		what = "Its turn is interrupted."
	}
	if what != told {
		a.tell("%s", what)
	}
	return what, nil
}

// interactive runs the agent's own client on the conversation of a run that was taken.
func (a *app) interactive(taken wire.RunTakeReply) error {
	d, err := a.dirs()
	if err != nil {
		return err
	}
	client := agentrun.Interactive{
		Dirs:    d,
		Bin:     a.bin,
		Environ: os.Environ(),
		ID:      taken.Run.ID,
		Fence:   taken.Fence,
		Session: taken.Session,
	}
	return client.Run()
}

// offerBack asks whether to give a run back, and does so. Without an answer it stays taken.
func (a *app) offerBack(ctx context.Context, r wire.Run) error {
	now, err := call(ctx, a, wire.OpRun, wire.Named{ID: r.ID})
	if err != nil {
		return err
	}
	question := "Give run " + r.Name + " back to Afar"
	if now.Waiting > 0 {
		question += ", with " + text.Count(now.Waiting, "message") + " that waited"
	}
	if !a.agrees(question+"?", true) {
		a.say("Run %s stays yours, and its messages wait. Give it back: afar run give %s",
			r.Name, r.Name)
		return nil
	}
	return a.giveRun(ctx, r.ID)
}

func (a *app) giveRun(ctx context.Context, id string) error {
	return read(ctx, a, wire.OpRunGive, wire.Named{ID: id}, false, renderRunGiven)
}

func renderRunGiven(p *terminal.Page, r wire.Run) {
	switch {
	case r.State == "idle":
		p.Say("Run %s is given back. It goes on with your next message: afar run send %s TEXT",
			r.Name, r.Name)
	default:
		p.Say("Run %s is given back, and goes on with what waited for it.", r.Name)
	}
}

func newRunGive(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "give NAME", Short: "Hand a run back that was taken", Args: exactly(runName),
		Example: "afar run give nightly",
	}
	return asking(a, c, wire.OpRunGive, "the run", named, renderRunGiven)
}

func newRunAdopt(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "adopt SESSION-ID", Short: "Make a run of a conversation that nobody has open",
		Example: "afar run adopt 6a1f0c52-8d0e-4a55-9c1e-5a3b9e0f7d21 --name nightly",
		Long: "Makes a run of any conversation of Claude Code on this machine, with its directory. The next message\n" +
			"continues it. The id is the name of the conversation's file below ~/.claude/projects.",
		Args: exactly("the id of a conversation"),
	}
	var in wire.RunAdoptRequest
	c.Flags().StringVar(&in.Name, "name", "", "the `name` of the run: letters a-z, digits, dashes")
	c.Flags().StringVar(&in.Dir, "dir", "", "the `directory` where it works (that in which the conversation began)")
	c.Flags().StringVar(&in.Mode, "mode", "", "permission `mode`: auto, acceptEdits, manual or plan (runs.mode)")
	c.Flags().StringVar(&in.Model, "model", "", "the agent's `model`")
	return asking(a, c, wire.OpRunAdopt, "the run", func(args []string) (_ wire.RunAdoptRequest, err error) {
		in.ID, in.Conversation = rand.Text(), args[0]
		if in.Dir != "" {
			in.Dir, err = filepath.Abs(in.Dir)
		}
		if err != nil {
			return in, err
		}
		return in, nil
	}, func(p *terminal.Page, r wire.Run) {
		p.Line("Run %s in %s. Continue it: afar run send %s TEXT", p.Paint(terminal.Bold, r.Name), p.Path(r.Dir), r.Name)
	})
}
