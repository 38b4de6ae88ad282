package botapi

import (
	"strings"
	"testing"
)

func TestSendMessage(t *testing.T) {
	s, c := start(t)
	u := ada(s)
	question := u.Say(42, "what?")
	var m apiMessage
	c.must("sendMessage", &m,
		field{"chat_id", 42}, field{"text", " <b>Run</b> <code>rm -r &lt;dir&gt;</code> "}, field{"parse_mode", "HTML"},
		field{"disable_notification", true}, field{"reply_parameters", map[string]any{"message_id": question}},
		buttons("Allow", "a1", "Deny", "d1"))
	want := []Entity{{Type: "bold", Offset: 0, Length: 3}, {Type: "code", Offset: 4, Length: 11}}
	if m.Text != "Run rm -r <dir>" || sprint(m.Entities) != sprint(want) || !m.From.IsBot || m.ReplyTo.Text != "what?" {
		t.Errorf("answer: %+v", m)
	}
	all := s.Messages(42)
	if len(all) != 1 {
		t.Fatalf("%d messages", len(all))
	}
	got := all[0]
	if got.Text != m.Text || !strings.Contains(got.Raw, "&lt;dir&gt;") || got.Mode != "HTML" ||
		got.ReplyTo != question || !got.Silent || got.Sent.IsZero() {
		t.Errorf("shown: %+v", got)
	}
	if sprint(got.Labels()) != "[Allow Deny]" || got.Keyboard[0][1].Data != "d1" {
		t.Errorf("keyboard: %+v", got.Keyboard)
	}
	call := s.Calls()[0]
	if call.Method != "sendMessage" || call.Code != 200 || call.Params["chat_id"] != "42" ||
		!strings.HasPrefix(call.Params["reply_markup"], "{") {
		t.Errorf("call: %+v", call)
	}
}

// TestWhoCanBeWrittenTo checks that a bot may write only to people who wrote to it.
func TestWhoCanBeWrittenTo(t *testing.T) {
	s, c := start(t)
	text := field{"text", "hi"}
	c.refused(400, "Bad Request: chat_id is empty", "sendMessage", text)
	c.refused(400, "Bad Request: chat not found", "sendMessage", text, field{"chat_id", 42})
	c.refused(400, "Bad Request: chat not found", "sendMessage", text, field{"chat_id", "@nobody"})
	u := s.User(42, "Ada")
	c.refused(400, "Bad Request: chat not found", "sendMessage", text, field{"chat_id", 42})
	u.Say(s.Forum(7, "Forum").ID, "hello")
	c.refused(403, "Forbidden: bot can't initiate conversation with a user", "sendMessage", text, field{"chat_id", 42})
	u.Say(42, "/start")
	id := c.send("hi")
	u.Block()
	for _, method := range []string{"sendMessage", "sendDocument", "sendChatAction", "editMessageText"} {
		c.refused(403, "Forbidden: bot was blocked by the user", method, text, field{"chat_id", 42},
			field{"document", file{"a.txt", []byte("x")}}, field{"message_id", id})
	}
	u.Unblock()
	c.send("hi again")
	u.Block()
	u.Say(42, "/start")
	c.send("and again")
}

