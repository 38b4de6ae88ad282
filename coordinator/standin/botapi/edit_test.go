package botapi

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

const notModified = "Bad Request: message is not modified: specified new message content and reply markup are " +
	"exactly the same as a current content and reply markup of the message"

func TestEditMessageText(t *testing.T) {
	s, c := start(t)
	u := ada(s)
	id := c.send("card", buttons("Allow", "a1", "Deny", "d1"))
	target := []field{{"chat_id", 42}, {"message_id", id}}
	edit := func(more ...field) []field { return append(target[:2:2], more...) }

	c.refused(
		400, notModified, "editMessageText", edit(field{"text", "card "}, buttons("Allow", "a1", "Deny", "d1"))...,
	)
	c.refused(400, "Bad Request: message text is empty", "editMessageText", target...)
	c.refused(
		400, "Bad Request: message is too long", "editMessageText", edit(field{"text", strings.Repeat("x", 4097)})...,
	)
	c.refused(400, "Bad Request: BUTTON_DATA_INVALID", "editMessageText", edit(field{"text", "x"}, buttons("x", ""))...)
	c.refused(
		400,
		`Bad Request: can't parse entities: Unsupported start tag "div" at byte offset 0`,
		"editMessageText",
		edit(field{"text", "<div>"}, field{"parse_mode", "HTML"})...,
	)
	c.refused(
		400,
		"Bad Request: message to edit not found",
		"editMessageText",
		field{"chat_id", 42},
		field{"message_id", 99999},
		field{"text", "x"},
	)
	c.refused(
		400,
		"Bad Request: message identifier is not specified",
		"editMessageText",
		field{"chat_id", 42},
		field{"text", "x"},
	)
	c.refused(
		400,
		"Bad Request: chat not found",
		"editMessageText",
		field{"chat_id", 1},
		field{"message_id", id},
		field{"text", "x"},
	)
	c.refused(
		400,
		"Bad Request: message can't be edited",
		"editMessageText",
		field{"chat_id", 42},
		field{"message_id", u.Say(42, "mine")},
		field{"text", "x"},
	)

	var m apiMessage
	c.must(
		"editMessageText",
		&m,
		edit(field{"text", "<s>card</s> allowed"}, field{"parse_mode", "HTML"}, buttons("Undo", "u1"))...,
	)
	if m.Text != "card allowed" || m.EditDate == 0 || m.Markup.Rows[0][0].Text != "Undo" {
		t.Errorf("answer: %+v", m)
	}
	// The same text without its entities is another content.
	c.must("editMessageText", &m, edit(field{"text", "card allowed"}, buttons("Undo", "u1"))...)
	// An edit that names no keyboard takes it away.
	c.must("editMessageText", &m, edit(field{"text", "card allowed"})...)
	c.refused(400, notModified, "editMessageText", edit(field{"text", "card allowed"})...)

	got, _ := s.Message(id)
	first := got.Edits[0]
	if len(got.Edits) != 3 || first.Text != "card allowed" || first.Keyboard[0][0].Data != "u1" ||
		first.At.Before(got.Sent) || got.Keyboard != nil {
		t.Errorf("edits: %+v", got)
	}
}

func TestEditMessageReplyMarkup(t *testing.T) {
	s, c := start(t)
	ada(s)
	id := c.send("<b>card</b>", field{"parse_mode", "HTML"}, buttons("Allow", "a1"))
	target := []field{{"chat_id", 42}, {"message_id", id}}
	var m apiMessage
	c.refused(400, notModified, "editMessageReplyMarkup", append(target[:2:2], buttons("Allow", "a1"))...)
	c.must("editMessageReplyMarkup", &m, append(target[:2:2], buttons("Undo", "u1"))...)
	if m.Text != "card" || len(m.Entities) != 1 || m.Markup.Rows[0][0].Data != "u1" {
		t.Errorf("answer: %+v", m)
	}
	c.must("editMessageReplyMarkup", &m, target...)
	c.refused(400, notModified, "editMessageReplyMarkup", target...)
}

