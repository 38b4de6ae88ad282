package main

import (
	"errors"
	"fmt"

	"github.com/afar-sh/afar/coordinator/repair"
)

// repair saves what can be read of a damaged database.
func (a *app) repair() error {
	if err := a.personOnly("doctor --repair"); err != nil {
		return err
	}
	d, err := a.dirs()
	if err != nil {
		return err
	}
	saved, err := repair.Database(d)
	switch {
	case errors.Is(err, repair.ErrSound):
		a.say("The database is not damaged: there is nothing to repair.")
		return nil
	case errors.Is(err, repair.ErrEmpty):
		a.say("%s is empty or missing: there is nothing to save. `afar start` begins with a new one.",
			a.page().path(d.Database()))
		return nil
	case errors.Is(err, repair.ErrServed):
		return errors.New("a coordinator runs and has the database open; `afar stop` first, and then `afar doctor` " +
			"says whether it is damaged")
	case err != nil:
		return err
	}
	d.ForgetFailure()
	a.renderSalvage(saved)
	return nil
}

func (a *app) renderSalvage(saved repair.Salvage) {
	p := a.page()
	p.line("The database is repaired. The damaged one is kept:")
	p.line("  %s", p.path(saved.Kept))
	p.line("")
	rows := [][]cell{{{"saved", bold}, {"", bold}, {"lost", bold}}}
	for _, t := range saved.Tables {
		rows = append(rows, []cell{plain(t.Table), plain(fmt.Sprint(t.Rows)), plain(lost(t.Lost, t.Torn))})
	}
	p.table(rows)
	p.line("")
	if saved.Gone > 0 {
		p.line("The journal ends with entry %d; what happened after it is not known any more.", saved.Journal)
	}
	if !saved.Paired {
		p.line("No phone is paired: afar telegram pair")
	}
	p.line("Next: afar start, then afar doctor.")
}

// lost returns how many rows a table has lost, in words.
func lost(rows int, torn bool) string {
	switch {
	case rows > 0:
		return fmt.Sprintf("at least %d", rows)
	case torn:
		return "some; their number is not known"
	}
	return "nothing"
}
