package telegram

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// TestAttacks sends forged updates that must decide nothing. Two cards are open. Afterwards
// both are still open, and Ann's own tap on each counts.
func TestAttacks(t *testing.T) {
	t.Parallel()
	const private, group = `{"id":11,"type":"private"}`, `{"id":-5,"type":"supergroup","is_forum":true}`
	ann, eve := `{"id":11,"first_name":"Ann"}`, `{"id":66,"first_name":"Eve"}`
	message := func(from, chat, rest string) string {
		return fmt.Sprintf(`{"message":{"message_id":900,"date":1,"from":%s,"chat":%s%s}}`, from, chat, rest)
	}
	tests := []struct {
		name   string
		update func(one, two ask.Ask, first, second int) string
	}{
		{"the person's tap on another card", func(one, _ ask.Ask, _, second int) string {
			return fmt.Sprintf(`{"callback_query":{"id":"q1","from":%s,"data":%q,"message":{"message_id":%d,`+
				`"date":1,"chat":%s}}}`, ann, answerData(one.Nonce, allow), second, private)
		}},
		{"another user's tap in the person's chat", func(one, _ ask.Ask, first, _ int) string {
			return fmt.Sprintf(`{"callback_query":{"id":"q2","from":%s,"data":%q,"message":{"message_id":%d,`+
				`"date":1,"chat":%s}}}`, eve, answerData(one.Nonce, allow), first, private)
		}},
		{"the person's tap in a group", func(one, _ ask.Ask, first, _ int) string {
			return fmt.Sprintf(`{"callback_query":{"id":"q3","from":%s,"data":%q,"message":{"message_id":%d,`+
				`"date":1,"chat":%s}}}`, ann, answerData(one.Nonce, allow), first, group)
		}},
		{"a tap on a message that is too old to be shown", func(one, _ ask.Ask, _, _ int) string {
			return fmt.Sprintf(`{"callback_query":{"id":"q4","from":%s,"data":%q,"message":{"message_id":0,"date":0,`+
				`"chat":%s}}}`, eve, answerData(one.Nonce, allow), private)
		}},
		{"a tap on a message sent through the bot elsewhere", func(one, _ ask.Ask, _, _ int) string {
			return fmt.Sprintf(`{"callback_query":{"id":"q5","from":%s,"data":%q,"inline_message_id":"x",`+
				`"chat_instance":"1"}}`, ann, answerData(one.Nonce, allow))
		}},
		{"a game's button", func(_, _ ask.Ask, first, _ int) string {
			return fmt.Sprintf(`{"callback_query":{"id":"q6","from":%s,"game_short_name":"yes",`+
				`"message":{"message_id":%d,"date":1,"chat":%s}}}`, ann, first, private)
		}},
		{"another user's reply", func(_, _ ask.Ask, first, _ int) string {
			return message(eve, `{"id":66,"type":"private"}`,
				fmt.Sprintf(`,"text":"yes","reply_to_message":{"message_id":%d,"date":1,"chat":%s}`, first, private))
		}},
		{"another user in the person's chat", func(_, _ ask.Ask, first, _ int) string {
			return message(eve, private, fmt.Sprintf(`,"text":"yes","reply_to_message":{"message_id":%d,"date":1,`+
				`"chat":%s}`, first, private))
		}},
		{"the person in a group", func(_, _ ask.Ask, first, _ int) string {
			return message(ann, group, fmt.Sprintf(`,"text":"yes","reply_to_message":{"message_id":%d,"date":1,`+
				`"chat":%s}`, first, group))
		}},
		{"an anonymous admin", func(ask.Ask, ask.Ask, int, int) string {
			return message(`{"id":1087968824,"is_bot":true,"first_name":"Group","username":"GroupAnonymousBot"}`, group,
				`,"text":"yes","sender_chat":`+group)
		}},
		{"a channel that posts in a group", func(ask.Ask, ask.Ask, int, int) string {
			return message(`{"id":136817688,"is_bot":true,"first_name":"Channel","username":"Channel_Bot"}`, group,
				`,"text":"yes","sender_chat":{"id":-100,"type":"channel"}`)
		}},
		{"a channel's post, carried into its group", func(ask.Ask, ask.Ask, int, int) string {
			return message(`{"id":777000,"first_name":"Telegram"}`, group,
				`,"text":"yes","is_automatic_forward":true,"sender_chat":{"id":-100,"type":"channel"}`)
		}},
		{"a channel post", func(ask.Ask, ask.Ask, int, int) string {
			return `{"channel_post":{"message_id":900,"date":1,"chat":{"id":11,"type":"channel"},"text":"yes"}}`
		}},
		{"a message without a sender", func(ask.Ask, ask.Ask, int, int) string {
			return `{"message":{"message_id":900,"date":1,"chat":` + private + `,"text":"yes"}}`
		}},
		{"a forwarded reply", func(_, _ ask.Ask, first, _ int) string {
			return message(ann, private, fmt.Sprintf(`,"text":"yes","forward_origin":{"type":"user","date":1,`+
				`"sender_user":%s},"reply_to_message":{"message_id":%d,"date":1,"chat":%s}`, eve, first, private))
		}},
		{"a forwarded text", func(ask.Ask, ask.Ask, int, int) string {
			return message(ann, private, `,"text":"yes","forward_origin":{"type":"hidden_user","date":1,`+
				`"sender_user_name":"Eve"}`)
		}},
		{"a text through another bot", func(ask.Ask, ask.Ask, int, int) string {
			return message(ann, private, `,"text":"yes","via_bot":{"id":5,"is_bot":true,"first_name":"Other"}`)
		}},
		{"an edited message", func(_, _ ask.Ask, first, _ int) string {
			return fmt.Sprintf(`{"edited_message":{"message_id":900,"date":1,"edit_date":2,"from":%s,"chat":%s,`+
				`"text":"yes","reply_to_message":{"message_id":%d,"date":1,"chat":%s}}}`, ann, private, first, private)
		}},
		{"a business message", func(ask.Ask, ask.Ask, int, int) string {
			return `{"business_message":{"message_id":900,"date":1,"from":` + ann + `,"chat":` +
				private + `,"text":"yes"}}`
		}},
		{"another bot", func(ask.Ask, ask.Ask, int, int) string {
			return message(`{"id":11,"is_bot":true,"first_name":"Ann"}`, private, `,"text":"yes"`)
		}},
		{"a caption", func(_, _ ask.Ask, first, _ int) string {
			return message(ann, private, fmt.Sprintf(`,"caption":"yes","reply_to_message":{"message_id":%d,"date":1,`+
				`"chat":%s}`, first, private))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.pair()
			one, first := r.card("a1", "git push")
			two, second := r.card("a2", "make all")
			r.eventually("both cards are noted", func() bool { return len(r.cards(one.ID))+len(r.cards(two.ID)) == 2 })
			if _, err := r.api.Inject(test.update(one, two, first.ID, second.ID)); err != nil {
				t.Fatal(err)
			}
			r.settled()
			for _, a := range []ask.Ask{one, two} {
				if got := r.state(a.ID); got.State != ask.Open {
					t.Errorf("%s is %s by %+v", a.ID, got.State, got.Decision)
				}
			}
			for _, card := range []int{first.ID, second.ID} {
				if got := r.awaitAnswer(r.tap(r.ann, card, "Deny")); got != "Denied." {
					t.Errorf("the person is told %q", got)
				}
			}
			if n := len(r.cards(one.ID)) + len(r.cards(two.ID)); n != 2 {
				t.Errorf("%d messages count as cards", n)
			}
		})
	}
}

