package store

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// TestTextsBefore: the texts for one recipient are all of them, the newest first, from page to page,
// and an index finds those of a session and of a task. A row that cannot be read stands in nobody's way.
func TestTextsBefore(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "afar.db"))
	var b Batch
	recipients := []message.Message{{Session: "s1"}, {Session: "s2", Run: true}, {Task: "tax"},
		{Task: "tax", Session: "s2"}, {To: message.ToPerson}, {To: message.ToTriage}}
	var all []message.Message
	for i := range 60 {
		m := recipients[i%len(recipients)]
		m.ID, m.State, m.Seq, m.At = message.ID(fmt.Sprint("m", i)), message.Done, int64(i), time.UnixMilli(int64(60-i))
		all = append([]message.Message{m}, all...)
		Messages.Put(&b, m)
	}
	if err := s.Commit(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec(`INSERT INTO messages VALUES ('bad', 'done', 0, '{')`); err != nil {
		t.Fatal(err)
	}
	for _, to := range append(recipients, message.Message{}) {
		var want, got []message.ID
		for _, m := range all {
			if goesTo(m, to) {
				want = append(want, m.ID)
			}
		}
		for before := message.ID(""); ; before = got[len(got)-1] {
			some, _, err := s.TextsBefore(to, before, 7)
			if err != nil {
				t.Fatal(err)
			}
			if len(some) == 0 {
				break
			}
			for _, m := range some {
				got = append(got, m.ID)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%+v: %v; want %v", to, got, want)
		}
	}
	for index, to := range map[string]message.Message{
		"messages_session": {Session: session.ID("s1")}, "messages_task": {Task: "tax"},
	} {
		field, _ := recipient(to)
		plan, err := collect(s, "plan", func(r *sql.Rows, text *string) error {
			var id, parent, unused int
			return r.Scan(&id, &parent, &unused, text)
		}, "EXPLAIN QUERY PLAN SELECT id FROM messages WHERE "+field+" = ?1 ORDER BY rowid DESC", "x")
		if err != nil || !strings.Contains(strings.Join(plan, "\n"), index) {
			t.Errorf("no use of %s: %v, %v", index, plan, err)
		}
	}
}

// goesTo reports whether m has the recipient of to.
func goesTo(m, to message.Message) bool {
	switch {
	case to.To != "":
		return m.To == to.To
	case to.Task != "":
		return m.Task == to.Task
	}
	return to.Session == "" || m.Session == to.Session
}
