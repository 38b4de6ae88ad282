package telegram

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// isReminder marks the message that reminds of a card among an ask's cards: it
// is never edited, and a reply to it is a reply to the ask.
const isReminder = "reminder"

// remind answers a card that waits too long, so that the phone rings once more:
// who waits and for what kind of answer, not for what. Another chat may be told
// so, too; nothing can be answered there.
func (l *link) remind(ctx context.Context, id ask.ID) error {
	card, err := l.cfg.Core.OnCard(id)
	person := l.cfg.Core.Person()
	if err != nil || person == nil || len(card.Waiting()) == 0 {
		return ignoreMissing(err)
	}
	a, p := card.Waiting()[0], l.placeOf(card[0])
	if other := l.cfg.Core.Rules().RemindChat; other != 0 && other != person.Chat {
		text := fmt.Sprintf("⏰ %s waits for %s: %s, since %s. It can be answered only where %s is paired.",
			oneLine(p.token), person.Name, a.Kind, a.OpenedAt.Format("15:04"), person.Name)
		if err := l.say(ctx, core.Room{Chat: other}, text); err != nil {
			l.cfg.Log.Warn("remind another chat", "chat", other, "err", err)
		}
	}
	all, err := l.cfg.Core.Cards(id)
	if err != nil {
		return err
	}
	var shown int64
	for _, c := range all {
		switch {
		case c.Chat != person.Chat, c.Shown == isFile:
		case c.Shown == isReminder:
			return nil
		default:
			shown = c.Message
		}
	}
	text := fmt.Sprintf("⏰ %s still waits for you: %s, since %s.", oneLine(p.token), a.Kind, a.OpenedAt.Format("15:04"))
	return l.inRoom(ctx, person.Chat, a.Session, func(to core.Room) error {
		m, err := l.bot.SendMessage(ctx, &bot.SendMessageParams{
			ChatID: to.Chat, MessageThreadID: int(to.Thread), Text: text,
			ReplyParameters: &models.ReplyParameters{MessageID: int(shown), AllowSendingWithoutReply: true},
		})
		if err != nil {
			return l.outcome(to.Chat, err)
		}
		return l.sent(ctx, store.Card{Ask: id, Chat: to.Chat, Message: int64(m.ID), Shown: isReminder, At: int64(m.Date)})
	})
}

func ignoreMissing(err error) error {
	if errors.Is(err, core.ErrNotFound) {
		return core.GiveUp(err)
	}
	return err
}
