package botapi

import (
	"fmt"
	"strings"
	"testing"
)

func sprint(v any) string { return fmt.Sprint(v) }

func TestSay(t *testing.T) {
	s, c := start(t)
	u := s.User(42, "Ada")
	id := u.Say(42, "/start 123456 and 👍 /stop@afar_standin_bot, not a/b")
	m := c.drain()[0].Message
	if m.ID != id || m.From.ID != 42 || m.From.FirstName != "Ada" || m.Chat.Type != "private" ||
		m.Chat.FirstName != "Ada" || m.Date == 0 {
		t.Errorf("got %+v", m)
	}
	want := []Entity{{Type: "bot_command", Offset: 0, Length: 6}, {Type: "bot_command", Offset: 21, Length: 22}}
	if sprint(m.Entities) != sprint(want) {
		t.Errorf("entities %+v, want %+v", m.Entities, want)
	}
}

func TestReplyNamesItsMessage(t *testing.T) {
	s, c := start(t)
	u := ada(s)
	card := c.send("card", buttons("Allow", "a1"))
	c.drain()
	if _, err := u.Reply(card, "no, use rg"); err != nil {
		t.Fatal(err)
	}
	m := c.drain()[0].Message
	if m.ReplyTo == nil || m.ReplyTo.ID != card || !m.ReplyTo.From.IsBot || m.ReplyTo.Markup == nil {
		t.Errorf("reply_to_message: %+v", m.ReplyTo)
	}
	if _, err := u.Reply(99999, "x"); err == nil {
		t.Error("a reply to nothing is no error")
	}
	if _, err := s.User(43, "Eve").Reply(card, "yes"); err == nil {
		t.Error("Eve replies in Ada's chat")
	}
}

func TestUpgrade(t *testing.T) {
	s, c := start(t)
	u := ada(s)
	g := s.Group(5, "Machines")
	id := u.Say(g.ID, "/start")
	c.drain()
	next := g.Upgrade(u, 1005)
	got := c.drain()
	if len(got) != 2 || got[0].Message.Chat.ID != -5 || got[0].Message.MovedTo != -1005 ||
		got[1].Message.Chat.ID != -1005 || got[1].Message.MovedFrom != -5 {
		t.Fatalf("told %+v", got)
	}
	if next.ID != -1005 || got[1].Message.Chat.Type != "supergroup" || got[1].Message.Chat.Title != "Machines" {
		t.Errorf("became %+v", got[1].Message.Chat)
	}
	for _, method := range []string{"sendMessage", "editMessageText"} {
		a := c.call(method, field{"chat_id", -5}, field{"message_id", id}, field{"text", "x"})
		isRefused := a.Code == 400 && strings.Contains(a.Description, "upgraded to a supergroup")
		if !isRefused || a.Parameters.MovedTo != -1005 {
			t.Errorf("%s in the old group: %+v", method, a)
		}
	}
	c.must("sendMessage", new(apiMessage), field{"chat_id", -1005}, field{"text", "x"})
}

func TestOtherKindsOfUpdates(t *testing.T) {
	s, c := start(t)
	u := ada(s)
	c.drain()
	news := s.Channel(1001, "News")
	id := u.Say(42, "typo")
	u.Forward(42, "Grace", "yes")
	u.Sticker(42)
	if err := u.Edit(id, "no typo"); err != nil {
		t.Fatal(err)
	}
	news.Post("hello all")
	u.Block()
	u.Block()
	got := c.drain()
	if len(got) != 6 {
		t.Fatalf("%d updates: %+v", len(got), got)
	}
	if f := got[1].Message; f.Origin == nil || f.Origin.SenderUserName != "Grace" {
		t.Errorf("forward: %+v", f)
	}
	if st := got[2].Message; st.Sticker == nil || st.Text != "" {
		t.Errorf("sticker: %+v", st)
	}
	if e := got[3].Edited; e == nil || e.ID != id || e.Text != "no typo" || e.EditDate == 0 {
		t.Errorf("edit: %+v", e)
	}
	if p := got[4].Post; p == nil || p.Chat.ID != -1001 || p.From != nil || p.SenderChat == nil {
		t.Errorf("channel post: %+v", p)
	}
	if got[5].Member == nil {
		t.Error("a block is not told")
	}
	if err := u.Edit(c.s.lastMsg+1, "x"); err == nil {
		t.Error("edits a message that is not there")
	}
}

