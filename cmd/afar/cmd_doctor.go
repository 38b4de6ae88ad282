package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newDoctor(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "doctor", Short: "Check every part, and say how to mend what is broken", Args: exactly(),
		Long: "Checks every part: ✔ fine, ✖ broken, ○ not set up. Ends with 0 when nothing is broken.\nStarts nothing and changes nothing, but with --repair.",
	}
	asJSON := jsonFlag(c, "checks: a list of id, state (ok, off, bad), text, fix")
	report := c.Flags().String("report", "", "write all that a bug report needs into a new file, secrets masked")
	repair := c.Flags().Bool("repair", false, "save what can be read of a damaged database into a new one; the damaged one is kept")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *repair {
			return a.repair()
		}
		found, err := a.examine(c.Context())
		if err != nil {
			return err
		}
		if c.Flags().Changed("report") {
			return a.writeReport(c.Context(), *report, found)
		}
		if *asJSON {
			err = a.printJSON(found)
		} else {
			renderChecks(a.page(), found)
		}
		if err != nil {
			return err
		}
		return verdictOf(found)
	}
	return c
}

func verdictOf(found wire.Checks) error {
	broken := 0
	for _, f := range found.Checks {
		if f.State == "bad" {
			broken++
		}
	}
	if broken == 0 {
		return nil
	}
	return fmt.Errorf("doctor: %s failed", count(broken, "check"))
}

func renderChecks(p *page, found wire.Checks) {
	var rows [][]cell
	for _, f := range found.Checks {
		rows = append(rows, []cell{mark(f.State), plain(oneLine(f.ID, 40)), plain(oneLine(f.Text, 300))})
		if f.Fix != "" && f.State != "ok" {
			rows = append(rows, []cell{plain(""), plain(""), {"→ " + oneLine(f.Fix, 300), dim}})
		}
	}
	p.table(rows)
}

// An exam is one run of doctor: what each check looks at.
type exam struct {
	*app
	dirs home.Dirs
}

// examine runs every check in the order of what rests on what.
func (a *app) examine(ctx context.Context) (wire.Checks, error) {
	d, err := a.dirs()
	if err != nil {
		return wire.Checks{}, err
	}
	x := exam{a, d}
	found := []wire.Check{x.binaries(), x.pin(), x.directories(), x.disk(), x.config()}
	found = append(found, x.coordinator(ctx)...)
	found = append(found, x.path(), x.loopAlias())
	found = append(found, x.policies()...)
	host, err := x.host(ctx)
	return wire.Checks{Checks: append(found, host...)}, err
}

func ok(id, format string, args ...any) wire.Check {
	return wire.Check{ID: id, State: "ok", Text: fmt.Sprintf(format, args...)}
}

func off(id, text, fix string) wire.Check {
	return wire.Check{ID: id, State: "off", Text: text, Fix: fix}
}

func bad(id, text, fix string) wire.Check {
	return wire.Check{ID: id, State: "bad", Text: text, Fix: fix}
}
