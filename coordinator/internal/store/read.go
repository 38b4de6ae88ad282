package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// A Bad row could not be decoded. It stays in the database as it is.
type Bad struct {
	Table, ID string
	Err       error
}

// State is what the coordinator holds in memory.
type State struct {
	Sessions []session.Session
	Asks     []ask.Ask
	Loops    []loop.Stack
	Messages []message.Message
	Grants   []grant.Grant // that have not ended
	Undos    []undo.Snapshot
	Threads  []Thread
	Settings Settings
	Bad      []Bad
}

// Load reads the state: settings, the loops, and the sessions and asks since
// the given time.
func (s *Store) Load(since time.Time) (State, error) {
	var st State
	err := errors.Join(
		load(s, &st.Sessions, &st.Bad, "sessions", func(v session.Session) string { return string(v.ID) }, `SELECT id, data FROM sessions WHERE seen_at >= ?`, since),
		load(s, &st.Asks, &st.Bad, "asks", func(v ask.Ask) string { return string(v.ID) }, `SELECT id, data FROM asks WHERE opened_at >= ? OR state IN ('open', 'answered')`, since),
		load(s, &st.Loops, &st.Bad, "loops", func(v loop.Stack) string { return v.Session }, `SELECT session, data FROM loops WHERE updated_at >= ?`, since),
		load(s, &st.Messages, &st.Bad, "messages", func(v message.Message) string { return string(v.ID) }, `SELECT id, data FROM messages WHERE at >= ? OR state != 'done'`, since),
		load(s, &st.Grants, &st.Bad, "grants", func(v grant.Grant) string { return string(v.ID) }, `SELECT id, data FROM grants WHERE ended = 0 AND at >= ?`, since),
		load(s, &st.Undos, &st.Bad, "undos", func(v undo.Snapshot) string { return string(v.ID) }, `SELECT id, data FROM undos WHERE open = 1 OR at >= ?`, since),
		s.loadThreads(&st.Threads),
		s.loadSettings(&st.Settings))
	if err != nil {
		return State{}, fmt.Errorf("load state: %w", err)
	}
	return st, nil
}

func load[T any](s *Store, into *[]T, bad *[]Bad, table string, idOf func(T) string, query string, since time.Time) error {
	rows, err := s.db.Query(query, since.UnixMilli())
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var data []byte
		if err := rows.Scan(&id, &data); err != nil {
			return err
		}
		var v T
		err := json.Unmarshal(data, &v)
		if err == nil && idOf(v) != id {
			err = errors.New("its data are those of another row")
		}
		if err != nil {
			*bad = append(*bad, Bad{table, id, err})
			continue
		}
		*into = append(*into, v)
	}
	return rows.Err()
}

// PersonOf returns who is paired, as far as the database at path can be read. It
// writes nothing, and is for a coordinator that cannot open its store.
func PersonOf(path string) *channel.Person {
	db, err := connect(path, "ro")
	if err != nil {
		return nil
	}
	defer db.Close()
	s := &Store{db: db, path: path}
	var set Settings
	if s.loadSettings(&set) != nil {
		return nil
	}
	return set.Person
}

func (s *Store) loadSettings(into *Settings) error {
	var data []byte
	err := s.db.QueryRow(`SELECT data FROM settings`).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// Ask returns an ask that memory no longer holds; ok is false when there is
// none with that id.
func (s *Store) Ask(id ask.ID) (a ask.Ask, ok bool, err error) {
	var data []byte
	err = s.db.QueryRow(`SELECT data FROM asks WHERE id = ?`, string(id)).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return a, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &a)
	}
	if err != nil {
		return a, false, fmt.Errorf("read ask: %w", err)
	}
	return a, true, nil
}

// Cards returns the messages that show an ask, oldest first.
func (s *Store) Cards(id ask.ID) ([]Card, error) {
	rows, err := s.db.Query(`SELECT chat, message, shown, at FROM cards WHERE ask = ? ORDER BY message`, string(id))
	if err != nil {
		return nil, fmt.Errorf("read cards: %w", err)
	}
	defer rows.Close()
	var out []Card
	for rows.Next() {
		c := Card{Ask: id}
		if err := rows.Scan(&c.Chat, &c.Message, &c.Shown, &c.At); err != nil {
			return nil, fmt.Errorf("read cards: %w", err)
		}
		out = append(out, c)
	}
	return out, rows.Err()
}

// ShownBy returns the ask whose card a message is; ok is false when it is none.
func (s *Store) ShownBy(chat, message int64) (id ask.ID, ok bool, err error) {
	err = s.db.QueryRow(`SELECT ask FROM cards WHERE chat = ? AND message = ? LIMIT 1`, chat, message).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read cards: %w", err)
	}
	return id, true, nil
}

// Journal returns at most limit entries after seq, oldest first; session ""
// means all. With newest it returns the last limit entries instead.
func (s *Store) Journal(after int64, limit int, id session.ID, newest bool) ([]event.Event, error) {
	order := "ASC"
	if newest {
		order = "DESC"
	}
	rows, err := s.db.Query(`SELECT seq, at, kind, session, subject, text, hash FROM (
		SELECT * FROM journal WHERE seq > ?1 AND (?2 = '' OR session = ?2) ORDER BY seq `+order+` LIMIT ?3) ORDER BY seq`,
		after, string(id), limit)
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	return scanJournal(rows)
}

func scanJournal(rows *sql.Rows) ([]event.Event, error) {
	defer rows.Close()
	var out []event.Event
	for rows.Next() {
		var e event.Event
		var at int64
		if err := rows.Scan(&e.Seq, &at, &e.Kind, &e.Session, &e.Subject, &e.Text, &e.Hash); err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		e.At = time.UnixMilli(at)
		out = append(out, e)
	}
	return out, rows.Err()
}

// readHead finds where the journal goes on: behind the last entry that was
// written, or behind one that somebody else put there.
func (s *Store) readHead() error {
	err := s.db.QueryRow(`SELECT seq, hash FROM (SELECT 1 AS ours, seq, hash FROM head UNION ALL
		SELECT * FROM (SELECT 0, seq, hash FROM journal ORDER BY seq DESC LIMIT 1)) ORDER BY seq DESC, ours DESC LIMIT 1`).Scan(&s.seq, &s.head)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// Verify walks the journal's hash chain. broken is the number of the first
// entry that does not fit or is missing, 0 when all are there.
func (s *Store) Verify() (entries, broken int64, head string, err error) {
	const page = 1000
	s.mu.Lock()
	written, newest := s.seq, s.head
	s.mu.Unlock()
	var last int64
	for {
		events, err := s.Journal(last, page, "", false)
		if err == nil && len(events) == 0 && last < written {
			return entries, last + 1, head, nil
		}
		if err != nil || len(events) == 0 {
			return entries, 0, head, err
		}
		for _, e := range events {
			if e.Seq != last+1 || e.Chain(head) != e.Hash || e.Seq == written && e.Hash != newest {
				return entries, e.Seq, head, nil
			}
			entries, last, head = entries+1, e.Seq, e.Hash
		}
	}
}
