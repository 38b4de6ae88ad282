package core_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/turn"
)

func TestSessions(t *testing.T) {
	r := newRig(t)
	one, two := r.see("s", "/home/ada/proj"), r.see("t", "/home/ada/proj")
	if one.Token == two.Token || !strings.HasPrefix(one.Token, "proj-") {
		t.Errorf("have %s and %s", one.Token, two.Token)
	}
	if again := r.see("s", "/elsewhere"); again.Token != one.Token || again.Project != "/home/ada/proj" {
		t.Errorf("a session keeps its name: %+v", again)
	}
	for _, name := range []string{"s", one.Token} {
		if v, err := r.Session(name); err != nil || v.ID != "s" {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	if _, err := r.Session("proj"); !errors.Is(err, core.ErrNotFound) {
		t.Errorf("half a name: %v", err)
	}
	if !r.IsClient(one.Client) || r.IsClient(1) {
		t.Error("IsClient is wrong")
	}
	r.ok(r.EndSession("s", "logout"))
	r.ok(r.EndSession("t", "logout"))
	if r.IsClient(one.Client) {
		t.Error("the client of an ended session is no client")
	}
	r.restart()
	if got := r.Sessions(); len(got) != 2 || got[0].State != session.Ended {
		t.Errorf("after a restart: %+v", got)
	}
}

func TestSessionsSorted(t *testing.T) {
	r := newRig(t)
	for id, cwd := range map[session.ID]string{"1": "/b", "2": "/a", "3": "/0"} {
		r.see(id, cwd)
	}
	r.ok(r.EndSession("3", "x"))
	var order []session.ID
	for _, v := range r.Sessions() {
		order = append(order, v.ID)
	}
	r.same("order", []session.ID{"2", "1", "3"}, order)
}

// TestRunning checks the order of the sessions that run, and its parts.
func TestRunning(t *testing.T) {
	r := newRig(t)
	for _, s := range []session.Sighting{
		{ID: "idle", State: session.Idle},
		{ID: "works", State: session.Working},
		{ID: "asked", State: session.Working},
		{ID: "works later", State: session.Working},
		{ID: "waits", State: session.Waiting},
		{ID: "ended", State: session.Idle},
	} {
		s.Cwd, s.Hooked, s.Attended, s.KnowAtt = "/p", true, true, true
		_, err := r.See(s)
		r.ok(err)
		r.pass(time.Second)
	}
	r.ok(r.EndSession("ended", "logout"))
	a := newAsk("a", "make")
	a.Session = "asked"
	r.openAsk(a)
	for _, s := range []session.Sighting{
		{ID: "asked", State: session.Working}, // another of its tools runs
		{ID: "bare", Cwd: "/p"},
	} {
		_, err := r.See(s)
		r.ok(err)
	}
	r.pass(session.Settle)
	for _, c := range []struct {
		from, most int
		want       string
	}{
		{0, 10, "bare asked waits works later works idle"},
		{0, 2, "bare asked"},
		{4, 2, "works idle"},
		{6, 2, ""},
		{7, 2, ""},
		{math.MaxInt, math.MaxInt, ""},
	} {
		part, all := r.Running(c.from, c.most)
		var ids []string
		for _, v := range part {
			ids = append(ids, string(v.ID))
		}
		if got := strings.Join(ids, " "); got != c.want || all != 6 {
			t.Errorf("from %d, most %d: %q of %d, want %q", c.from, c.most, got, all, c.want)
		}
	}
}

func TestEndSession(t *testing.T) {
	r := newRig(t)
	v := r.see("s", "/p")
	r.openAsk(newAsk("open", "x"))
	r.openAsk(newAsk("answered", "y"))
	_, err := r.Answer("answered", yes("Ada"))
	r.ok(err)
	other := newAsk("other", "x")
	other.Session = "t"
	r.openAsk(other)
	head := r.head()
	r.ok(r.EndSession("s", "logout"))
	r.ok(r.EndSession("s", "again"))
	r.ok(r.EndSession("nobody", "x"))
	if a := r.state("open", ask.Cancelled); a.Ending() != "the session ended" {
		t.Errorf("have %q", a.Ending())
	}
	r.state("answered", ask.Cancelled)
	r.state("other", ask.Open)
	if got := r.kinds(head); len(got) != 3 || got[0] != "session.ended "+v.Token {
		t.Errorf("the journal says %v", got)
	}
}

// TestLateHook checks that a hook that reports after the end of its session starts nothing.
func TestLateHook(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.ok(r.EndSession("s", "its client is gone"))
	head := r.head()
	v, err := r.See(session.Sighting{ID: "s", Hooked: true})
	if err != nil || v.State != session.Ended {
		t.Errorf("have %s, %v", v.State, err)
	}
	if got := r.kinds(head); len(got) != 0 {
		t.Errorf("the journal says %v", got)
	}
	if v := r.see("s", "/p"); v.State != session.Working {
		t.Errorf("a resumed session is %s", v.State)
	}
	if got := r.kinds(head); len(got) != 1 || !strings.HasPrefix(got[0], "session.started ") {
		t.Errorf("the journal says %v", got)
	}
}

func TestUnprotected(t *testing.T) {
	r := newRig(t)
	r.pair()
	v, err := r.See(session.Sighting{ID: "s", Cwd: "/p", Client: 7, Starts: true, State: session.Working})
	r.ok(err)
	head := r.head()
	r.pass(session.Settle - 1)
	r.same("not yet", []string(nil), r.kinds(head))
	r.pass(1)
	r.pass(time.Hour)
	r.restart()
	r.pass(time.Hour)
	r.same("once", []string{"session.unprotected " + v.Token, "coordinator.started "}, r.kinds(head))
	if said := r.said(); len(said) != 1 || !strings.Contains(said[0], v.Token) {
		t.Errorf("the person is told once: %q", said)
	}
}

func TestProtectedInTime(t *testing.T) {
	r := newRig(t)
	_, err := r.See(session.Sighting{ID: "s", Cwd: "/p", Starts: true, State: session.Working})
	r.ok(err)
	r.pass(session.Settle - 1)
	r.see("s", "/p")
	head := r.head()
	r.pass(time.Hour)
	r.same("journal", []string(nil), r.kinds(head))
}

func TestLoops(t *testing.T) {
	r := newRig(t)
	r.pair()
	v := r.see("s", "/p")
	head := r.head()
	intro, err := r.StartLoop("s", loop.Options{Task: "tidy up", Max: 2})
	if err != nil || !strings.Contains(intro, "tidy up") {
		t.Fatalf("have %q, %v", intro, err)
	}
	r.ok(r.Ran(ran("x")))
	out, err := r.StopLoop("s", loop.Stopping{Message: "not yet"})
	if err != nil || out.Block == "" {
		t.Fatalf("have %q, %v", out.Block, err)
	}
	if v, _ := r.Session("s"); v.Tools != 0 {
		t.Error("the tools of an iteration are counted from its start")
	}
	r.restart()
	if f, ok := r.Loop("s").Top(); !ok || f.N != 1 {
		t.Errorf("after a restart: %+v", f)
	}
	r.ok(r.SetAnchor("s", loop.AnchorFacts{Commits: []string{"abc first"}}))
	if got := r.Anchor("s", loop.AnchorFacts{}); !strings.Contains(got, "tidy up") ||
		!strings.Contains(got, "abc first") {
		t.Errorf("the anchor is %q", got)
	}
	r.ok(r.CancelLoop("s", "Ada", "web"))
	if err := r.CancelLoop("s", "Ada", "web"); !errors.Is(err, loop.ErrNone) {
		t.Errorf("a second time: %v", err)
	}
	if got := r.Anchor("s", loop.AnchorFacts{Said: "x"}); got != "" {
		t.Errorf("no loop, no anchor: %q", got)
	}
	r.same("journal", []string{"loop.started " + v.Token, "loop.stepped " + v.Token, "coordinator.started ",
		"loop.ended " + v.Token}, r.kinds(head))
	if said := r.said(); len(said) != 1 || !strings.Contains(said[0], "cancelled") {
		t.Errorf("the verdict reaches the person once: %q", said)
	}
	if files := r.drain(core.LaneDisk); len(files) != 3 {
		t.Errorf("the loop, its anchor and its goal: %+v", files)
	}
	if out, err := r.StopLoop("s", loop.Stopping{}); out.Block != "" || err != nil {
		t.Errorf("no loop, no block: %q, %v", out.Block, err)
	}
}

func TestLoopsOfOthers(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.see("t", "/p")
	_, err := r.StartLoop("s", loop.Options{Task: "x", Max: 2})
	r.ok(err)
	if out, err := r.StopLoop("t", loop.Stopping{}); out.Block != "" || err != nil {
		t.Errorf("another session of the same folder was held: %q, %v", out.Block, err)
	}
	r.pass(time.Minute)
	_, err = r.StartLoop("t", loop.Options{Task: "y", Max: 2})
	r.ok(err)
	r.pass(time.Minute)
	r.ok(r.CancelLoop("t", "Ada", "web"))
	if l := r.Loops(); len(l) != 2 || l[0].Session != "s" || l[1].Active() {
		t.Errorf("the running ones come first: %+v", l)
	}
}

// TestTypedLoop checks that a prompt starts one loop, however often its hook asks. Another
// prompt starts another loop inside it.
func TestTypedLoop(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	start := func(prompt string, frames int) {
		t.Helper()
		intro, err := r.StartTypedLoop("s", prompt, loop.Options{Task: "x", Max: 2})
		if have := len(r.Loop("s").Frames); err != nil || !strings.Contains(intro, "[loop 0/2]") || have != frames {
			t.Errorf("%q: %d loops, want %d: %q, %v", prompt, have, frames, intro, err)
		}
	}
	start("one", 1)
	start("one", 1)
	r.restart()
	start("one", 1)
	start("two", 2)
	start("two", 2)
}

func TestLoopExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.clock = time.Now
		r.see("s", "/p")
		_, err := r.StartLoop("s", loop.Options{Task: "x", Max: 2})
		r.ok(err)
		ctx, cancel := context.WithCancel(t.Context())
		go r.Run(ctx)
		time.Sleep(time.Hour)
		r.ok(r.Typed("s", "")) // a sign of life
		time.Sleep(2*time.Hour - 1)
		synctest.Wait()
		if !r.Loop("s").Active() {
			t.Error("it ended too early")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if l := r.Loop("s"); l.Active() || l.Ended.Verdict != loop.Expired {
			t.Errorf("have %+v", l)
		}
		cancel()
		synctest.Wait()
		r.store.Close()
	})
}

