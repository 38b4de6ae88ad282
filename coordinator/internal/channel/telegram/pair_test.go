package telegram

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

func TestPairing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"/start 123456", "/start@afar_standin_bot 123456", "  /START   123 456 "} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			if _, _, err := r.ch.StartPairing(); err != nil {
				t.Fatal(err)
			}
			r.ann.Say(r.ann.ID, text)
			r.await("Paired with Ann")
			if p := r.core.Person(Name); !isPerson(p, r.ann.ID, r.ann.ID) || p.Name != "Ann" {
				t.Errorf("person is %+v", p)
			}
		})
	}
}

func TestPairingRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		act  func(r *rig)
		want string // in the answer; "" is no answer at all
	}{
		{"expired", func(r *rig) {
			r.later.Store(int64(11 * time.Minute))
			r.ann.Say(r.ann.ID, "/start "+code)
		}, "Not paired yet"},
		{"wrong", func(r *rig) { r.ann.Say(r.ann.ID, "/start 654321") }, "That is not the code"},
		{"without the command", func(r *rig) { r.ann.Say(r.ann.ID, code) }, "Not paired yet"},
		{"another command", func(r *rig) { r.ann.Say(r.ann.ID, "/pair "+code) }, "Not paired yet"},
		{"to another bot of the group", func(r *rig) { r.ann.Say(r.api.Group(5, "all").ID, "/start@other_bot "+code) },
			""},
		{"without the command in a group", func(r *rig) { r.ann.Say(r.api.Forum(5, "all").ID, code) }, ""},
		{"forwarded", func(r *rig) { r.ann.Forward(r.ann.ID, "Eve", "/start "+code) }, "Not paired yet"},
		{"edited into a code", func(r *rig) {
			id := r.ann.Say(r.ann.ID, "hello")
			if err := r.ann.Edit(id, "/start "+code); err != nil {
				r.Fatal(err)
			}
		}, "Not paired yet"},
		{"posted in a channel", func(r *rig) { r.api.Channel(6, "news").Post("/start " + code) }, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			if _, _, err := r.ch.StartPairing(); err != nil {
				t.Fatal(err)
			}
			if test.want == "" {
				r.quietly(test.name, func() { test.act(r) })
			} else {
				test.act(r)
				r.await(test.want)
				r.settled()
			}
			if p := r.core.Person(Name); p != nil {
				t.Errorf("paired with %+v", p)
			}
		})
	}
}

func TestFiveWrongCodesKillTheRightOne(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if _, _, err := r.ch.StartPairing(); err != nil {
		t.Fatal(err)
	}
	r.ann.Say(r.ann.ID, "/start") // what the app sends by itself is no wrong code
	for i := range 4 {
		r.ann.Say(r.ann.ID, fmt.Sprintf("/start 00000%d", i))
	}
	r.settled()
	if !r.core.Account(Name).Pairing.Waiting(r.now()) {
		t.Fatal("four wrong codes killed the right one")
	}
	r.api.User(12, "Bob").Say(12, "/start 000005")
	r.ann.Say(r.ann.ID, "/start "+code)
	r.settled()
	if r.core.Person(Name) != nil {
		t.Error("a dead code paired")
	}
}

func TestStrangerIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	eve := r.api.User(66, "Eve")
	for range 3 {
		eve.Say(eve.ID, "/status")
		eve.Sticker(eve.ID)
		eve.Say(eve.ID, "/start 1")
	}
	r.await("belongs to somebody")
	r.settled()
	r.ann.Say(r.ann.ID, "/status") // the lane is in order: after it nothing of Eve's is due
	r.await("away: ")
	if sent := r.api.Messages(eve.ID); len(sent) != 1 {
		t.Errorf("answered %d times: %+v", len(sent), sent)
	}
	if !isPerson(r.core.Person(Name), r.ann.ID, r.ann.ID) {
		t.Error("a stranger changed the person")
	}
}

// A person who starts the bot again, or with an old code, is not a stranger.
func TestPeerStartsAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	r.ann.Say(r.ann.ID, "/start "+code)
	r.await("Tap Allow or Deny")
	for _, m := range r.api.Messages(r.ann.ID) {
		if strings.Contains(m.Text, "belongs to somebody") {
			t.Errorf("the person was told %q", m.Text)
		}
	}
}

func TestPeerPairsAnew(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	bob := r.api.User(12, "Bob")
	if _, _, err := r.ch.StartPairing(); err != nil {
		t.Fatal(err)
	}
	bob.Say(bob.ID, "/start "+code)
	r.await("Paired with Bob")
	_, m := r.card("a1", "make it so")
	if m.Chat != bob.ID {
		t.Errorf("the card went to %d", m.Chat)
	}
	r.ann.Say(r.ann.ID, "/status")
	r.await("belongs to somebody")
}

// An open question moves to the person who is paired now. The former person gets no more
// messages.
func TestCardMovesToTheNewPeer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, old := r.card("a1", "git push")
	bob := r.api.User(12, "Bob")
	if _, _, err := r.ch.StartPairing(); err != nil {
		t.Fatal(err)
	}
	bob.Say(bob.ID, "/start "+code)
	r.await("Paired with Bob")
	var card botapi.Message
	r.eventually("a card for Bob", func() bool {
		for _, m := range r.api.Messages(bob.ID) {
			if len(m.Keyboard) > 0 {
				card = m
			}
		}
		return card.ID != 0
	})
	r.tap(r.ann, old.ID, "Allow")
	r.settled()
	if got := r.state(a.ID); got.State != ask.Open {
		t.Errorf("who was paired decided: %+v", got.Decision)
	}
	r.awaitAnswer(r.tap(bob, card.ID, "Deny"))
	r.await("Denied by Bob")
	if m, _ := r.api.Message(old.ID); len(m.Edits) > 0 {
		t.Errorf("the old card became %q", m.Text)
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	r.ask("a1", "secret command")
	for text, want := range map[string]string{
		"/help": "Tap Allow or Deny", "/nonsense": "Tap Allow or Deny", "/status@afar_standin_bot": "Open questions: 1",
	} {
		before := len(r.api.Messages(r.ann.ID))
		r.ann.Say(r.ann.ID, text)
		r.eventually("an answer to "+text, func() bool {
			sent := r.api.Messages(r.ann.ID)
			return len(sent) > before && strings.Contains(sent[len(sent)-1].Text, want)
		})
	}
	for _, m := range r.api.Messages(r.ann.ID) {
		if strings.Contains(m.Text, "secret command") && len(m.Labels()) == 0 {
			t.Errorf("a message beside the card repeats the command: %q", m.Text)
		}
	}
	r.quietly("what carries no meaning", func() {
		r.ann.Forward(r.ann.ID, "Eve", "yes")
		r.ann.Block()
		r.ann.Unblock()
	})
}
