package telegram

import "github.com/afar-sh/afar/coordinator/internal/channel"

// A stamp says when a message was sent, by Telegram's clock. The ids in one chat grow with
// time; ids of different chats cannot be compared.
type stamp struct {
	chat int64
	id   int64
	at   int64 // unix seconds; 0 is not known
}

// after reports whether s was certainly sent after t. If both were sent in the same second
// or a time is unknown, the ids decide, provided that both are in one chat.
func (s stamp) after(t stamp) bool {
	if s.at != 0 && t.at != 0 && s.at != t.at {
		return s.at > t.at
	}
	return s.chat == t.chat && s.id > t.id && t.id != 0
}

// stampOf returns when a copy of a card was sent.
func stampOf(c channel.Copy) stamp {
	chat, id, err := parseMessageID(c.Message)
	if err != nil {
		return stamp{}
	}
	return stamp{chat: chat, id: id, at: c.SentAt}
}

// inChat reports whether a copy of a card is in a chat.
func inChat(c channel.Copy, chat int64) bool { return stampOf(c).chat == chat }
