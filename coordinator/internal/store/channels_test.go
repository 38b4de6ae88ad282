package store

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// oneChannel is the version of the last databases that supported only one channel, in which
// chats and messages have numbers.
const oneChannel = 10

// lived fills such a database.
const lived = `
INSERT INTO sessions VALUES ('s1', 9e12, '{"id":"s1"}');
INSERT INTO settings VALUES (1, CAST('{"away":{"mode":"on"},"paused":true,
	"pairing":{"digest":"d","expires_at":"2026-03-04T12:00:00Z","wrong":2},
	"peer":{"user":4711,"chat":-1001234567890,"name":"Ann \"A\"","at":"2026-03-04T12:00:00.5Z"},
	"told":{"66":1772625600000},"bot":"afar_bot","notes":{"topics:-5":"x"},"later":{"kept":1}}' AS BLOB));
INSERT INTO cards (ask, chat, message, shown, at) VALUES
	('a', -1001234567890, 12, 'd2', 1772625600), ('a', -1001234567890, 9, 'd1', 0);
INSERT INTO threads VALUES ('s1', -1001234567890, 7, 1);
INSERT INTO updates (id, body, done) VALUES (5, CAST('{"update_id":5}' AS BLOB), 0), (4, '{}', 1);
INSERT INTO actions (key, lane, kind, data, gen, due) VALUES
	('card:a', 'telegram', 'card', 'a', 3, 1), ('thread:s1', 'telegram', 'thread', 's1', 1, 2),
	('say:5', 'telegram', 'say', '{"chat":-5,"thread":7,"text":"hi"}', 1, 3),
	('say:6', 'telegram', 'say', '{"chat":8,"text":"hi"}', 1, 4),
	('tap:q', 'telegram', 'tap', '{"query":"q","text":"Denied."}', 1, 5),
	('edit:8:9', 'telegram', 'edit', '{"chat":8,"message":9,"text":"x"}', 1, 6),
	('grants:5', 'telegram', 'grants', '{"chat":8}', 1, 7),
	('grants:8:9', 'telegram', 'grants', '{"chat":8,"message":9}', 1, 8),
	('choose:m', 'telegram', 'choose', '{"chat":8,"text":"m1"}', 1, 9),
	('write:s1/loop.md', 'disk', 'write', '{"session":"s1","name":"loop.md"}', 1, 10);
`

// old makes a database of the version before channels and runs the statements on it.
func old(t *testing.T, statements string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "afar.db")
	if err := create(path, oneChannel); err != nil {
		t.Fatal(err)
	}
	db, err := connect(path, "rw")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
	return path
}

var ann = &channel.Person{
	ID: "4711", Address: "-1001234567890", Name: `Ann "A"`, At: time.Date(2026, 3, 4, 12, 0, 0, 5e8, time.UTC),
}

