package undo_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/undo"
)

var t0 = time.Date(2026, 5, 4, 11, 38, 0, 0, time.UTC)

// kept is a picture with two files.
var kept = []undo.Picture{
	{
		Scope: undo.Scope{Root: "/r", Tree: true},
		Tree:  "abc",
		Files: 2,
		Bytes: 12_345,
		Refs:  []undo.Ref{{Name: "refs/heads/main", OID: "1"}},
	},
}

func planned() undo.Snapshot {
	return undo.Plan(undo.Snapshot{ID: "undo_1", Session: "s", Tool: "Bash", Hash: "h", Ask: "a"}, t0)
}

// must returns the snapshot after a step that must succeed.
func must(s undo.Snapshot, err error) undo.Snapshot {
	if err != nil {
		panic(err)
	}
	return s
}

func ready() undo.Snapshot { return must(undo.Take(planned(), kept, "", t0)) }

func ran() undo.Snapshot { return must(undo.Ran(ready(), t0.Add(time.Minute))) }

func asked(r undo.Restore) undo.Snapshot {
	s, err := undo.Start(ran(), r)
	if err != nil {
		panic(err)
	}
	return s
}

// TestLines checks the texts about a snapshot in each of its states.
func TestLines(t *testing.T) {
	ann := undo.Restore{By: "Ann"}
	left := []undo.Picture{{Left: []string{"big.iso (above)"}}}
	for _, c := range []struct {
		name         string
		s            undo.Snapshot
		line, button string
	}{
		{"planned", planned(), "", ""},
		{"ready", ready(), "snapshot: 2 files, 12 kB", ""},
		{"ran", ran(), "snapshot: 2 files, 12 kB · Undo until Tue 11:38", "Undo ↩️"},
		{"restoring", asked(ann), "snapshot: 2 files, 12 kB · being undone for Ann", ""},
		{
			"restored",
			must(undo.End(asked(ann), undo.Result{Did: "2 files restored"}, t0)),
			"snapshot: 2 files, 12 kB · undone by Ann at 11:38:00: 2 files restored",
			"",
		},
		{
			"newer",
			must(undo.End(asked(ann), undo.Result{Newer: []string{"a", "b", "c", "d"}}, t0)),
			"snapshot: 2 files, 12 kB · not undone: newer work would be overwritten: a, b, c and 1 more",
			"Undo anyway ↩️",
		},
		{
			"failed",
			must(undo.End(asked(ann), undo.Result{Failed: "the disk is full"}, t0)),
			"snapshot: 2 files, 12 kB · could not be undone: the disk is full",
			"Undo ↩️",
		},
		{"nothing to lose", must(undo.Take(planned(), []undo.Picture{{}}, "", t0)), "", ""},
		{"no repository", must(undo.Take(planned(), nil, "", t0)), "", ""},
		{"all left out", must(undo.Take(planned(), left, "", t0)), "no snapshot: left out: big.iso (above)", ""},
		{
			"some left out",
			must(undo.Take(planned(), append(left, kept...), "", t0)),
			"snapshot: 2 files, 12 kB · left out: big.iso (above)",
			"",
		},
		{"slow", must(undo.Take(planned(), nil, "git took too long", t0)), "no snapshot: git took too long", ""},
		{
			"slow the second time",
			must(undo.Take(ready(), nil, "git took too long", t0)),
			"snapshot: 2 files, 12 kB · as of 11:38:00, git took too long later",
			"",
		},
		{"slow, then not", must(undo.Take(must(undo.Take(ready(), nil, "x", t0)), kept, "", t0)),
			"snapshot: 2 files, 12 kB", ""},
		{"too late", must(undo.Ran(planned(), t0)), "no snapshot: the step ran before it could be taken", ""},
		{"a day later", undo.Tick(ran(), t0.Add(24*time.Hour)), "the snapshot is gone: it was kept for 24 hours", ""},
		{
			"one second before",
			undo.Tick(ran(), t0.Add(24*time.Hour-time.Second)),
			"snapshot: 2 files, 12 kB · Undo until Tue 11:38",
			"Undo ↩️",
		},
		{"refs alone", must(undo.Take(planned(), []undo.Picture{{
			Scope: undo.Scope{Refs: []string{"x"}}, Stashes: []undo.Stash{{OID: "1"}, {OID: "2"}},
			Refs: []undo.Ref{
				{"refs/heads/old", "1"},
				{"refs/tags/v1", "2"},
				{"refs/remotes/origin/x", "3"},
				{"HEAD", "4"},
			},
		}}, "", t0)), "snapshot: branch old, tag v1, remote-tracking branch origin/x and 1 more; 2 stashes", ""},
	} {
		if got := c.s.Line(); got != c.line || c.s.Button() != c.button {
			t.Errorf("%s: %q [%s], want %q [%s]", c.name, got, c.s.Button(), c.line, c.button)
		}
	}
}

