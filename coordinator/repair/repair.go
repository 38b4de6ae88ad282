// Package repair checks and repairs the database of a home that no coordinator
// serves.
package repair

import (
	"errors"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

var (
	// ErrNewer says that a newer Afar wrote the database.
	ErrNewer = store.ErrNewer
	// ErrOlder says that an Afar from before the first release wrote the database.
	ErrOlder = store.ErrOlder
	// ErrDamaged says that the database is damaged.
	ErrDamaged = store.ErrCorrupt
	// ErrSound says that the database is not damaged.
	ErrSound = store.ErrSound
	// ErrEmpty says that there is no database, or that its file is empty.
	ErrEmpty = store.ErrEmpty
	// ErrServed says that a coordinator has the database open.
	ErrServed = errors.New("a coordinator is already running")
)

// A Salvage is what Database could save.
type Salvage = store.Salvage

// A Saved is what became of one table.
type Saved = store.Saved

// Check returns why the database cannot be opened, nil if it can. It changes nothing.
func Check(dirs home.Dirs) error { return store.Check(dirs.Database()) }

// Database makes a new database from the readable parts of a damaged one and from its newest good copy, and
// keeps the damaged one. What only the copy shows as not done counts as done. It returns ErrServed while
// a coordinator serves the home, ErrSound if nothing is damaged, and ErrEmpty if there is nothing to read.
func Database(dirs home.Dirs) (Salvage, error) {
	if err := dirs.Make(); err != nil {
		return Salvage{}, err
	}
	life, err := home.TryLock(dirs.LifeLock())
	if err != nil {
		return Salvage{}, err
	}
	if life == nil {
		return Salvage{}, ErrServed
	}
	defer life.Release()
	return store.Repair(dirs.Database(), time.Now(), doubt, mend)
}
