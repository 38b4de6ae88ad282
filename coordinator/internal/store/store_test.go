package store_test

import (
	"bufio"
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/signin"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newPath(t *testing.T) string { t.Helper(); return filepath.Join(t.TempDir(), "afar.db") }

func open(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func commit(t *testing.T, s *store.Store, b store.Batch) store.Batch {
	t.Helper()
	if err := s.Commit(&b); err != nil {
		t.Fatal(err)
	}
	return b
}

// raw runs SQL without the knowledge of the store.
func raw(t *testing.T, path string, query string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

func note(text string) event.Event {
	return event.Event{At: t0, Kind: event.AskOpened, Session: "s", Subject: "x", Text: text}
}

// A state is what a database holds of the kinds that most tests look at.
type state struct {
	Sessions []session.Session
	Asks     []ask.Ask
	Loops    []loop.Stack
	Grants   []grant.Grant
	Accounts []channel.Account
	Rooms    []channel.Room
	Browsers []signin.Browser
	Settings store.Settings
	Bad      []store.Bad
}

// put adds the values of st to a batch.
func (st state) put(b *store.Batch) {
	store.Sessions.Put(b, st.Sessions...)
	store.Asks.Put(b, st.Asks...)
	store.Loops.Put(b, st.Loops...)
	store.Grants.Put(b, st.Grants...)
	store.Accounts.Put(b, st.Accounts...)
	store.Rooms.Put(b, st.Rooms...)
	store.Browsers.Put(b, st.Browsers...)
}

// with returns b with an ask.
func with(b store.Batch, a ask.Ask) store.Batch {
	store.Asks.Put(&b, a)
	return b
}

func load(s *store.Store, since time.Time) (st state, err error) {
	var bad [7][]store.Bad
	var errs [8]error
	st.Sessions, bad[0], errs[0] = store.Sessions.Load(s, since)
	st.Asks, bad[1], errs[1] = store.Asks.Load(s, since)
	st.Loops, bad[2], errs[2] = store.Loops.Load(s, since)
	st.Grants, bad[3], errs[3] = store.Grants.Load(s, since)
	st.Accounts, bad[4], errs[4] = store.Accounts.Load(s, since)
	st.Rooms, bad[5], errs[5] = store.Rooms.Load(s, since)
	st.Browsers, bad[6], errs[6] = store.Browsers.Load(s, since)
	st.Settings, errs[7] = s.Settings()
	st.Bad = slices.Concat(bad[:]...)
	return st, errors.Join(errs[:]...)
}

// full returns a batch with something of everything.
func full() store.Batch {
	b := store.Batch{
		Events:  []event.Event{note("one"), note("two")},
		Actions: []store.Action{{Key: "k", Lane: "l", Kind: "card", Data: "a", Due: t0}},
		Copies:  []channel.Copy{{Ask: "a", Channel: "phone", Message: "5", Shown: "d"}},
	}
	st := fullState()
	st.put(&b)
	b.Settings = &st.Settings
	return b
}

func fullState() state {
	return state{
		Sessions: []session.Session{
			{
				ID:     "s",
				Token:  "p-0001",
				Cwd:    "/p",
				State:  session.Idle,
				Since:  t0,
				SeenAt: t0,
				Away:   session.Away{Mode: session.On, Until: t0},
			},
		},
		Asks: []ask.Ask{
			{
				ID:        "a",
				Kind:      ask.Permission,
				State:     ask.Answered,
				Session:   "s",
				Tool:      "Bash",
				Text:      "ls",
				Hash:      "h",
				OpenedAt:  t0,
				ExpiresAt: t0,
				Decision: &ask.Decision{
					Allow: true,
					By:    "Ada",
					At:    t0,
				},
				SettledAt: t0,
				Run:       &ask.Run{OK: true, At: t0},
			},
		},
		Loops: []loop.Stack{
			{
				Schema:    1,
				Session:   "s",
				RunID:     "r",
				UpdatedAt: t0,
				Frames:    []loop.Frame{{ID: "r", Mode: loop.Task, Goal: "g", Max: 3, StartedAt: t0}},
			},
		},
		Settings: store.Settings{Away: session.Away{Mode: session.Off}, Paused: true},
		Accounts: []channel.Account{{
			Channel: "phone", Speaker: "b", Person: &channel.Person{
				ID: "1", Address: "2", Name: "Ada", At: t0,
			}, Told: map[string]int64{"3": 4},
		}},
		Rooms:    []channel.Room{{Channel: "phone", Session: "s", Inside: "2", Address: "2/9"}},
		Browsers: []signin.Browser{{ID: "w", Digest: "d", Agent: "Firefox", Since: t0, LastSeen: t0, Expires: t0}},
	}
}

func TestBatch(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	if !(store.Batch{}).Empty() || full().Empty() ||
		(store.Batch{Act: channel.Act{Channel: "phone", Update: 1}}).Empty() ||
		(store.Batch{Settings: &store.Settings{}}).Empty() {
		t.Error("Empty is wrong")
	}
	b := commit(t, s, full())
	for range 2 { // as it is, and after the file was opened again
		got, err := load(s, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fullState(), got); diff != "" {
			t.Error(diff)
		}
		cards, err := s.Copies("phone", "a")
		if err != nil || !cmp.Equal(cards, b.Copies) {
			t.Errorf("cards %+v, %v", cards, err)
		}
		events, err := s.Journal(0, 10, "", false)
		if err != nil || len(events) != 2 || events[1].Hash != b.Events[1].Hash || events[1].Seq != 2 ||
			!events[1].At.Equal(t0) {
			t.Errorf("journal %+v, %v", events, err)
		}
		s.Close()
		s = open(t, path)
	}
}

func TestBatchReplaces(t *testing.T) {
	s := open(t, newPath(t))
	commit(t, s, full())
	next, b := fullState(), full()
	next.Sessions[0].State, next.Asks[0].State, next.Loops[0].RunID = session.Ended, ask.Delivered, "r2"
	b.Settings.Paused, b.Copies[0].Shown = false, "e"
	next.put(&b)
	commit(t, s, b)
	got, err := load(s, time.Time{})
	if err != nil || len(got.Sessions) != 1 || got.Sessions[0].State != session.Ended || len(got.Asks) != 1 ||
		got.Asks[0].State != ask.Delivered ||
		len(got.Loops) != 1 ||
		got.Loops[0].RunID != "r2" ||
		got.Settings.Paused {
		t.Errorf("have %+v, %v", got, err)
	}
	if cards, err := s.Copies("phone", "a"); err != nil || len(cards) != 1 || cards[0].Shown != "e" {
		t.Errorf("cards %+v, %v", cards, err)
	}
}

func TestMigration(t *testing.T) {
	path := newPath(t)
	for range 3 {
		s := open(t, path)
		if n, broken, head, err := s.Verify(); n != 0 || broken != 0 || head != "" || err != nil {
			t.Errorf("an empty database: %d, %d, %q, %v", n, broken, head, err)
		}
		s.Close()
	}
	open(t, newEmpty(t))
}

// newEmpty makes a file that was created by a process that then died: it has no content.
func newEmpty(t *testing.T) string {
	t.Helper()
	path := newPath(t)
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFileModes(t *testing.T) {
	for _, path := range []string{newPath(t), newEmpty(t)} {
		s := open(t, path)
		commit(t, s, full())
		files, err := filepath.Glob(path + "*")
		if err != nil || len(files) < 2 {
			t.Fatalf("files %v, %v", files, err)
		}
		for _, f := range files {
			if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s is %v, %v", f, info.Mode(), err)
			}
		}
	}
}

func TestOddPaths(t *testing.T) {
	for _, name := range []string{"a b.db", "q?mode=ro.db", "h#x.db", "p%41.db", "ü.db"} {
		path := filepath.Join(t.TempDir(), name)
		s := open(t, path)
		commit(t, s, full())
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%q was written elsewhere: %v", name, err)
		}
	}
	if _, err := store.Open(filepath.Join(t.TempDir(), "none", "x.db")); err == nil {
		t.Error("a database in no directory was opened")
	}
	if _, err := store.Open(t.TempDir()); err == nil {
		t.Error("a directory was opened")
	}
}

// filled closes a database with content and returns its path.
func filled(t *testing.T) string {
	t.Helper()
	path := newPath(t)
	s := open(t, path)
	for i := range 50 {
		commit(
			t,
			s,
			with(
				store.Batch{Events: []event.Event{note("x")}},
				ask.Ask{ID: ask.ID(fmt.Sprint(i)), Text: strings.Repeat("x", 2000), OpenedAt: t0},
			),
		)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRefused checks that a database that cannot be opened is not changed, with all its files.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, path string)
		want  error
	}{
		{"a newer version", func(t *testing.T, path string) { raw(t, path, "PRAGMA user_version = 99") },
			store.ErrNewer},
		{"an older version", func(t *testing.T, path string) { raw(t, path, "PRAGMA user_version = 18") },
			store.ErrOlder},
		{"a newer version that was killed", newerWithLog, store.ErrNewer},
		{"garbage", func(t *testing.T, path string) { overwrite(t, path, 0, bytes.Repeat([]byte("garbage "), 4096)) },
			store.ErrCorrupt},
		{"text", func(t *testing.T, path string) { write(t, path, []byte("hello")) }, store.ErrCorrupt},
		{"a broken head", func(t *testing.T, path string) { overwrite(t, path, 0, []byte{0}) }, store.ErrCorrupt},
		{"cut off", func(t *testing.T, path string) { truncate(t, path, 3*4096) }, store.ErrCorrupt},
		{"cut off in a page", func(t *testing.T, path string) { truncate(t, path, 5*4096+100) }, store.ErrCorrupt},
		{"a page of noise", func(t *testing.T, path string) {
			overwrite(t, path, 7*4096, bytes.Repeat([]byte{0xa5}, 4096))
		}, store.ErrCorrupt},
		{"a root page of noise", func(t *testing.T, path string) {
			overwrite(t, path, 4096, bytes.Repeat([]byte{0xff}, 4096))
		}, store.ErrCorrupt},
		{"emptied beside its log", emptiedWithLog, store.ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filled(t)
			c.spoil(t, path)
			before := snapshot(t, path)
			s, err := store.Open(path)
			if s != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("have %v", err)
			}
			if diff := cmp.Diff(before, snapshot(t, path)); diff != "" {
				t.Errorf("the files changed: %s", diff)
			}
		})
	}
}

