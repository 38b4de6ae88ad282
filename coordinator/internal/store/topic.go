package store

import (
	"database/sql"
	_ "embed"
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

//go:embed topic.sql
var topicSchema string

// A Topic is where a session speaks in a forum. One whose Thread is 0 is gone.
type Topic struct {
	Session      session.ID
	Chat, Thread int64
	Closed       bool
}

func putTopics(tx *sql.Tx, b *Batch) (err error) {
	for _, t := range b.Topics {
		if t.Thread == 0 {
			_, err = tx.Exec(`DELETE FROM topics WHERE session = ? AND chat = ?`, string(t.Session), t.Chat)
		} else {
			_, err = tx.Exec(`INSERT INTO topics (session, chat, thread, closed) VALUES (?1, ?2, ?3, ?4)
				ON CONFLICT (session, chat) DO UPDATE SET thread = ?3, closed = ?4`, string(t.Session), t.Chat, t.Thread, t.Closed)
		}
		if err != nil {
			return fmt.Errorf("put topic: %w", err)
		}
	}
	return nil
}

func (s *Store) loadTopics(into *[]Topic) error {
	rows, err := s.db.Query(`SELECT session, chat, thread, closed FROM topics`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var t Topic
		if err := rows.Scan(&t.Session, &t.Chat, &t.Thread, &t.Closed); err != nil {
			return err
		}
		*into = append(*into, t)
	}
	return rows.Err()
}
