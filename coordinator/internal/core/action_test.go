package core_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// A lane records what its worker was given, with the time since the start. It answers each
// call from a list, and then with success.
type lane struct {
	start   time.Time
	answers []error
	seen    []string
	hook    func(a store.Action) // called in the middle of the work
}

func (l *lane) handle(_ context.Context, a store.Action) error {
	l.seen = append(l.seen, fmt.Sprintf("%s=%s/%d %s", a.Key, a.Data, a.Gen, time.Since(l.start)))
	if l.hook != nil {
		l.hook(a)
	}
	if len(l.answers) == 0 {
		return nil
	}
	err := l.answers[0]
	l.answers = l.answers[1:]
	return err
}

func (r *rig) act(key, data string) {
	r.t.Helper()
	b := store.Batch{Actions: []store.Action{{Key: key, Lane: "l", Kind: "k", Data: data, Due: r.time()}}}
	r.ok(r.Commit(b))
}

// bubble runs f with a rig whose clock is the bubble's and with a worker of lane l.
func bubble(t *testing.T, l *lane, f func(r *rig)) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.clock = time.Now
		l.start = time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		go r.Work(ctx, "l", l.handle)
		f(r)
		cancel()
		synctest.Wait()
		r.store.Close()
	})
}

func TestWork(t *testing.T) {
	l := &lane{}
	bubble(t, l, func(r *rig) {
		synctest.Wait() // nothing to do yet
		r.act("a", "1")
		r.act("b", "2")
		synctest.Wait()
		r.act("a", "3")
		synctest.Wait()
		r.same("order", []string{"a=1/1 0s", "b=2/1 0s", "a=3/2 0s"}, l.seen)
	})
}

func TestWorkRetries(t *testing.T) {
	no := errors.New("no network")
	l := &lane{answers: []error{no, no, no, no, no, no, no, &core.Delay{After: 7 * time.Second, Err: no},
		fmt.Errorf("x: %w", &core.Delay{After: time.Hour, Err: no})}}
	bubble(t, l, func(r *rig) {
		r.act("a", "")
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		want := []string{"0s", "1s", "3s", "7s", "15s", "31s", "1m1s", "1m31s", "1m38s", "1h1m38s"}
		for i, at := range want {
			want[i] = "a=/1 " + at
		}
		r.same("times", want, l.seen)
	})
}

// TestWorkGoesOn checks that an action that waits does not delay the next one.
func TestWorkGoesOn(t *testing.T) {
	l := &lane{answers: []error{errors.New("no")}}
	bubble(t, l, func(r *rig) {
		r.act("a", "")
		r.act("b", "")
		time.Sleep(time.Minute)
		synctest.Wait()
		r.same("order", []string{"a=/1 0s", "b=/1 0s", "a=/1 1s"}, l.seen)
	})
}

func TestWorkGivesUp(t *testing.T) {
	l := &lane{answers: []error{core.GiveUp(errors.New("no such chat"))}}
	bubble(t, l, func(r *rig) {
		r.act("a", "")
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		r.same("tries", []string{"a=/1 0s"}, l.seen)
		r.act("a", "new")
		synctest.Wait()
		r.same("written again", []string{"a=/1 0s", "a=new/2 24h0m0s"}, l.seen)
	})
}

// TestWorkWrittenAgain checks that an action that changes while it runs is done once more,
// however often it changed.
func TestWorkWrittenAgain(t *testing.T) {
	for name, answer := range map[string][]error{"done": nil, "given up": {core.GiveUp(errors.New("x"))}} {
		t.Run(name, func(t *testing.T) {
			l := &lane{answers: answer}
			bubble(t, l, func(r *rig) {
				l.hook = func(a store.Action) {
					if a.Gen == 1 {
						r.act("a", "2")
						r.act("a", "3")
					}
				}
				r.act("a", "1")
				time.Sleep(time.Hour)
				synctest.Wait()
				r.same("runs", []string{"a=1/1 0s", "a=3/3 0s"}, l.seen)
			})
		})
	}
}

