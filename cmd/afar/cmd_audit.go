package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newAudit(a *app) *cobra.Command {
	return group("audit", "What reached others, and whether the journal is whole", newAuditActions(a),
		newAuditVerify(a))
}

func newAuditVerify(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "verify", Short: "Check the journal's hash chain from its first entry", Args: exactly(),
	}
	asJSON := jsonFlag(c, "entries, ok, broken, head")
	c.RunE = func(c *cobra.Command, _ []string) error {
		var raw json.RawMessage
		if err := a.exchange(c.Context(), string(wire.OpVerify), wire.None{}, &raw, starting); err != nil {
			return err
		}
		var v wire.VerifyReply
		if err := json.Unmarshal(raw, &v); err != nil {
			return fmt.Errorf("read the coordinator's answer: %w", err)
		}
		if *asJSON {
			if err := a.printJSON(raw); err != nil {
				return err
			}
		}
		if len(v.Unproven) > 0 && v.Broken == 0 {
			return fmt.Errorf("the database was changed: %s claims a decision of the person that the journal has no entry of",
				terminal.OneLine(strings.Join(v.Unproven, ", "), 300))
		}
		if !v.OK {
			return fmt.Errorf("the journal was changed: entry %d does not fit the ones before it", v.Broken)
		}
		if !*asJSON {
			a.say("The journal is whole: %d entries, head %.16s.", v.Entries, terminal.OneLine(v.Head, 64))
		}
		return nil
	}
	return c
}