// TestOneChannel opens a database of the version before channels. The pairing, the cards with
// their messages, the topics and the waiting actions must be there.
func TestOneChannel(t *testing.T) {
	path := old(t, lived)
	if diff := cmp.Diff(ann, PersonOf(path, "telegram")); diff != "" {
		t.Errorf("the person, before the database is opened: %s", diff)
	}
	if p := PersonOf(path, "page"); p != nil {
		t.Errorf("another channel knows %+v", p)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	accounts, bad, err := Accounts.Load(s, time.Time{})
	if err != nil || len(bad) > 0 {
		t.Fatalf("%v, %+v", err, bad)
	}
	allRooms, bad, err := Rooms.Load(s, time.Time{})
	if err != nil || len(bad) > 0 {
		t.Fatalf("%v, %+v", err, bad)
	}
	set, err := s.Settings()
	if err != nil {
		t.Fatal(err)
	}
	want := []channel.Account{{
		Channel: "telegram", Speaker: "afar_bot", Person: ann,
		Pairing: &channel.Pairing{Digest: "d", ExpiresAt: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC), Wrong: 2},
		Told:    map[string]int64{"66": 1772625600000},
	}}
	if diff := cmp.Diff(want, accounts); diff != "" {
		t.Errorf("accounts: %s", diff)
	}
	rooms := []channel.Room{{
		Channel: "telegram", Session: "s1", Inside: "-1001234567890", Address: "-1001234567890/7", Closed: true,
	}}
	if diff := cmp.Diff(rooms, allRooms); diff != "" {
		t.Errorf("rooms: %s", diff)
	}
	if set.Away.Mode != session.On || !set.Paused || set.Notes["topics:-5"] != "x" {
		t.Errorf("settings: %+v", set)
	}
	if diff := cmp.Diff(ann, PersonOf(path, "telegram")); diff != "" {
		t.Errorf("the person, after: %s", diff)
	}
	copies, err := s.Copies("telegram", "a")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]channel.Copy{
		{Ask: "a", Channel: "telegram", Message: "-1001234567890/9", Shown: "d1"},
		{Ask: "a", Channel: "telegram", Message: "-1001234567890/12", Shown: "d2", SentAt: 1772625600},
	}, copies); diff != "" {
		t.Errorf("copies: %s", diff)
	}
	updates, err := s.Received("telegram")
	if err != nil || len(updates) != 1 || updates[0].ID != 5 || string(updates[0].Body) != `{"update_id":5}` {
		t.Errorf("updates %+v, %v", updates, err)
	}
	wantActions(t, s)
}

func wantActions(t *testing.T, s *Store) {
	t.Helper()
	var got []string
	for _, lane := range []string{"telegram", "disk"} {
		for {
			a, ok, _, err := s.Due(lane, time.Unix(60, 0), time.UnixMilli(0), "")
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			got = append(got, a.Key+" "+a.Kind+" "+a.Data)
			if err := s.Done(a, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []string{
		`telegram/card:a card a`, `telegram/thread:s1 room s1`,
		`telegram/say:5 say {"text":"hi","channel":"telegram","to":"-5/7"}`,
		`telegram/say:6 say {"text":"hi","channel":"telegram","to":"8"}`,
		`telegram/tap:q tap {"tap":"q","text":"Denied."}`, `telegram/edit:8:9 edit {"message":"8/9","text":"x"}`,
		`telegram/grants:5 grants {"to":"8","message":""}`, `telegram/grants:8:9 grants {"to":"8","message":"8/9"}`,
		`telegram/choose:m choose {"text":"m1","channel":"telegram","to":"8"}`,
		`write:s1/loop.md write {"session":"s1","name":"loop.md"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("actions: %s", diff)
	}
}

// TestOneChannelUnpaired opens databases of the version before channels that have no pairing,
// or settings that cannot be read.
func TestOneChannelUnpaired(t *testing.T) {
	for name, statements := range map[string]string{
		"new":      "",
		"unpaired": `INSERT INTO settings VALUES (1, CAST('{"away":{"mode":"on"},"paused":false}' AS BLOB))`,
		"null":     `INSERT INTO settings VALUES (1, CAST('{"peer":null}' AS BLOB))`,
		"damaged": `INSERT INTO settings VALUES (1, CAST('{"peer":' AS BLOB));
			INSERT INTO actions (key, lane, kind, data, gen, due) VALUES ('say:1', 'telegram', 'say', '{', 1, 1)`,
	} {
		t.Run(name, func(t *testing.T) {
			path := old(t, statements)
			if p := PersonOf(path, "telegram"); p != nil {
				t.Errorf("paired with %+v", p)
			}
			s, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			accounts, bad, err := Accounts.Load(s, time.Time{})
			if err != nil || len(bad) > 0 || len(accounts) > 0 && accounts[0].Person != nil {
				t.Errorf("accounts %+v, %+v, %v", accounts, bad, err)
			}
			if p := PersonOf(path, "telegram"); p != nil {
				t.Errorf("paired with %+v", p)
			}
			var left int
			const old = `SELECT count(*) FROM sqlite_schema WHERE name IN ('cards', 'threads', 'updates')`
			if err := s.db.QueryRow(old).Scan(&left); err != nil || left > 0 {
				t.Errorf("%d of the old tables are left, %v", left, err)
			}
		})
	}
}
