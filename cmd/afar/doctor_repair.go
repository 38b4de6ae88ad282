package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/repair"
	"github.com/afar-sh/afar/coordinator/terminal"
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
			a.page().Path(d.Database()))
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
	p.Line("The database is repaired. The damaged one is kept:")
	p.Line("  %s", p.Path(saved.Kept))
	p.Line("")
	rows := [][]string{{}}
	for _, title := range []string{"table", "read", "from the copy", "lost"} {
		rows[0] = append(rows[0], p.Paint(terminal.Bold, title))
	}
	for _, t := range saved.Tables {
		rows = append(rows, []string{t.Table, fmt.Sprint(t.Rows), fmt.Sprint(t.Copied), lost(t)})
	}
	p.Table(rows)
	p.Line("")
	if saved.Gone > 0 {
		p.Line("The journal ends with entry %d; what happened after it is not known any more.", saved.Journal)
	}
	if !saved.CopyAt.IsZero() {
		p.Line("The copy is of %s.", saved.CopyAt.Local().Format(time.DateTime))
	}
	if n := len(saved.Doubts); n > 0 {
		p.Line("Not done again, because it may have been done:")
		for _, d := range saved.Doubts[:min(n, mostDoubts)] {
			p.Line("  %s", terminal.OneLine(d.Text, 120))
		}
		p.Line("`afar log` lists all %d.", n)
	}
	if !saved.Paired {
		p.Line("No phone is paired: afar telegram pair")
	}
	p.Line("Next: afar start, then afar doctor.")
}

// mostDoubts is how many of the things that may have been done are listed.
const mostDoubts = 20

// lost says in words what a table has lost.
func lost(t repair.Saved) string {
	switch {
	case t.Lost > 0:
		return fmt.Sprintf("at least %d", t.Lost)
	case t.Torn && t.Copied > 0:
		return "what came after the copy; its number is not known"
	case t.Torn:
		return "some; their number is not known"
	}
	return "nothing"
}
