package core_test

import (
	"errors"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// TestActIsWhole: what an operation changes for an act, the end of the update and the reply are one commit.
// After an error nothing of it is there, in memory or on the disk.
func TestActIsWhole(t *testing.T) {
	r := newRig(t)
	act := channel.Act{Channel: phone, Update: 7, At: "here"}
	wrong := errors.New("the reply cannot be made")
	for _, fails := range []error{wrong, nil} {
		r.receive(7)
		err := r.Act(act, func(one *feature.Core) (channel.Settlement, error) {
			r.ok(one.SetAway("", session.On, 0))
			r.ok(one.Pause(true))
			_, err := one.See(session.Sighting{ID: "new", Cwd: "/tmp", Hooked: true})
			r.ok(err)
			if _, err := one.Session("new"); err != nil || !one.Settings().Paused {
				t.Errorf("an act does not see what it has changed: %v", err)
			}
			return channel.Settlement{Text: "paused"}, fails
		})
		if !errors.Is(err, fails) {
			t.Fatalf("the act: %v, want %v", err, fails)
		}
		for _, when := range []string{"in memory", "after a restart"} {
			_, err := r.Session("new")
			known, left, set := err == nil, r.left(), r.Settings()
			if known != (fails == nil) || set.Paused != known || (set.Away.Mode == session.On) != known || (left == 0) != known {
				t.Errorf("%s, with the error %v: the session is known: %t, %d updates wait, %+v", when, fails, known, left, set)
			}
			if !known {
				r.ok(r.KeepReceived())
			}
			r.restart()
		}
		if told := r.drain(phone); len(told) != btoi(fails == nil) {
			t.Errorf("with the error %v the channel tells %+v", fails, told)
		}
	}
}

// TestFailedActWakes: an act that fails takes no wake-up from what was changed before it.
func TestFailedActWakes(t *testing.T) {
	r := newRig(t)
	r.see("s", "/w")
	sub := r.Subscribe(core.OfSession("s"))
	defer sub.Close()
	_, err := r.Stop(core.Stopping{Session: "s"}) // it wakes nobody before Publish
	r.ok(err)
	wrong := errors.New("wrong")
	err = r.Act(channel.Act{Channel: phone}, func(one *feature.Core) (channel.Settlement, error) {
		r.ok(one.Pause(true))
		return channel.Settlement{}, wrong
	})
	if !errors.Is(err, wrong) {
		t.Fatalf("the act: %v", err)
	}
	r.Publish()
	select {
	case <-sub.C:
	default:
		t.Error("who waits for the session is not woken")
	}
}

func btoi(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
