package store

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// newerStore makes a database with rows of a newer program, and closes it.
func newerStore(t *testing.T, rows ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "afar.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if _, err := s.db.Exec(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func openStore(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func (s *Store) dataOf(t *testing.T, query string) string {
	t.Helper()
	var data string
	if err := s.db.QueryRow(query).Scan(&data); err != nil {
		t.Fatal(err)
	}
	return data
}

// TestUnknownFieldsSurvive loads rows of a newer program, changes them and writes them. The
// fields that this program does not know must still be there, at every depth.
func TestUnknownFieldsSurvive(t *testing.T) {
	s := openStore(t, newerStore(t,
		`INSERT INTO asks VALUES ('a', 'answered', 0, '{"id":"a","state":"answered","session":"s","colour":"red",
			"decision":{"allow":true,"by":"Ada","weight":12345678901234567890},"run":{"ok":true,"cpu":1.50}}')`,
		`INSERT INTO loops VALUES ('s', 9e12, '{"schema":1,"session":"s","run_id":"r","mood":"good","stack":[
			{"id":"one","mode":"task","goal":"g","depth":1},{"id":"two","mode":"task","goal":"h","depth":2}]}')`,
		`INSERT INTO settings VALUES (1, '{"paused":true,"theme":{"dark":true},"away":{"mode":"on","why":"lunch"}}')`,
	))
	asks, bad, err := Asks.Load(s, time.Time{})
	if err != nil || len(bad) > 0 || len(asks) != 1 {
		t.Fatal(asks, bad, err)
	}
	loops, bad, err := Loops.Load(s, time.Time{})
	if err != nil || len(bad) > 0 || len(loops) != 1 {
		t.Fatal(loops, bad, err)
	}
	set, err := s.Settings()
	if err != nil {
		t.Fatal(err)
	}

	var b Batch
	a, err := ask.Claim(asks[0])
	if err != nil {
		t.Fatal(err)
	}
	a.Run = nil
	Asks.Put(&b, a)
	l := loops[0]
	l.Frames = append([]loop.Frame{{ID: "new", Mode: loop.Task}}, l.Frames[1:]...)
	Loops.Put(&b, l)
	set.Paused, set.Away.Mode = false, session.Off
	b.Settings = &set
	if err := s.Commit(&b); err != nil {
		t.Fatal(err)
	}

	data := s.dataOf(t, `SELECT data FROM asks`)
	for _, want := range []string{`"colour":"red"`, `"weight":12345678901234567890`, `"state":"delivered"`} {
		if !strings.Contains(data, want) {
			t.Errorf("the ask lacks %s: %s", want, data)
		}
	}
	if strings.Contains(data, "cpu") {
		t.Errorf("the run is gone, and its fields with it: %s", data)
	}
	data = s.dataOf(t, `SELECT data FROM loops`)
	if !strings.Contains(data, `"mood":"good"`) || !strings.Contains(data, `"depth":2`) ||
		strings.Contains(data, `"depth":1`) {
		t.Errorf("each frame keeps its own: %s", data)
	}
	data = s.dataOf(t, `SELECT data FROM settings`)
	if !strings.Contains(data, `"theme":{"dark":true}`) || !strings.Contains(data, `"why":"lunch"`) ||
		!strings.Contains(data, `"mode":"off"`) {
		t.Errorf("the settings: %s", data)
	}
}

// TestUnknownFieldsEndWithTheirValue checks that another loop of the same session does not get
// the unknown fields.
func TestUnknownFieldsEndWithTheirValue(t *testing.T) {
	s := openStore(
		t,
		newerStore(t, `INSERT INTO loops VALUES ('s', 9e12, '{"schema":1,"session":"s","run_id":"r","mood":"good"}')`),
	)
	if _, bad, err := Loops.Load(s, time.Time{}); err != nil || len(bad) > 0 {
		t.Fatal(bad, err)
	}
	var b Batch
	Loops.Put(&b, loop.Stack{Schema: 1, Session: "s", RunID: "another"})
	if err := s.Commit(&b); err != nil {
		t.Fatal(err)
	}
	if data := s.dataOf(t, `SELECT data FROM loops`); strings.Contains(data, "mood") {
		t.Errorf("another loop has the old one's fields: %s", data)
	}
}

// TestUnknownStateIsReported checks that a value in an unknown state is not read as a value in
// another state.
func TestUnknownStateIsReported(t *testing.T) {
	s := openStore(t, newerStore(t,
		`INSERT INTO asks VALUES ('a', 'open', 0, '{"id":"a","state":"snoozed"}')`,
		`INSERT INTO messages VALUES ('m', 'pending', 0, '{"id":"m","state":"read"}')`,
		`INSERT INTO undos VALUES ('u', 1, 0, '{"id":"u","state":"half"}')`,
		`INSERT INTO sessions VALUES ('s', 0, '{"id":"s","state":"asleep"}')`,
	))
	_, asks, _ := Asks.Load(s, time.UnixMilli(0))
	_, messages, _ := Messages.Load(s, time.UnixMilli(0))
	_, undos, _ := Undos.Load(s, time.UnixMilli(0))
	_, sessions, _ := Sessions.Load(s, time.UnixMilli(0))
	for _, bad := range [][]Bad{asks, messages, undos, sessions} {
		if len(bad) != 1 || !strings.Contains(bad[0].Error(), "unknown state") ||
			!strings.Contains(bad[0].Error(), "; want ") {
			t.Errorf("have %v", bad)
		}
	}
}

// FuzzUnknown reads any value as an ask and writes it. The value must not change.
func FuzzUnknown(f *testing.F) {
	for _, seed := range []string{
		`{"id":"a","x":1}`, `{"decision":{"allow":true,"y":[1,{"id":"z"}]},"form":{"questions":[{"w":null}]}}`,
		`{"ID":"a"}`, `null`, `[]`, `{"x":{"x":{"x":1e999}}}`, `{"run":null,"run":{"q":1}}`, `{"id":"a"} `,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var a, again ask.Ask
		u, err := decode(data, &a)
		if err != nil {
			return
		}
		plain, err := json.Marshal(a)
		if err != nil {
			return // a time that JSON cannot hold
		}
		whole, err := u.rejoin(plain)
		if err != nil {
			t.Fatal(err)
		}
		if left := difference(data, whole); u != nil && left != nil {
			t.Errorf("%s became %s", data, whole)
		}
		if _, err := decode(whole, &again); err != nil {
			t.Fatalf("%s cannot be read: %v", whole, err)
		}
		rewritten, _ := json.Marshal(again)
		if !reflect.DeepEqual(a, again) && !bytes.Equal(plain, rewritten) {
			t.Errorf("%s reads as %s, and was %s", whole, rewritten, plain)
		}
	})
}
