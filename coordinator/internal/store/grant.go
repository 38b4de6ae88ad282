package store

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed grant.sql
var grantSchema string

func putGrants(tx writer, b *Batch) error {
	for _, v := range b.Grants {
		data, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("put grant: %w", err)
		}
		if _, err := tx.Exec(`INSERT INTO grants (id, ended, at, data) VALUES (?1, ?2, ?3, ?4)
			ON CONFLICT (id) DO UPDATE SET ended = ?2, data = ?4`, string(v.ID), !v.EndedAt.IsZero(), v.At.UnixMilli(), data); err != nil {
			return fmt.Errorf("put grant: %w", err)
		}
	}
	return nil
}
