package telegram

import (
	"encoding/json"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/secret"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// An update is what we read of one. It names no more than we use: what
// Telegram adds elsewhere one day must not make a tap unreadable.
type update struct {
	Message *message `json:"message"`
	Tap     *tap     `json:"callback_query"`
}

type message struct {
	ID     int64           `json:"message_id"`
	Thread int64           `json:"message_thread_id"`
	Topic  bool            `json:"is_topic_message"` // Thread is a forum's topic, not a chain of replies
	From   *user           `json:"from"`
	Chat   chat            `json:"chat"`
	Text   string          `json:"text"`
	Reply  *message        `json:"reply_to_message"`
	Origin json.RawMessage `json:"forward_origin"`
	Via    *user           `json:"via_bot"`
	Markup struct {
		Rows [][]struct {
			Data string `json:"callback_data"`
		} `json:"inline_keyboard"`
	} `json:"reply_markup"`
}

type tap struct {
	ID      string  `json:"id"`
	From    user    `json:"from"`
	Message message `json:"message"`
	Data    string  `json:"data"`
}

type user struct {
	ID    int64  `json:"id"`
	IsBot bool   `json:"is_bot"`
	First string `json:"first_name"`
	Last  string `json:"last_name"`
}

type chat struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
}

// maxName bounds a person's name in cards and journal, in UTF-16 units.
const maxName = 48

// name is what people call u, in one harmless line.
func (u user) name() string {
	name := strings.Join(strings.Fields(secret.Visible(u.First+" "+u.Last)), " ")
	if name == "" {
		return "somebody"
	}
	return shorten(name, maxName)
}

func (m message) from() core.Sender {
	return core.Sender{User: m.From.ID, Room: m.room(), Name: m.From.name()}
}

// room is where m stands, and where its answer goes.
func (m message) room() core.Room {
	if m.Topic {
		return core.Room{Chat: m.Chat.ID, Topic: m.Thread}
	}
	return core.Room{Chat: m.Chat.ID}
}

// written reports whether the sender wrote the text as it stands: what somebody
// else wrote decides nothing.
func (m message) written() bool { return m.Text != "" && m.Origin == nil && m.Via == nil }

// handle deals with one update, in one commit. Its error is always core's: then
// the update is still there.
func (l *link) handle(in store.Update) error {
	var u update
	if err := json.Unmarshal(in.Body, &u); err != nil {
		l.cfg.Log.Warn("an update that cannot be read", "update", in.ID, "err", err)
		return l.cfg.Core.Ignore(in.ID)
	}
	switch {
	case u.Tap != nil:
		return l.tapped(in.ID, *u.Tap)
	case u.Message != nil && u.Message.Chat.Type == "private" && u.Message.From != nil && !u.Message.From.IsBot:
		return l.received(in.ID, *u.Message)
	}
	l.cfg.Log.Info("an update without meaning for us", "update", in.ID)
	return l.cfg.Core.Ignore(in.ID)
}

// received deals with a message in a private chat.
func (l *link) received(update int64, m message) error {
	from := m.from()
	command, rest := split(m.Text)
	code := m.written() && command == "/start" && rest != ""
	if !l.cfg.Core.Peer().Is(from.User, from.Chat) {
		if code {
			return l.cfg.Core.Pair(update, from, rest)
		}
		return l.cfg.Core.Stranger(update, from)
	}
	switch {
	case !m.written():
		return l.cfg.Core.Ignore(update)
	case code && l.cfg.Core.Settings().Pairing.Waiting(l.cfg.Now()):
		return l.cfg.Core.Pair(update, from, rest)
	case command == "" && m.Reply != nil:
		return l.replied(update, m)
	case command == "":
		return l.wrote(update, m)
	}
	if known, err := l.obey(update, m); known {
		return err
	}
	return l.cfg.Core.Reply(update, from.Room, helpText)
}

// split returns the command that a text begins with, without the bot's name
// behind it, and the rest without space. No command is "".
func split(text string) (command, rest string) {
	words := strings.Fields(text)
	if len(words) == 0 || !strings.HasPrefix(words[0], "/") {
		return "", ""
	}
	command, _, _ = strings.Cut(words[0], "@")
	return strings.ToLower(command), strings.Join(words[1:], "")
}