// TestWorkIsHeld checks that nothing is sent before the time that the other side asks for,
// except the answer to a tap.
func TestWorkIsHeld(t *testing.T) {
	l := &lane{answers: []error{&core.Delay{After: 20 * time.Second, Err: errors.New("429")}}}
	bubble(t, l, func(r *rig) {
		r.act("a", "1")
		time.Sleep(time.Second)
		synctest.Wait()
		r.act("a", "2")
		r.act("b", "1")
		r.ok(r.Commit(store.Batch{Actions: []store.Action{{
			Key:  "tap",
			Lane: "l",
			Kind: core.ActTap,
			Data: "1",
			Due:  time.Now(),
		}}}))
		time.Sleep(time.Minute)
		synctest.Wait()
		r.same("runs", []string{"a=1/1 0s", "tap=1/1 1s", "b=1/1 20s", "a=2/2 20s"}, l.seen)
	})
}

// TestWorkAfterCrash checks that a coordinator that died after an action, but before it
// recorded that, repeats the action.
func TestWorkAfterCrash(t *testing.T) {
	l := &lane{}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.clock = time.Now
		l.start = time.Now()
		r.act("a", "1")
		ctx, cancel := context.WithCancel(t.Context())
		l.hook = func(store.Action) { r.store.Close() } // dead: the note is lost
		go r.Work(ctx, "l", l.handle)
		synctest.Wait()
		cancel()
		synctest.Wait()
		l.hook = nil
		r.open()
		ctx, cancel = context.WithCancel(t.Context())
		go r.Work(ctx, "l", l.handle)
		time.Sleep(time.Hour)
		synctest.Wait()
		r.same("runs", []string{"a=1/1 0s", "a=1/1 0s"}, l.seen)
		cancel()
		synctest.Wait()
		r.store.Close()
	})
}

// TestWorkStops checks that an action that was interrupted by the shutdown does not count as a
// failure and is due at the next start.
func TestWorkStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.clock = time.Now
		r.act("a", "")
		ctx, cancel := context.WithCancel(t.Context())
		go r.Work(ctx, "l", func(ctx context.Context, _ store.Action) error { <-ctx.Done(); return ctx.Err() })
		synctest.Wait()
		cancel()
		synctest.Wait()
		if a, ok, _, err := r.store.Due("l", time.Now(), time.UnixMilli(0), ""); !ok || err != nil || a.Tries != 0 {
			t.Errorf("have %+v, %t, %v", a, ok, err)
		}
		r.store.Close()
	})
}

func TestWorkWithoutStore(t *testing.T) {
	l := &lane{}
	bubble(t, l, func(r *rig) {
		r.store.Close()
		time.Sleep(time.Minute) // a hot loop would never let time pass
		synctest.Wait()
		if len(l.seen) != 0 {
			t.Errorf("have %v", l.seen)
		}
	})
}

// press returns a tap by Ada on the card of an ask.
func press(update int64, nonce string, allow bool) core.Press {
	return core.Press{
		Act:     channel.Act{Channel: phone, Update: update, At: "6", Tap: fmt.Sprint("q", update)},
		Message: "70", Nonce: nonce,
		Decision: ask.Decision{Allow: allow, By: "Ada", Channel: phone},
	}
}

// did carries out what Ada did, and returns what she is told.
func (r *rig) did(p core.Press, do func(*feature.Core, core.Press) (core.Told, error)) error {
	return r.Act(p.Act, func(one *feature.Core) (out channel.Settlement, err error) {
		told, err := do(one, p)
		if told.Worded != nil {
			out.Text = told.Words()
		}
		return out, err
	})
}

func (r *rig) press(p core.Press) error { return r.did(p, (*feature.Core).Press) }

func (r *rig) write(p core.Press) error { return r.did(p, (*feature.Core).Written) }

func (r *rig) receive(ids ...int64) {
	r.t.Helper()
	for _, id := range ids {
		r.ok(r.Receive([]channel.Update{{Channel: phone, ID: id, Body: []byte("{}")}}))
	}
}

func (r *rig) left() int {
	r.t.Helper()
	got, err := r.Received(phone)
	r.ok(err)
	return len(got)
}

// said returns the texts that are due to go out.
func (r *rig) said() (out []string) {
	for _, a := range r.drain(phone) {
		if a.Kind != core.ActCard {
			out = append(out, a.Kind+" "+a.Data)
		}
	}
	return out
}

