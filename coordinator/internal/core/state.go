package core

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// State is what the coordinator knows: the tables of core, and those that package feature registers.
type State struct {
	Sessions sessionTable
	Asks     askTable
	Loops    *table.Table[session.ID, loop.Stack]
	Messages messageTable
	grants   grantTable
	Accounts *table.Table[string, channel.Account]
	rooms    roomTable
	Runs     runTable
	Tasks    taskTable
	tables   []table.Any // all of them, see Register
	beside   Beside      // what has the other tables

	Cfg      *Config // of the Core; only Use changes it
	Settings store.Settings

	Entry     int64       // the number of the newest journal entry
	Mark      string      // its hash
	newestSeq int64       // of the texts
	touched   []wake.Part // parts of which their subscribers do not know yet, see Core.tell
}

// newState returns a state without values, with a table for each kind.
func newState(cfg *Config) *State {
	s := &State{Cfg: cfg}
	s.Sessions = newSessionTable(s)
	s.Asks = newAskTable(s)
	s.Loops = Register(s, store.Loops, table.Traits[loop.Stack]{
		Due: loopDue, Expire: Expiry(s, (*Draft).expireLoop), Touches: loopParts,
	})
	s.Messages = newMessageTable(s)
	s.grants = newGrantTable(s)
	s.Accounts = Register(s, store.Accounts, table.Traits[channel.Account]{Touches: accountParts})
	s.rooms = newRoomTable(s)
	s.Runs = newRunTable(s)
	s.Tasks = newTaskTable(s)
	return s
}

// load reads the state that is held in memory from a store. bad are the rows that cannot
// be read.
func (s *State) load(from *store.Store, now time.Time) (bad []store.Bad, err error) {
	if s.Settings, err = from.Settings(); err != nil {
		return nil, err
	}
	s.Entry, s.Mark = from.LastEntry()
	for _, t := range s.tables {
		damaged, err := t.Load(from, now.Add(-remember), now)
		if err != nil {
			return nil, err
		}
		if t == table.Any(s.Accounts) && len(damaged) > 0 {
			return nil, damaged[0] // without it nobody would be paired
		}
		bad = append(bad, damaged...)
	}
	return bad, nil
}

// merge applies to memory what the store has committed.
func (s *State) merge(b *store.Batch, now time.Time) {
	s.touch(b)
	moved, before := s.movesAsks(b), s.next()
	if b.Settings != nil {
		s.Settings = *b.Settings
	}
	s.follow(b.Events)
	for _, t := range s.tables {
		s.touched = append(s.touched, t.Merge(b, now)...)
	}
	if moved {
		s.Asks.Retime(time.Time{}, now)
	}
	if at := s.next(); first(at, before) != before {
		s.touched = append(s.touched, due)
	}
}

// follow notes the newest entry of the journal. An event of an open act has no number yet.
func (s *State) follow(events []event.Event) {
	for _, e := range events {
		if e.Seq > s.Entry {
			s.Entry, s.Mark = e.Seq, e.Hash
		}
	}
}

// keep returns what takes back the merge of a batch that is not committed.
func (s *State) keep(b *store.Batch) (restore func(now time.Time)) {
	settings, tables := s.Settings, make([]func(time.Time), 0, len(s.tables))
	for _, t := range s.tables {
		tables = append(tables, t.Keep(b))
	}
	return func(now time.Time) {
		s.Settings = settings
		for _, restore := range tables {
			restore(now)
		}
		s.Asks.Retime(time.Time{}, now)
	}
}

// movesAsks reports whether a batch changes what the times of asks depend on, other than
// the asks: a pause, and the away modes.
func (s *State) movesAsks(b *store.Batch) bool {
	if set := b.Settings; set != nil && (set.Paused != s.Settings.Paused || set.Away != s.Settings.Away) {
		return true
	}
	for v := range store.Sessions.In(b) {
		if v.Away != s.Sessions.Rows[v.ID].Away {
			return true
		}
	}
	return false
}

// next returns when the state changes by itself, zero for never.
func (s *State) next() (at time.Time) {
	for _, t := range s.tables {
		at = first(at, t.Next())
	}
	return at
}

// retime computes the times of the values that were due at now again. A value that the
// tick did not change must not stay due.
func (s *State) retime(now time.Time) {
	for _, t := range s.tables {
		t.Retime(now, now)
	}
}

// At returns a draft that has changed nothing yet.
func (s *State) At(now time.Time) *Draft { return &Draft{s, &store.Batch{}, now} }

// Expiry returns what a table does with a value whose time has come.
func Expiry[V any](s *State, expire func(*Draft, V)) func(*store.Batch, V, time.Time) {
	return func(b *store.Batch, v V, now time.Time) { expire(&Draft{s, b, now}, v) }
}

// Token returns the token of a session, "" for an unknown one.
func (s *State) Token(id session.ID) string { return s.Sessions.Rows[id].Token }

// Register adds a table to a state.
func Register[K ~string, V any](s *State, kind *store.Kind[K, V], traits table.Traits[V]) *table.Table[K, V] {
	made := table.New(kind, traits)
	s.tables = append(s.tables, made)
	return made
}
