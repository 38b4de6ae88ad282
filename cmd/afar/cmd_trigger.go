package main

import (
	"crypto/rand"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newTrigger(a *app) *cobra.Command {
	return group("trigger", "Rules that send a text when something happens: a time, a webhook, a file",
		newTriggerNew(a), listing(a, view.Triggers, "List the triggers", "triggers"), newTriggerShow(a),
		newTriggerTest(a), newTriggerFire(a), newTriggerOn(a), newTriggerOff(a), newTriggerRotate(a),
		newTriggerRemove(a), newTriggerLog(a))
}

// triggerName says what the argument of most commands is.
const triggerName = "the name of a trigger (afar trigger list)"

func newTriggerNew(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "new NAME --on WHEN --to ADDRESS --prompt TEXT|-", Short: "Write a rule; it is on at once",
		Example: "afar trigger new nightly --on 'cron 0 2 * * *' --to run --prompt 'Run the long tests'",
		Args:    exactly("a name of letters a-z, digits and dashes"),
		Long: "Writes a rule to the folder triggers, and switches it on.\n\n" +
			"WHEN is one of\n" +
			"  cron 0 7 * * 1-5 Europe/Berlin    five fields, and a time zone if you like\n" +
			"  once 2026-12-01 09:00 Europe/Berlin\n" +
			"  every 2h\n" +
			"  webhook                           needs --auth standard, github or header\n" +
			"  file ~/inbox/*.pdf                when a file is complete, once for each content\n" +
			"  manual                            afar trigger fire NAME\n\n" +
			"ADDRESS is run (a new run each time), run:NAME, run:{{payload.FIELD}} " +
			"(one run for each value of the field),\n" +
			"session:TOKEN, task:SLUG, triage or person. TEXT may name {{payload}} and {{payload.FIELD}}; with - it " +
			"is stdin.",
	}
	var in wire.TriggerNewRequest
	for _, f := range []struct {
		to          *string
		name, usage string
	}{
		{&in.On, "on", "`WHEN` it fires"},
		{&in.To, "to", "the `ADDRESS` that gets the text"},
		{&in.Title, "title", "a `text` of a few words that says what it is (its name)"},
		{&in.Auth, "auth", "the `way` in which a webhook proves where it comes from: standard, github or header"},
		{&in.Missed, "missed", "the `way` to treat times that passed while nothing ran: run, skip, each or ask"},
		{&in.Grace, "grace", "the `duration` by which a time may be late and count as kept (5m)"},
		{&in.Filter, "filter", "a `command` that gets the payload on stdin; exit 1 drops it"},
		{&in.Check, "check", "a `command`: it fires once, as soon as this exits with 0; 1 is not yet"},
		{&in.Until, "until", "the `time` until which the check is run: YYYY-MM-DD HH:MM, and a time zone if you like"},
		{&in.Agent, "agent", "the `program` of its runs: claude"},
		{&in.Mode, "mode", "the permission `mode` of its runs (manual for a webhook)"},
		{&in.Model, "model", "the `model` of its runs"},
		{&in.Budget, "budget", "what each of its runs may cost, in US `dollars`"},
		{&in.Dir, "dir", "the `directory` where its runs work (one of its own)"},
		{&in.Limit, "limit", "the `number` of firings per minute (10)"},
		{&in.Escalate, "escalate", "the `ADDRESS` of a session, run or task that its runs may write to"},
		{&in.Prompt, "prompt", "the `TEXT` to send, or - for stdin"},
	} {
		c.Flags().StringVar(f.to, f.name, "", f.usage)
	}
	form := "the trigger, with the secret of a webhook"
	return asking(a, c, wire.OpTriggerNew, form, func(args []string) (_ wire.TriggerNewRequest, err error) {
		if in.On == "" || in.To == "" || in.Prompt == "" {
			return in, usage("afar trigger new needs --on, --to and --prompt")
		}
		if in.Prompt, err = a.words([]string{in.Prompt}); err != nil {
			return in, err
		}
		in.ID = args[0]
		return in, nil
	}, renderTriggerOn)
}

// renderTriggerOn shows a trigger that is on now: what a person has just approved.
func renderTriggerOn(p *terminal.Page, t wire.Trigger) {
	terminal.Thing(p, view.Trigger(t))
	if t.Secret == "" {
		return
	}
	p.Line("")
	p.Line("Secret, shown this once: %s", p.Paint(terminal.Bold, t.Secret))
	p.Line("%s", p.Paint(terminal.Dim, view.TriggerProof(t)))
}