// TestLoopAfterSleep checks the state after the machine slept over night. Time limits are
// those of the wall clock: what is due has ended or is tried again.
func TestLoopAfterSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.rules.RetryAfter = 5 * time.Minute
		r.restart()
		var slept atomic.Int64
		r.clock = func() time.Time { return time.Now().Add(time.Duration(slept.Load())) }
		for id, o := range map[session.ID]loop.Options{"timed": {For: time.Hour}, "idle": {}, "refused": {}} {
			r.see(id, "/p")
			_, err := r.See(session.Sighting{ID: id, Attended: true, KnowAtt: true, State: session.Idle})
			r.ok(err)
			o.Task, o.Max = "x", 9
			_, err = r.StartLoop(id, o)
			r.ok(err)
			r.ok(r.TakeOver(id, "w", session.Process{}))
		}
		r.ok(r.LimitLoop("refused", "overloaded", true))
		ctx, cancel := context.WithCancel(t.Context())
		go r.Run(ctx)
		time.Sleep(time.Minute)
		slept.Store(int64(90 * time.Minute))
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if l := r.Loop("timed"); l.Active() || l.Ended.Verdict != loop.Timeout {
			t.Errorf("the one that was given an hour: %+v", l.Ended)
		}
		if answer, reason := r.AwaitWake(ctx, "refused", "w"); answer != core.Wake ||
			!strings.Contains(reason, "provider refused") {
			t.Errorf("the one that was refused is told to %s: %q", answer, reason)
		}
		slept.Store(int64(9 * time.Hour))
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if l := r.Loop("idle"); l.Active() || l.Ended.Verdict != loop.Expired {
			t.Errorf("the one that nobody heard of for hours: %+v", l.Ended)
		}
		cancel()
		synctest.Wait()
		r.store.Close()
	})
}

