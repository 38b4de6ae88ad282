package repair_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/approved"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/signin"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
	"github.com/afar-sh/afar/coordinator/repair"
)

// TestNothingTwice: nothing that only a copy of the database shows as not done is done after a repair, or goes
// on, or permits anything. The person is told of each.
func TestNothingTwice(t *testing.T) {
	dir := t.TempDir()
	dirs := home.Dirs{State: dir, Run: dir, Config: dir, Workspace: dir}
	if err := dirs.Make(); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(dirs.Database())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	var b store.Batch
	store.Accounts.Put(&b, channel.Account{Channel: "phone", Person: &channel.Person{ID: "7", Address: "8"}})
	store.Asks.Put(&b, ask.Ask{ID: "open", State: ask.Open, Tool: "Bash", OpenedAt: now},
		ask.Ask{ID: "parked", State: ask.Expired, Parked: true, OpenedAt: now},
		ask.Ask{ID: "leased", State: ask.Withdrawn, OpenedAt: now,
			Lease: &ask.Lease{Decision: ask.Decision{Allow: true}, Until: now.Add(time.Hour)}})
	store.Messages.Put(&b, message.Message{ID: "msg", State: message.Pending, Session: "s", Text: "go on", By: "Ana", At: now})
	store.Firings.Put(&b, trigger.Firing{ID: "due", Trigger: "night", State: trigger.Due, At: now},
		trigger.Firing{ID: "asked", Trigger: "night", State: trigger.Passed, Asked: true, At: now})
	store.Triggers.Put(&b, trigger.Trigger{Name: "night", File: approved.File{On: true}, OnAt: now, Next: now})
	store.Modules.Put(&b, module.Module{Name: "feed", File: approved.File{On: true}})
	store.Grants.Put(&b, grant.Grant{ID: "g", At: now, ExpiresAt: now.Add(time.Hour)})
	store.Browsers.Put(&b, signin.Browser{ID: "b", Expires: now.Add(time.Hour)})
	store.Runs.Put(&b, run.Run{ID: "run_1", Name: "fix", State: run.Queued, StartedAt: now})
	store.Loops.Put(&b, loop.Stack{Session: "s", RunID: "r", UpdatedAt: now,
		Frames: []loop.Frame{{ID: "f", Mode: loop.Task, Goal: "fix", StartedAt: now}}})
	b.Actions = []store.Action{{Key: "phone/say:1", Lane: "phone", Kind: "say", Data: "hello", Due: now}}
	b.Settings = &store.Settings{Piles: map[string]store.Pile{"x:": {Due: now, News: []channel.News{{Text: "a loop has ended"}}}}}
	if err := s.Commit(&b); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(&store.Batch{Received: []channel.Update{{Channel: "phone", ID: 5, Body: []byte("{}")}}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Copy(now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	s.Close()
	f, err := os.OpenFile(dirs.Database(), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(make([]byte, 4096), 0); err != nil {
		t.Fatal(err)
	}
	f.Close()

	got, err := repair.Database(dirs)
	if err != nil {
		t.Fatal(err)
	}
	const want = "actions asks asks asks browsers firings firings grants inbox loops messages modules runs settings triggers"
	if told := tablesIn(got.Doubts); told != want {
		t.Errorf("told of %s,\nwant    %s", told, want)
	}
	s, err = store.Open(dirs.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if a, ok, _, err := s.Due("phone", now.Add(time.Hour), now, ""); !ok || err != nil || a.Kind != "notice" ||
		!strings.Contains(a.Data, `"kind":"repaired"`) || !strings.Contains(a.Data, `"n":15`) {
		t.Errorf("next to be done: %+v, %t, %v", a, ok, err)
	} else if err := s.Done(a, ""); err != nil {
		t.Fatal(err)
	}
	if a, ok, _, err := s.Due("phone", now.Add(time.Hour), now, ""); ok || err != nil {
		t.Errorf("to be done again: %+v, %v", a, err)
	}
	if updates, err := s.Received("phone"); len(updates) != 0 || err != nil {
		t.Errorf("to be read again: %v, %v", updates, err)
	}
	none(t, s, store.Asks, func(a ask.Ask) bool { return a.Waiting() || a.Lease.Unused() || a.Unconfirmed() })
	none(t, s, store.Messages, func(m message.Message) bool { return m.State != message.Done })
	none(t, s, store.Firings, func(f trigger.Firing) bool { return !f.Over() })
	none(t, s, store.Triggers, trigger.Trigger.Live)
	none(t, s, store.Modules, func(m module.Module) bool { return m.On })
	none(t, s, store.Grants, func(g grant.Grant) bool { return g.Active(now) })
	none(t, s, store.Browsers, func(b signin.Browser) bool { return b.Active(now) })
	none(t, s, store.Runs, func(r run.Run) bool { return !r.Settled() })
	none(t, s, store.Loops, loop.Stack.Active)
	if set, err := s.Settings(); err != nil || len(set.Piles) != 0 {
		t.Errorf("notices wait: %v, %v", set.Piles, err)
	}
	if kept, _ := filepath.Glob(got.Kept); len(kept) != 1 {
		t.Errorf("the damaged file is not kept: %s", got.Kept)
	}
}

func tablesIn(doubts []store.Doubt) string {
	var names []string
	for _, d := range doubts {
		names = append(names, d.Table)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func none[K ~string, V any](t *testing.T, s *store.Store, kind *store.Kind[K, V], goesOn func(V) bool) {
	t.Helper()
	values, bad, err := kind.Load(s, time.Time{})
	if err != nil || len(bad) > 0 {
		t.Errorf("%s: %v, %v", kind.Table, bad, err)
	}
	for _, v := range values {
		if goesOn(v) {
			t.Errorf("%s goes on: %+v", kind.Table, v)
		}
	}
}
