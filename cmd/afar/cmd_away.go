package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newAway(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "away on|off|auto", Short: "Say when questions leave the terminal", Args: exactly("on, off or auto"),
		Long: "on: questions go to your phone at once. off: they never leave the terminal.\n" +
			"auto (the default): they go out when nobody answered at the terminal for 20 s.",
		ValidArgs: []string{"on", "off", "auto"},
	}
	session := c.Flags().String("session", "", "only for this session (its token or id)")
	length := c.Flags().Duration("for", 0, "only for this long, such as 2h")
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("for") && *length < time.Second {
			return usageError{errors.New("--for needs a time such as 30m or 2h")}
		}
		return a.away(c.Context(), wire.Away{Mode: args[0], Session: *session, ForMS: length.Milliseconds()})
	}
	return c
}

func (a *app) away(ctx context.Context, in wire.Away) error {
	if in.Mode != "on" && in.Mode != "off" && in.Mode != "auto" {
		return usageError{fmt.Errorf("away is on, off or auto, not %q", in.Mode)}
	}
	if err := a.call(ctx, wire.OpAway, in, nil); err != nil {
		return err
	}
	whose := "all sessions"
	if in.Session != "" {
		whose = oneLine(in.Session, 60)
	}
	until := ""
	if in.ForMS > 0 {
		until = " until " + a.page().clock(a.now().UnixMilli()+in.ForMS)
	}
	a.say("Away is %s for %s%s.", in.Mode, whose, until)
	return nil
}