// loops starts a loop in a session, attended or not.
func (r *rig) loops(attended bool) {
	r.t.Helper()
	r.see("s", "/p")
	_, err := r.See(session.Sighting{ID: "s", Attended: attended, KnowAtt: true, State: session.Idle})
	r.ok(err)
	_, err = r.StartLoop("s", loop.Options{Task: "x", Max: 9})
	r.ok(err)
	r.ok(r.TakeOver("s", "w", session.Process{}))
}

// woken asks as the background hook does, and returns the reason for the wake, or "" if the
// hook must wait.
func (r *rig) woken() string {
	r.t.Helper()
	r.ok(r.Tick())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	answer, reason := r.AwaitWake(ctx, "s", "w")
	if woken := answer == core.Wake; woken != (reason != "") {
		r.t.Errorf("the answer is %s, with the reason %q", answer, reason)
	}
	return reason
}

func TestLimitLoop(t *testing.T) {
	r := newRig(t)
	r.rules.RetryAfter = 5 * time.Minute
	r.restart()
	r.pair()
	r.ok(r.LimitLoop("s", "no loop, nothing said", true))
	r.same("nothing", []string(nil), r.said())
	r.loops(true)
	r.ok(r.LimitLoop("s", "rate limit", true))
	if said := r.said(); len(said) != 1 || !strings.Contains(said[0], "rate limit") ||
		!strings.Contains(said[0], "It goes on at") {
		t.Errorf("have %q", said)
	}
	if events, err := r.Journal(t.Context(), 0, 1, "s", true); err != nil ||
		!strings.Contains(events[len(events)-1].Text, "loop paused: limit") {
		t.Errorf("the journal says %+v, %v", events, err)
	}
	r.pass(4 * time.Minute)
	r.restart()
	if got := r.woken(); got != "" {
		t.Errorf("woken too early: %q", got)
	}
	r.pass(time.Minute)
	if got := r.woken(); !strings.Contains(got, "provider refused") || !strings.Contains(got, "/afar:cancel") {
		t.Errorf("after the pause: %q", got)
	}
	r.ok(r.LimitLoop("s", "rate limit", true))
	r.pass(5 * time.Minute)
	if got := r.woken(); got != "" {
		t.Errorf("the second pause is no longer than the first: %q", got)
	}
	r.pass(5 * time.Minute)
	if got := r.woken(); got == "" {
		t.Error("not woken after the second pause")
	}
	if said := r.said(); len(said) != 0 {
		t.Errorf("one pause was told twice: %q", said)
	}
	r.ok(r.Typed("s", ""))
	if got := r.woken(); got != "" {
		t.Errorf("woken although a person is there: %q", got)
	}
}

