package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/run"
)

// Runs are the runs; they are loaded until they are removed, however old they are.
var Runs = NewKind(Kind[run.ID, run.Run]{
	Table: "runs",
	ID:    func(r run.Run) run.ID { return r.ID },
	Columns: []Column[run.Run]{
		{Name: "open", Of: func(r run.Run) any { return !r.Removed }},
		millis("at", func(r run.Run) time.Time { return r.StartedAt }),
	},
	Check:  func(r run.Run) error { return oneOf(r.State, run.States()...) },
	Wanted: "open = 1 AND ?1 = ?1",
	Old:    "open = 0 AND at < ?1",
})

// RunEvents are new events of a run, to be stored with it.
type RunEvents struct {
	Run    run.ID
	Events []run.Event // numbered
	Forget bool        // drop all events of the run instead
}

func putRunEvents(tx writer, b *Batch) error {
	for _, of := range b.RunEvents {
		if of.Forget {
			if _, err := tx.Exec(`DELETE FROM run_events WHERE run = ?1`, string(of.Run)); err != nil {
				return fmt.Errorf("forget events of a run: %w", err)
			}
		}
		for _, e := range of.Events {
			data, err := json.Marshal(e)
			if err != nil {
				return fmt.Errorf("put event of a run: %w", err)
			}
			_, err = tx.Exec(`INSERT INTO run_events (run, n, data) VALUES (?1, ?2, ?3)`,
				string(of.Run), e.N, string(data))
			if err != nil {
				return fmt.Errorf("put event of a run: %w", err)
			}
		}
	}
	return nil
}

// RunLog returns at most limit events of a run after the number after, oldest first.
func (s *Store) RunLog(id run.ID, after int64, limit int) ([]run.Event, error) {
	return collect(s, "events of a run", scanEvent,
		`SELECT data FROM run_events WHERE run = ? AND n > ? ORDER BY n LIMIT ?`, string(id), after, limit)
}

// RunLast returns the newest limit events of a run before the number before, oldest first. A
// before of 0 is after all of them.
func (s *Store) RunLast(id run.ID, before int64, limit int) ([]run.Event, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	events, err := collect(s, "events of a run", scanEvent,
		`SELECT data FROM run_events WHERE run = ? AND n < ? ORDER BY n DESC LIMIT ?`, string(id), before, limit)
	slices.Reverse(events)
	return events, err
}

func scanEvent(rows *sql.Rows, e *run.Event) error {
	var data []byte
	if err := rows.Scan(&data); err != nil {
		return err
	}
	return json.Unmarshal(data, e)
}
