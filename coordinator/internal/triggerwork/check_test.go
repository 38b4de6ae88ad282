//go:build !windows

package triggerwork

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// A checkRig is a session that is woken by a check, which runs a script that the test writes.
type checkRig struct {
	t      *testing.T
	core   *feature.Core
	worker *Worker
	folder Folder
	dir    string
	now    time.Time
	db     *store.Store
	denied bool // by the guard
	risk   string
	follow bool // the digest of what the check runs is that of its script
}

func newCheckRig(t *testing.T) *checkRig {
	t.Helper()
	dir := t.TempDir()
	db, err := store.Open(filepath.Join(dir, "afar.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	r := &checkRig{t: t, dir: dir, db: db, now: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	c, err := feature.New(core.Config{
		Store: db, Log: log, Now: func() time.Time { return r.now }, Secret: func() string { return "5ec" },
		Zones: Zones,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.See(session.Sighting{ID: "s1", Cwd: "/w/shop", Hooked: true}); err != nil {
		t.Fatal(err)
	}
	r.core, r.folder = c, NewFolder(filepath.Join(dir, "triggers"), filepath.Join(dir, "hooks"))
	r.worker = New(Config{
		Core: c, Folder: r.folder, Dirs: home.Dirs{Root: dir, User: dir}, Log: log,
		Judge: func(context.Context, string, string) (Judgement, error) { return r.judge(), nil },
	})
	r.allow()
	return r
}

// judge plays the guard.
func (r *checkRig) judge() Judgement {
	j := Judgement{Denied: r.denied, Risk: r.risk}
	if r.follow {
		j.Runs, _, _ = disk.Digest(r.t.Context(), filepath.Join(r.dir, "check")) // "" before it is written
	}
	return j
}

// act carries out what the answers of the person have brought about.
func (r *checkRig) act() {
	r.t.Helper()
	for {
		a, ok, _, err := r.db.Due(feature.LaneTriggers, r.now, time.Time{}, "")
		if err != nil {
			r.t.Fatal(err)
		}
		if !ok {
			return
		}
		if err := errors.Join(r.worker.act(r.t.Context(), a), r.db.Done(a, "")); err != nil {
			r.t.Fatal(err)
		}
	}
}

// asked returns the open questions about checks.
func (r *checkRig) asked() (open []ask.Ask) {
	for _, a := range r.core.Asks(false) {
		if a.Kind == ask.WakeUp {
			open = append(open, a)
		}
	}
	return open
}

// allow carries out the person's yes, twice: the first coordinator died before it knew.
func (r *checkRig) allow() {
	r.t.Helper()
	v, err := r.core.Session("s1")
	if err != nil {
		r.t.Fatal(err)
	}
	rule := "# Wake-up\n\n- on: every 5m\n- to: session:" + v.Token + "\n- missed: run\n- check: sh ./check\n" +
		"- until: 2026-01-05 09:30 UTC\n- dir: " + r.dir + "\n\nLook at the build.\n"
	data, err := json.Marshal(feature.Waking{Trigger: "wake-1", Rule: rule, By: "Ann", For: "s1", Risk: r.risk, Runs: r.judge().Runs})
	if err != nil {
		r.t.Fatal(err)
	}
	for range 2 {
		if err := r.worker.act(r.t.Context(), store.Action{Kind: feature.ActWake, Data: string(data)}); err != nil {
			r.t.Fatal(err)
		}
	}
}

// look lets the next run of the check come, with a script that ends as said.
func (r *checkRig) look(script string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, "check"), []byte(script), 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.now = r.now.Add(5 * time.Minute)
	if err := r.core.Tick(); err != nil {
		r.t.Fatal(err)
	}
	r.worker.sendOf(r.t.Context(), "wake-1")
}

// TestCheck: a session is woken once, when the check of its wake-up passes or is run no more, and
// then nothing of the wake-up is left but its ledger.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		scripts []string
		denied  bool
		want    string   // in the text of the session
		ledger  []string // the newest line first
	}{
		"passes": {
			scripts: []string{"exit 1", "exit 1", "exit 0", "exit 0"},
			want:    "Look at the build.",
			ledger:  []string{"fired", "dropped not yet", "dropped not yet"},
		},
		"fails": {
			scripts: []string{"echo no such host >&2; exit 6", "kill -9 $$", "exit 6", "exit 0"},
			want:    "its check failed 3 times in a row",
			ledger: []string{
				"failed its check failed 3 times", "dropped the check failed, 2 of 3: ",
				"dropped the check failed, 1 of 3: exit status 6: no such host",
			},
		},
		"fails now and then": {
			scripts: []string{"exit 2", "exit 2", "exit 1", "exit 2", "exit 0"},
			want:    "Look at the build.",
			ledger: []string{"fired", "dropped the check failed, 1 of 3", "dropped not yet",
				"dropped the check failed, 2 of 3"},
		},
		"too late": {
			scripts: []string{"exit 1", "exit 1", "exit 1", "exit 1", "exit 1", "exit 1", "exit 0"},
			want:    "its check had not passed by 2026-01-05 09:30 UTC",
			ledger:  []string{"failed its check had not passed", "dropped not yet"},
		},
		"denied by the guard by now": {
			scripts: []string{"exit 0", "exit 0", "exit 0"},
			denied:  true,
			want:    "the guard does not let it run",
			ledger:  []string{"failed", "dropped the check failed, 2 of 3: the guard does not let it run"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newCheckRig(t)
			r.denied = c.denied
			for _, script := range c.scripts {
				r.look(script)
			}
			texts := r.core.Messages()
			if len(texts) != 1 || !strings.Contains(texts[0].Text, c.want) || !texts[0].Data {
				t.Fatalf("the session has %+v", texts)
			}
			if !strings.Contains(texts[0].Body(), "Look at the build.") {
				t.Errorf("its own text is missing: %s", texts[0].Body())
			}
			log, err := r.core.FiringLog("wake-1", 10)
			if err != nil || len(log) < len(c.ledger) {
				t.Fatalf("the ledger: %+v, %v", log, err)
			}
			for i, want := range c.ledger {
				if got := string(log[i].State) + " " + log[i].Why; !strings.HasPrefix(got, want) {
					t.Errorf("line %d is %q, want %q", i, got, want)
				}
			}
			if _, known := r.core.Trigger("wake-1"); known {
				t.Error("the trigger is still there")
			}
			if _, err := os.Stat(r.folder.Path("wake-1")); !os.IsNotExist(err) {
				t.Errorf("its file is still there: %v", err)
			}
		})
	}
}