func (r *rig) cards(id ask.ID) []int64 {
	r.Helper()
	all, err := r.core.Copies(Name, id)
	if err != nil {
		r.Fatal(err)
	}
	var out []int64
	for _, c := range all {
		out = append(out, stampOf(c).id)
	}
	return out
}

// TestReplay checks that a repeated update is handled once, and that a query repeated in
// another update gets an accurate answer.
func TestReplay(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, m := r.card("a1", "git push")
	r.eventually("the card is noted", func() bool { // the taps below do not show its text
		shown, err := r.core.Shows(Name, messageID(m.Chat, int64(m.ID)))
		return err == nil && shown != ""
	})
	tap := func(verb verb) string {
		return fmt.Sprintf(`{"callback_query":{"id":"q1","from":{"id":11,"first_name":"Ann"},"data":%q,`+
			`"message":{"message_id":%d,"date":1,"chat":{"id":11,"type":"private"}}}}`, answerData(a.Nonce, verb), m.ID)
	}
	id, err := r.api.Inject(tap(deny))
	if err != nil {
		t.Fatal(err)
	}
	r.settled()
	before := r.state(a.ID)
	if before.Decision == nil || before.Decision.Allow {
		t.Fatalf("have %+v", before.Decision)
	}
	if err := r.core.Receive([]channel.Update{{Channel: Name, ID: id, Body: []byte(tap(allow))}}); err != nil {
		t.Fatal(err)
	}
	if left, err := r.core.Received(Name); len(left) != 0 || err != nil {
		t.Errorf("an update that was dealt with came back: %v, %v", left, err)
	}
	for range 2 {
		if _, err := r.api.Inject(tap(allow)); err != nil {
			t.Fatal(err)
		}
	}
	r.settled()
	if got := r.state(a.ID); *got.Decision != *before.Decision {
		t.Errorf("the answer became %+v", got.Decision)
	}
	events, err := r.core.Journal(r.ctx, 0, 1000, "", false)
	answered := 0
	for _, e := range events {
		if e.Kind == "ask.answered" {
			answered++
		}
	}
	if answered != 1 || err != nil {
		t.Errorf("answered %d times, %v", answered, err)
	}
}