// TestLimitLoopAlone checks that the loop waits for a prompt, and that the person is told so,
// if no hook can wake the session or if waiting does not help.
func TestLimitLoopAlone(t *testing.T) {
	for name, c := range map[string]struct{ attended, passes bool }{"a print session": {false, true},
		"a bill": {true, false}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.rules.RetryAfter = 5 * time.Minute
			r.restart()
			r.pair()
			r.loops(c.attended)
			r.ok(r.LimitLoop("s", "billing_error", c.passes))
			if said := r.said(); len(said) != 1 || !strings.Contains(said[0], "next prompt") {
				t.Errorf("have %q", said)
			}
			r.pass(6 * time.Hour)
			if got := r.woken(); got != "" || !r.Loop("s").Active() {
				t.Errorf("woken with %q; the loop runs: %t", got, r.Loop("s").Active())
			}
		})
	}
}

// TestRestLoop checks that a loop waits for a background shell for a limited time, in a print
// session too.
func TestRestLoop(t *testing.T) {
	for _, attended := range []bool{true, false} {
		r := newRig(t)
		r.rules.ShellsFor = 2 * time.Minute
		r.restart()
		r.loops(attended)
		if out := r.stopsWith("s", "1"); out.Rests == nil || out.Rule != turn.Background {
			t.Errorf("it does not rest: decided by %s", out.Rule)
		}
		bound, want := 20*time.Second, core.End
		if attended {
			bound, want = 2*time.Minute, core.Wait
		}
		r.pass(bound - time.Second)
		if got := r.woken(); got != "" {
			t.Errorf("woken too early: %q", got)
		}
		r.pass(time.Second)
		if got := r.woken(); !strings.Contains(got, "background shell still runs") {
			t.Errorf("after %v: %q", bound, got)
		}
		out, err := r.Stop(core.Stopping{
			Session: "s", Shells: []string{"2"}, Loop: loop.Stopping{Background: []string{"sleep (2)"}},
		})
		r.ok(err)
		if out.Rests != nil || !strings.Contains(out.Block, "sleep (2)") {
			t.Errorf("the next stop: %+v", out)
		}
		if got := r.woken(); got != "" {
			t.Errorf("woken twice: %q", got)
		}
		r.ok(r.CancelLoop("s", "Ann", "web"))
		if got := r.waiter("w"); got != want {
			t.Errorf("without a loop the hook of a session (attended: %t) is told to %s", attended, got)
		}
	}
}