func overwrite(t *testing.T, path string, at int64, data []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(data, at); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func truncate(t *testing.T, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

// withLog leaves a database as a killed program does: commits in its log only.
func withLog(t *testing.T, path, query string) {
	t.Helper()
	live := filepath.Join(t.TempDir(), "live.db")
	copyFile(t, path, live)
	db, err := sql.Open("sqlite", "file:"+live+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
	copyFile(t, live, path)
	copyFile(t, live+"-wal", path+"-wal")
}

func newerWithLog(t *testing.T, path string) { withLog(t, path, "PRAGMA user_version = 99") }

func emptiedWithLog(t *testing.T, path string) {
	withLog(t, path, "DELETE FROM asks")
	truncate(t, path, 0)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	write(t, to, data)
}

// snapshot reads the database and its log. The index of the log (-shm) is
// SQLite's scratch: it may come and go.
func snapshot(t *testing.T, path string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 0 && !strings.HasSuffix(f, "-shm") {
			out[filepath.Base(f)] = string(data)
		}
	}
	return out
}

// TestBatchIsAtomic makes every part of a batch fail in turn. Nothing of the batch remains,
// and the journal's chain goes on without it.
func TestBatchIsAtomic(t *testing.T) {
	for _, table := range []string{
		"sessions", "asks", "loops", "settings", "journal", "actions", "channels", "copies", "rooms",
		"browsers", "inbox",
	} {
		t.Run(table, func(t *testing.T) {
			path := newPath(t)
			s := open(t, path)
			if err := s.Commit(&store.Batch{Received: []channel.Update{{Channel: "phone", ID: 7, Body: []byte("u")}}}); err != nil {
				t.Fatal(err)
			}
			commit(t, s, store.Batch{Events: []event.Event{note("before")}})
			for _, when := range []string{"INSERT", "UPDATE"} {
				raw(
					t,
					path,
					fmt.Sprintf(
						`CREATE TRIGGER fail_%[2]s BEFORE %[2]s ON %[1]s BEGIN SELECT RAISE(ABORT, 'forced'); END`,
						table,
						when,
					),
				)
			}
			b := full()
			b.Act = channel.Act{Channel: "phone", Update: 7}
			if err := s.Commit(&b); err == nil || !strings.Contains(err.Error(), "forced") {
				t.Fatalf("have %v", err)
			}
			untouched(t, s)
			for _, when := range []string{"INSERT", "UPDATE"} {
				raw(t, path, "DROP TRIGGER fail_"+when)
			}
			b = full()
			b.Act = channel.Act{Channel: "phone", Update: 7}
			if b = commit(t, s, b); b.Events[0].Seq != 2 {
				t.Errorf("the journal goes on at %d", b.Events[0].Seq)
			}
			if n, broken, _, err := s.Verify(); n != 3 || broken != 0 || err != nil {
				t.Errorf("the chain: %d, %d, %v", n, broken, err)
			}
			if left, err := s.Received("phone"); err != nil || len(left) != 0 {
				t.Errorf("the update is still there: %v, %v", left, err)
			}
		})
	}
}

// untouched checks that only the entry "before" and update 7 are there.
func untouched(t *testing.T, s *store.Store) {
	t.Helper()
	got, err := load(s, time.Time{})
	if err != nil || !cmp.Equal(got, state{}) {
		t.Errorf("something remains: %+v, %v", got, err)
	}
	if events, err := s.Journal(0, 10, "", false); err != nil || len(events) != 1 {
		t.Errorf("the journal: %+v, %v", events, err)
	}
	if _, ok, wait, err := s.Due("l", t0.Add(time.Hour), time.UnixMilli(0), ""); ok || !wait.IsZero() || err != nil {
		t.Errorf("an action remains: %v", err)
	}
	if cards, err := s.Copies("phone", "a"); err != nil || len(cards) != 0 {
		t.Errorf("a card remains: %v, %v", cards, err)
	}
	if left, err := s.Received("phone"); err != nil || len(left) != 1 {
		t.Errorf("the update is gone: %v, %v", left, err)
	}
}

func TestCommitAfterClose(t *testing.T) {
	s := open(t, newPath(t))
	s.Close()
	b := full()
	if err := s.Commit(&b); err == nil {
		t.Error("a closed store took a batch")
	}
	if _, err := load(s, time.Time{}); err == nil {
		t.Error("a closed store was loaded")
	}
}

func TestCommitTogether(t *testing.T) {
	s := open(t, newPath(t))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 10 {
				b := store.Batch{Events: []event.Event{note(fmt.Sprint(i, j)), note("second")}}
				if err := s.Commit(&b); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n, broken, _, err := s.Verify(); n != 160 || broken != 0 || err != nil {
		t.Errorf("the chain: %d, %d, %v", n, broken, err)
	}
}

// TestLoadSince checks that old and settled values stay on disk, and that open values are
// loaded, however old they are.
func TestLoadSince(t *testing.T) {
	s := open(t, newPath(t))
	old := t0.Add(-time.Hour)
	st := state{
		Sessions: []session.Session{{ID: "old", SeenAt: old}, {ID: "new", SeenAt: t0}},
		Loops:    []loop.Stack{{Session: "old", UpdatedAt: old}, {Session: "new", UpdatedAt: t0}},
	}
	for _, as := range []ask.State{ask.Open, ask.Answered, ask.Delivered, ask.Expired} {
		st.Asks = append(
			st.Asks,
			ask.Ask{ID: ask.ID("old " + as), State: as, OpenedAt: old},
			ask.Ask{ID: ask.ID("new " + as), State: as, OpenedAt: t0},
		)
	}
	var b store.Batch
	st.put(&b)
	commit(t, s, b)
	got, err := load(s, t0)
	if err != nil || len(got.Sessions) != 1 || len(got.Loops) != 1 || len(got.Asks) != 6 {
		t.Errorf("have %d sessions, %d loops, %d asks, %v", len(got.Sessions), len(got.Loops), len(got.Asks), err)
	}
	a, ok, err := store.Asks.Get(s, "old expired")
	if err != nil || !ok || a.State != ask.Expired {
		t.Errorf("an old ask: %+v, %t, %v", a, ok, err)
	}
	if _, ok, err := store.Asks.Get(s, "none"); ok || err != nil {
		t.Errorf("an ask that is not there: %t, %v", ok, err)
	}
}

// TestBadRows: a row that cannot be read is reported and stays as it is.
func TestBadRows(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	commit(t, s, full())
	for _, q := range []string{
		`INSERT INTO sessions VALUES ('bad', 9e12, '{')`, `INSERT INTO asks VALUES ('bad', 'open', 0, 'null')`,
		`INSERT INTO asks VALUES ('other', 'open', 0, '{"id":"a"}')`,
		`INSERT INTO loops VALUES ('bad', 9e12, '{"schema":"x"}')`,
	} {
		raw(t, path, q)
	}
	got, err := load(s, time.Time{})
	if err != nil || len(got.Sessions) != 1 || len(got.Asks) != 1 || len(got.Loops) != 1 {
		t.Errorf("the good rows: %+v, %v", got, err)
	}
	var bad []string
	for _, b := range got.Bad {
		bad = append(bad, b.Table+" "+b.ID)
		if b.Err == nil {
			t.Errorf("%s %s has no reason", b.Table, b.ID)
		}
	}
	if diff := cmp.Diff([]string{"sessions bad", "asks bad", "asks other", "loops bad"}, bad); diff != "" {
		t.Error(diff)
	}
	for _, id := range []ask.ID{"bad", "other"} {
		if a, ok, err := store.Asks.Get(s, id); ok || !errors.As(err, new(store.Bad)) {
			t.Errorf("a damaged ask was read: %+v, %v", a, err)
		}
	}
	raw(t, path, `UPDATE settings SET data = '['`)
	if _, err := load(s, time.Time{}); err == nil || !strings.Contains(err.Error(), "read settings") {
		t.Errorf("damaged settings: %v", err)
	}
}

func TestJournal(t *testing.T) {
	s := open(t, newPath(t))
	for i := range 6 {
		e := note(fmt.Sprint(i + 1))
		e.Session = session.ID([]string{"a", "b"}[i%2])
		commit(t, s, store.Batch{Events: []event.Event{e}})
	}
	for _, c := range []struct {
		after  int64
		limit  int
		id     session.ID
		newest bool
		want   string
	}{
		{0, 10, "", false, "123456"}, {0, 2, "", false, "12"}, {2, 2, "", false, "34"},
		{6, 5, "", false, ""}, {99, 5, "", false, ""},
		{0, 2, "", true, "56"}, {5, 9, "", true, "6"},
		{0, 9, "a", false, "135"}, {0, 1, "b", true, "6"}, {0, 9, "c", false, ""},
	} {
		events, err := s.Journal(c.after, c.limit, c.id, c.newest)
		var got string
		for _, e := range events {
			got += e.Text
		}
		if err != nil || got != c.want {
			t.Errorf("%+v: have %q, %v", c, got, err)
		}
	}
}

// TestVerify checks that every way to change the past is found.
func TestVerify(t *testing.T) {
	forged := rewritten(t)
	for _, c := range []struct {
		name, query string
		broken      int64
	}{
		{"untouched", `SELECT 1`, 0},
		{"a text changed", `UPDATE journal SET text = 'x' WHERE seq = 3`, 3},
		{"a time changed", `UPDATE journal SET at = at + 1 WHERE seq = 2`, 2},
		{"a session changed", `UPDATE journal SET session = 'x' WHERE seq = 5`, 5},
		{"a hash changed", `UPDATE journal SET hash = 'x' WHERE seq = 4`, 4},
		{"the first removed", `DELETE FROM journal WHERE seq = 1`, 2},
		{"one removed", `DELETE FROM journal WHERE seq = 3`, 4},
		{"the last removed", `DELETE FROM journal WHERE seq = 6`, 6},
		{"all removed", `DELETE FROM journal`, 1},
		{"one removed, the rest renumbered",
			`DELETE FROM journal WHERE seq = 3; UPDATE journal SET seq = seq - 1 WHERE seq > 3`, 3},
		{"two swapped", `UPDATE journal SET seq = -1 WHERE seq = 2; UPDATE journal SET seq = 2 WHERE seq = 3;
			UPDATE journal SET seq = 3 WHERE seq = -1`, 2},
		{"the last rewritten with its hash", `UPDATE journal SET text = 'x', hash = '` + forged + `' WHERE seq = 6`, 6},
		{"one inserted before the first", `INSERT INTO journal SELECT 0, at, kind, session, subject, text, hash
			FROM journal WHERE seq = 1`, 0},
		{"one inserted after the last", `INSERT INTO journal SELECT 7, at, kind, session, subject, text, hash
			FROM journal WHERE seq = 6`, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := newPath(t)
			s := open(t, path)
			for i := range 6 {
				commit(t, s, store.Batch{Events: []event.Event{note(fmt.Sprint(i))}})
			}
			raw(t, path, c.query)
			for _, when := range []string{"at once", "after a restart"} {
				n, broken, _, err := s.Verify()
				if err != nil || broken != c.broken || broken == 0 && n != 6 {
					t.Errorf("%s: have %d entries, broken %d, %v", when, n, broken, err)
				}
				s.Close()
				s = open(t, path)
			}
			commit(t, s, store.Batch{Events: []event.Event{note("later")}})
			n, broken, _, err := s.Verify()
			next := c.broken != 0 && broken == 7 // the first entry behind does not fit
			if err != nil || broken != c.broken && !next || broken == 0 && n != 7 {
				t.Errorf("covered by what came later: have %d entries, broken %d, %v", n, broken, err)
			}
		})
	}
}

// rewritten returns the hash of the sixth note with another text.
func rewritten(t *testing.T) string {
	s := open(t, newPath(t))
	var b store.Batch
	for i := range 5 {
		b.Events = append(b.Events, note(fmt.Sprint(i)))
	}
	b.Events = append(b.Events, note("x"))
	return commit(t, s, b).Events[5].Hash
}

// TestVerifyLong crosses the border between two pages of reading, with texts of any bytes.
func TestVerifyLong(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	var b store.Batch
	for i := range 2001 {
		b.Events = append(b.Events, note("\x00\xff'\"|"+strconv.Itoa(i)))
	}
	b = commit(t, s, b)
	n, broken, head, err := s.Verify()
	if n != 2001 || broken != 0 || err != nil || head != b.Events[2000].Hash {
		t.Errorf("have %d, %d, %v", n, broken, err)
	}
	s.Close()
	s = open(t, path)
	next := commit(t, s, store.Batch{Events: []event.Event{note("after the restart")}})
	if n, broken, _, err := s.Verify(); n != 2002 || broken != 0 || err != nil || next.Events[0].Seq != 2002 {
		t.Errorf("after a restart: %d, %d, %v", n, broken, err)
	}
}

// TestMain lets the test binary play a program that commits until it is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("AFAR_TEST_COMMIT"); path != "" {
		commitForEver(path)
	}
	os.Exit(m.Run())
}

