package core

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// state is what the coordinator knows. A new kind of state is a field here and its
// registration in newState.
type state struct {
	sessions sessionTable
	asks     askTable
	loops    *table.Table[session.ID, loop.Stack]
	messages messageTable
	grants   grantTable
	undos    undoTable
	browsers browserTable
	accounts *table.Table[string, channel.Account]
	rooms    roomTable
	runs     runTable
	tasks    taskTable
	facts    *table.Table[string, store.FactSeen]
	triggers *table.Table[trigger.Name, trigger.Trigger] // what is kept beside their files
	firings  firingTable
	modules  *table.Table[module.Name, module.Module] // which are enabled
	machines *table.Table[fleet.MachineID, fleet.Machine]
	orders   orderTable
	mirrors  mirrorTable
	tables   []table.Any // all of them, see register

	cfg      *Config // of the Core; never changes
	settings store.Settings

	entry     int64                         // the number of the newest journal entry
	mark      string                        // its hash
	newestSeq int64                         // of the texts
	present   map[fleet.MachineID]time.Time // since when each machine is connected
	touched   []wake.Part                   // parts of which their subscribers do not know yet, see Core.tell
}

// newState returns a state without values, with a table for each kind.
func newState(cfg *Config) *state {
	s := &state{cfg: cfg}
	s.sessions = newSessionTable(s)
	s.asks = newAskTable(s)
	s.loops = register(s, store.Loops, table.Traits[loop.Stack]{
		Due: loopDue, Expire: expiry(s, (*draft).expireLoop), Touches: loopParts,
	})
	s.messages = newMessageTable(s)
	s.grants = newGrantTable(s)
	s.undos = newUndoTable(s)
	s.browsers = newBrowserTable(s)
	s.accounts = register(s, store.Accounts, table.Traits[channel.Account]{Touches: accountTopics})
	s.rooms = newRoomTable(s)
	s.runs = newRunTable(s)
	s.tasks = newTaskTable(s)
	s.facts = register(s, store.FactsSeen, table.Traits[store.FactSeen]{})
	s.triggers = register(s, store.Triggers, table.Traits[trigger.Trigger]{
		Due: triggerDue, Expire: expiry(s, (*draft).expireTrigger), Touches: triggerParts,
	})
	s.firings = newFiringTable(s)
	s.modules = register(s, store.Modules, table.Traits[module.Module]{Touches: moduleParts})
	s.machines = register(s, store.Machines, table.Traits[fleet.Machine]{Touches: machineParts})
	s.orders = newOrderTable(s)
	s.mirrors = newMirrorTable(s)
	s.present = map[fleet.MachineID]time.Time{}
	return s
}

// load reads the state that is held in memory from a store. bad are the rows that cannot
// be read.
func (s *state) load(from *store.Store, now time.Time) (bad []store.Bad, err error) {
	if s.settings, err = from.Settings(); err != nil {
		return nil, err
	}
	s.entry, s.mark = from.LastEntry()
	for _, t := range s.tables {
		damaged, err := t.Load(from, now.Add(-remember), now)
		if err != nil {
			return nil, err
		}
		if t == table.Any(s.accounts) && len(damaged) > 0 {
			return nil, damaged[0] // without it nobody would be paired
		}
		bad = append(bad, damaged...)
	}
	return bad, nil
}

// merge applies to memory what the store has committed.
func (s *state) merge(b *store.Batch, now time.Time) {
	s.touch(b)
	moved, before := s.movesAsks(b), s.next()
	if b.Settings != nil {
		s.settings = *b.Settings
	}
	s.follow(b.Events)
	for _, t := range s.tables {
		s.touched = append(s.touched, t.Merge(b, now)...)
	}
	if moved {
		s.asks.Retime(time.Time{}, now)
	}
	if at := s.next(); first(at, before) != before {
		s.touched = append(s.touched, due)
	}
}

// follow notes the newest entry of the journal. An event of an open act has no number yet.
func (s *state) follow(events []event.Event) {
	for _, e := range events {
		if e.Seq > s.entry {
			s.entry, s.mark = e.Seq, e.Hash
		}
	}
}

// keep returns what takes back the merge of a batch that is not committed.
func (s *state) keep(b *store.Batch) (restore func(now time.Time)) {
	settings, tables := s.settings, make([]func(time.Time), 0, len(s.tables))
	for _, t := range s.tables {
		tables = append(tables, t.Keep(b))
	}
	return func(now time.Time) {
		s.settings = settings
		for _, restore := range tables {
			restore(now)
		}
		s.asks.Retime(time.Time{}, now)
	}
}

// movesAsks reports whether a batch changes what the times of asks depend on, other than
// the asks: a pause, and the away modes.
func (s *state) movesAsks(b *store.Batch) bool {
	if set := b.Settings; set != nil && (set.Paused != s.settings.Paused || set.Away != s.settings.Away) {
		return true
	}
	for v := range store.Sessions.In(b) {
		if v.Away != s.sessions.Rows[v.ID].Away {
			return true
		}
	}
	return false
}

// next returns when the state changes by itself, zero for never.
func (s *state) next() (at time.Time) {
	for _, t := range s.tables {
		at = first(at, t.Next())
	}
	return at
}

// retime computes the times of the values that were due at now again. A value that the
// tick did not change must not stay due.
func (s *state) retime(now time.Time) {
	for _, t := range s.tables {
		t.Retime(now, now)
	}
}

// at returns a draft that has changed nothing yet.
func (s *state) at(now time.Time) *draft { return &draft{s, &store.Batch{}, now} }

// expiry returns what a table does with a value whose time has come.
func expiry[V any](s *state, expire func(*draft, V)) func(*store.Batch, V, time.Time) {
	return func(b *store.Batch, v V, now time.Time) { expire(&draft{s, b, now}, v) }
}

func (s *state) token(id session.ID) string { return s.sessions.Rows[id].Token }

// register adds a table to a state.
func register[K ~string, V any](s *state, kind *store.Kind[K, V], traits table.Traits[V]) *table.Table[K, V] {
	made := table.New(kind, traits)
	s.tables = append(s.tables, made)
	return made
}
