package wording

import (
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/wire"
)

// NoUndos is shown where there is no snapshot.
const NoUndos = "Nothing to undo: no snapshot of the last 24 hours."

// UndoNotes returns what is unusual about a snapshot.
func UndoNotes(u wire.Undo) (notes []string) {
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if len(u.Left) > 0 {
		add("left out: %s", Line(strings.Join(u.Left, ", "), 300))
	}
	switch {
	case u.State == "restored":
		add("undone by %s: %s", Line(u.By, 60), Line(u.Did, 300))
	case u.State == "restoring":
		add("being undone for %s", Line(u.By, 60))
	case len(u.Newer) > 0:
		add("not undone: newer work would be overwritten: %s", Line(strings.Join(u.Newer, ", "), 300))
	case u.Failed != "":
		add("could not be undone: %s", Line(u.Failed, 300))
	case u.Undoes != "":
		add("stood there before %s was undone", Line(u.Undoes, 80))
	case u.RanAt == 0:
		add("the step may not have run")
	}
	return notes
}
