package store

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/loop"
)

//go:embed loop.sql
var loopSchema string

// putPast keeps a loop that has ended. One that is kept already is replaced.
func putPast(tx writer, v loop.Stack) error {
	if v.Ended == nil {
		return nil
	}
	err := put(tx, `INSERT INTO past_loops (key, ended_at, data) VALUES (?1, ?2, ?3)
		ON CONFLICT (key) DO UPDATE SET ended_at = ?2, data = ?3`, v, v.Session+"/"+v.RunID, v.Ended.At.UnixMilli())
	if err != nil {
		return fmt.Errorf("keep ended loop: %w", err)
	}
	return nil
}

// PastLoops returns at most limit loops that have ended, newest first. A row that is
// damaged is left out: nothing depends on it.
func (s *Store) PastLoops(limit int) ([]loop.Stack, error) {
	rows, err := s.db.Query(`SELECT data FROM past_loops ORDER BY ended_at DESC, key LIMIT ?`, limit)
	if err != nil {
		return nil, fmt.Errorf("read ended loops: %w", err)
	}
	defer rows.Close()
	var out []loop.Stack
	for rows.Next() {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return nil, fmt.Errorf("read ended loops: %w", err)
		}
		var v loop.Stack
		if json.Unmarshal(data, &v) == nil && v.Ended != nil {
			out = append(out, v)
		}
	}
	return out, rows.Err()
}
