package store

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
)

// Accounts holds the account of each channel.
var Accounts = NewKind(Kind[string, channel.Account]{
	Table: "channels",
	Key:   "name",
	ID:    func(a channel.Account) string { return a.Channel },
})

// Rooms is where sessions have places of their own.
var Rooms = NewKind(Kind[string, channel.Room]{
	Table:   "rooms",
	ID:      channel.Room.ID,
	Columns: []Column[channel.Room]{{Name: "session", Of: func(r channel.Room) any { return string(r.Session) }}},
	Old:     "session NOT IN (SELECT id FROM sessions WHERE seen_at >= ?1)",
})

func putCopies(tx writer, b *Batch) error {
	for _, c := range b.Copies {
		if _, err := tx.Exec(`INSERT INTO copies (ask, channel, message, shown, at) VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT (ask, channel, message) DO UPDATE SET shown = ?4, at = max(at, ?5)`,
			string(c.Ask), c.Channel, string(c.Message), c.Shown, c.SentAt); err != nil {
			return fmt.Errorf("put copy: %w", err)
		}
	}
	return nil
}

func putUpdate(tx writer, b *Batch) error {
	if b.Anew != "" {
		if _, err := tx.Exec(`DELETE FROM inbox WHERE channel = ?`, b.Anew); err != nil {
			return fmt.Errorf("forget updates: %w", err)
		}
	}
	if b.Act.Update == 0 {
		return nil
	}
	_, err := tx.Exec(`UPDATE inbox SET done = 1 WHERE channel = ? AND id = ?`, b.Act.Channel, b.Act.Update)
	if err != nil {
		return fmt.Errorf("finish update: %w", err)
	}
	return nil
}

// PersonOf returns who is paired with a channel, as far as the database at path can
// be read. It writes nothing, and is for a coordinator that cannot open its store.
func PersonOf(path, name string) *channel.Person {
	db, err := connect(path, "ro")
	if err != nil {
		return nil
	}
	defer db.Close()
	var data []byte
	if err := db.QueryRow(`SELECT data FROM channels WHERE name = ?`, name).Scan(&data); err != nil {
		return nil
	}
	var a channel.Account
	if json.Unmarshal(data, &a) != nil {
		return nil
	}
	return a.Person
}

// Copies returns the messages of a channel that show the card of an ask, oldest
// first.
func (s *Store) Copies(name string, id ask.ID) ([]channel.Copy, error) {
	return collect(s, "copies", func(rows *sql.Rows, c *channel.Copy) error {
		c.Ask, c.Channel = id, name
		return rows.Scan(&c.Message, &c.Shown, &c.SentAt)
	}, `SELECT message, shown, at FROM copies WHERE ask = ? AND channel = ? ORDER BY rowid`, string(id), name)
}

// ShownBy returns the ask whose card a message of a channel shows; ok is false when it
// shows none.
func (s *Store) ShownBy(name string, message channel.MessageID) (id ask.ID, ok bool, err error) {
	const query = `SELECT ask FROM copies WHERE channel = ? AND message = ? LIMIT 1`
	err = s.db.QueryRow(query, name, string(message)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read copies: %w", err)
	}
	return id, true, nil
}

// Unshown returns the ask whose card a channel sends next, of those that it is not
// known to show. The actions that send cards are of a kind, with the ask's id as their
// data, in the lane with the channel's name.
func (s *Store) Unshown(name, kind string) (id ask.ID, ok bool, err error) {
	err = s.db.QueryRow(`SELECT data FROM actions WHERE lane = ?1 AND kind = ?2 AND done < gen
		AND NOT EXISTS (SELECT 1 FROM copies WHERE ask = data AND channel = ?1)
		ORDER BY due, rowid LIMIT 1`, name, kind).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read action: %w", err)
	}
	return id, true, nil
}

func putReceived(tx writer, b *Batch) error {
	for _, u := range b.Received {
		if _, err := tx.Exec(`INSERT INTO inbox (channel, id, body) VALUES (?, ?, ?)
			ON CONFLICT (channel, id) DO NOTHING`, u.Channel, u.ID, u.Body); err != nil {
			return fmt.Errorf("receive update: %w", err)
		}
	}
	return nil
}

// Received returns the updates of a channel that have not been handled, in order.
func (s *Store) Received(name string) ([]channel.Update, error) {
	s.mu.Lock() // no commit takes what is carried meanwhile
	defer s.mu.Unlock()
	out, err := collect(s, "updates", func(rows *sql.Rows, u *channel.Update) error {
		u.Channel = name
		return rows.Scan(&u.ID, &u.Body)
	}, `SELECT id, body FROM inbox WHERE channel = ? AND done = 0`, name)
	for _, u := range s.carried.Received {
		isKnown := u.Channel != name
		if err == nil && !isKnown {
			err = s.db.QueryRow(`SELECT EXISTS (SELECT 1 FROM inbox WHERE channel = ? AND id = ?)`, name, u.ID).Scan(&isKnown)
		}
		if !isKnown {
			out = append(out, u)
		}
	}
	slices.SortFunc(out, func(a, b channel.Update) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(out, func(a, b channel.Update) bool { return a.ID == b.ID }), err
}

// keepUpdates bounds the memory of updates already dealt with, for each channel.
const keepUpdates = 1000

// forgetUpdates drops old updates that were dealt with. The newest stay known, because a
// channel may send them again.
func forgetUpdates(tx *sql.Tx) error {
	if _, err := tx.Exec(`DELETE FROM inbox WHERE done = 1
		AND id <= (SELECT max(id) FROM inbox AS all_of WHERE all_of.channel = inbox.channel) - ?`,
		keepUpdates); err != nil {
		return fmt.Errorf("forget updates: %w", err)
	}
	return nil
}
