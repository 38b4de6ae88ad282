package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/view"
)

// listing returns the command that lists the things of a noun.
func listing(a *app, n view.Noun, short, form string) *cobra.Command {
	c := &cobra.Command{Use: "list", Short: short, Args: exactly()}
	return viewing(a, c, form, func(do view.Caller, _ []string) (func(*terminal.Page), error) {
		all, err := n.List(do)
		return func(p *terminal.Page) { terminal.List(p, n, all) }, err
	})
}

// showing makes c the command that shows the thing of a noun that its argument names.
func showing(a *app, n view.Noun, form string, c *cobra.Command) *cobra.Command {
	return viewing(a, c, form, func(do view.Caller, args []string) (func(*terminal.Page), error) {
		t, err := n.Read(do, args[0])
		return func(p *terminal.Page) { terminal.Thing(p, t) }, err
	})
}

// viewing makes c a command that makes one call by package view and draws what came of it. With --json it prints the
// reply unchanged, which has the form that form says.
func viewing(
	a *app, c *cobra.Command, form string, read func(view.Caller, []string) (func(*terminal.Page), error),
) *cobra.Command {
	asJSON := jsonFlag(c, form)
	c.RunE = func(c *cobra.Command, args []string) error {
		var raw json.RawMessage
		draw, err := read(a.caller(c.Context(), starting, &raw), args)
		switch {
		case err != nil:
			return err
		case *asJSON:
			return a.printJSON(raw)
		}
		draw(a.page())
		return nil
	}
	return c
}

// caller returns the way in which package view makes calls. It leaves each reply in raw as it came, unless that is nil.
func (a *app) caller(ctx context.Context, how way, raw *json.RawMessage) view.Caller {
	return func(op string, in any) (any, error) {
		var reply json.RawMessage
		err := a.exchange(ctx, op, in, &reply, how)
		if raw != nil {
			*raw = reply
		}
		return func(into any) error {
			if err := json.Unmarshal(reply, into); err != nil {
				return fmt.Errorf("read the coordinator's answer: %w", err)
			}
			return nil
		}, err
	}
}
