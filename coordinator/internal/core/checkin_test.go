package core_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// stopped returns a session whose person is away, with its open check-in.
func (r *rig) stopped() ask.Ask {
	r.t.Helper()
	r.pair()
	r.see("s", "/home/ada/shop")
	r.ok(r.SetAway("", session.On, 0))
	hold, err := r.CheckIn(ask.NewCheckIn("c1", "s", "all green, token ghp_abcdefghijklmnopqrstuvwxyz0123456789",
		"/home/ada/shop"), session.Process{})
	r.ok(err)
	if !hold {
		r.t.Fatal("the session is not held")
	}
	a, err := r.Ask("c1")
	r.ok(err)
	return a
}

func (r *rig) reply(text string) {
	r.t.Helper()
	_, err := r.Answer("c1", ask.Decision{Message: text, By: "Ada", Channel: "terminal"})
	r.ok(err)
}

func (r *rig) deliver(delivery string) string {
	r.t.Helper()
	d, err := r.Deliver("s", delivery, session.Process{})
	r.ok(err)
	return d.Text
}

// waiter asks for a wake without waiting.
func (r *rig) waiter(name string) string {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	answer, _ := r.AwaitWake(ctx, "s", name)
	return answer
}

func TestCheckInWhen(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(r *rig)
		want    bool
	}{
		"away on":     {func(r *rig) {}, true},
		"away auto":   {func(r *rig) { r.ok(r.SetAway("", session.Auto, 0)) }, false},
		"away off":    {func(r *rig) { r.ok(r.SetAway("", session.Off, 0)) }, false},
		"away ended":  {func(r *rig) { r.ok(r.SetAway("", session.On, time.Minute)); r.pass(time.Hour) }, false},
		"off for one": {func(r *rig) { r.ok(r.SetAway("s", session.Off, 0)) }, false},
		"paused":      {func(r *rig) { r.ok(r.Pause(true)) }, false},
		"no phone":    {func(r *rig) { r.ok(r.unpair()) }, false},
		"nobody at the terminal": {func(r *rig) {
			_, err := r.See(session.Sighting{ID: "s", KnowAtt: true})
			r.ok(err)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.stopped()
			c.prepare(r)
			hold, err := r.CheckIn(ask.NewCheckIn("c2", "s", "again", "/"), session.Process{})
			r.ok(err)
			if hold != c.want {
				t.Errorf("held: %v", hold)
			}
		})
	}
}

// TestCheckInReplyLater checks a late reply: the hold ends, an hour passes and the coordinator
// dies. The reply still reaches the session once.
// TestSendFromThePhone: /send releases the session that its check-in holds, as a reply does.
func TestSendFromThePhone(t *testing.T) {
	r := newRig(t)
	r.stopped()
	m := message.Message{Session: "s", Text: "the build is red", By: "Ada", Channel: phone}
	_, _, err := r.Core.Send(m, "")
	r.ok(err)
	if a, err := r.Ask("c1"); err != nil || a.State != ask.Answered {
		t.Errorf("the check-in is %s, %v", a.State, err)
	}
	if got := r.deliver("d1"); got != "the build is red" {
		t.Errorf("the session gets %q", got)
	}
}

func TestCheckInReplyLater(t *testing.T) {
	r := newRig(t)
	a := r.stopped()
	if strings.Contains(a.Text, "ghp_abc") || !strings.Contains(a.Text, "all green") {
		t.Errorf("the card would say %q", a.Text)
	}
	r.ok(r.TakeOver("s", "w1", session.Process{}))
	if _, err := r.Release("c1"); err != nil {
		t.Fatal(err)
	}
	if v, _ := r.Session("s"); v.State != session.Idle {
		t.Errorf("after the hold the session is %s", v.State)
	}
	r.pass(time.Hour)
	r.restart()
	r.pass(time.Minute) // more than a hook has to dial again
	if got := r.waiter("w1"); got != core.Wait {
		t.Errorf("before the reply the waiter is told %q", got)
	}
	r.reply("go\n on")
	if got := r.waiter("w1"); got != core.Wake {
		t.Errorf("after the reply the waiter is told %q", got)
	}
	r.restart()
	if got := r.deliver("hook-1"); got != "go\n on" {
		t.Errorf("the session took %q", got)
	}
	r.restart()
	if got := r.deliver("hook-1"); got != "go\n on" {
		t.Errorf("the same hook, asking again, took %q", got)
	}
	if got := r.deliver("hook-2"); got != "" {
		t.Errorf("another hook took %q", got)
	}
	if a, _ = r.Ask("c1"); a.State != ask.Delivered {
		t.Errorf("the check-in is %s", a.State)
	}
	_, err := r.ComesBack("s", "hook-2")
	r.ok(err)
	if m := r.Messages(); len(m) != 1 || m[0].State != message.Done {
		t.Errorf("messages %+v", m)
	}
}

func TestCheckInExpires(t *testing.T) {
	r := newRig(t)
	r.stopped()
	r.pass(ask.CheckInFor - time.Second)
	if a, _ := r.Ask("c1"); a.State != ask.Open {
		t.Fatalf("too early: %s", a.State)
	}
	r.pass(2 * time.Second)
	if a, _ := r.Ask("c1"); a.State != ask.Expired {
		t.Errorf("it is %s", a.State)
	}
}

// TestWaiter checks that only the last waiter of a live session wakes it, and only while it is
// idle.
func TestWaiter(t *testing.T) {
	for name, c := range map[string]struct {
		act  func(r *rig)
		want string
	}{
		"idle": {func(r *rig) {}, core.Wake},
		"working": {func(r *rig) {
			_, err := r.See(session.Sighting{ID: "s", State: session.Working})
			r.ok(err)
		}, core.Wait},
		"just stopped":  {func(r *rig) { r.now = r.now.Add(-time.Minute) }, core.Wait},
		"paused":        {func(r *rig) { r.ok(r.Pause(true)) }, core.Wait},
		"taken already": {func(r *rig) { r.deliver("x") }, core.Wait},
		"another waits": {func(r *rig) { r.ok(r.TakeOver("s", "w2", session.Process{})) }, core.End},
		"ended":         {func(r *rig) { r.ok(r.EndSession("s", "exit")) }, core.End},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.stopped()
			r.ok(r.TakeOver("s", "w1", session.Process{}))
			_, err := r.Release("c1")
			r.ok(err)
			r.reply("go on")
			r.pass(time.Minute)
			c.act(r)
			if got := r.waiter("w1"); got != c.want {
				t.Errorf("the waiter is told %q, want %q", got, c.want)
			}
		})
	}
}

// TestMissed checks that the person is told of a text that its session did not get before it
// ended, and that the text is kept.
func TestMissed(t *testing.T) {
	r := newRig(t)
	r.stopped()
	r.reply("go on")
	r.ok(r.EndSession("s", "exit"))
	if a, _ := r.Ask("c1"); !a.Replied() || a.State != ask.Answered {
		t.Errorf("the check-in is %s, %s", a.State, a.Ending())
	}
	if said := strings.Join(r.told(), " "); !strings.Contains(said, "ended before it took what you wrote") {
		t.Error("nobody was told")
	}
	if got := r.deliver("resumed"); got != "go on" {
		t.Errorf("after a resume the session took %q", got)
	}
}
