package telegram

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/channel"
)

// Name is the name of this channel.
const Name = "telegram"

// A room is a chat, or one topic of a forum. Thread 0 is a chat without topics, and
// the general topic of a forum.
type room struct{ chat, thread int64 }

// address returns the form of r that core keeps: "chat" or "chat/thread".
func (r room) address() channel.Address {
	if r.thread == 0 {
		return chatAddress(r.chat)
	}
	return channel.Address(itoa(r.chat) + "/" + itoa(r.thread))
}

func chatAddress(chat int64) channel.Address { return channel.Address(itoa(chat)) }

// parseAddress is the reverse of address.
func parseAddress(a channel.Address) (r room, err error) {
	chat, thread, inThread := strings.Cut(string(a), "/")
	r.chat, err = strconv.ParseInt(chat, 10, 64)
	if err == nil && inThread {
		r.thread, err = strconv.ParseInt(thread, 10, 64)
	}
	if err != nil {
		return room{}, fmt.Errorf("address %q: want chat or chat/thread, in numbers", a)
	}
	return r, nil
}

// messageID returns the name of a message that core keeps: "chat/message".
func messageID(chat, message int64) channel.MessageID {
	return channel.MessageID(itoa(chat) + "/" + itoa(message))
}

// parseMessageID is the reverse of messageID.
func parseMessageID(id channel.MessageID) (chat, message int64, err error) {
	first, second, _ := strings.Cut(string(id), "/")
	chat, err = strconv.ParseInt(first, 10, 64)
	if err == nil {
		message, err = strconv.ParseInt(second, 10, 64)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("message %q: want chat/message, in numbers", id)
	}
	return chat, message, nil
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