// TestCheckOfAPerson: a rule with a check that a person wrote fires once, stays as a file and is
// off. The guard is not asked about it.
func TestCheckOfAPerson(t *testing.T) {
	r := newCheckRig(t)
	r.denied = true
	if _, err := r.core.RemoveTrigger("wake-1", "Ann"); err != nil {
		t.Fatal(err)
	}
	file, err := r.folder.Read("wake-1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.core.ApproveTrigger("wake-1", file, "Ann"); err != nil {
		t.Fatal(err)
	}
	r.look("exit 0")
	r.look("exit 0")
	after, known := r.core.Trigger("wake-1")
	if n := len(r.core.Messages()); n != 1 || !known || after.On {
		t.Errorf("%d texts, and the trigger is %+v", n, after)
	}
}

// TestCheckAskedAgain: a check that runs something else than the person allowed is not run before they
// have allowed that, too. They are asked once; a no ends the wake-up.
func TestCheckAskedAgain(t *testing.T) {
	newRig := func(t *testing.T) *checkRig {
		r := newCheckRig(t)
		r.follow = true
		r.look("exit 1") // in newCheckRig there was no script yet
		r.answer(true)
		return r
	}
	ran := func(r *checkRig) bool {
		_, err := os.Stat(filepath.Join(r.dir, "ran"))
		return err == nil
	}
	const other = "touch ran"
	t.Run("yes", func(t *testing.T) {
		r := newRig(t)
		r.look("exit 1")
		if len(r.asked()) != 0 {
			t.Errorf("asked about what is allowed: %+v", r.asked())
		}
		r.look(other)
		r.look(other)
		open := r.asked()
		if len(open) != 1 || ran(r) || open[0].Session != "s1" || !strings.Contains(open[0].Does, "have changed") {
			t.Fatalf("ran: %t, asked %+v", ran(r), open)
		}
		r.answer(true)
		r.look(other)
		if texts := r.core.Messages(); !ran(r) || len(texts) != 1 {
			t.Errorf("ran: %t, texts %+v", ran(r), texts)
		}
	})
	t.Run("allowed before", func(t *testing.T) {
		r := newRig(t)
		r.look("exit 1 # again")
		r.answer(true)
		r.look("exit 1")
		r.act()
		r.look("exit 1")
		log, err := r.core.FiringLog("wake-1", 1)
		if err != nil || len(r.asked()) != 0 || log[0].Why != "not yet" {
			t.Errorf("asked %+v, ledger %+v, %v", r.asked(), log, err)
		}
	})
	t.Run("another one meanwhile", func(t *testing.T) {
		r := newRig(t)
		r.look("exit 1 # again")
		r.look(other)
		r.answer(true) // to the first
		r.look(other)
		if open := r.asked(); ran(r) || len(open) != 1 {
			t.Errorf("ran: %t, asked %+v", ran(r), open)
		}
	})
	for name, end := range map[string]func(*checkRig){
		"no":        func(r *checkRig) { r.answer(false) },
		"no answer": func(r *checkRig) { r.now = r.now.Add(time.Hour); r.look(other); r.act() },
		"removed": func(r *checkRig) {
			if _, err := r.core.RemoveTrigger("wake-1", "Ann"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.look(other)
			end(r)
			r.look(other)
			r.act()
			if _, known := r.core.Trigger("wake-1"); known || ran(r) || len(r.asked()) != 0 {
				t.Errorf("known: %t, ran: %t, asked %+v", known, ran(r), r.asked())
			}
			if texts := r.core.Messages(); len(texts) != 1 {
				t.Errorf("the session has %+v", texts)
			}
		})
	}
	t.Run("another risk", func(t *testing.T) {
		r := newRig(t)
		r.risk = "it deletes files"
		r.look("exit 1")
		if open := r.asked(); len(open) != 1 || open[0].Why != r.risk || !strings.Contains(open[0].Does, "another risk") {
			t.Errorf("asked %+v", open)
		}
	})
}

// answer answers the one open question, and carries out what follows.
func (r *checkRig) answer(yes bool) {
	r.t.Helper()
	open := r.asked()
	if len(open) != 1 {
		r.t.Fatalf("open are %+v", open)
	}
	if _, err := r.core.Answer(open[0].ID, ask.Decision{Allow: yes, By: "Ann", Channel: "terminal"}); err != nil {
		r.t.Fatal(err)
	}
	r.act()
}
