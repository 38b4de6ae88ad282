package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

func newLoop(a *app) *cobra.Command {
	return group("loop", "Keep a session or a run at work, from outside it",
		newLoopStart(a), listing(a, view.Loops, "List the loops, ended ones too", "loops"), newLoopShow(a),
		newLoopCancel(a))
}

// loopName says what the argument of most commands is.
const loopName = "the id of a loop (afar loop list)"

// loopOptions returns the options of /loop that `afar loop start` has as flags. The
// coordinator checks their values.
func loopOptions() []struct{ name, usage string } {
	return []struct{ name, usage string }{
		{"check", "a shell `command` that decides whether the work is done"},
		{"check-timeout", "the `duration` that the check may take (10m)"},
		{"check-greens", "believe the check after `N` terminal.Green results in a row"},
		{"max", "at most `N` iterations (10)"},
		{"for", "at most this `duration`, such as 3h"},
		{"budget", "at most this many US `dollars`, such as 2.50, at list prices"},
		{"tokens", "at most this many `tokens`, such as 500k; those of subagents count"},
	}
}

func newLoopStart(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "start SESSION|run:NAME [TASK…]", Short: "Start a loop in a session or a run, and wake it if it is idle",
		Example: "afar loop start shop-3f2a 'Make the tests pass' --check 'go test ./...' --max 20",
		Long: `Start a loop in a session or a run. One that is idle is woken for it; one that is at
work goes on with the loop when it next stops.

Without a task it works through the issues of the session's project, one after
the other, each in a git worktree of its own; what a review approves lands. With
--parallel N, N runs do: the named one, and others like it.

A loop that nobody watches wants a permission mode that does not ask for every
step: auto, or acceptEdits with rules for the commands. The guard holds in every mode.`,
		Args: cobra.ArbitraryArgs,
	}
	for _, o := range loopOptions() {
		c.Flags().String(o.name, "", o.usage)
	}
	parallel := c.Flags().Int("parallel", 0, "keep `N` runs busy with issues (1)")
	session := c.Flags().String("session", "", "the session's `token` or id, instead of the first argument")
	return asking(a, c, wire.OpLoopStart, "the loop", func(args []string) (in wire.LoopStartRequest, err error) {
		name := *session
		if name == "" && len(args) > 0 {
			name, args = args[0], args[1:]
		}
		task := strings.Join(args, " ")
		if name == "" {
			return in, usage("afar loop start needs a session (afar status) or a run (run:NAME); " +
				"without a task its project's issues are worked through")
		}
		return wire.LoopStartRequest{Session: name, Args: loopArgs(c, task), Parallel: *parallel}, nil
	}, renderLoopStarted)
}

// loopArgs returns the command line as a person would type it after /loop.
func loopArgs(c *cobra.Command, task string) string {
	var b strings.Builder
	for _, o := range loopOptions() {
		if c.Flags().Changed(o.name) {
			fmt.Fprintf(&b, "--%s %s ", o.name, text.ShellQuote(c.Flag(o.name).Value.String()))
		}
	}
	if strings.HasPrefix(strings.TrimSpace(task), "-") {
		b.WriteString("-- ")
	}
	return b.String() + task
}

func renderLoopStarted(p *terminal.Page, l wire.Loop) {
	p.Say(loopBegins(l.Begins), l.ID)
	terminal.Thing(p, view.Loop(l))
	if len(l.Beside) > 0 {
		p.Say("  beside it: %s", terminal.OneLine(strings.Join(l.Beside, ", "), 300))
	}
	if advice := wording.ModeAdvice(l.Mode); advice != "" {
		p.Line("")
		p.Line("%s", p.Paint(terminal.Yellow, advice))
	}
}

// loopBegins returns a sentence about what happens next in the session.
func loopBegins(when string) string {
	switch when {
	case wire.BeginsNow:
		return "The loop has started, and %s is woken for it."
	case wire.BeginsPrompted:
		return "The loop has started, but %s is idle and nothing waits to wake it now. If it does not begin within half " +
			"a minute, type any prompt there; the loop takes over when the session next stops."
	case wire.BeginsResumed:
		return "The loop is ready, but %s has ended. Resume the session and type any prompt; the loop takes over " +
			"when it next stops."
	case wire.BeginsUnpaused:
		return "The loop is ready, but Afar is paused. After `afar resume` it takes over when %s next stops."
	}
	return "The loop has started; %s is at work, and the loop takes over when it next stops."
}

func newLoopShow(a *app) *cobra.Command {
	return showing(a, view.Loops, "the loop", &cobra.Command{
		Use: "show ID", Short: "Show one loop", Args: exactly(loopName), Example: "afar loop show shop-3f2a",
	})
}

func newLoopCancel(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "cancel ID", Short: "End a loop; its session stops when it is done",
		Example: "afar loop cancel shop-3f2a",
		Args:    exactly(loopName),
		RunE: func(c *cobra.Command, args []string) error {
			l, err := call(c.Context(), a, wire.OpLoopCancel, wire.Named{ID: args[0]}, soon)
			if errors.Is(err, client.ErrUnreachable) {
				return a.cancelUnheard(args[0], err)
			}
			if err != nil {
				return err
			}
			a.say("The loop of %s is cancelled. The session stops when it is done.", l.ID)
			return nil
		},
	}
}

// cancelUnheard cancels a loop while the coordinator does not answer. It returns an error,
// because only the coordinator knows whether there is such a loop. The session can stop
// meanwhile: without an answer its Stop hook does not hold it.
func (a *app) cancelUnheard(session string, unheard error) error {
	d, err := a.dirs()
	if err != nil {
		return err
	}
	if err := home.LeaveMark(d.CancelMark(session), session); err != nil {
		return err
	}
	return fmt.Errorf("the cancel waits for the coordinator and takes effect when it is back; until then the session "+
		"may stop: %w", unheard)
}
