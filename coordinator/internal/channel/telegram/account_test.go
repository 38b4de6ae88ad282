package telegram

import (
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
)

// from returns a sender who writes or taps in a chat.
func from(update, user, chat int64, name string) sender {
	return sender{
		Act: channel.Act{Channel: Name, Update: update, At: chatAddress(chat)}, user: user, chat: chat, name: name,
	}
}

// said returns the number of texts that are due, and takes them.
func (r *rig) said() (n int) {
	r.Helper()
	for {
		a, ok, _, err := r.store.Due(Name, r.now(), time.UnixMilli(0), "")
		if err != nil {
			r.Fatal(err)
		}
		if !ok {
			return n
		}
		if a.Kind == core.ActSay {
			n++
		}
		if err := r.store.Done(a, ""); err != nil {
			r.Fatal(err)
		}
	}
}

func (r *rig) ok(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// reopen ends the coordinator and starts it again, with a channel that does not run.
func (r *rig) reopen() { r.close(); r.open() }

func TestPairByCode(t *testing.T) {
	r := newStillRig(t)
	r.ok(r.ch.pair(from(1, 5, 6, "Ada"), code))
	if r.core.Person(Name) != nil || r.said() != 1 {
		t.Error("paired without a code, or not answered")
	}
	_, p, err := r.ch.StartPairing()
	if left := time.Until(p.ExpiresAt); err != nil || left < 9*time.Minute || left > 10*time.Minute {
		t.Errorf("have %+v, %v", p, err)
	}
	for i := range int64(4) {
		r.ok(r.ch.pair(from(2+i, 66, 67, "Eve"), "000000"))
	}
	r.reopen() // wrong codes are counted across restarts
	if n := r.said(); n != 4 {
		t.Errorf("%d of 4 wrong codes are answered", n)
	}
	r.ok(r.ch.pair(from(6, 5, 6, "Ada"), code))
	p5 := r.core.Person(Name)
	if !isPerson(p5, 5, 6) || isPerson(p5, 5, 7) || isPerson(p5, 66, 6) || p5.Name != "Ada" {
		t.Errorf("have %+v", p5)
	}
	if r.ch.account().Pairing != nil {
		t.Error("the code still counts")
	}
	r.ok(r.ch.pair(from(7, 66, 67, "Eve"), code))
	if !isPerson(r.core.Person(Name), 5, 6) {
		t.Error("a used code paired somebody else")
	}
	r.reopen()
	if !isPerson(r.core.Person(Name), 5, 6) {
		t.Error("the pairing is gone")
	}
	r.ok(r.ch.noteBot("other_bot"))
	if r.core.Person(Name) != nil {
		t.Error("another bot knows the person")
	}
}

func TestPairingDies(t *testing.T) {
	for name, kill := range map[string]func(r *rig){
		"5 wrong codes": func(r *rig) {
			for i := range int64(5) {
				r.ok(r.ch.pair(from(2+i, i, 100+i, ""), "000000"))
			}
		},
		"10 minutes":   func(r *rig) { r.later.Store(int64(10 * time.Minute)) },
		"a disconnect": func(r *rig) { r.ok(r.ch.noteBot("x")); r.ok(r.ch.noteBot("")) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newStillRig(t)
			_, _, err := r.ch.StartPairing()
			r.ok(err)
			kill(r)
			r.ok(r.ch.pair(from(50, 5, 6, "Ada"), code))
			if r.core.Person(Name) != nil {
				t.Error("a dead code paired")
			}
		})
	}
}

// TestStranger checks that a stranger is answered once a day, and not without a chat.
func TestStranger(t *testing.T) {
	r := newStillRig(t)
	for i, c := range []struct {
		chat  int64
		later time.Duration
		want  int
	}{{67, 0, 1}, {67, 0, 0}, {0, 0, 0}, {67, 24 * time.Hour, 1}} {
		r.later.Store(int64(c.later))
		r.ok(r.ch.stranger(from(int64(1+i), 66, c.chat, "Eve")))
		if n := r.said(); n != c.want {
			t.Errorf("%d: answered %d times", i, n)
		}
	}
}

func TestAddresses(t *testing.T) {
	for _, want := range []room{{chat: 8}, {chat: -1001234567890}, {chat: -1001234567890, thread: 7}} {
		if got, err := parseAddress(want.address()); err != nil || got != want {
			t.Errorf("%q is %+v, %v", want.address(), got, err)
		}
	}
	if chat, id, err := parseMessageID(messageID(-5, 9)); chat != -5 || id != 9 || err != nil {
		t.Errorf("have %d, %d, %v", chat, id, err)
	}
	for _, bad := range []string{"", "/", "x", "5/", "5/x", "5/6/7", "99999999999999999999"} {
		if r, err := parseAddress(channel.Address(bad)); err == nil {
			t.Errorf("the address %q is %+v", bad, r)
		}
		if chat, id, err := parseMessageID(channel.MessageID(bad)); err == nil {
			t.Errorf("the message %q is %d, %d", bad, chat, id)
		}
	}
}
