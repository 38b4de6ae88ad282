package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/terminal/watch"
	"github.com/afar-sh/afar/coordinator/wire"
)

// lookFor is how long a look waits for a change.
const lookFor = time.Second

func newWatch(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "watch", Short: "Answer questions on a screen that stays current", Args: exactly(),
		Long: "Shows the open questions, the runs and the sessions on the whole terminal, and keeps them current.\n" +
			"The keys are those of the page; ? shows them. Whatever arrives or goes, the chosen question stays chosen.\n" +
			"After it has changed by itself, no key answers it for half a second.",
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		if !isTerminal(a.stdin) || !isTerminal(a.stdout) {
			return usage("afar watch needs a terminal; for programs there is afar asks --json")
		}
		return watch.Run(c.Context(), a.stdin, a.stdout, watch.Source{
			Look: func(after int64) (watch.Found, error) { return a.look(c.Context(), after) },
			Do:   a.caller(c.Context(), running, nil),
			Page: func(out io.Writer) *terminal.Page {
				p := a.page()
				p.W = out
				return p
			},
		})
	}
	return c
}

// look returns what there is: at once for a negative after, later after a change or a second.
func (a *app) look(ctx context.Context, after int64) (f watch.Found, err error) {
	how, q := starting, wire.LogRequest{Limit: 1, Last: true}
	if after >= 0 {
		how, q = patient(lookFor), wire.LogRequest{After: after, Limit: mostEntries, WaitMS: lookFor.Milliseconds()}
	}
	log, err := call(ctx, a, wire.OpLog, q, how)
	if err != nil && after >= 0 {
		_ = pause(ctx, comesBack)
	}
	if errors.Is(err, client.ErrUnreachable) && after >= 0 {
		return f, errors.New("the coordinator does not answer; a session or afar start brings it back")
	}
	if err != nil {
		return f, err
	}
	f.Seen = end(log, max(after, 0))
	f.Status, err = call(ctx, a, wire.OpStatus, wire.StatusRequest{}, running)
	runs, failed := call(ctx, a, wire.OpRuns, wire.RunsRequest{}, running)
	f.Runs = runs.Runs
	return f, errors.Join(err, failed)
}