func TestEditDocument(t *testing.T) {
	s, c := start(t)
	ada(s)
	var doc, m apiMessage
	c.must(
		"sendDocument",
		&doc,
		field{"chat_id", 42},
		field{"document", file{"a", []byte("x")}},
		field{"caption", "card"},
	)
	c.refused(
		400,
		"Bad Request: there is no text in the message to edit",
		"editMessageText",
		field{"chat_id", 42},
		field{"message_id", doc.ID},
		field{"text", "x"},
	)
	c.must("editMessageCaption", &m, field{"chat_id", 42}, field{"message_id", doc.ID}, field{"caption", "allowed"})
	if m.Caption != "allowed" || m.Document == nil {
		t.Errorf("answer: %+v", m)
	}
	text := c.send("x")
	c.refused(
		400,
		"Bad Request: there is no caption in the message to edit",
		"editMessageCaption",
		field{"chat_id", 42},
		field{"message_id", text},
		field{"caption", "y"},
	)
}

func TestDeleteMessage(t *testing.T) {
	s, c := start(t)
	u := ada(s)
	id := c.send("secret")
	target := []field{{"chat_id", 42}, {"message_id", id}}
	c.must("deleteMessage", new(bool), target...)
	c.refused(400, "Bad Request: message to delete not found", "deleteMessage", target...)
	c.refused(400, "Bad Request: message to edit not found", "editMessageText", append(target, field{"text", "x"})...)
	c.refused(
		400,
		"Bad Request: message to be replied not found",
		"sendMessage",
		field{"chat_id", 42},
		field{"text", "x"},
		field{"reply_to_message_id", id},
	)
	if m := s.Messages(42)[0]; !m.Deleted {
		t.Error("not marked as deleted")
	}
	if _, err := u.Reply(id, "x"); err == nil {
		t.Error("replies to a deleted message")
	}
	team := s.Group(5, "Team")
	c.refused(
		400,
		"Bad Request: message can't be deleted",
		"deleteMessage",
		field{"chat_id", team.ID},
		field{"message_id", u.Say(team.ID, "mine")},
	)
}

func TestAwait(t *testing.T) {
	s, c := start(t)
	ada(s)
	id := c.send("card", buttons("Allow", "a1"))
	found := make(chan Message, 1)
	ctx := patient(t)
	go func() {
		m, _ := s.Await(ctx, func(m Message) bool { return strings.Contains(m.Text, "allowed") })
		found <- m
	}()
	c.must(
		"editMessageText",
		new(apiMessage),
		field{"chat_id", 42},
		field{"message_id", id},
		field{"text", "allowed by Ada"},
	)
	if m := <-found; m.ID != id || len(m.Edits) != 1 {
		t.Errorf("got %+v", m)
	}
	if m, err := s.Await(ctx, func(m Message) bool { return m.ID == id }); err != nil || m.Text != "allowed by Ada" {
		t.Errorf("what is there already: %+v, %v", m, err)
	}
	call, err := s.AwaitCall(ctx, func(c Call) bool { return c.Method == "editMessageText" })
	if err != nil || call.Params["text"] != "allowed by Ada" {
		t.Errorf("call: %+v, %v", call, err)
	}
	short, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	_, err = s.Await(short, func(Message) bool { return false })
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "allowed by Ada") {
		t.Errorf("a wait in vain says %v", err)
	}
}

func TestAwaitPollsAndConfirmed(t *testing.T) {
	s, c := start(t)
	u := ada(s)
	c.drain()
	if err := s.AwaitConfirmed(patient(t)); err != nil {
		t.Error(err)
	}
	if err := s.AwaitPolls(patient(t), 2); err != nil {
		t.Error(err)
	}
	u.Say(42, "more")
	short, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if err := s.AwaitConfirmed(short); err == nil {
		t.Error("confirmed what is pending")
	}
	if err := s.AwaitPolls(short, 3); err == nil {
		t.Error("counted a poll that was not")
	}
	if err := s.AwaitPoll(short); err == nil {
		t.Error("saw a poll that is not open")
	}
}
