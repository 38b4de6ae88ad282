package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wording"
)

// maxDebug bounds how long hooks are recorded, in case the person forgets to end it.
const maxDebug = 24 * time.Hour

func newDebug(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "debug [lines|payloads|off]", Short: "Record what the hooks do, for a while", Args: atMost(1),
		Example: "afar debug lines --for 10m",
		Long: "lines: each hook that runs leaves one line: event, tool, decision, how long it took.\n" +
			"payloads: besides, what each hook was given and printed, with secrets masked and long texts left out.\n" +
			"off: nothing more is recorded. Without a word it shows what is recorded now.\n\n" +
			"`afar log --hooks` shows the lines. A session that is started with AFAR_DEBUG=1 records lines for " +
			"itself.\n" +
			"The logs are bounded, and closed to other users.",
		ValidArgs: []string{"lines", "payloads", "off"},
	}
	length := c.Flags().Duration("for", time.Hour, "for how long, at most 24h")
	c.RunE = func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return a.showDebug()
		case *length < time.Second || *length > maxDebug:
			return usage("--for needs a time from 1s to %s", wording.Span(maxDebug))
		}
		return a.setDebug(args[0], *length)
	}
	return c
}

func (a *app) setDebug(what string, length time.Duration) error {
	d, err := a.dirs()
	if err != nil {
		return err
	}
	if what != "lines" && what != "payloads" && what != "off" {
		return usage("unknown word %q; want lines, payloads or off", what)
	}
	if err := a.personOnly("debug"); err != nil {
		return err
	}
	if what == "off" {
		err = home.EndDebug(d)
	} else {
		err = home.LeaveDebug(d, home.Debug{Payloads: what == "payloads", Until: a.now().Add(length)})
	}
	if err != nil {
		return err
	}
	return a.showDebug()
}

func (a *app) showDebug() error {
	d, err := a.dirs()
	if err != nil {
		return err
	}
	now, on := home.Debugging(d, a.now())
	if !on {
		a.say("Debugging is off. Logs of before: %s", a.page().Path(d.HooksLog()))
		return nil
	}
	p := a.page()
	a.say("Each hook leaves a line in %s until %s.", p.Path(d.HooksLog()), p.Clock(now.Until.UnixMilli()))
	if now.Payloads {
		a.say("What it was given and printed goes to %s, masked.", p.Path(d.PayloadLog()))
		a.say("Look it through before you show it to anybody: a mask knows the usual secrets, not all.")
	}
	a.say("See them: afar log --hooks · end it: afar debug off")
	return nil
}