// TestPrivacyMode checks which messages of a group the bot sees in privacy mode.
func TestPrivacyMode(t *testing.T) {
	s, c := start(t)
	u := ada(s)
	team := s.Group(500, "Team")
	card := 0
	var m apiMessage
	c.must("sendMessage", &m, field{"chat_id", team.ID}, field{"text", "card"})
	card = m.ID
	c.drain()
	u.Say(team.ID, "lunch?")
	u.Say(team.ID, "/status")
	u.Say(team.ID, "hey @afar_standin_bot")
	if _, err := u.Reply(card, "yes"); err != nil {
		t.Fatal(err)
	}
	if got := sprint(texts(c.drain())); got != "[/status hey @afar_standin_bot yes]" {
		t.Errorf("group: heard %s", got)
	}
	u.Say(s.Forum(501, "Forum").ID, "lunch?")
	if got := sprint(texts(c.drain())); got != "[lunch?]" {
		t.Errorf("forum: heard %s", got)
	}
}

func TestTap(t *testing.T) {
	s, c := start(t)
	u := ada(s)
	card := c.send("card", field{"reply_markup", map[string]any{"inline_keyboard": []any{
		[]any{map[string]string{"text": "Allow", "callback_data": "a1"},
			map[string]string{"text": "Deny", "callback_data": "d1"}},
		[]any{map[string]string{"text": "Allow for session", "callback_data": "s1"},
			map[string]string{"text": "Docs", "url": "https://example.com"}},
	}}})
	c.drain()
	for _, tt := range []struct{ button, data string }{
		{"d1", "d1"}, {"Allow", "a1"}, {"Allow for", "s1"}, {"De", "d1"},
	} {
		id, err := u.Tap(card, tt.button)
		if err != nil {
			t.Fatal(err)
		}
		q := c.drain()[0].Callback
		if q.ID != id || q.Data != tt.data || q.From.ID != 42 || q.Message.ID != card || q.Message.Date == 0 {
			t.Errorf("tap %q: %+v", tt.button, q)
		}
	}
	for _, button := range []string{"Nope", "Docs", "a"} {
		if _, err := u.Tap(card, button); err == nil {
			t.Errorf("tap %q is possible", button)
		}
	}
	if _, err := s.User(43, "Eve").Tap(card, "Allow"); err == nil {
		t.Error("Eve taps in Ada's chat")
	}
}

// TestTapAfterTheKeyboardIsGone checks that a button cannot be pressed after an edit
// removed it, except by a tap that was faster. The bot gets a deleted message as
// inaccessible.
func TestTapAfterTheKeyboardIsGone(t *testing.T) {
	s, c := start(t)
	u := ada(s)
	card := c.send("card", buttons("Allow", "a1"))
	c.must(
		"editMessageText", new(apiMessage), field{"chat_id", 42}, field{"message_id", card}, field{"text", "allowed"},
	)
	c.drain()
	if _, err := u.Tap(card, "Allow"); err == nil || !strings.Contains(err.Error(), "no buttons") {
		t.Errorf("tap: %v", err)
	}
	if _, err := u.TapLate(card, "Allow"); err != nil {
		t.Fatal(err)
	}
	c.must("deleteMessage", new(bool), field{"chat_id", 42}, field{"message_id", card})
	if _, err := u.Tap(card, "Allow"); err == nil {
		t.Error("taps a deleted message")
	}
	if _, err := u.TapLate(card, "Allow"); err != nil {
		t.Fatal(err)
	}
	got := c.drain()
	if got[0].Callback.Message.Text != "allowed" || got[1].Callback.Message.Date != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestAnswerCallbackQuery(t *testing.T) {
	const old = "Bad Request: query is too old and response timeout expired or query ID is invalid"
	s, c := start(t)
	u := ada(s)
	card := c.send("card", buttons("Allow", "a1"))
	tap := func() field {
		t.Helper()
		id, err := u.Tap(card, "Allow")
		if err != nil {
			t.Fatal(err)
		}
		return field{"callback_query_id", id}
	}
	first := tap()
	c.refused(
		400, "Bad Request: MESSAGE_TOO_LONG", "answerCallbackQuery", first, field{"text", strings.Repeat("é", 201)},
	)
	c.must("answerCallbackQuery", new(bool), first, field{"text", strings.Repeat("é", 200)}, field{"show_alert", true})
	c.refused(400, old, "answerCallbackQuery", first)
	c.refused(400, old, "answerCallbackQuery", field{"callback_query_id", "123"})
	late := tap()
	s.ExpireCallbacks()
	c.refused(400, old, "answerCallbackQuery", late)
	got, err := s.AwaitAnswer(patient(t), func(a CallbackAnswer) bool { return a.Message == card })
	if err != nil || got.QueryID != first.value || got.User != 42 || got.Data != "a1" || !got.Alert || got.At.IsZero() {
		t.Errorf("got %+v, %v", got, err)
	}
	if n := len(s.CallbackAnswers()); n != 1 {
		t.Errorf("%d answers", n)
	}
}
