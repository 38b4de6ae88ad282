package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

func newRun(a *app) *cobra.Command {
	return group("run", "Agents that work without a terminal",
		newRunStart(a), listing(a, view.Runs, "List the runs", "runs"), newRunShow(a), newRunLog(a), newRunSend(a),
		newRunStop(a), newRunTake(a), newRunGive(a), newRunAdopt(a), newRunRemove(a), newRunWiden(a))
}

// runName says what the argument of most commands is.
const runName = "the name of a run (afar run list)"

func newRunStart(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "start PROMPT|-", Short: "Start a run with a prompt; a session proposes one",
		Args:    atLeast("a prompt, or - for stdin"),
		Example: "afar run start 'Update the dependencies and run the tests' --dir ~/shop --worktree",
		Long: "Starts a conversation with an agent that works without a terminal, one process for each turn. " +
			"The guard holds, and\n" +
			"what the agent may not do by itself is a question on your phone. With - the prompt is stdin.\n\n" +
			"With --worktree the run works in .worktrees/afar-runs/NAME on the branch afar/run/NAME.\n\n" +
			"In a session, or in another run, the command proposes the run: the person is asked. If they allow it, " +
			"its result\n" +
			"comes to the session as a message.\n\n" +
			"With --wait the command prints the result when the turn is over, and the run is done with it.",
	}
	var in wire.RunStartRequest
	c.Flags().StringVar(&in.Agent, "agent", "", "the `program`: claude, codex, or one of your config.toml")
	c.Flags().StringVar(&in.Name, "name", "", "the `name` of the run: letters a-z, digits, dashes")
	c.Flags().StringVar(&in.Dir, "dir", "", "the `directory` where it works (this one)")
	c.Flags().StringVar(&in.Mode, "mode", "", "permission `mode`: auto, acceptEdits, manual or plan (runs.mode)")
	c.Flags().StringVar(&in.Model, "model", "", "the agent's `model`")
	c.Flags().BoolVar(&in.Worktree, "worktree", false, "work in a git worktree of its own")
	c.Flags().Float64Var(&in.BudgetUSD, "budget", 0, "what it may cost, in US `dollars`")
	length := c.Flags().Duration("for", 0, "how long it may work, such as 2h")
	c.Flags().BoolVar(&in.Wait, "wait", false, "wait for the result and print it")
	asJSON := jsonFlag(c, "the run")
	c.RunE = func(c *cobra.Command, args []string) error {
		prompt, err := a.words(args)
		if err != nil {
			return err
		}
		in.ForMS = length.Milliseconds()
		in.ID, in.Prompt = rand.Text(), strings.TrimRight(prompt, "\n")
		if in.Dir, err = filepath.Abs(in.Dir); err != nil {
			return err
		}
		return a.runStart(c.Context(), in, *asJSON)
	}
	return c
}

func (a *app) runStart(ctx context.Context, in wire.RunStartRequest, asJSON bool) error {
	r, err := a.startOrPropose(ctx, in)
	switch {
	case err != nil:
		return err
	case !in.Wait && asJSON:
		return a.printJSON(r)
	case !in.Wait:
		renderRunStarted(a.page(), r)
		return nil
	}
	r, err = a.awaitRun(ctx, r)
	if errors.Is(err, errInterrupted) {
		a.tell("The run goes on: afar run show %s", r.Name)
	}
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(r)
	}
	if r.State != "done" {
		return fmt.Errorf("run %s %s: %s", r.Name, r.State, terminal.OneLine(r.Why, 1000))
	}
	a.page().Whole(r.Result)
	return nil
}

// decideFor is how long a session's command waits for the answer to its proposal. It ends
// before the host's own limit for a command, which is two minutes unless the model asks for
// more.
const decideFor = 90 * time.Second

// startOrPropose starts a run. A session only proposes it, and waits a while for the answer.
func (a *app) startOrPropose(ctx context.Context, in wire.RunStartRequest) (wire.Run, error) {
	for end := time.Now().Add(decideFor); ; in.WaitMS = waitEach.Milliseconds() {
		r, err := call(ctx, a, wire.OpRunStart, in, reviving(waitEach))
		if err != nil {
			return r, err
		}
		if r.State != wire.Proposed || time.Now().After(end) {
			return r, nil
		}
		if in.WaitMS == 0 {
			a.tell("The person is asked whether this run may start.")
		}
	}
}

// waitEach is how long one call waits for a run.
const waitEach = 10 * time.Second

// awaitRun waits until a run is over, and takes its result. It says once which question the
// run waits for.
func (a *app) awaitRun(ctx context.Context, r wire.Run) (wire.Run, error) {
	told := ""
	for {
		in := wire.RunWaitRequest{ID: r.ID, WaitMS: waitEach.Milliseconds(), Take: true}
		out, err := call(ctx, a, wire.OpRunWait, in, reviving(waitEach))
		if err != nil {
			return r, err
		}
		if r = out.Run; out.Over {
			return r, nil
		}
		if r.Ask != told && r.Ask != "" {
			a.tell("It asks: afar asks")
		}
		told = r.Ask
	}
}

func renderRunStarted(p *terminal.Page, r wire.Run) {
	switch {
	case r.State == wire.Proposed:
		p.Say("Nobody has answered yet. If the person allows run %s, it starts, and its result comes to this "+
			"session as a message.", r.Name)
		p.Line("Do not propose it again; go on with something else, or stop.")
		return
	case r.Parent != "":
		p.Say("The person allowed run %s: it works in %s. Its result comes to this session as a message; do not "+
			"wait for it.", r.Name, p.Path(r.Dir))
		return
	}
	p.Line("Run %s %s in %s.", p.Paint(terminal.Bold, r.Name), wording.RunState(r.State), p.Path(r.Dir))
	p.Say("Follow it: afar run log -f %s", r.Name)
}

