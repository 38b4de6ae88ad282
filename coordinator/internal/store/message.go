package store

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/message"
)

// Messages are loaded until they are done, however old they are.
var Messages = NewKind(Kind[message.ID, message.Message]{
	Table: "messages",
	ID:    func(m message.Message) message.ID { return m.ID },
	Columns: []Column[message.Message]{
		{Name: "state", Of: func(m message.Message) any { return string(m.State) }},
		millis("at", func(m message.Message) time.Time { return m.At }),
	},
	Check: func(m message.Message) error {
		return oneOf(m.State, message.Unrouted, message.Pending, message.Delivered, message.Done)
	},
	Wanted: "at >= ?1 OR state IN ('unrouted', 'pending', 'delivered')",
	Old:    "state = 'done' AND at < " + quarter,
})

// TextsBefore returns at most limit texts, the newest first, and the rows that cannot be read: those
// that were stored before the text with an id, or the newest for "". They have the recipient of to:
// a session with its run, a task, the person or triage. The zero text selects all.
func (s *Store) TextsBefore(to message.Message, before message.ID, limit int) ([]message.Message, []Bad, error) {
	field, value := recipient(to)
	where := "WHERE " + field + " = ?1"
	if before != "" {
		where += " AND rowid < (SELECT rowid FROM messages WHERE id = ?2)"
	}
	return Messages.query(s, where+" ORDER BY rowid DESC LIMIT ?3", value, string(before), limit)
}

// recipient returns the SQL of what a stored text has in common with all for one recipient, and its value.
func recipient(to message.Message) (field, value string) {
	of := func(name string) string {
		return "CASE WHEN json_valid(data) THEN json_extract(data, '$." + name + "') END" // as schema.sql has it
	}
	switch {
	case to.To != "":
		return of("to"), string(to.To)
	case to.Task != "":
		return of("task"), to.Task
	case to.Session != "":
		return of("session"), string(to.Session)
	}
	return "''", ""
}
