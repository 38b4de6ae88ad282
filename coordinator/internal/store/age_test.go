package store_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// TestForgetAges: what is settled for 90 days is dropped, with the cards of its asks, and what is open
// or younger stays. The file gets smaller.
func TestForgetAges(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	const day = 24 * time.Hour
	var b store.Batch
	size := map[string]int{"oldover": 8 << 20}
	for name, age := range map[string]time.Duration{"old": 91 * day, "young": 89 * day} {
		at := t0.Add(-age)
		store.Sessions.Put(&b, session.Session{ID: session.ID(name), SeenAt: at})
		for state, is := range map[string]ask.State{"open": ask.Open, "over": ask.Delivered} {
			id := ask.ID(name + "-" + state)
			store.Asks.Put(&b, ask.Ask{ID: id, State: is, OpenedAt: at, Text: strings.Repeat("x", size[name+state])})
			b.Copies = append(b.Copies, channel.Copy{Ask: id, Channel: "phone", Message: channel.MessageID(id)})
		}
		for state, is := range map[string]message.State{"open": message.Pending, "over": message.Done} {
			store.Messages.Put(&b, message.Message{ID: message.ID(name + "-" + state), State: is, At: at})
		}
	}
	commit(t, s, b)
	for range 2 { // again comes to the same
		if err := s.Forget(t0); err != nil {
			t.Fatal(err)
		}
	}
	sessions, err := store.Sessions.Needed(s, time.Time{})
	asks, failed := store.Asks.Needed(s, time.Time{})
	messages, failedToo := store.Messages.Needed(s, time.Time{})
	if err := errors.Join(err, failed, failedToo); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(sessions, asks, messages)
	want := "map[young:true] " + "map[old-open:true young-open:true young-over:true] " +
		"map[old-open:true young-open:true young-over:true]"
	if got != want {
		t.Errorf("left are %s,\nwant %s", got, want)
	}
	for id, shown := range map[ask.ID]int{"old-over": 0, "old-open": 1, "young-over": 1} {
		if copies, err := s.Copies("phone", id); err != nil || len(copies) != shown {
			t.Errorf("cards of %s: %v, %v", id, copies, err)
		}
	}
	s.Close()
	if info, err := os.Stat(path); err != nil || info.Size() > 1<<20 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
}

// TestCheckOnce: a database that was closed today, and not changed since, is not read whole at a start.
// After an end without Close, after a day, and after a change it is.
func TestCheckOnce(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	var b store.Batch
	for n := range 300 {
		store.Sessions.Put(&b, session.Session{ID: session.ID(fmt.Sprint("s", n)), SeenAt: t0, Name: strings.Repeat("n", 500)})
	}
	commit(t, s, b)
	s.Close()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	damage := func() {
		t.Helper()
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt(make([]byte, 4096), info.Size()-5*4096); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Close(), os.Chtimes(path, info.ModTime(), info.ModTime())); err != nil {
			t.Fatal(err)
		}
	}
	damage()
	if s, err = store.Open(path); err != nil {
		t.Fatalf("a database that was closed just now is read whole: %v", err)
	}
	s.Close()
	mark, err := os.ReadFile(path + "-clean")
	if err != nil {
		t.Fatal(err)
	}
	old := fmt.Sprintf("%s %d\n", strings.Join(strings.Fields(string(mark))[:2], " "), time.Now().Add(-25*time.Hour).UnixNano())
	for name, text := range map[string]string{"a day later": old, "a torn mark": string(mark[:5]), "no mark": ""} {
		if err := os.WriteFile(path+"-clean", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Open(path); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(path+"-clean", mark, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(path); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("changed since: %v", err)
	}
}
