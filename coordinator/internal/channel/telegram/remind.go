package telegram

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// isReminder marks the reminder of a card among the messages of its ask. The reminder is
// never edited. A reply to it is a reply to the ask.
const isReminder = "reminder"

// remind replies to a card that waits too long, so that the phone rings once more. It says
// who waits, how long and for what. Another chat may be told too: who waits and for what kind of
// answer, but not the question itself. Nothing can be answered there.
func (l *link) remind(ctx context.Context, by store.Action) error {
	id := ask.ID(by.Data)
	card, err := l.cfg.Core.OnCard(id)
	person, chat := l.person()
	switch {
	case err != nil, person == nil, len(card.Waiting()) == 0:
		return ignoreMissing(err)
	}
	a, p := card.Waiting()[0], l.placeOf(card[0])
	if other := l.cfg.RemindChat; other != 0 && other != chat {
		text := fmt.Sprintf("⏰ %s waits for %s: %s, since %s. It can be answered only where %s is paired.",
			oneLine(p.token), person.Name, a.Kind, a.OpenedAt.Format("15:04"), person.Name)
		if err := l.say(ctx, room{chat: other}, text); err != nil {
			l.cfg.Log.Warn("remind another chat", "chat", other, "err", err)
		}
	}
	all, err := l.cfg.Core.Copies(Name, id)
	if err != nil {
		return err
	}
	var shown int64
	for _, c := range all {
		in, message, err := parseMessageID(c.Message)
		switch {
		case err != nil, in != chat, c.Shown == isFile:
		case c.Shown == isReminder:
			return nil
		default:
			shown = message
		}
	}
	text := fmt.Sprintf("⏰ %s still waits (%s): %s", oneLine(p.name), ago(l.cfg.Now().Sub(a.OpenedAt)),
		beginning(oneLine(a.Request(p.near))))
	return l.inRoom(ctx, chat, a.Session, func(to room) error {
		m, err := l.bot.SendMessage(ctx, &bot.SendMessageParams{
			ChatID: to.chat, MessageThreadID: int(to.thread), Text: text,
			ReplyParameters: &models.ReplyParameters{MessageID: int(shown), AllowSendingWithoutReply: true},
		})
		if err != nil {
			return l.outcome(to.chat, err)
		}
		return l.sent(ctx, by, channel.Copy{
			Ask: id, Channel: Name, Message: messageID(to.chat, int64(m.ID)), Shown: isReminder, SentAt: int64(m.Date),
		})
	})
}

func ignoreMissing(err error) error {
	if errors.Is(err, core.ErrNotFound) {
		return core.GiveUp(err)
	}
	return err
}