func TestSendMessageRefusals(t *testing.T) {
	s, c := start(t)
	ada(s)
	chat := field{"chat_id", 42}
	text := func(s string) field { return field{"text", s} }
	html := field{"parse_mode", "HTML"}
	for _, tt := range []struct {
		name, want string
		fields     []field
	}{
		{"no text", "message text is empty", []field{chat}},
		{"empty", "message text is empty", []field{chat, text("")}},
		{"blank", "text must be non-empty", []field{chat, text(" \n ")}},
		{"only tags", "text must be non-empty", []field{chat, text("<b></b>"), html}},
		{"one unit too long", "message is too long", []field{chat, text(strings.Repeat("x", 4097))}},
		{"too long in UTF-16", "message is too long", []field{chat, text(strings.Repeat("👍", 2049))}},
		{
			"cut tag",
			`can't parse entities: Can't find end tag corresponding to start tag "code"`,
			[]field{chat, text("<code>x"), html},
		},
		{
			"MarkdownV2",
			"the stand-in parses parse_mode HTML only, not MarkdownV2",
			[]field{chat, text("*x*"), {"parse_mode", "MarkdownV2"}},
		},
		{"unknown mode", "unsupported parse_mode", []field{chat, text("x"), {"parse_mode", "BBCode"}}},
		{
			"markup is no JSON",
			"can't parse reply keyboard markup JSON object",
			[]field{chat, text("x"), {"reply_markup", "{"}},
		},
		{
			"markup of nothing known",
			"object expected as reply markup",
			[]field{chat, text("x"), {"reply_markup", `{"buttons":[]}`}},
		},
		{"no such topic", "message thread not found", []field{chat, text("x"), {"message_thread_id", 9}}},
		{
			"reply to nothing",
			"message to be replied not found",
			[]field{chat, text("x"), {"reply_to_message_id", 99999}},
		},
		{
			"reply to nothing, new style",
			"message to be replied not found",
			[]field{chat, text("x"), {"reply_parameters", map[string]int{"message_id": 99999}}},
		},
		{
			"reply parameters are no JSON",
			"can't parse reply parameters JSON object",
			[]field{chat, text("x"), {"reply_parameters", "7"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := *c
			c.t = t
			c.refused(400, "Bad Request: "+tt.want, "sendMessage", tt.fields...)
		})
	}
	if n := len(s.Messages(42)); n != 0 {
		t.Errorf("%d refused messages are shown", n)
	}
}

// TestLongestMessages checks that limits count the text that is shown, not its markup.
func TestLongestMessages(t *testing.T) {
	s, c := start(t)
	ada(s)
	c.send(strings.Repeat("👍", 2048))
	c.send("<b>"+strings.Repeat("&lt;", 4096)+"</b>", field{"parse_mode", "HTML"})
	c.send("x", field{"reply_to_message_id", 99999}, field{"allow_sending_without_reply", true})
	for _, m := range s.Messages(42)[:2] {
		if units(m.Text) != maxText {
			t.Errorf("shown %d units", units(m.Text))
		}
	}
}

func TestKeyboards(t *testing.T) {
	s, c := start(t)
	ada(s)
	markup := func(button string) field {
		return field{"reply_markup", `{"inline_keyboard":[[` + button + `]]}`}
	}
	const cannot = "can't parse inline keyboard button: "
	for _, tt := range []struct{ button, want string }{
		{`{"text":"x","callback_data":"` + strings.Repeat("d", 65) + `"}`, "BUTTON_DATA_INVALID"},
		{`{"text":"x","callback_data":"` + strings.Repeat("é", 33) + `"}`, "BUTTON_DATA_INVALID"},
		{`{"text":"x","callback_data":""}`, "BUTTON_DATA_INVALID"},
		{`{"text":"","callback_data":"d"}`, "inline keyboard button text must be non-empty"},
		{`{"callback_data":"d"}`, cannot + `Can't find field "text"`},
		{`{"text":"x"}`, cannot + "Text buttons are unallowed in the inline keyboard"},
		{`{"text":"x","copy_text":{"text":""}}`, cannot + "Text buttons are unallowed in the inline keyboard"},
		{
			`{"text":"x","url":"http://localhost:7357/"}`,
			"inline keyboard button URL 'http://localhost:7357/' is invalid: Wrong HTTP URL",
		},
		{strings.TrimSuffix(strings.Repeat(`{"text":"x","callback_data":"d"},`, 101), ","), "reply markup is too long"},
	} {
		c.refused(
			400, "Bad Request: "+tt.want, "sendMessage", field{"chat_id", 42}, field{"text", "x"}, markup(tt.button),
		)
	}
	for _, bad := range []string{"7", `"x"`, "[]"} {
		if a := c.call("sendMessage", field{"chat_id", 42}, field{"text", "x"}, markup(bad)); a.Code != 400 {
			t.Errorf("button %s: %+v", bad, a)
		}
	}
	id := c.send("x", markup(`{"text":"x","callback_data":"`+strings.Repeat("d", 64)+`","copy_text":{"text":""}}`))
	if m, _ := s.Message(id); len(m.Keyboard[0][0].Data) != 64 {
		t.Errorf("got %+v", m.Keyboard)
	}
	c.send("x", field{"reply_markup", `{"inline_keyboard":[]}`})
	c.send("x", field{"reply_markup", `{"force_reply":true}`})
}

func TestSendDocument(t *testing.T) {
	s, c := start(t)
	ada(s)
	chat := field{"chat_id", 42}
	doc := field{"document", file{"input.txt", []byte("rm -rf build\n")}}
	var m apiMessage
	c.must(
		"sendDocument",
		&m,
		chat,
		doc,
		field{"caption", "<i>whole</i> input"},
		field{"parse_mode", "HTML"},
		buttons("Allow", "a1"),
	)
	if m.Document.FileName != "input.txt" || m.Document.FileSize != 13 || m.Caption != "whole input" ||
		len(m.CaptionEntities) != 1 || m.Text != "" {
		t.Errorf("answer: %+v", m)
	}
	got := s.Messages(42)[0]
	if string(got.Document.Data) != "rm -rf build\n" || got.Text != "whole input" || len(got.Labels()) != 1 {
		t.Errorf("shown: %+v", got)
	}
	if f := s.Calls()[0].Files; sprint(f) != "[input.txt]" {
		t.Errorf("files: %v", f)
	}
	c.must("sendDocument", &m, chat, field{"document", "attach://part"}, field{"part", file{"a", []byte("x")}})
	c.must("sendDocument", &m, chat, doc, field{"caption", strings.Repeat("x", 1024)})
	c.refused(
		400,
		"Bad Request: message caption is too long",
		"sendDocument",
		chat,
		doc,
		field{"caption", strings.Repeat("x", 1025)},
	)
	c.refused(400, "Bad Request: there is no document in the request", "sendDocument", chat)
	c.refused(
		400, "Bad Request: wrong file identifier/HTTP URL specified", "sendDocument", chat, field{"document", "nope"},
	)
	c.refused(400, "Bad Request: file must be non-empty", "sendDocument", chat, field{"document", file{"a", nil}})
}

func TestForumTopics(t *testing.T) {
	s, c := start(t)
	u := s.User(42, "Ada")
	forum := s.Forum(9, "Sessions")
	var topic struct {
		ID   int    `json:"message_thread_id"`
		Name string `json:"name"`
	}
	c.must("createForumTopic", &topic, field{"chat_id", forum.ID}, field{"name", "web-1a2b"})
	var m apiMessage
	c.must("sendMessage", &m, field{"chat_id", forum.ID}, field{"text", "hi"}, field{"message_thread_id", topic.ID})
	if m.Thread != topic.ID || !m.IsTopic || topic.Name != "web-1a2b" {
		t.Errorf("got %+v in %+v", m, topic)
	}
	c.drain()
	if _, err := u.Reply(m.ID, "yes"); err != nil {
		t.Fatal(err)
	}
	if got := c.drain()[0].Message; got.Thread != topic.ID {
		t.Errorf("the reply left the topic: %+v", got)
	}
	u.Say(42, "/start")
	c.refused(400, "Bad Request: the chat is not a forum", "createForumTopic", field{"chat_id", 42}, field{"name", "x"})
}

func TestSmallMethods(t *testing.T) {
	s, c := start(t)
	ada(s)
	chat := field{"chat_id", 42}
	var full struct {
		ID   int64  `json:"id"`
		Type string `json:"type"`
		Name string `json:"first_name"`
	}
	c.must("getChat", &full, chat)
	if full.ID != 42 || full.Type != "private" || full.Name != "Ada" {
		t.Errorf("getChat: %+v", full)
	}
	c.refused(400, "Bad Request: chat not found", "getChat", field{"chat_id", 1})
	c.must("sendChatAction", new(bool), chat, field{"action", "typing"})
	c.refused(400, "Bad Request: wrong parameter action in request", "sendChatAction", chat, field{"action", "dance"})
	command := func(name, text string) field {
		return field{"commands", []map[string]string{{"command": name, "description": text}}}
	}
	c.must("setMyCommands", new(bool), command("status", "what runs"))
	var list []map[string]string
	c.must("getMyCommands", &list)
	if len(list) != 1 || list[0]["command"] != "status" {
		t.Errorf("getMyCommands: %v", list)
	}
	c.refused(400, "Bad Request: BOT_COMMAND_INVALID", "setMyCommands", command("Status", "x"))
	c.refused(400, "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID", "setMyCommands", command("status", ""))
	c.refused(400, "Bad Request: can't parse commands JSON object", "setMyCommands")
	id := c.send("x")
	c.must(
		"setMessageReaction",
		new(bool),
		chat,
		field{"message_id", id},
		field{"reaction", []map[string]string{{"type": "emoji", "emoji": "👍"}}},
	)
}