func TestPress(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	r.ok(r.SetAway("", session.On, 0))
	a := r.openAsk(newAsk("a", "x"))
	r.receive(10, 11, 12)
	r.drain(phone)
	head := r.head()
	r.ok(r.press(press(10, a.Nonce, true)))
	r.same("told", []string{`tap {"tap":"q10","text":"Allowed. The card will say how it turned out."}`}, r.said())
	r.ok(r.press(press(10, a.Nonce, true))) // dealt with again after a crash
	r.ok(r.press(press(11, a.Nonce, false)))
	r.same("journal", []string{"ask.answered a"}, r.kinds(head))
	if a := r.state("a", ask.Answered); !a.Decision.Allow || a.Decision.Channel != phone {
		t.Errorf("the decision is %+v", a.Decision)
	}
	late := fmt.Sprintf("Too late: allowed by Ada at %s.", t0.Format("15:04:05"))
	r.same("told later", []string{`tap {"tap":"q10","text":"` + late + `"}`, `tap {"tap":"q11","text":"` + late + `"}`},
		r.said())
	cards, err := r.Copies(phone, "a")
	if err != nil || len(cards) != 1 || cards[0].Message != "70" {
		t.Errorf("the card is not adopted: %+v, %v", cards, err)
	}
	r.ok(r.press(press(12, "0123456789abcdef", true)))
	unknown := `tap {"tap":"q12","text":"This question is no longer known. Nothing was changed."}`
	r.same("an unknown button", []string{unknown}, r.said())
	if r.left() != 0 {
		t.Errorf("%d updates are left", r.left())
	}
}

func TestPressDenies(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	a := r.openAsk(newAsk("a", "x"))
	r.ok(r.press(press(10, a.Nonce, false)))
	r.same("told", []string{`tap {"tap":"q10","text":"Denied."}`}, r.said())
	if a := r.state("a", ask.Answered); a.Decision.Allow {
		t.Error("a No became a Yes")
	}
}

// TestPressIsAtomic checks that a tap whose commit fails is handled again.
func TestPressIsAtomic(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	a := r.openAsk(newAsk("a", "x"))
	r.receive(10)
	r.raw(`CREATE TRIGGER no BEFORE UPDATE ON inbox BEGIN SELECT RAISE(ABORT, 'forced'); END`)
	if err := r.press(press(10, a.Nonce, true)); err == nil {
		t.Error("it says that it is done")
	}
	r.state("a", ask.Open)
	if r.left() != 1 || len(r.said()) != 0 {
		t.Error("something of it was done")
	}
	r.raw(`DROP TRIGGER no`)
	r.restart()
	r.ok(r.press(press(10, a.Nonce, true)))
	r.state("a", ask.Answered)
}

// TestReply answers a card with a text.
func TestReply(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	a := r.openAsk(newAsk("a", "x"))
	r.ok(r.Sent(store.Action{}, channel.Copy{Ask: "a", Channel: phone, Message: "70"}))
	for i, c := range []struct {
		channel string
		message channel.MessageID
		nonce   string
		found   bool
	}{
		{phone, "71", "", false}, {"page", "70", "", false}, {phone, "", "ffff", false}, {phone, "70", "", true},
		{phone, "99", a.Nonce, true},
	} {
		p := press(int64(20+i), c.nonce, false)
		p.Channel, p.Message, p.Tap = c.channel, c.message, ""
		found, err := r.IsAnswer(p)
		if found {
			err = r.press(p)
		}
		if found != c.found || err != nil {
			t.Errorf("%+v: %t, %v", c, found, err)
		}
	}
	r.state("a", ask.Answered)
	r.same("told", []string{`say {"to":"6","text":"Denied."}`,
		`say {"to":"6","text":"Too late: denied by Ada at 12:00:00."}`}, r.said())
	if cards, err := r.Copies(phone, "a"); err != nil || len(cards) != 2 {
		t.Errorf("cards %+v, %v", cards, err)
	}
}

func TestAcknowledge(t *testing.T) {
	r := newRig(t)
	r.receive(1, 2)
	r.ok(r.Acknowledge(channel.Act{Channel: phone, Update: 1}, ""))
	r.ok(r.Acknowledge(channel.Act{Channel: phone, Update: 2, At: "6"}, "hello"))
	r.same("told", []string{`say {"to":"6","text":"hello"}`}, r.said())
	if r.left() != 0 {
		t.Errorf("%d updates are left", r.left())
	}
}