// commitForEver prints the number of each entry after its commit returned. A kill -9 does not
// lose data that was only written.
func commitForEver(path string) {
	s, err := store.Open(path)
	if err != nil {
		panic(err)
	}
	for i := 0; ; i++ {
		b := with(
			store.Batch{Events: []event.Event{note(fmt.Sprint(i))}},
			ask.Ask{ID: ask.ID(fmt.Sprint(i)), State: ask.Open, OpenedAt: t0},
		)
		commit, behind := s.Commit, func() error { return nil }
		if i%3 > 0 {
			commit = s.Write
		}
		if i%3 == 2 {
			behind = s.Sync
		}
		if err := commit(&b); err != nil {
			panic(err)
		}
		fmt.Println(b.Events[0].Seq)
		if err := behind(); err != nil {
			panic(err)
		}
	}
}

// TestKill kills a program in the middle of its work. Everything that it had committed or
// written is there, and the chain holds.
func TestKill(t *testing.T) {
	path := newPath(t)
	for round := range 4 {
		last := killed(t, path, 5+7*round)
		s := open(t, path)
		n, broken, _, err := s.Verify()
		if err != nil || broken != 0 || n < last || n > last+1 {
			t.Fatalf("round %d: %d were promised, %d are there, broken %d, %v", round, last, n, broken, err)
		}
		events, err := s.Journal(n-1, 1, "", false)
		if err != nil || len(events) != 1 {
			t.Fatal(events, err)
		}
		if _, ok, err := store.Asks.Get(s, ask.ID(events[0].Text)); !ok || err != nil {
			t.Errorf("the last entry is there without its ask: %v", err)
		}
		s.Close()
	}
}

