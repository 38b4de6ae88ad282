package store

import (
	"errors"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// Triggers are the triggers; they are loaded until they are removed.
var Triggers = NewKind(Kind[trigger.Name, trigger.Trigger]{
	Table: "triggers",
	ID:    func(t trigger.Trigger) trigger.Name { return t.Name },
	Columns: []Column[trigger.Trigger]{
		{Name: "open", Of: func(t trigger.Trigger) any { return !t.Removed }},
		millis("at", func(t trigger.Trigger) time.Time { return t.OnAt }),
	},
	Wanted: "open = 1 AND ?1 = ?1",
	Old:    "open = 0 AND at < ?1",
})

// Firings are the lines of the ledger. Those that are over are loaded for about a day: they
// keep an instant from firing again after the clock was set back.
var Firings = NewKind(Kind[trigger.FiringID, trigger.Firing]{
	Table: "firings",
	ID:    func(f trigger.Firing) trigger.FiringID { return f.ID },
	Columns: []Column[trigger.Firing]{
		{Name: "name", Of: func(f trigger.Firing) any { return string(f.Trigger) }},
		{Name: "open", Of: func(f trigger.Firing) any { return !f.Over() }},
		millis("at", func(f trigger.Firing) time.Time { return f.At }),
	},
	Check:  func(f trigger.Firing) error { return oneOf(f.State, trigger.States()...) },
	Wanted: "open = 1 OR at >= ?1 + 6 * 86400000",
	Old:    "open = 0 AND at < ?1 AND data NOT LIKE '%\"key\":\"" + trigger.FileKey + "%'",
})

// FiringLog returns at most limit lines of the ledger, of one trigger or of all for "", the
// newest first.
func (s *Store) FiringLog(name trigger.Name, limit int) ([]trigger.Firing, error) {
	lines, bad, err := Firings.query(s, "WHERE ?1 = '' OR name = ?1 ORDER BY at DESC, rowid DESC LIMIT ?2",
		string(name), limit)
	for _, b := range bad {
		err = errors.Join(err, b)
	}
	return lines, err
}
