package telegram

import (
	"context"
	"strings"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// isFile marks the message that carries an ask's file among its cards: it is
// never edited, and a reply to it is a reply to the ask.
const isFile = "file"

// planRows are the ways to approve a plan; a reply sends it back.
func planRows(a ask.Ask) [][]button {
	if a.State != ask.Open {
		return nil
	}
	return [][]button{
		{{"Approve ✅", "p:" + a.Nonce + ":y"}},
		{{"Approve and accept edits ✏️", "p:" + a.Nonce + ":e"}},
	}
}

// sendPlan sends the plan whole, once: what was sent is noted with the cards.
func (l *link) sendPlan(ctx context.Context, a ask.Ask, chat int64) error {
	m, err := l.bot.SendDocument(ctx, &bot.SendDocumentParams{
		ChatID: chat, Caption: "The whole plan. Reply to it, or to the card, to have it changed.",
		Document: &models.InputFileUpload{Filename: "plan.md", Data: strings.NewReader(a.Text)},
	})
	if err != nil {
		return l.outcome(err)
	}
	return l.sent(ctx, store.Card{Ask: a.ID, Chat: chat, Message: int64(m.ID), Shown: isFile})
}
