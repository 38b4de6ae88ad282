package loop

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestStaleAt checks how long a loop may be without activity, by what it waits for.
func TestStaleAt(t *testing.T) {
	task := looping(t, "fix", func(o *Options) { o.Check, o.CheckTimeout = "make", 3*time.Hour })
	checking := mustStop(task, Stopping{Message: markComplete}, epoch).Stack
	rests, _ := Rest(task, epoch.Add(2*time.Minute), epoch)
	over := Expire(rests, epoch.Add(2*time.Minute)).Stack
	for name, tt := range map[string]struct {
		stack Stack
		want  time.Duration
	}{
		"at work":      {task, idleLimit},
		"a check runs": {checking, 3*time.Hour + idleLimit},
		"a check ran, then a refusal": {
			mustLimit(checking, "429", epoch.Add(time.Hour), epoch).Stack, time.Hour + idleLimit,
		},
		"refused for a known time": {
			mustLimit(task, "429", epoch.Add(5*time.Hour), epoch).Stack, 5*time.Hour + idleLimit,
		},
		"refused until somebody speaks": {mustLimit(task, "401", time.Time{}, epoch).Stack, pauseLimit},
		"a shell runs":                  {rests, 2*time.Minute + idleLimit},
		"a shell still runs":            {over, idleLimit},
	} {
		s := tt.stack
		if s.stale(epoch.Add(tt.want-1)) || !s.stale(epoch.Add(tt.want)) {
			t.Errorf("%s: stale at %v, want %v", name, s.staleAt().Sub(epoch), tt.want)
		}
		early := Expire(s, epoch.Add(tt.want-1)).Stack
		if !early.Active() {
			t.Errorf("%s: ended before its time: %+v", name, early.Ended)
		}
		if late := Expire(s, epoch.Add(tt.want)).Stack; late.Active() {
			t.Errorf("%s: goes on after its time", name)
		}
	}
}

// TestSilentAndOverdue checks that a loop without activity ends as expired, even if its
// deadline passed in the meantime, for example while the machine slept.
func TestSilentAndOverdue(t *testing.T) {
	s := looping(t, "fix", func(o *Options) { o.For = time.Hour })
	for after, want := range map[time.Duration]Verdict{
		time.Hour: Timeout, idleLimit - 1: Timeout, idleLimit: Expired, 9 * time.Hour: Expired,
	} {
		if o := Expire(s, epoch.Add(after)); o.Verdict != want {
			t.Errorf("after %v: %s, want %s", after, o.Verdict, want)
		}
		if o := mustStop(s, Stopping{Tools: 1}, epoch.Add(after)); o.Verdict != want {
			t.Errorf("a stop after %v: %s, want %s", after, o.Verdict, want)
		}
	}
}

// TestNextIsTheEarliest checks that Next returns the earliest time at which something changes.
func TestNextIsTheEarliest(t *testing.T) {
	task := looping(t, "fix", nil)
	timed := func(d time.Duration) Stack { return looping(t, "fix", func(o *Options) { o.For = d }) }
	for name, tt := range map[string]struct {
		stack Stack
		want  time.Duration
	}{
		"no deadline":             {task, idleLimit},
		"a deadline":              {timed(time.Hour), time.Hour},
		"a far deadline":          {timed(9 * time.Hour), idleLimit},
		"a pause":                 {mustLimit(task, "429", epoch.Add(time.Minute), epoch).Stack, time.Minute},
		"a deadline in the pause": {mustLimit(timed(time.Hour), "429", epoch.Add(3*time.Hour), epoch).Stack, time.Hour},
	} {
		if got := tt.stack.Next().Sub(epoch); got != tt.want {
			t.Errorf("%s: next after %v, want %v", name, got, tt.want)
		}
	}
}

// TestOverdueIssue checks that an issue loop ends at its deadline, and not only its task
// frame, which has the same deadline.
func TestOverdueIssue(t *testing.T) {
	s := atWork(t, looping(t, "Ship it", nil), "run", func(o *Options) { o.For = time.Hour })
	o := Expire(s, epoch.Add(time.Hour))
	if top, ok := o.Stack.Top(); !ok || top.ID != "a" || o.Verdict != Timeout {
		t.Fatalf("%q, left with %+v", o.Verdict, o.Stack.Frames)
	}
	if diff := cmp.Diff(map[string]int{"run": 1}, releasedIn(o)); diff != "" {
		t.Errorf("let go of (-want +got):\n%s", diff)
	}
	if strings.Count(o.Notify, "loop timeout") != 1 {
		t.Errorf("the person is told\n%s", o.Notify)
	}
	alone := atWork(t, Stack{}, "run", func(o *Options) { o.For = time.Hour })
	if o := Expire(alone, epoch.Add(time.Hour)); o.Stack.Active() || releasedIn(o)["run"] != 1 ||
		strings.Contains(o.Notify, "Inner") {
		t.Errorf("left with %+v, errands %+v, told\n%s", o.Stack.Frames, o.Errands, o.Notify)
	}
}