// TestKilledWhileMade opens a database of which somebody was killed while it was made: SQLite's journal of that moment is
// beside it.
func TestKilledWhileMade(t *testing.T) {
	half, path := newPath(t), newPath(t)
	db, err := sql.Open("sqlite", "file:"+half+"?_pragma=cache_size(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.Exec("CREATE TABLE x (y); INSERT INTO x VALUES (zeroblob(1 << 20))"); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"", "-journal"} {
		raw, err := os.ReadFile(half + end)
		if end == "" {
			raw = raw[:min(len(raw), 4096)] // what is made is one page long
		}
		if err == nil {
			err = os.WriteFile(path+end, raw, 0o600)
		}
		if err != nil || len(raw) == 0 {
			t.Fatalf("%s: %d bytes, %v", half+end, len(raw), err)
		}
	}
	if err := store.Check(path); err != nil {
		t.Errorf("the doctor says: %v", err)
	}
	commit(t, open(t, path), store.Batch{Events: []event.Event{note("first")}})
}

// killed runs the committing program until it has promised some commits, kills
// it, and returns the number of the last one that it promised.
func killed(t *testing.T, path string, commits int) (last int64) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{"AFAR_TEST_COMMIT=" + path}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for i := 0; lines.Scan(); i++ {
		if last, err = strconv.ParseInt(lines.Text(), 10, 64); err != nil {
			t.Fatal(err)
		}
		if i == commits {
			_ = cmd.Process.Kill() // what it wrote before is still read
		}
	}
	_ = cmd.Wait() // it was killed
	return last
}
