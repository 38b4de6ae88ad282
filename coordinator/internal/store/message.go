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
	Wanted: "at >= ?1 OR state != 'done'",
})
