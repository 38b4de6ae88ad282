package store

import (
	"cmp"
	"database/sql"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/background"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/crash"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/topic"
	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// A Batch holds all changes of one step. It is committed as a whole.
type Batch struct {
	Posts    []topic.Post // numbered by Commit
	Settings *Settings
	Events   []event.Event // numbered and chained by Commit
	Actions  []Action      // to be done after the commit
	Copies   []channel.Copy
	// RunEvents are those of runs whose values are in the batch.
	RunEvents []RunEvents
	Received  []channel.Update // raw; one that is known already changes nothing
	Done      []Action         // that are carried out
	Act       channel.Act      // whose update this step deals with
	Anew      string           // a channel that starts to number its updates again
	MayWait   bool             // kill -9 may lose it: what led to it is then seen or done again

	rows []row // see Kind.Put
}

// Empty reports whether b changes nothing.
func (b Batch) Empty() bool {
	carried := len(b.rows) + len(b.Copies) + len(b.Received) + len(b.Done)
	return !b.isSought() && carried == 0 && b.Settings == nil
}

// isSought reports whether b changes what others look for in the database.
func (b Batch) isSought() bool {
	return len(b.Posts)+len(b.Events)+len(b.Actions)+len(b.RunEvents) > 0 || b.Act.Update != 0 || b.Anew != ""
}

// Waits reports whether b is to be carried, see Store.Carry.
func (b Batch) Waits() bool { return b.MayWait && !b.isSought() }

// Add adds the changes of a later step.
func (b *Batch) Add(later Batch) {
	b.Posts = append(b.Posts, later.Posts...)
	b.Events = append(b.Events, later.Events...)
	b.Actions = append(b.Actions, later.Actions...)
	b.Copies = append(b.Copies, later.Copies...)
	b.RunEvents = append(b.RunEvents, later.RunEvents...)
	b.Received = append(b.Received, later.Received...)
	b.Done = append(b.Done, later.Done...)
	b.rows = append(b.rows, later.rows...)
	b.Settings, b.Anew = cmp.Or(later.Settings, b.Settings), cmp.Or(later.Anew, b.Anew)
	if later.Act.Update != 0 {
		b.Act = later.Act
	}
}

// Settings are the switches that hold for all sessions.
type Settings struct {
	Away   session.Away      `json:"away"`
	Paused bool              `json:"paused"`
	Notes  map[string]string `json:"notes,omitempty"` // what the person was told once, by what it is about
	Day    Day               `json:"day,omitzero"`
	Piles  map[string]Pile   `json:"piles,omitempty"` // notices, by kind and session
	RunDay Day               `json:"run_day,omitzero"`
	// Background is what is kept of the background questions.
	Background background.State `json:"background,omitzero"`

	AnswersFrom []string `json:"answers_from,omitempty"` // the channels that count; none named means all
	Fleet       Fleet    `json:"fleet,omitzero"`
}

// Fleet is what a machine is in its fleet, and on the hub the invites that are out.
type Fleet struct {
	fleet.Self
	Invites []fleet.Invite `json:"invites,omitempty"`
}

// A Pile is what the person is told at once. Until Due it waits and grows.
type Pile struct {
	Due   time.Time      `json:"due"`
	News  []channel.News `json:"texts"`
	Left  int            `json:"left,omitempty"`  // news that gave way to newer ones
	Shows []string       `json:"shows,omitempty"` // the ids of messages among the news
	Loud  bool           `json:"loud,omitempty"`  // one of the news rings
}

// A Day is what all loops, or all runs, have spent on one day of the local calendar.
type Day struct {
	Date  string    `json:"date"` // 2026-11-21
	Spent usage.Sum `json:"spent"`
}

// An Action is something to do outside after the commit. Key names it permanently:
// writing it again makes it due again, but not before the time to which a failure has
// put it off. Its handler may be run twice.
type Action struct {
	Key   string
	Lane  string
	Kind  string
	Data  string
	Due   time.Time
	Gen   int64
	Tries int
	Note  string // why it was given up, once it is done
}

// Commit makes b durable in one transaction. After an error nothing of it is.
// It fills in the number and the hash of b's events, and the number of its posts.
func (s *Store) Commit(b *Batch) error { return s.commit(b, synced) }

// Write is Commit for a caller who is waited for: b survives kill -9 when it
// returns, and loss of power once a Commit or Sync has followed.
func (s *Store) Write(b *Batch) error { return s.commit(b, unsynced) }

// Carry makes b a part of the next commit. kill -9 loses it until then.
func (s *Store) Carry(b Batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.carried.Add(b)
}

// Flush commits what is carried.
func (s *Store) Flush() error { return s.flushIf(func(carried Batch) bool { return !carried.Empty() }) }

// FlushReceived is Flush if updates are carried. After it they may be acknowledged to their channel.
func (s *Store) FlushReceived() error {
	return s.flushIf(func(carried Batch) bool { return len(carried.Received) > 0 })
}

func (s *Store) flushIf(isDue func(carried Batch) bool) error {
	s.mu.Lock()
	due := isDue(s.carried)
	s.mu.Unlock()
	if !due {
		return nil
	}
	return s.Commit(&Batch{})
}

func (s *Store) commit(b *Batch, to level) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commitHeld(b, to)
}

