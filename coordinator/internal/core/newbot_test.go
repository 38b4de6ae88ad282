package core_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// TestPairedLate checks that a question that was opened before anybody was paired is shown to
// the person who pairs.
func TestPairedLate(t *testing.T) {
	r := newRig(t)
	if err := r.SetAway("", session.On, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := r.OpenCovered(ask.Ask{
		ID:       "ask_1",
		Kind:     ask.Permission,
		Session:  "s",
		Tool:     "Bash",
		Hash:     "0123456789",
		Attended: true,
	}, grant.Need{}); err != nil {
		t.Fatal(err)
	}
	act := channel.Act{Channel: phone, Update: 1, At: "7"}
	r.ok(r.ChangeAccount(act, func(a channel.Account, now time.Time) channel.Change {
		a.Person = &channel.Person{ID: "7", Address: "7", Name: "Ann", At: now}
		return channel.Change{Account: &a, Settle: "welcome", Show: true}
	}))
	var done []string
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.Work(ctx, phone, func(_ context.Context, a store.Action) error {
		if done = append(done, a.Kind); len(done) == 2 {
			cancel()
		}
		return nil
	})
	if !slices.Contains(done, core.ActCard) {
		t.Errorf("the new person is shown %v, not the open question", done)
	}
}

// TestNewBot connects another bot, whose update ids begin lower. They must not be taken for
// those of the old bot.
func TestNewBot(t *testing.T) {
	r := newRig(t)
	update := []channel.Update{{Channel: phone, ID: 5, Body: []byte(`{"update_id":5}`)}}
	for _, bot := range []string{"first", "second"} {
		r.ok(r.ChangeAccount(channel.Act{Channel: phone}, func(a channel.Account, _ time.Time) channel.Change {
			a.Speaker = bot
			return channel.Change{Account: &a, Anew: true}
		}))
		if err := r.Receive(update); err != nil {
			t.Fatal(err)
		}
		got, err := r.Received(phone)
		if err != nil || len(got) != 1 {
			t.Fatalf("%s: %v %v", bot, got, err)
		}
		if err := r.Acknowledge(channel.Act{Channel: phone, Update: 5}, ""); err != nil {
			t.Fatal(err)
		}
	}
}
