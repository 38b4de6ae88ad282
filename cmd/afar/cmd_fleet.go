package main

import (
	"context"
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
		out, err := changeFleet(c.Context(), a, wire.OpFleetServe, in)
		if err != nil {
			return err
		}
		a.say("This machine is the hub of your fleet: %s, at %s.", out.Name, text.Some(out.Address, 4))
		a.say("Let another machine join: afar fleet invite")
		phone, err := call(c.Context(), a, wire.OpTelegram, wire.None{})
		if err != nil || phone.Connected {
			return err
		}
		a.tell("It has no phone yet: afar telegram connect, with a new token. If another machine was the hub, make the token\n" +
			"anew (@BotFather, /revoke): it shuts that machine out.\n")
		return nil
	}
	return c
}

// changeFleet makes a call after which the coordinator ends, and starts it again.
func changeFleet[Request, Reply any](
	ctx context.Context, a *app, op wire.Op[Request, Reply], in Request,
) (out Reply, err error) {
	before, err := call(ctx, a, wire.OpStatus, wire.StatusRequest{NoSessions: true})
	if err != nil {
		return out, err
	}
	if out, err = call(ctx, a, op, in, reviving(fleetFor)); err != nil {
		return out, err
	}
	d, err := a.dirs()
	if err != nil {
		return out, err
	}
	if _, err := a.waitGone(ctx, d, before.Coordinator.PID); err != nil {
		return out, err
	}
	_, err = call(ctx, a, wire.OpStatus, wire.StatusRequest{NoSessions: true})
	return out, err
}

func newFleetInvite(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "invite", Short: "Print a line with which one machine joins, within 10 minutes", Args: exactly(),
		Example: "afar fleet invite --name laptop",
	}
	name := c.Flags().String("name", "", "the `NAME` of the machine in the fleet")
	noDecide := c.Flags().Bool("no-decide", false, "the phone shows its questions and cannot answer them")
	c.RunE = func(c *cobra.Command, _ []string) error {
		in := wire.FleetInviteRequest{Name: *name, Decides: !*noDecide}
		out, err := call(c.Context(), a, wire.OpFleetInvite, in)
		if err != nil {
			return err
		}
		a.tell("Type this on the other machine before %s. It is good for one machine:\n",
			time.UnixMilli(out.Ends).Format("15:04"))
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
		in := wire.FleetJoinRequest{Word: args[0], Name: *name}
		out, err := changeFleet(c.Context(), a, wire.OpFleetJoin, in)
		if err != nil {
			return err
		}
		a.say("This machine is %s in the fleet of %s. Its fingerprint is %s.", out.Name, out.Hub, out.ID)
		if out.Decides {
			a.say("Its questions come to the phone of %s from now on.", out.Hub)
		} else {
			a.say("The phone of %s shows its questions; they are answered here.", out.Hub)
		}
		phone, err := call(c.Context(), a, wire.OpTelegram, wire.None{})
		if err != nil || !phone.Connected {
			return err
		}
		a.tell("The bot of this machine, @" + phone.Bot + ", goes on to show them, too, until afar telegram disconnect.\n")
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
	}, func(p *terminal.Page, m wire.Machine) { p.Say("The machine is named %s now.", m.Name) })
}

func newFleetRemove(a *app) *cobra.Command {
	c := &cobra.Command{Use: "remove NAME", Short: "Cut a machine off at once", Args: exactly(machineName),
		Example: "afar fleet remove old-laptop"}
	return asking(a, c, wire.OpFleetRemove, "the machine", named, func(p *terminal.Page, m wire.Machine) {
		p.Say("%s is cut off. It joins again by a new invite: afar fleet invite", m.Name)
	})
}

func newFleetLeave(a *app) *cobra.Command {
	c := &cobra.Command{Use: "leave", Short: "Make this machine one without a fleet", Args: exactly()}
	c.RunE = func(c *cobra.Command, _ []string) error {
		if _, err := changeFleet(c.Context(), a, wire.OpFleetLeave, wire.None{}); err != nil {
			return err
		}
		a.say("This machine has no fleet any more.")
		return nil
	}
	return c
}