// commitHeld is commit for a caller that holds s.mu.
func (s *Store) commitHeld(b *Batch, to level) error {
	if len(s.carried.Received) > 0 {
		to = synced // their channel forgets them
	}
	if err := s.setLevel(to); err != nil {
		return err
	}
	crash.Point()
	seq, head := s.seq, s.head
	err := s.tx(func(tx *sql.Tx) error {
		w := writer{tx, s}
		if err := s.write(w, &s.carried); err != nil {
			return err
		}
		return s.write(w, b)
	})
	if err != nil {
		s.seq, s.head = seq, head
		return fmt.Errorf("commit: %w", err)
	}
	s.carried = Batch{}
	crash.Point()
	s.prepareAll()
	return nil
}

func (s *Store) write(w writer, b *Batch) error {
	for _, r := range b.rows {
		if err := r.write(w); err != nil {
			return err
		}
	}
	for _, put := range []func(writer, *Batch) error{
		putPosts, putSettings, s.putEvents, putActions, putDone, putCopies, putReceived, putUpdate, putRunEvents,
	} {
		if err := put(w, b); err != nil {
			return err
		}
	}
	return nil
}

// A writer writes in one transaction of a store.
type writer struct {
	*sql.Tx
	store *Store
}

// Exec runs a statement in the transaction. The statements of earlier commits are
// parsed already: parsing is half of what a commit computes. A new one is noted
// in ready as nil.
func (w writer) Exec(query string, args ...any) (sql.Result, error) {
	ready := w.store.ready
	if s := ready[query]; s != nil {
		return w.Stmt(s).Exec(args...)
	}
	ready[query] = nil
	return w.Tx.Exec(query, args...)
}

// prepareAll parses the statements that were noted, for the commits to come. The
// one connection is free only now.
func (s *Store) prepareAll() {
	for query, stmt := range s.ready {
		if stmt == nil {
			s.ready[query], _ = s.db.Prepare(query) // it was good a moment ago; if it is not now, its next use says so
		}
	}
}

func putSettings(tx writer, b *Batch) error {
	if b.Settings == nil {
		return nil
	}
	data, err := tx.store.encode(settingsTable, settingsRow, b.Settings)
	if err != nil {
		return fmt.Errorf("put settings: %w", err)
	}
	const query = `INSERT INTO settings (one, data) VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET data = ?1`
	if _, err := tx.Exec(query, data); err != nil {
		return fmt.Errorf("put settings: %w", err)
	}
	return nil
}

const insertEntry = `INSERT INTO journal (seq, at, kind, session, subject, text, hash) VALUES (?, ?, ?, ?, ?, ?, ?)`

func (s *Store) putEvents(tx writer, b *Batch) error {
	for i := range b.Events {
		e := &b.Events[i]
		e.Seq = s.seq + 1
		e.Hash = e.Chain(s.head)
		if _, err := tx.Exec(insertEntry,
			e.Seq, e.At.UnixMilli(), string(e.Kind), string(e.Session), e.Subject, e.Text, e.Hash); err != nil {
			return fmt.Errorf("append to journal: %w", err)
		}
		s.seq, s.head = e.Seq, e.Hash
	}
	if len(b.Events) == 0 {
		return nil
	}
	const query = `INSERT INTO head (one, seq, hash) VALUES (1, ?1, ?2)
		ON CONFLICT (one) DO UPDATE SET seq = ?1, hash = ?2`
	if _, err := tx.Exec(query, s.seq, s.head); err != nil {
		return fmt.Errorf("note the journal's head: %w", err)
	}
	return nil
}

func putActions(tx writer, b *Batch) error {
	for _, a := range b.Actions {
		if _, err := tx.Exec(`INSERT INTO actions (key, lane, kind, data, gen, due) VALUES (?1, ?2, ?3, ?4, 1, ?5)
			ON CONFLICT (key) DO UPDATE SET gen = gen + 1, data = ?4,
				due = CASE WHEN done < gen AND tries > 0 THEN due ELSE min(due, ?5) END, error = ''`,
			a.Key, a.Lane, a.Kind, a.Data, a.Due.UnixMilli()); err != nil {
			return fmt.Errorf("put action: %w", err)
		}
	}
	return nil
}