// TestClear checks that a cleared conversation ends its loop. Another conversation can be
// resumed, and its loop goes on.
func TestClear(t *testing.T) {
	for why, goesOn := range map[string]bool{"clear": false, "prompt_input_exit": true, "other": true} {
		r := newRig(t)
		r.pair()
		r.loops(true)
		r.ok(r.EndSession("s", why))
		if l := r.Loop("s"); l.Active() != goesOn || !goesOn && l.Ended.Verdict != loop.Cancelled {
			t.Errorf("%s: %+v", why, l.Ended)
		}
		if said := r.said(); len(said) > 0 == goesOn || !goesOn && !strings.Contains(said[0], "cancelled by /clear") {
			t.Errorf("%s: the person reads %q", why, said)
		}
	}
}

// TestLeft checks that the person is told once of a print session that ends before its loop.
func TestLeft(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.loops(false)
	for range 2 {
		r.ok(r.EndSession("s", "its client is gone"))
		_, err := r.See(session.Sighting{ID: "s", Starts: true, State: session.Idle})
		r.ok(err)
	}
	if said := r.said(); len(said) != 1 || !strings.Contains(said[0], "The client ended") ||
		!strings.Contains(said[0], "goes on with the session's next prompt") {
		t.Errorf("the person reads %q", said)
	}
	if !r.Loop("s").Active() {
		t.Error("the loop does not wait for it")
	}
}

func TestSeeShells(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	for i, c := range []struct {
		shells []string
		fresh  bool
	}{
		{nil, false}, {[]string{"1"}, true}, {[]string{"1"}, false}, {[]string{"1", "2"}, true}, {[]string{"2"}, false},
		{nil, false}, {[]string{"1"}, true},
	} {
		if out := r.stopsWith("s", c.shells...); (out.Rule == turn.Background) != c.fresh {
			t.Errorf("step %d: decided by %s", i, out.Rule)
		}
	}
}

func TestJournalWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		head := r.head()
		got := make(chan []event.Event, 1)
		go func() {
			events, err := r.Journal(t.Context(), head, 10, "", false)
			if err != nil {
				t.Error(err)
			}
			got <- events
		}()
		synctest.Wait()
		r.ok(r.Note(event.Refused, "s", "answer", "x"))
		if events := <-got; len(events) != 1 || events[0].Subject != "answer" {
			t.Errorf("have %+v", events)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if events, err := r.Journal(ctx, head+1, 10, "", false); len(events) != 0 || err != nil {
			t.Errorf("have %+v, %v", events, err)
		}
		if n, broken, _, err := r.Verify(); n != head+1 || broken != 0 || err != nil {
			t.Errorf("the chain: %d, %d, %v", n, broken, err)
		}
		r.store.Close()
	})
}

// TestNewestOfClient: a client that has begun another conversation is in that one.
func TestNewestOfClient(t *testing.T) {
	r := newRig(t)
	for _, id := range []session.ID{"b", "a", "c"} { // of one client, see see
		r.see(id, "/p")
		r.pass(time.Minute)
		if v, ok := r.OfClient(101); !ok || v.ID != id {
			t.Errorf("the client is in %q, want %s", v.ID, id)
		}
	}
}
