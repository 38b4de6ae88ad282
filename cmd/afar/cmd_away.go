package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newAway(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "away [on|off|auto|default]", Short: "Say when questions leave the terminal, or show it", Args: atMost(1),
		Example: "afar away on\nafar away on --for 2h",
		Long: "on: questions go to your phone at once. off: they never leave the terminal.\n" +
			"auto (the default): they go out when nobody answered at the terminal for 20 s.\n" +
			"default, with --session: the mode of all sessions counts for this one again.\n" +
			"Without a word it shows what holds.",
		ValidArgs: []string{"on", "off", "auto", "default"},
	}
	session := c.Flags().String("session", "", "only for this session (its `token` or id)")
	length := c.Flags().Duration("for", 0, "only for this long, such as 2h")
	asJSON := jsonFlag(c, "the settings")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return a.showAway(c, *asJSON)
		}
		if c.Flags().Changed("for") && *length < time.Second {
			return usage("--for needs a time such as 30m or 2h")
		}
		return a.away(c.Context(), wire.AwayRequest{Mode: args[0], Session: *session, ForMS: length.Milliseconds()},
			*asJSON)
	}
	return c
}

// showAway prints the away mode of all sessions, and then of the sessions that have a
// mode of their own.
func (a *app) showAway(c *cobra.Command, asJSON bool) error {
	for _, flag := range []string{"session", "for"} {
		if c.Flags().Changed(flag) {
			return usage("--%s needs on, off or auto before it", flag)
		}
	}
	s, err := call(c.Context(), a, wire.OpStatus, wire.StatusRequest{})
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(s.Settings)
	}
	terminal.Away(a.page(), s)
	return nil
}

func (a *app) away(ctx context.Context, in wire.AwayRequest, asJSON bool) error {
	if !slices.Contains([]string{"on", "off", "auto", "default"}, in.Mode) {
		return usage("away is on, off, auto or default, not %q", in.Mode)
	}
	if in.Mode == "default" && (in.Session == "" || in.ForMS != 0) {
		return usage("away default needs --session, and takes no time")
	}
	return read(ctx, a, wire.OpAway, in, asJSON, func(p *terminal.Page, set wire.Settings) {
		whose, until := "all sessions", ""
		if in.Session != "" {
			whose = in.Session
		}
		if in.ForMS > 0 {
			until = " until " + p.Clock(a.now().UnixMilli()+in.ForMS)
		}
		if in.Mode == "default" {
			p.Say("The mode of all sessions counts for %s again: away is %s.", whose, set.Away)
			return
		}
		p.Say("Away is %s for %s%s.", in.Mode, whose, until)
	})
}
