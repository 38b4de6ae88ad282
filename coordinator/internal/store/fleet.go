package store

import (
	_ "embed"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/fleet"
)

//go:embed fleet.sql
var fleetTables string

// Machines are the members of the fleet, on its hub.
var Machines = NewKind(Kind[fleet.MachineID, fleet.Machine]{
	Table: "machines",
	ID:    func(m fleet.Machine) fleet.MachineID { return m.ID },
})

// Orders are what other machines carry out.
var Orders = NewKind(Kind[fleet.OrderID, fleet.Order]{
	Table: "orders",
	ID:    fleet.Order.ID,
	Columns: []Column[fleet.Order]{
		{Name: "open", Of: func(o fleet.Order) any { return o.Waits() }},
		millis("at", func(o fleet.Order) time.Time { return o.At }),
	},
	Wanted: "open = 1 OR at >= ?1",
	Old:    "open = 0 AND at < ?1",
})

// Mirrors are what other machines show.
var Mirrors = NewKind(Kind[fleet.MirrorID, fleet.Mirror]{
	Table: "mirrors",
	ID:    fleet.Mirror.ID,
	Columns: []Column[fleet.Mirror]{
		{Name: "gone", Of: func(m fleet.Mirror) any { return m.Gone }},
		millis("at", func(m fleet.Mirror) time.Time { return m.At }),
	},
	Wanted: "gone = 0",
	Old:    "gone = 1 AND at < ?1",
})
