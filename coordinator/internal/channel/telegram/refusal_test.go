package telegram

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

// failing waits until the channel says that it fails in these words.
func (r *rig) failing(words string) {
	r.Helper()
	r.eventually("failing: "+words, func() bool { return strings.Contains(r.ch.Status().Failing, words) })
}

// TestRefusedCardIsNotLost checks that a card which the chat of the person refuses waits, that this is said, and
// that it is sent as soon as the chat works, also after a restart.
func TestRefusedCardIsNotLost(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		refuse func(r *rig)
		words  string
		fix    string
		mend   func(r *rig)
	}{
		{"blocked, then /start", func(r *rig) { r.ann.Block() }, "blocked", "sends it /start",
			func(r *rig) { r.ann.Say(r.ann.ID, "/start") }},
		{"blocked, then unblocked", func(r *rig) { r.ann.Block() }, "blocked", "/start",
			func(r *rig) { r.ann.Unblock() }},
		{"blocked, and the news is lost", func(r *rig) {
			r.api.FailNext("sendMessage", 403, "Forbidden: bot was blocked by the user", 0)
		}, "bot was blocked by the user", "unblocks the bot", func(r *rig) { r.ann.Say(r.ann.ID, "hello") }},
		{"unknown chat", func(r *rig) { r.ann.Forget() }, "chat not found", "/start",
			func(r *rig) { r.ann.Say(r.ann.ID, "/start") }},
		{"deactivated", func(r *rig) {
			r.api.FailNext("sendMessage", 403, "Forbidden: user is deactivated", 0)
		}, "user is deactivated", "afar telegram pair", func(*rig) {}},
		{"no rights, then a later success", func(r *rig) {
			r.api.FailNext("sendMessage", 400, "Bad Request: not enough rights to send text messages to the chat", 0)
			r.api.FailNext("sendMessage", 400, "Bad Request: not enough rights to send text messages to the chat", 0)
		}, "not enough rights", "let the bot send messages", func(*rig) {}},
		{"unknown words, for all texts", func(r *rig) {
			r.api.FailNext("sendMessage", 400, "Bad Request: SOMETHING_NEW", 0)
			r.api.FailNext("sendMessage", 400, "Bad Request: SOMETHING_NEW", 0)
		}, "SOMETHING_NEW", "/start", func(*rig) {}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.pair()
			r.idle()
			test.refuse(r)
			r.ask("a1", "git push")
			r.failing(test.words)
			if fix := r.ch.Status().Fix; !strings.Contains(fix, test.fix) {
				t.Errorf("the fix is %q", fix)
			}
			told, err := r.core.Newest([]event.Kind{event.TelegramFailing}, 0, 10)
			if err != nil || len(told) == 0 || !strings.Contains(told[len(told)-1].Text, test.words) {
				t.Errorf("the journal says %+v, %v", told, err)
			}
			if strings.Contains(test.name, "/start") {
				r.restart()
				r.failing(test.words)
			}
			test.mend(r)
			r.await("git push")
			r.eventually("the channel works", func() bool { return r.ch.Status().Failing == "" })
		})
	}
}

// TestRefusedCardThatWasSettled checks that a question which was answered elsewhere meanwhile is not shown late.
func TestRefusedCardThatWasSettled(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	r.ann.Block()
	a := r.ask("a1", "git push")
	// The card itself was refused, not only a message before it: a card that waits for its turn was read already.
	_, err := r.api.AwaitCall(r.ctx, func(c botapi.Call) bool { return strings.Contains(c.Params["text"], "git push") })
	if err != nil {
		t.Fatal(err)
	}
	r.failing("blocked")
	if _, err := r.core.CancelAsk(a.ID, "Esc"); err != nil {
		t.Fatal(err)
	}
	r.ask("a2", "make all")
	r.ann.Say(r.ann.ID, "/start")
	r.await("make all")
	for _, m := range r.api.Messages(r.ann.ID) {
		if strings.Contains(m.Text, "git push") {
			t.Errorf("sent late: %q", m.Text)
		}
	}
}

// TestRefusalOfOneCard checks that a card whose text Telegram does not take is told in plain words, and that the
// cards behind it are sent.
func TestRefusalOfOneCard(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	r.api.FailNext("sendMessage", 400, "Bad Request: SOMETHING_NEW", 0)
	r.ask("a1", "git push")
	r.await("Telegram does not take its card")
	r.ask("a2", "make all")
	r.await("make all")
	if text := r.ch.Status().Failing; text != "" {
		t.Errorf("the channel fails: %s", text)
	}
}

// TestStrangersRefusal checks that what the chat of a stranger refuses does not stop the channel.
func TestStrangersRefusal(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	eve := r.api.User(66, "Eve")
	r.api.Stop()
	eve.Say(eve.ID, "hello")
	eve.Block()
	if err := r.api.Start(); err != nil {
		t.Fatal(err)
	}
	r.settled()
	r.card("a1", "git push")
	if text := r.ch.Status().Failing; text != "" {
		t.Errorf("the channel fails: %s", text)
	}
}

