package store

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/undo"
)

//go:embed undo.sql
var undoSchema string

func putUndos(tx writer, b *Batch) error {
	for _, v := range b.Undos {
		data, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("put snapshot: %w", err)
		}
		if _, err := tx.Exec(`INSERT INTO undos (id, open, at, data) VALUES (?1, ?2, ?3, ?4)
			ON CONFLICT (id) DO UPDATE SET open = ?2, data = ?4`, string(v.ID), v.State != undo.Gone, v.PlannedAt.UnixMilli(), data); err != nil {
			return fmt.Errorf("put snapshot: %w", err)
		}
	}
	return nil
}
