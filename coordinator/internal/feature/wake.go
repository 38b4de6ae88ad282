package feature

import (
	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// The parts that this package adds.
const (
	Browsers wake.Part = "browsers" // which browsers are signed in to the page
	Triggers wake.Part = "triggers" // what is kept of a trigger, and its ledger
	Firings  wake.Part = "firings"  // a firing is to be sent
	Modules  wake.Part = "modules"  // which modules are enabled
	Machines wake.Part = "machines" // what is kept of machines, which are connected, which may join
	Orders   wake.Part = "orders"   // an order waits, or has ended
	Mirrors  wake.Part = "mirrors"  // what other machines show
)

func ofUndo(id undo.ID) wake.Part { return wake.Part("undo " + id) }