// TestFollow checks that a snapshot is kept as long as its step may run.
func TestFollow(t *testing.T) {
	no := &ask.Decision{Allow: false}
	yes := &ask.Decision{Allow: true}
	dialog := ask.Ask{Kind: ask.Permission, Attended: true}
	with := func(a ask.Ask, state ask.State, d *ask.Decision) ask.Ask {
		a.State, a.Decision = state, d
		return a
	}
	for _, c := range []struct {
		name          string
		a             ask.Ask
		planned, took undo.State // of one that was planned, and of one that was taken
	}{
		{"open", with(dialog, ask.Open, nil), undo.Planned, undo.Ready},
		{"allowed", with(dialog, ask.Answered, yes), undo.Planned, undo.Ready},
		{"delivered", with(dialog, ask.Delivered, yes), undo.Planned, undo.Ready},
		{"denied", with(dialog, ask.Answered, no), undo.Gone, undo.Gone},
		{"Esc", with(dialog, ask.Cancelled, nil), undo.Gone, undo.Gone},
		{"at the terminal", with(dialog, ask.Withdrawn, nil), undo.Gone, undo.Ready},
		{"expired, the dialog stays", with(dialog, ask.Expired, nil), undo.Planned, undo.Ready},
		{"expired, nobody there", with(ask.Ask{Kind: ask.Guard}, ask.Expired, nil), undo.Gone, undo.Gone},
	} {
		if got := undo.Follow(planned(), c.a).State; got != c.planned {
			t.Errorf("%s: planned becomes %s, want %s", c.name, got, c.planned)
		}
		if got := undo.Follow(ready(), c.a).State; got != c.took {
			t.Errorf("%s: ready becomes %s, want %s", c.name, got, c.took)
		}
		if got := undo.Follow(ran(), c.a); cmp.Diff(ran(), got) != "" {
			t.Errorf("%s: the step ran, and yet it becomes %s", c.name, got.State)
		}
	}
}

// TestStart checks that a snapshot is restored only once.
func TestStart(t *testing.T) {
	for _, c := range []struct {
		s   undo.Snapshot
		err error
	}{
		{planned(), undo.ErrEarly}, {ready(), nil}, {ran(), nil}, {asked(undo.Restore{}), undo.ErrBusy},
		{must(undo.End(asked(undo.Restore{}), undo.Result{}, t0)), undo.ErrDone},
		{undo.Drop(ready(), "x"), undo.ErrGone},
		{must(undo.End(asked(undo.Restore{}), undo.Result{Newer: []string{"a"}}, t0)), nil},
	} {
		if _, err := undo.Start(c.s, undo.Restore{}); !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", c.s.State, err, c.err)
		}
	}
	for _, c := range []struct {
		r     undo.Restore
		newer []string
		want  bool
	}{
		{undo.Restore{}, nil, true},
		{undo.Restore{}, []string{"a"}, false},
		{undo.Restore{All: true}, []string{"a"}, true},
		{undo.Restore{Known: []string{"a", "b"}}, []string{"a"}, true},
		{undo.Restore{Known: []string{"a"}}, []string{"a", "c"}, false},
	} {
		if got := asked(c.r).Covered(c.newer); got != c.want {
			t.Errorf("%+v covers %v: %t", c.r, c.newer, got)
		}
	}
}

// TestLives tries events in any order. A dropped snapshot must stay dropped, a ready one
// must have pictures and an end, and a restore must end only by its own result.
func TestLives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, now := planned(), t0
		for range rapid.IntRange(1, 25).Draw(t, "moves") {
			now = now.Add(time.Duration(rapid.IntRange(0, 8*3600).Draw(t, "seconds")) * time.Second)
			before := s
			restoring := s.State == undo.Restoring
			awaits := (s.State == undo.Planned || s.State == undo.Ready) && s.RanAt.IsZero()
			fits, err := true, error(nil)
			switch rapid.IntRange(0, 10).Draw(t, "move") {
			case 0:
				fits = awaits
				s, err = undo.Take(s, kept, "", now)
			case 1:
				fits = awaits
				s, err = undo.Take(s, nil, "", now)
			case 2:
				fits = awaits
				s, err = undo.Take(s, nil, "slow", now)
			case 3:
				fits = awaits
				s, err = undo.Ran(s, now)
			case 4:
				fits = s.After == nil && len(s.Pictures) == len(kept)
				s, err = undo.Looked(s, kept)
			case 5:
				s = undo.Follow(s, ask.Ask{State: ask.Cancelled})
			case 6:
				s = undo.Tick(s, now)
			case 7:
				s = undo.Drop(s, "room")
			case 8:
				fits = s.State == undo.Ready
				s, err = undo.Start(s, undo.Restore{By: "Ann", Redo: "r"})
			case 9:
				fits = restoring
				s, err = undo.End(s, undo.Result{Did: "it"}, now)
			case 10:
				fits = restoring
				s, err = undo.End(s, undo.Result{Newer: []string{"a"}}, now)
			}
			if fits != (err == nil) || err != nil && cmp.Diff(before, s) != "" {
				t.Fatalf("a step of one that was %s and is %s: %v", before.State, s.State, err)
			}
			switch {
			case before.State == undo.Gone && s.State != undo.Gone:
				t.Fatalf("it came back as %s", s.State)
			case restoring && s.State == undo.Gone:
				t.Fatal("it was dropped while it was being restored")
			case s.State == undo.Ready && (s.TakenAt.IsZero() || len(s.Pictures) == 0 || s.Next().IsZero()):
				t.Fatalf("ready without a picture or an end: %+v", s)
			case !before.RanAt.IsZero() && cmp.Diff(before.Pictures, s.Pictures) != "":
				t.Fatal("the picture changed behind the step")
			case strings.Contains(s.Line(), "\n"):
				t.Fatalf("two lines: %q", s.Line())
			}
		}
	})
}