// TestPersonLeavesTheGroup checks that nothing more is shown in a group after its person has left, however that
// becomes known, and that all is shown when they are back.
func TestPersonLeavesTheGroup(t *testing.T) {
	t.Parallel()
	groups := map[string]func(r *rig) *botapi.Chat{
		"forum": func(r *rig) *botapi.Chat { return r.api.Forum(900, "Ann's machines") },
		"group": func(r *rig) *botapi.Chat { return r.api.Group(900, "Ann's machines") },
	}
	for name, group := range groups {
		for _, missed := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				c := r.pairedIn(group(r))
				r.session("s1")
				r.idle()
				if missed {
					r.close()
				}
				r.ann.Leave(c)
				if missed { // Telegram keeps an update for a day
					r.api.DropUpdates()
					r.open()
					r.run()
					r.ask("a1", "git push") // it finds out before it sends
				}
				r.failing("Ann has left the group")
				if !missed {
					r.ask("a1", "git push")
				}
				r.ask("a2", "make all")
				r.settled()
				for _, m := range r.api.Messages(c.ID) {
					if strings.Contains(m.Text, "git push") || strings.Contains(m.Text, "make all") {
						t.Errorf("shown to the others: %q", m.Text)
					}
				}
				r.ann.Join(c)
				r.awaitIn(c.ID, "git push")
				r.awaitIn(c.ID, "make all")
				r.eventually("the channel works", func() bool { return r.ch.Status().Failing == "" })
			})
		}
	}
}

// TestPersonLeavesAndPairsElsewhere checks that what waits goes to the person's new chat.
func TestPersonLeavesAndPairsElsewhere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := r.pairedIn(r.api.Forum(900, "Ann's machines"))
	r.idle() // a message that arrives says that the chat works
	r.ann.Leave(c)
	r.failing("Ann has left the group")
	r.ask("a1", "git push")
	r.pair()
	r.awaitIn(r.ann.ID, "git push")
	if text := r.ch.Status().Failing; text != "" {
		t.Errorf("the channel fails: %s", text)
	}
}

// TestBotIsRemoved checks that a bot that was removed from its group says so at once, and goes on when it is back.
func TestBotIsRemoved(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := r.pairedIn(r.api.Group(900, "Ann's machines"))
	r.session("s1")
	r.idle() // a message that arrives says that the chat works
	c.Remove(r.ann)
	r.failing("the bot was removed from the group of Ann")
	r.ask("a1", "git push")
	r.restart()
	r.failing("bot")
	c.Readmit(r.ann)
	r.awaitIn(c.ID, "git push")
	r.eventually("the channel works", func() bool { return r.ch.Status().Failing == "" })
}

// TestRefusalIsToldElsewhere checks that the other channels tell of a refusal, once.
func TestRefusalIsToldElsewhere(t *testing.T) {
	t.Parallel()
	r := newStillRig(t)
	r.close()
	r.others = []string{"page"}
	r.open()
	if _, err := r.ch.Connect(r.ctx, r.api.Token(), r.api.URL()); err != nil {
		t.Fatal(err)
	}
	r.run()
	r.pair()
	pair := func(a channel.Account, _ time.Time) channel.Change {
		a.Person = &channel.Person{ID: "user", Address: "page", Name: "Ann"}
		return channel.Change{Account: &a}
	}
	if err := r.core.ChangeAccount(channel.Act{Channel: "page"}, pair); err != nil {
		t.Fatal(err)
	}
	r.ann.Block()
	r.failing("blocked")
	r.ask("a1", "git push")
	r.eventually("some attempts", func() bool { return strings.Count(r.log.String(), "action refused") > 1 })
	var told []string
	for {
		a, ok, _, err := r.store.Due("page", r.now(), time.UnixMilli(0), "")
		if err != nil || !ok {
			break
		}
		if a.Kind == core.ActNotice {
			told = append(told, a.Data)
		}
		if err := r.store.Done(a, ""); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "Ann has blocked the bot") || !strings.Contains(told[0], "/start") {
		t.Errorf("the page was told %q", told)
	}
}

// TestSilencedBot checks that a right which no update tells of is found out by a later attempt, without noise.
func TestSilencedBot(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := r.pairedIn(r.api.Group(900, "Ann's machines"))
	r.idle()
	c.Silence(true)
	r.ask("a1", "git push")
	r.failing("not enough rights")
	for range 3 { // the person is heard, which is no proof
		r.ann.Say(c.ID, "/status@afar_standin_bot")
		r.settled()
	}
	c.Silence(false)
	r.awaitIn(c.ID, "git push")
	told, err := r.core.Newest([]event.Kind{event.TelegramFailing}, 0, 10)
	if err != nil || len(told) != 1 {
		t.Errorf("the journal says %+v, %v", told, err)
	}
}
