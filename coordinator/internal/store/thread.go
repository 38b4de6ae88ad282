package store

import (
	_ "embed"
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

//go:embed thread.sql
var threadSchema string

// A Thread is where a session speaks in a forum; Telegram calls it a forum topic.
// One whose ID is 0 is gone.
type Thread struct {
	Session  session.ID
	Chat, ID int64
	Closed   bool
}

func putThreads(tx writer, b *Batch) (err error) {
	for _, t := range b.Threads {
		if t.ID == 0 {
			_, err = tx.Exec(`DELETE FROM threads WHERE session = ? AND chat = ?`, string(t.Session), t.Chat)
		} else {
			_, err = tx.Exec(`INSERT INTO threads (session, chat, thread, closed) VALUES (?1, ?2, ?3, ?4)
				ON CONFLICT (session, chat) DO UPDATE SET thread = ?3, closed = ?4`, string(t.Session), t.Chat, t.ID, t.Closed)
		}
		if err != nil {
			return fmt.Errorf("put thread: %w", err)
		}
	}
	return nil
}

// Threads returns all threads.
func (s *Store) Threads() (out []Thread, err error) {
	rows, err := s.db.Query(`SELECT session, chat, thread, closed FROM threads`)
	if err != nil {
		return nil, fmt.Errorf("read threads: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var t Thread
		if err := rows.Scan(&t.Session, &t.Chat, &t.ID, &t.Closed); err != nil {
			return nil, fmt.Errorf("read threads: %w", err)
		}
		out = append(out, t)
	}
	return out, rows.Err()
}
