package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newAuditActions(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "actions", Short: "Show the calls that reached other machines or people", Args: exactly(),
		Example: "afar audit actions -n 20",
		Long: "Shows the last calls of all sessions that reached other machines or people, or would have done so:\n" +
			"network clients, pushes, publishing, and tools of servers that do more than look. All of them are in\n" +
			"the workspace, in audit/actions.log.",
	}
	asJSON := jsonFlag(c, "the lines as they are")
	last := c.Flags().IntP("lines", "n", 50, "the `number` of lines of the past")
	c.RunE = func(*cobra.Command, []string) error {
		if *last < 0 || *last > mostEntries {
			return usageError{fmt.Errorf("-n takes 0 to %d", mostEntries)}
		}
		return a.auditActions(*last, *asJSON)
	}
	return c
}

// auditActions prints the end of the log of outward acts. It does not need a coordinator.
func (a *app) auditActions(last int, asJSON bool) error {
	d, err := a.dirs()
	if err != nil {
		return err
	}
	lines, err := lastLines(d.Actions())
	if err != nil {
		return err
	}
	if len(lines) == 0 && !asJSON {
		a.say("No call has reached others yet.")
		return nil
	}
	p := a.page()
	for _, line := range lines[max(0, len(lines)-last):] {
		if asJSON {
			p.line("%s", visible(line))
			continue
		}
		p.line("%s", actionText(p, line))
	}
	return nil
}

// actionText returns a line of the log for people: time, decision, outcome, who and what. It
// returns a line of another form unchanged.
func actionText(p *page, line string) string {
	var act wire.OutwardAct
	if json.Unmarshal([]byte(line), &act) != nil {
		return oneLine(line, 1000)
	}
	at, _ := time.Parse(time.RFC3339, act.Time)
	said := act.Decision
	if act.By != "" {
		said += " by " + act.By
	}
	return fmt.Sprintf("%-12s  %s  %s  %s", p.clock(at.UnixMilli()),
		p.paint(actionInk(act), fmt.Sprintf("%-24s", oneLine(said+", "+act.Outcome, 60))),
		p.paint(dim, fmt.Sprintf("%-16s", oneLine(actor(act), 40))),
		oneLine(act.Command, 500))
}

// actor names the task, the run or the session of an act.
func actor(act wire.OutwardAct) string {
	switch {
	case act.Task != "":
		return "task:" + act.Task
	case act.Run != "":
		return "run:" + act.Run
	case act.Token != "":
		return act.Token
	}
	return strings.TrimSpace(act.Session)
}

func actionInk(act wire.OutwardAct) ink {
	switch {
	case act.Decision == "denied" && act.Outcome != "not run":
		return red
	case act.Decision == "denied", act.Outcome == "failed":
		return yellow
	}
	return ""
}
