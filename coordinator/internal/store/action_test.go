package store_test

import (
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

func act(key, data string, due time.Time) store.Batch {
	return store.Batch{Actions: []store.Action{{Key: key, Lane: "l", Kind: "k", Data: data, Due: due}}}
}

func mustDue(t *testing.T, s *store.Store, now time.Time) store.Action {
	t.Helper()
	a, ok, _, err := s.Due("l", now, time.UnixMilli(0), "")
	if err != nil || !ok {
		t.Fatalf("nothing is due at %s: %v", now, err)
	}
	return a
}

func noneDue(t *testing.T, s *store.Store, now, next time.Time) {
	t.Helper()
	a, ok, wait, err := s.Due("l", now, time.UnixMilli(0), "")
	if err != nil || ok || !wait.Equal(next) {
		t.Errorf("have %+v, %t, next %s, %v; want none until %s", a, ok, wait, err, next)
	}
}

func done(t *testing.T, s *store.Store, a store.Action, note string) {
	t.Helper()
	if err := s.Done(a, note); err != nil {
		t.Fatal(err)
	}
}

func TestDue(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	noneDue(t, s, t0, time.Time{})
	commit(t, s, act("later", "", t0.Add(time.Minute)))
	noneDue(t, s, t0, t0.Add(time.Minute))
	commit(t, s, act("first", "1", t0))
	commit(t, s, act("second", "2", t0))
	commit(t, s, store.Batch{Actions: []store.Action{{Key: "elsewhere", Lane: "other", Due: t0.Add(-time.Hour)}}})
	for _, want := range []string{"first", "second"} {
		a := mustDue(t, s, t0)
		if a.Key != want || a.Gen != 1 || a.Tries != 0 || a.Lane != "l" || a.Kind != "k" || !a.Due.Equal(t0) {
			t.Errorf("have %+v, want %s", a, want)
		}
		if again := mustDue(t, s, t0); again.Key != want {
			t.Errorf("what is not done stays due: %+v", again)
		}
		done(t, s, a, "")
	}
	noneDue(t, s, t0, t0.Add(time.Minute))
	s.Close()
	s = open(t, path)
	noneDue(t, s, t0, t0.Add(time.Minute))
	if a := mustDue(t, s, t0.Add(time.Minute)); a.Key != "later" {
		t.Errorf("have %+v", a)
	}
}

// TestActionWrittenAgain checks that an action that is written again while it runs is done
// once more with its new content.
func TestActionWrittenAgain(t *testing.T) {
	s := open(t, newPath(t))
	commit(t, s, act("k", "old", t0))
	running := mustDue(t, s, t0)
	commit(t, s, act("k", "new", t0.Add(time.Second)))
	commit(t, s, act("k", "newest", t0.Add(time.Second)))
	done(t, s, running, "")
	a := mustDue(t, s, t0)
	if a.Data != "newest" || a.Gen != 3 {
		t.Errorf("have %+v", a)
	}
	done(t, s, a, "")
	noneDue(t, s, t0.Add(time.Hour), time.Time{})
	done(t, s, running, "") // a late note of an old generation takes nothing back
	noneDue(t, s, t0.Add(time.Hour), time.Time{})
	commit(t, s, act("k", "once more", t0.Add(time.Minute)))
	if a := mustDue(t, s, t0.Add(time.Minute)); a.Data != "once more" || a.Gen != 4 || a.Tries != 0 {
		t.Errorf("have %+v", a)
	}
}

// TestActionHeld checks that a held lane holds all actions except those of the free kind.
func TestActionHeld(t *testing.T) {
	s := open(t, newPath(t))
	commit(t, s, act("card", "", t0))
	commit(t, s, store.Batch{Actions: []store.Action{{Key: "tap", Lane: "l", Kind: "free", Due: t0.Add(time.Second)}}})
	held := t0.Add(time.Minute)
	for _, c := range []struct {
		now  time.Time
		key  string
		wait time.Time
	}{{t0, "", t0.Add(time.Second)}, {t0.Add(time.Second), "tap", time.Time{}}, {held, "tap", time.Time{}}} {
		a, ok, wait, err := s.Due("l", c.now, held, "free")
		if err != nil || ok != (c.key != "") || a.Key != c.key || !wait.Equal(c.wait) {
			t.Errorf("at %s: %+v %t %s %v", c.now, a, ok, wait, err)
		}
	}
	done(t, s, store.Action{Key: "tap", Gen: 1}, "")
	if a, ok, _, err := s.Due("l", held, held, "free"); !ok || a.Key != "card" || err != nil {
		t.Errorf("the hold is over: %+v %t %v", a, ok, err)
	}
}

// TestActionPutOff checks that an action that was postponed after a failure stays postponed,
// even if its subject changes.
func TestActionPutOff(t *testing.T) {
	s := open(t, newPath(t))
	commit(t, s, act("k", "1", t0))
	if err := s.Later(mustDue(t, s, t0), t0.Add(time.Minute), "retry after 60"); err != nil {
		t.Fatal(err)
	}
	commit(t, s, act("k", "2", t0.Add(time.Second)))
	noneDue(t, s, t0.Add(time.Second), t0.Add(time.Minute))
	a := mustDue(t, s, t0.Add(time.Minute))
	if a.Data != "2" || a.Gen != 2 {
		t.Errorf("have %+v", a)
	}
	done(t, s, a, "")
	commit(t, s, act("k", "3", t0.Add(2*time.Second)))
	if a := mustDue(t, s, t0.Add(time.Minute)); a.Data != "3" {
		t.Errorf("what was done is due when it is written: %+v", a)
	}
}

func TestActionGivenUp(t *testing.T) {
	s := open(t, newPath(t))
	commit(t, s, act("k", "", t0))
	done(t, s, mustDue(t, s, t0), "no such chat")
	noneDue(t, s, t0.Add(time.Hour), time.Time{})
	commit(t, s, act("k", "x", t0))
	if a := mustDue(t, s, t0); a.Data != "x" {
		t.Errorf("have %+v", a)
	}
}

func TestActionLater(t *testing.T) {
	s := open(t, newPath(t))
	commit(t, s, act("k", "", t0))
	for tries := range 3 {
		a := mustDue(t, s, t0.Add(time.Duration(tries)*time.Minute))
		if a.Tries != tries {
			t.Errorf("have %d tries, want %d", a.Tries, tries)
		}
		next := t0.Add(time.Duration(tries+1) * time.Minute)
		if err := s.Later(a, next, "no network"); err != nil {
			t.Fatal(err)
		}
		noneDue(t, s, next.Add(-time.Millisecond), next)
	}
	done(t, s, mustDue(t, s, t0.Add(time.Hour)), "")
	commit(t, s, act("k", "", t0))
	if a := mustDue(t, s, t0); a.Tries != 0 {
		t.Errorf("the tries of work that is done do not count: %d", a.Tries)
	}
}

func updates(ids ...int64) (out []channel.Update) {
	for _, id := range ids {
		out = append(out, channel.Update{Channel: "phone", ID: id, Body: []byte{byte(id)}})
	}
	return out
}

func received(t *testing.T, s *store.Store) (ids []int64) {
	t.Helper()
	got, err := s.Received("phone")
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range got {
		if len(u.Body) != 1 || u.Body[0] != byte(u.ID) {
			t.Errorf("the body of %d is %q", u.ID, u.Body)
		}
		ids = append(ids, u.ID)
	}
	return ids
}

func TestUpdates(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	for range 2 { // the channel sends again what was not acknowledged
		s.Carry(store.Batch{Received: updates(9, 7, 8)})
	}
	if got := received(t, s); len(got) != 3 || got[0] != 7 || got[2] != 9 {
		t.Errorf("have %v", got)
	}
	commit(t, s, store.Batch{Act: channel.Act{Channel: "phone", Update: 8}})
	s.Carry(store.Batch{Received: append(updates(8), channel.Update{Channel: "phone", ID: 8, Body: []byte("other")})})
	s.Close() // as kill -9: 7 and 9 were kept with the act, and 8 was dealt with
	s = open(t, path)
	if got := received(t, s); len(got) != 2 || got[0] != 7 || got[1] != 9 {
		t.Errorf("an update that was dealt with came back: %v", got)
	}
}

// TestDoneKeepsWhatIsCarried: what an action noted is committed with its end.
func TestDoneKeepsWhatIsCarried(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	commit(t, s, act("say", "", t0))
	var noted store.Batch
	store.Accounts.Put(&noted, channel.Account{Channel: "phone", Newest: "7"})
	s.Carry(noted)
	done(t, s, mustDue(t, s, t0), "")
	s.Close() // as kill -9
	s = open(t, path)
	if a, ok, err := store.Accounts.Get(s, "phone"); err != nil || !ok || a.Newest != "7" {
		t.Errorf("have %+v, %v, %v", a, ok, err)
	}
}

func TestForget(t *testing.T) {
	s := open(t, newPath(t))
	commit(t, s, store.Batch{Received: updates(1, 2, 3, 1003)})
	for _, id := range []int64{1, 3, 1003} {
		commit(t, s, store.Batch{Act: channel.Act{Channel: "phone", Update: id}})
	}
	commit(t, s, act("old and done", "", t0))
	commit(t, s, act("old and open", "", t0.Add(time.Second)))
	commit(t, s, act("new and done", "", t0.Add(time.Hour)))
	done(t, s, mustDue(t, s, t0), "")
	done(t, s, store.Action{Key: "new and done", Gen: 1}, "")
	if err := s.Forget(t0.Add(30*24*time.Hour + time.Minute)); err != nil {
		t.Fatal(err)
	}
	if got := received(t, s); len(got) != 1 || got[0] != 2 {
		t.Errorf("an update that nobody dealt with is gone: %v", got)
	}
	if commit(t, s, store.Batch{Received: updates(1003)}); len(received(t, s)) != 1 {
		t.Errorf("the newest update must stay known, or it is dealt with twice: %v", received(t, s))
	}
	if a := mustDue(t, s, t0.Add(time.Hour)); a.Key != "old and open" {
		t.Errorf("have %+v", a)
	}
	for key, gen := range map[string]int64{"old and done": 1, "new and done": 2} {
		commit(t, s, act(key, "", t0.Add(-time.Hour)))
		if a := mustDue(t, s, t0); a.Key != key || a.Gen != gen {
			t.Errorf("have %+v, want %s in generation %d", a, key, gen)
		}
		done(t, s, mustDue(t, s, t0), "")
	}
}

// TestForgetKinds: each kind says which of its rows are old.
func TestForgetKinds(t *testing.T) {
	s := open(t, newPath(t))
	var b store.Batch
	for name, at := range map[string]time.Time{"old": t0, "new": t0.Add(time.Hour)} {
		store.Sessions.Put(&b, session.Session{ID: session.ID(name), SeenAt: at})
		store.Rooms.Put(&b, channel.Room{Channel: "phone", Session: session.ID(name), Inside: "1", Address: "2"})
		store.Loops.Put(&b, loop.Stack{Session: name, RunID: "r", UpdatedAt: at, Ended: &loop.Ended{At: at}})
	}
	commit(t, s, b)
	if err := s.Forget(t0.Add(30*24*time.Hour + time.Minute)); err != nil {
		t.Fatal(err)
	}
	rooms, _, err := store.Rooms.Load(s, time.Time{})
	if err != nil || len(rooms) != 1 || rooms[0].Session != "new" {
		t.Errorf("rooms: %+v, %v", rooms, err)
	}
	past, _, err := s.PastLoops(9)
	if err != nil || len(past) != 1 || past[0].Session != "new" {
		t.Errorf("loops that ended: %+v, %v", past, err)
	}
	if sessions, _, err := store.Sessions.Load(s, time.Time{}); err != nil || len(sessions) != 2 {
		t.Errorf("sessions are kept: %+v, %v", sessions, err)
	}
}