func newRunWiden(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "widen PATH", Short: "Open a path behind the wall of a run", Args: exactly("a path"),
		Example: "afar run widen ~/.cache/pip",
		Long: "In a run, asks the person whether it may write a file or a directory that its wall closes. If they allow it, " +
			"the run\ngets another turn, in which it can. With --run it is opened at once, for the next turn of that run; only " +
			"you can\ndo that.",
	}
	var in wire.RunWidenRequest
	c.Flags().StringVar(&in.Run, "run", "", "the `name` of the run that may write there")
	asJSON := jsonFlag(c, "the run; ask is the question")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		if in.Path, err = filepath.Abs(args[0]); err != nil {
			return err
		}
		if in.Run != "" {
			return read(c.Context(), a, wire.OpRunOpen, in, *asJSON, func(p *terminal.Page, r wire.Run) {
				p.Say("Run %s can write there from its next turn on.", r.Name)
			})
		}
		return read(c.Context(), a, wire.OpRunWiden, in, *asJSON, func(p *terminal.Page, _ wire.Run) {
			p.Line("Your person is asked. If they allow it, this run gets another turn, in which it can write there.")
			p.Line("Go on with what needs no such path, or end your turn: nothing more happens in this one.")
		})
	}
	return c
}

func newRunShow(a *app) *cobra.Command {
	c := &cobra.Command{Use: "show NAME", Short: "Show a run", Args: exactly(runName),
		Example: "afar run show nightly"}
	return asking(a, c, wire.OpRun, "the run", named, func(p *terminal.Page, r wire.Run) {
		terminal.Thing(p, view.Run(r))
		if r.Stands != nil && r.Stands.Stands() {
			p.Line("")
			terminal.Wall(p, *r.Stands, exists)
		}
	})
}

func newRunLog(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "log NAME", Short: "Show what a run did", Args: exactly(runName),
		Example: "afar run log -f nightly",
	}
	follow := c.Flags().BoolP("follow", "f", false, "go on until the run is over")
	asJSON := jsonFlag(c, "one event in each line")
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.runLog(c.Context(), args[0], *follow, *asJSON)
	}
	return c
}

func (a *app) runLog(ctx context.Context, name string, follow, asJSON bool) error {
	in := wire.RunLogRequest{ID: name}
	for {
		out, err := call(ctx, a, wire.OpRunLog, in, reviving(waitEach))
		if err != nil {
			return err
		}
		for _, e := range out.Events {
			in.After = e.N
			if err := a.printEvent(e, asJSON); err != nil {
				return err
			}
		}
		if len(out.Events) > 0 {
			continue
		}
		if !follow || wording.RunOver(out.State) {
			return nil
		}
		in.WaitMS = waitEach.Milliseconds()
	}
}

func (a *app) printEvent(e wire.RunEvent, asJSON bool) error {
	if asJSON {
		return a.printLine(e)
	}
	p := a.page()
	what, said := wording.RunEvent(e)
	if e.Kind == "text" || e.Kind == "result" {
		p.Line("%s  %s", p.Clock(e.At), p.Paint(terminal.Bold, what))
		p.Block(said)
		return nil
	}
	p.Line("%s  %s  %s", p.Clock(e.At), what, p.Paint(terminal.Dim, terminal.OneLine(said, 160)))
	return nil
}

func newRunSend(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "send NAME TEXT|-", Short: "Write to a run: its next turn begins with it",
		Args:    atLeast("a run (afar run list) and a text, or - for stdin", "a text, or - for stdin"),
		Example: "afar run send nightly 'Also update the changelog'",
	}
	return asking(a, c, wire.OpSend, "id, to, when, words", func(args []string) (wire.SendRequest, error) {
		text, err := a.words(args[1:])
		if err != nil {
			return wire.SendRequest{}, err
		}
		to := wire.ToRun + strings.TrimPrefix(args[0], wire.ToRun)
		in := wire.SendRequest{ID: rand.Text(), To: to, Text: strings.TrimRight(text, "\n")}
		return in, nil
	}, renderSent)
}

func newRunStop(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "stop NAME", Short: "End what a run does now", Args: exactly(runName),
		Example: "afar run stop nightly",
	}
	return asking(a, c, wire.OpRunStop, "the run", named, func(p *terminal.Page, r wire.Run) {
		if r.PID != 0 {
			p.Say("Run %s is told to end its turn.", r.Name)
			return
		}
		p.Say("Run %s: %s.", r.Name, wording.RunState(r.State))
	})
}

func newRunRemove(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "remove NAME", Short: "Forget a run that is over; the agent keeps its conversation",
		Example: "afar run remove nightly",
		Args:    exactly(runName),
	}
	return asking(a, c, wire.OpRunRemove, "the run", named, renderRunRemoved)
}

func renderRunRemoved(p *terminal.Page, r wire.Run) {
	p.Say("Run %s is removed. Its conversation stays with %s: %s", r.Name, r.Agent, r.Conversation)
	switch {
	case r.Keeps != "":
		p.Say("Its worktree stays, on %s: %s", r.Branch, p.Path(r.Worktree))
		p.Line("%s", p.Paint(terminal.Yellow, terminal.OneLine(r.Keeps, 500)))
	case r.Worktree != "":
		p.Say("Its worktree goes too: all of its work has landed on %s.", r.Base)
	}
}
