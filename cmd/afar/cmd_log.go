package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

const (
	mostEntries = 5000
	followFor   = 20 * time.Second // of one wait for new entries
	comesBack   = time.Second      // between two looks for a coordinator that is away
)

// A logging holds the options of one `afar log`.
type logging struct {
	session        string
	last           int
	follow, asJSON bool
	all            bool // each entry of a question
	hooks          bool // of what the hooks did, instead of the journal
}

// check returns an error where more is wanted of the past than one answer holds.
func (l logging) check() error {
	if l.last < 0 || l.last > mostEntries {
		return usage("-n takes 0 to %d", mostEntries)
	}
	return nil
}

func newLog(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "log", Short: "Show the journal: all that happened", Args: exactly(),
		Example: "afar log -f\nafar log --session shop-3f2a --all",
		Long: "Shows the newest entries of the journal, oldest first. A question has one line, which says how it\n" +
			"ended or stands; --all shows each of its entries. With --json each line is one entry\n" +
			"(seq, id, at in unix milliseconds, kind, session, token, subject, text, hash).\n" +
			"With --hooks it shows what was recorded of the hooks instead: see afar debug.",
	}
	var l logging
	c.Flags().BoolVarP(&l.follow, "follow", "f", false, "go on with what happens from now on")
	c.Flags().BoolVar(&l.asJSON, "json", false, "print one JSON object per entry and line")
	c.Flags().BoolVar(&l.all, "all", false, "each entry of a question, from its opening to its end")
	c.Flags().StringVar(&l.session, "session", "", "only this session (its `token` or id)")
	c.Flags().BoolVar(&l.hooks, "hooks", false, "what the hooks did, as far as it was recorded (afar debug)")
	c.Flags().IntVarP(&l.last, "lines", "n", 50, "the `number` of entries of the past")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if l.hooks {
			return a.logHooks(c.Context(), l)
		}
		return a.log(c.Context(), l)
	}
	return c
}

func (a *app) log(ctx context.Context, l logging) error {
	if err := l.check(); err != nil {
		return err
	}
	q := wire.LogRequest{Limit: max(l.last, 1), Session: l.session, Last: true}
	past, err := call(ctx, a, wire.OpLog, q)
	if err != nil {
		return err
	}
	if l.last > 0 {
		if err := a.entries(past, l); err != nil {
			return err
		}
	}
	if !l.follow {
		return nil
	}
	err = a.follow(ctx, l, end(past, 0))
	if errors.Is(err, errInterrupted) {
		return nil // the way to end it
	}
	return err
}

// follow prints the entries after one, until ctx ends. It does not start a coordinator
// that was stopped meanwhile.
func (a *app) follow(ctx context.Context, l logging, after int64) error {
	for {
		q := wire.LogRequest{After: after, Limit: mostEntries, Session: l.session, WaitMS: followFor.Milliseconds()}
		fresh, err := call(ctx, a, wire.OpLog, q, patient(followFor))
		if errors.Is(err, client.ErrUnreachable) {
			err = pause(ctx, comesBack)
		}
		if err != nil {
			return err
		}
		if err := a.entries(fresh, l); err != nil {
			return err
		}
		after = end(fresh, after)
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return errInterrupted
	case <-time.After(d):
		return nil
	}
}

func end(l wire.LogReply, before int64) int64 {
	if n := len(l.Entries); n > 0 {
		return l.Entries[n-1].Seq
	}
	return before
}

// entries prints entries of the journal. In a list for people a question has one line, its last.
func (a *app) entries(in wire.LogReply, l logging) error {
	if !l.asJSON {
		terminal.Entries(a.page(), in, l.all)
		return nil
	}
	for _, e := range in.Entries {
		if err := a.printLine(e); err != nil {
			return err
		}
	}
	return nil
}