// TestHangingSend checks that a Bot API that accepts a card and never answers delays later
// actions for a bounded time only, and that the card says that it may exist twice.
func TestHangingSend(t *testing.T) {
	t.Parallel()
	r := newStillRig(t)
	r.ch.pace.send = 300 * time.Millisecond
	if _, err := r.ch.Connect(r.ctx, r.api.Token(), r.api.URL()); err != nil {
		t.Fatal(err)
	}
	r.run()
	r.pair()
	release := r.api.Hang("sendMessage")
	defer release()
	a := r.ask("a1", "git push")
	m := r.await("↻ You may see this twice")
	if got := r.awaitAnswer(r.tap(r.ann, m.ID, "Deny")); got != "Denied." {
		t.Errorf("answered %q", got)
	}
	if got := r.state(a.ID); got.State != ask.Answered {
		t.Errorf("the ask is %s", got.State)
	}
}

// TestNightWithoutNetwork checks that questions that were asked and settled while Telegram was
// unreachable are not sent later. Questions that still wait are sent once, in their current
// state.
func TestNightWithoutNetwork(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.outage()
	for i := range 5 {
		r.ask(fmt.Sprintf("over%d", i), fmt.Sprintf("make step-%d", i))
		if _, err := r.core.CancelAsk(ask.ID(fmt.Sprintf("over%d", i)), "answered at the terminal"); err != nil {
			t.Fatal(err)
		}
	}
	r.ask("open", "git push")
	// a regular stop: after a kill, the first card would be in doubt
	if err := r.core.Note(event.Stopped, "", "", "the coordinator stopped"); err != nil {
		t.Fatal(err)
	}
	r.restart()
	if err := r.api.Start(); err != nil {
		t.Fatal(err)
	}
	m := r.await("git push")
	if got := r.awaitAnswer(r.tap(r.ann, m.ID, "Allow")); got != "Allowed. The card will say how it turned out." {
		t.Errorf("answered %q", got)
	}
	if strings.Contains(m.Text, "↻") {
		t.Errorf("nothing was sent before:\n%s", m.Text)
	}
	for _, other := range r.api.Messages(r.ann.ID) {
		if strings.Contains(other.Text, "make step") {
			t.Errorf("it rang for what was over:\n%s", other.Text)
		}
	}
}