func newTriggerShow(a *app) *cobra.Command {
	return showing(a, view.Triggers, "the trigger", &cobra.Command{
		Use: "show NAME", Short: "Show a trigger", Args: exactly(triggerName), Example: "afar trigger show nightly",
	})
}

// payload reads the file with a payload, - for stdin and "" for none.
func (a *app) payload(name string) (string, error) {
	switch name {
	case "":
		return "", nil
	case "-":
		raw, err := io.ReadAll(a.stdin)
		return string(raw), err
	}
	raw, err := os.ReadFile(name)
	return string(raw), err
}

func payloadFlag(c *cobra.Command) *string {
	return c.Flags().String("payload", "", "a `FILE` with what would come, or - for stdin")
}

func newTriggerTest(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "test NAME", Short: "Say what a trigger would send, and send nothing", Args: exactly(triggerName),
		Example: "afar trigger test nightly --payload push.json",
	}
	file := payloadFlag(c)
	return asking(a, c, wire.OpTriggerTest, "fires, why, to, text", func(args []string) (wire.TriggerTestRequest, error) {
		payload, err := a.payload(*file)
		return wire.TriggerTestRequest{ID: args[0], Payload: payload}, err
	}, terminal.TriggerTest)
}

func newTriggerFire(a *app) *cobra.Command {
	c := &cobra.Command{Use: "fire NAME", Short: "Let a trigger fire now", Args: exactly(triggerName),
		Example: "afar trigger fire nightly"}
	file := payloadFlag(c)
	return asking(a, c, wire.OpTriggerFire, "the firing", func(args []string) (wire.TriggerFireRequest, error) {
		payload, err := a.payload(*file)
		return wire.TriggerFireRequest{Key: rand.Text(), ID: args[0], Payload: payload}, err
	}, func(p *terminal.Page, f wire.Firing) {
		p.Say("Trigger %s fires. What came of it: afar trigger log %s", f.Trigger, f.Trigger)
	})
}

func newTriggerOn(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "on NAME", Short: "Approve the file of a trigger as it is, and switch it on", Args: exactly(triggerName),
		Example: "afar trigger on nightly",
		Long: "Approves the file of a trigger as it is now, and switches it on. " +
			"A rule that somebody wrote by hand is off\n" +
			"until then, and so is one whose file has changed.",
	}
	return asking(a, c, wire.OpTriggerOn, "the trigger", named, renderTriggerOn)
}

func newTriggerOff(a *app) *cobra.Command {
	c := &cobra.Command{Use: "off NAME", Short: "Switch a trigger off", Args: exactly(triggerName),
		Example: "afar trigger off nightly"}
	return asking(a, c, wire.OpTriggerOff, "the trigger", named, func(p *terminal.Page, t wire.Trigger) {
		p.Say("Trigger %s is off. Switch it on: afar trigger on %s", t.ID, t.ID)
	})
}

func newTriggerRotate(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "rotate NAME", Short: "Make a new secret for a webhook; the old one counts no more",
		Example: "afar trigger rotate nightly",
		Args:    exactly(triggerName),
	}
	return asking(a, c, wire.OpTriggerRotate, "the trigger, with its secret", named, renderTriggerOn)
}

func newTriggerRemove(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "remove NAME", Short: "Remove a trigger with its file; its ledger stays", Args: exactly(triggerName),
		Example: "afar trigger remove nightly",
	}
	return asking(a, c, wire.OpTriggerRemove, "nothing", named, func(p *terminal.Page, _ wire.None) {
		p.Say("Trigger %s is removed.", c.Flags().Arg(0))
	})
}

func newTriggerLog(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "log [NAME]",
		Example: "afar trigger log nightly",
		Short:   "Show the ledger: what was due, what fired, what was missed and why",
		Args:    atMost(1),
	}
	last := c.Flags().IntP("last", "n", 0, "how many `LINES` (50)")
	return asking(a, c, wire.OpTriggerLog, "firings", func(args []string) (wire.TriggerLogRequest, error) {
		return wire.TriggerLogRequest{ID: strings.Join(args, ""), Last: *last}, nil
	}, terminal.Firings)
}
