package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
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
			p.Line("%s", terminal.Visible(line))
			continue
		}
		p.Line("%s", terminal.Act(p, line))
	}
	return nil
}