// TestTapElsewhere: a button of a card counts only on a message that shows its question. Whoever has the
// bot's token and the button's data could put it under other words.
func TestTapElsewhere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a := r.ask("a1", "rm -rf build")
	card := r.await("rm -rf build")
	for _, text := range []string{"Lunch at noon?", "Lunch at noon? rm -rf build"} {
		forged := r.copied(a.ID, text)
		if said := r.awaitAnswer(r.tap(r.ann, forged, "Sure")); !strings.Contains(said, "does not show this question") {
			t.Errorf("%q: the tap is answered with %q", text, said)
		}
		if got := r.state(a.ID); got.State != ask.Open {
			t.Fatalf("%q: the question is %s", text, got.State)
		}
	}
	if _, err := r.core.CancelAsk(a.ID, "ended at the terminal"); err != nil {
		t.Fatal(err)
	}
	// A copy of the card that the coordinator did not note, because it died after it had sent it.
	late := r.copied(a.ID, card.Text)
	if said := r.awaitAnswer(r.tap(r.ann, late, "Sure")); !strings.HasPrefix(said, "Too late") {
		t.Errorf("the tap on a copy of the ended card is answered with %q", said)
	}
}

// TestTapBeforeNoted: a tap counts on a card whose sending is not noted yet, also when the card says more by now.
func TestTapBeforeNoted(t *testing.T) {
	t.Parallel()
	t.Run("it is being sent", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.pair()
		a, _ := r.card("a1", "git clean -fd src")
		r.idle()
		l, _ := r.ch.current()
		l.sending.Lock()
		sent := r.copied(a.ID, "the card, in words of another time")
		query := r.tap(r.ann, sent, "Sure")
		r.eventually("the tap arrived", func() bool {
			waiting, err := r.core.Received(Name)
			return err == nil && len(waiting) > 0
		})
		err := r.core.Sent(store.Action{}, channel.Copy{Ask: a.ID, Channel: Name, Message: messageID(r.ann.ID, int64(sent))})
		l.sending.Unlock()
		if said := r.awaitAnswer(query); err != nil || !strings.HasPrefix(said, "Allowed") {
			t.Errorf("the tap is answered with %q, %v", said, err)
		}
	})
	t.Run("the answer to its sending was lost", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.pair()
		r.idle()
		r.api.DropReply("sendMessage")
		a := r.ask("a1", "git clean -fd src")
		card := r.await("git clean -fd src")
		r.saved(a, "git clean -fd src", undo.Picture{Files: 3, Bytes: 12_000})
		if said := r.awaitAnswer(r.tap(r.ann, card.ID, "Allow")); !strings.HasPrefix(said, "Allowed") {
			t.Errorf("the tap is answered with %q", said)
		}
	})
}

// copied sends a message with an allow button of an ask that the coordinator does not know of. It returns its id.
func (r *rig) copied(id ask.ID, text string) int {
	r.Helper()
	markup := `{"inline_keyboard":[[{"text":"Sure","callback_data":"` + answerData(r.state(id).Nonce, allow) + `"}]]}`
	reply, err := http.PostForm(r.api.URL()+"/bot"+r.api.Token()+"/sendMessage", url.Values{
		"chat_id": {strconv.FormatInt(r.ann.ID, 10)}, "text": {text}, "reply_markup": {markup},
	})
	if err != nil {
		r.Fatal(err)
	}
	defer reply.Body.Close()
	var sent struct {
		Result struct {
			ID int `json:"message_id"`
		}
	}
	if err := json.NewDecoder(reply.Body).Decode(&sent); err != nil {
		r.Fatal(err)
	}
	return sent.Result.ID
}