// TestOverdueChecker checks a frame whose check ran longer than its outer frame may wait. The
// outer frame is stale by then.
func TestOverdueChecker(t *testing.T) {
	s := nested(t, looping(t, "outer", nil), "b", "inner", func(o *Options) {
		o.For, o.Check, o.CheckTimeout = 3*time.Hour, "make", 6*time.Hour
	})
	s = mustStop(s, Stopping{Message: markComplete}, epoch).Stack
	if o := Expire(s, epoch.Add(3*time.Hour)); o.Stack.Active() || o.Stack.Ended.Verdict != Expired {
		t.Errorf("left with %+v, ended %+v", o.Stack.Frames, o.Stack.Ended)
	}
}

// TestLimitTellsOnce checks that refusals in a row are counted from the first one, also with
// another pause in between.
func TestLimitTellsOnce(t *testing.T) {
	s := looping(t, "fix", nil)
	rests, _ := Rest(s, epoch.Add(2*time.Minute), epoch)
	first := mustLimit(rests, "429", epoch.Add(time.Hour), epoch)
	if first.Notify == "" || first.Stack.Paused.Tries != 1 || first.Stack.Rests() {
		t.Errorf("a refusal behind a rest: %+v", first)
	}
	if rests.Paused.Note == first.Stack.Paused.Note || !rests.Rests() {
		t.Error("it wrote into its input")
	}
	again := mustLimit(first.Stack, "429", epoch.Add(2*time.Hour), epoch.Add(time.Hour))
	if p := again.Stack.Paused; again.Notify != "" || p.Tries != 2 || !p.At.Equal(epoch) {
		t.Errorf("told %q, paused %+v", again.Notify, p)
	}
}

// TestRetry checks that the wait doubles with each refusal in a row, up to an hour.
func TestRetry(t *testing.T) {
	s := looping(t, "fix", nil)
	rests, _ := Rest(s, epoch.Add(2*time.Minute), epoch)
	if got := Retry(rests, time.Minute, epoch).Sub(epoch); got != time.Minute {
		t.Errorf("behind a rest: %v", got)
	}
	for tries := range 200 {
		want := min(time.Minute<<min(tries, 10), time.Hour)
		if got := Retry(s, time.Minute, epoch).Sub(epoch); got != want {
			t.Fatalf("after %d refusals: %v, want %v", tries, got, want)
		}
		s = mustLimit(s, "429", epoch.Add(time.Minute), epoch).Stack
	}
}

// TestRest checks that a session rests once in an iteration, and that Rests is true until it
// goes on.
func TestRest(t *testing.T) {
	s := looping(t, "fix", nil)
	if s.Rests() || (Stack{}).Rests() {
		t.Error("a loop at work, or none, rests")
	}
	if _, rests := Rest(Stack{}, epoch, epoch); rests {
		t.Error("no loop can rest")
	}
	next, rests := Rest(s, epoch.Add(time.Minute), epoch)
	if !rests || !next.Rests() || s.Rested {
		t.Errorf("rests %t: %+v, before it %+v", rests, next.Paused, s)
	}
	if _, again := Rest(next, epoch.Add(time.Minute), epoch); again {
		t.Error("it rests twice in an iteration")
	}
	if refused := mustLimit(s, "429", epoch.Add(time.Hour), epoch).Stack; refused.Rests() {
		t.Error("a loop that was refused rests")
	}
	next = mustStop(next, Stopping{Tools: 1}, epoch).Stack
	if _, again := Rest(next, epoch.Add(time.Minute), epoch); next.Rests() || !again {
		t.Error("the next iteration cannot rest")
	}
}

// TestLeave checks that the person is told once that a client ended before its loop, and not
// if they know the reason already.
func TestLeave(t *testing.T) {
	s := looping(t, "Fix it", nil)
	next, text := Leave(s)
	if !strings.Contains(text, "Fix it") || !strings.Contains(text, "0/10") {
		t.Errorf("said %q", text)
	}
	if _, again := Leave(next); again != "" {
		t.Errorf("said twice: %q", again)
	}
	for name, s := range map[string]Stack{
		"none": {}, "ended": mustFail(s, "broken", epoch).Stack,
		"refused": mustLimit(s, "429", time.Time{}, epoch).Stack,
	} {
		if after, text := Leave(s); text != "" || after.Left {
			t.Errorf("%s: said %q", name, text)
		}
	}
	if _, later := Leave(mustStop(next, Stopping{Tools: 1}, epoch).Stack); later == "" {
		t.Error("it is not said of the next time")
	}
}
