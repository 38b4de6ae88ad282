package core

import (
	"database/sql"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// This file adds a kind of state, as a feature would. It proves what docs/CONTRIBUTING.md says
// about that. Edit 1 is the table in SQL, edit 2 its Kind, edit 3 its field and registration.

type memoID string

type memo struct {
	ID      memoID     `json:"id"`
	Session session.ID `json:"session"`
	Text    string     `json:"text"`
	Until   time.Time  `json:"until"`
	Over    bool       `json:"over,omitempty"`
}

const memoSchema = `CREATE TABLE memos (id TEXT PRIMARY KEY, over INTEGER NOT NULL, data TEXT NOT NULL)`

var memos = store.NewKind(store.Kind[memoID, memo]{
	Table:   "memos",
	ID:      func(m memo) memoID { return m.ID },
	Columns: []store.Column[memo]{{Name: "over", Of: func(m memo) any { return m.Over }}},
	Wanted:  "over = 0",
})

type memoTable struct {
	*table.Table[memoID, memo]
	bySession *table.Index[memoID, memo]
}

func newMemoTable(s *State) (t memoTable) {
	t.Table = Register(s, memos, table.Traits[memo]{
		Due: func(m memo, _ time.Time) time.Time {
			if m.Over {
				return time.Time{}
			}
			return m.Until
		},
		Expire: func(b *store.Batch, m memo, _ time.Time) {
			m.Over = true
			t.Put(b, m)
		},
		Touches: func(_, after memo) []wake.Part { return []wake.Part{OfSession(after.Session)} },
	})
	t.bySession = t.IndexBy(func(m memo) string { return string(m.Session) })
	return t
}

// memoCore returns a core with the kind, over the database at path.
func memoCore(t *testing.T, path string, now *time.Time) (*Core, memoTable) {
	t.Helper()
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var added memoTable
	c, err := New(Config{
		Store:  s,
		Log:    slog.New(slog.NewTextHandler(io.Discard, nil)),
		Now:    func() time.Time { return *now },
		Secret: func() string { return "0123456789abcdef" },
	}, func(s *State) Beside {
		added = newMemoTable(s)
		return nil // no ask and no run changes here
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, added
}

func execSQL(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

// TestAddAKind checks that a kind that is registered once is stored and loaded, found by its
// index, changed by time, and wakes its waiters. The fields of a newer program survive.
func TestAddAKind(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "afar.db"), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	execSQL(t, path, memoSchema)
	execSQL(t, path, `INSERT INTO memos VALUES ('newer', 0, '{"id":"newer","session":"s","text":"x",`+
		`"until":"2026-03-01T13:00:00Z","pinned":true}')`)

	c, table := memoCore(t, path, &now)
	sub := c.Subscribe(OfSession("s"))
	defer sub.Close()
	written := memo{ID: "m", Session: "s", Text: "call back", Until: now.Add(time.Minute)}
	if err := c.Do(func(s *Draft) error {
		table.Put(s.Batch, written)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-sub.C:
	default:
		t.Error("nobody was woken")
	}
	if found := table.bySession.All("s"); len(found) != 2 {
		t.Errorf("the index has %+v", found)
	}
	if at := c.state.next(); !at.Equal(written.Until) {
		t.Errorf("the state changes at %s, want %s", at, written.Until)
	}
	now = now.Add(2 * time.Hour)
	if err := c.Tick(); err != nil {
		t.Fatal(err)
	}
	if !table.Rows["m"].Over || !table.Rows["newer"].Over || !c.state.next().IsZero() {
		t.Errorf("time changed nothing: %+v", table.Rows)
	}

	m, ok, err := memos.Get(c.cfg.Store, "newer")
	if err != nil || !ok || !m.Over {
		t.Errorf("stored: %+v, %t, %v", m, ok, err)
	}
	var data string
	db, _ := sql.Open("sqlite", path)
	defer db.Close()
	if err := db.QueryRow(`SELECT data FROM memos WHERE id = 'newer'`).Scan(&data); err != nil ||
		!strings.Contains(data, `"pinned":true`) {
		t.Errorf("the field of a newer program is gone: %s, %v", data, err)
	}
	if _, again := memoCore(t, path, &now); len(again.Rows) != 0 {
		t.Errorf("what is over is loaded: %+v", again.Rows)
	}
}

// TestTable checks that an index follows its values and that a schedule keeps the order of
// time.
func TestTable(t *testing.T) {
	s := newState(&Config{})
	table := newMemoTable(s)
	t0 := time.Unix(1000, 0)
	for i, m := range []memo{
		{ID: "a", Session: "s", Until: t0.Add(3)}, {ID: "b", Session: "s", Until: t0.Add(1)},
		{ID: "c", Session: "r", Until: t0.Add(2)},
		{ID: "a", Session: "r", Until: t0.Add(1)}, {ID: "b", Session: "", Over: true},
		{ID: "c", Session: "r", Over: true},
	} {
		table.Hold(m, t0)
		want := []struct {
			s, r int
			next time.Duration
		}{{1, 0, 3}, {2, 0, 1}, {2, 1, 1}, {1, 2, 1}, {0, 2, 1}, {0, 2, 1}}[i]
		if n := len(table.bySession.All("s")); n != want.s {
			t.Errorf("step %d: %d of s, want %d", i, n, want.s)
		}
		if n := len(table.bySession.All("r")); n != want.r {
			t.Errorf("step %d: %d of r, want %d", i, n, want.r)
		}
		if at := table.Next(); !at.Equal(t0.Add(want.next)) {
			t.Errorf("step %d: next is %s, want %s", i, at, t0.Add(want.next))
		}
	}
	if _, ok := table.bySession.One(""); ok {
		t.Error("a value without a key is in the index")
	}
	var b store.Batch
	table.Tick(&b, t0.Add(time.Hour))
	if late := slices.Collect(memos.In(&b)); len(late) != 1 || late[0].ID != "a" {
		t.Errorf("due: %v", late)
	}
}
