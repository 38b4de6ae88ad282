package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newFleet(a *app) *cobra.Command {
	return group("fleet", "Several machines, one phone",
		newFleetServe(a), newFleetInvite(a), newFleetJoin(a),
		listing(a, view.Machines, "List the machines of the fleet", "machines"), newFleetShow(a),
		newFleetRename(a), newFleetRemove(a), newFleetLeave(a))
}

// machineName says what the argument of most commands is.
const machineName = "the name of a machine (afar fleet list)"

// fleetFor bounds a call that speaks with another machine.
const fleetFor = 30 * time.Second

func newFleetServe(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "serve", Short: "Make this machine the hub: it speaks to the phone for all", Args: exactly(),
		Example: "afar fleet serve\nafar fleet serve --listen 192.168.1.20:4242",
		Long: "Makes this machine the hub of a fleet. It listens at the machine's Tailscale address where there is one, " +
			"else at\n127.0.0.1, which other machines reach through `ssh -R`. With --nats it uses a cluster of NATS instead.",
	}
	in := wire.FleetServeRequest{}
	c.Flags().StringVar(&in.Listen, "listen", "", "the `HOST:PORT` to listen at; 0.0.0.0 is every network")
	c.Flags().StringVar(&in.NATS, "nats", "", "the `URL` of a cluster of NATS that carries the messages")
	c.Flags().StringVar(&in.Creds, "creds", "", "the `FILE` with the credentials of that cluster")
	c.Flags().StringVar(&in.Name, "name", "", "the `NAME` of this machine in the fleet")
	c.RunE = func(c *cobra.Command, _ []string) error {
		var out wire.FleetChanged
		if err := a.changeFleet(c.Context(), func(ctx context.Context) error {
			return call(ctx, a, wire.OpFleetServe, in, &out, reviving(fleetFor))
		}); err != nil {
			return err
		}
		a.say("This machine is the hub of your fleet: %s, at %s.", out.Name, text.Some(out.Address, 4))
		a.say("Let another machine join: afar fleet invite")
		var phone wire.TelegramReply
		if err := call(c.Context(), a, wire.OpTelegram, wire.None{}, &phone); err != nil || phone.Connected {
			return err
		}
		a.tell("It has no phone yet: afar telegram connect, with a new token. If another machine was the hub, make the token\n" +
			"anew (@BotFather, /revoke): it shuts that machine out.\n")
		return nil
	}
	return c
}

// changeFleet makes a call after which the coordinator ends, and starts it again.
func (a *app) changeFleet(ctx context.Context, change func(context.Context) error) error {
	var before wire.StatusReply
	if err := call(ctx, a, wire.OpStatus, wire.StatusRequest{NoSessions: true}, &before); err != nil {
		return err
	}
	if err := change(ctx); err != nil {
		return err
	}
	d, err := a.dirs()
	if err != nil {
		return err
	}
	if _, err := a.waitGone(ctx, d, before.Coordinator.PID); err != nil {
		return err
	}
	return call(ctx, a, wire.OpStatus, wire.StatusRequest{NoSessions: true}, &before)
}

func newFleetInvite(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "invite", Short: "Print a line with which one machine joins, within 10 minutes", Args: exactly(),
		Example: "afar fleet invite --name laptop",
	}
	name := c.Flags().String("name", "", "the `NAME` of the machine in the fleet")
	noDecide := c.Flags().Bool("no-decide", false, "the phone shows its questions and cannot answer them")
	c.RunE = func(c *cobra.Command, _ []string) error {
		var out wire.FleetInvitation
		in := wire.FleetInviteRequest{Name: *name, Decides: !*noDecide}
		if err := call(c.Context(), a, wire.OpFleetInvite, in, &out); err != nil {
			return err
		}
		a.tell(fmt.Sprintf("Type this on the other machine before %s. It is good for one machine:\n",
			time.UnixMilli(out.Ends).Format("15:04")))
		a.say("afar fleet join %s", out.Word)
		return nil
	}
	return c
}

func newFleetJoin(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "join WORD", Short: "Make this machine a member: its questions go to the hub's phone",
		Example: "afar fleet join afar1-eyJmIjoi…",
		Args:    exactly("the word that `afar fleet invite` printed on the hub"),
	}
	name := c.Flags().String("name", "", "the `NAME` that this machine wants in the fleet")
	c.RunE = func(c *cobra.Command, args []string) error {
		var out wire.FleetChanged
		in := wire.FleetJoinRequest{Word: args[0], Name: *name}
		if err := a.changeFleet(c.Context(), func(ctx context.Context) error {
			return call(ctx, a, wire.OpFleetJoin, in, &out, reviving(fleetFor))
		}); err != nil {
			return err
		}
		a.say("This machine is %s in the fleet of %s. Its fingerprint is %s.", out.Name, out.Hub, out.ID)
		if out.Decides {
			a.say("Its questions come to the phone of %s from now on.", out.Hub)
			return nil
		}
		a.say("The phone of %s shows its questions; they are answered here.", out.Hub)
		return nil
	}
	return c
}

func newFleetShow(a *app) *cobra.Command {
	return showing(a, view.Machines, "the machine", &cobra.Command{
		Use: "show NAME", Short: "Show a machine, and how old what it shows is", Args: exactly(machineName),
		Example: "afar fleet show laptop",
	})
}

func newFleetRename(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "rename NAME NEW", Short: "Give a machine another name; the old one stays good in addresses",
		Example: "afar fleet rename laptop old-laptop",
		Args:    exactly(machineName, "its new name"),
	}
	return asking(a, c, wire.OpFleetRename, "the machine", func(args []string) (wire.FleetRenameRequest, error) {
		return wire.FleetRenameRequest{ID: args[0], Name: args[1]}, nil
	}, func(p *terminal.Page, m wire.Machine) { p.Line("The machine is named %s now.", m.Name) })
}

func newFleetRemove(a *app) *cobra.Command {
	c := &cobra.Command{Use: "remove NAME", Short: "Cut a machine off at once", Args: exactly(machineName),
		Example: "afar fleet remove old-laptop"}
	return asking(a, c, wire.OpFleetRemove, "the machine", named, func(p *terminal.Page, m wire.Machine) {
		p.Line("%s is cut off. It joins again by a new invite: afar fleet invite", m.Name)
	})
}

func newFleetLeave(a *app) *cobra.Command {
	c := &cobra.Command{Use: "leave", Short: "Make this machine one without a fleet", Args: exactly()}
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := a.changeFleet(c.Context(), func(ctx context.Context) error {
			return call(ctx, a, wire.OpFleetLeave, wire.None{}, nil, reviving(fleetFor))
		}); err != nil {
			return err
		}
		a.say("This machine has no fleet any more.")
		return nil
	}
	return c
}
