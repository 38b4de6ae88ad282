package telegram

import (
	"context"
	"strings"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// isFile marks the message that carries an ask's file among its cards: it is
// never edited, and a reply to it is a reply to the ask.
const isFile = "file"

// sendWhole sends an input that is too long for its card as a file below the card. It does
// so once; the file is stored with the cards.
func (l *link) sendWhole(ctx context.Context, by store.Action, a ask.Ask, card channel.Copy) error {
	chat, message, err := parseMessageID(card.Message)
	if err != nil {
		return core.GiveUp(err)
	}
	name, caption := whole(a)
	m, err := l.bot.SendDocument(ctx, &bot.SendDocumentParams{
		ChatID:          chat,
		Caption:         caption,
		Document:        &models.InputFileUpload{Filename: name, Data: strings.NewReader(a.Text)},
		ReplyParameters: &models.ReplyParameters{MessageID: int(message), AllowSendingWithoutReply: true},
	})
	if err != nil {
		return l.outcome(chat, err)
	}
	return l.sent(ctx, by, channel.Copy{
		Ask: card.Ask, Channel: Name, Message: messageID(chat, int64(m.ID)), Shown: isFile, SentAt: int64(m.Date),
	})
}

// whole names the file of an input, and says what it is.
func whole(a ask.Ask) (name, caption string) {
	switch {
	case a.Kind == ask.Plan:
		return "plan.md", "The whole plan. Reply to it, or to the card, to have it changed."
	case a.Kind == ask.Terminal:
		return "dialog.txt", "All of what waits at the terminal."
	case a.Kind == ask.CheckIn:
		return "message.md", "The whole message. Reply to it, or to the card, to go on."
	case a.Kind == ask.Checkpoint:
		return "checkpoint.md", "All that the task says. Answer on the card."
	case a.Kind == ask.Suggestion:
		return "suggestion.md", "The whole suggestion. Answer on the card."
	case a.Kind == ask.Missed:
		return "text.md", "The whole text. Answer on the card."
	case a.Kind == ask.Proposal:
		return "prompt.md", "The whole prompt. Answer on the card."
	case languages[a.Tool] == "diff":
		return "change.diff", "The whole change. Answer on the card."
	case a.Tool == "Bash":
		return "command.sh", "The whole command. Answer on the card."
	}
	return "input.txt", "The whole input. Answer on the card."
}
