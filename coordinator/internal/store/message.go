package store

import (
	"encoding/json"
	"fmt"
)

func putMessages(tx writer, b *Batch) error {
	for _, v := range b.Messages {
		data, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("put message: %w", err)
		}
		if _, err := tx.Exec(`INSERT INTO messages (id, state, at, data) VALUES (?1, ?2, ?3, ?4)
			ON CONFLICT (id) DO UPDATE SET state = ?2, data = ?4`, string(v.ID), string(v.State), v.At.UnixMilli(), data); err != nil {
			return fmt.Errorf("put message: %w", err)
		}
	}
	return nil
}
