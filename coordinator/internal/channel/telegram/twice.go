package telegram

import (
	"context"

	"github.com/afar-sh/afar/coordinator/internal/channel"
)

const (
	maxGap     = 1000 // ids that are looked at behind the last message that is noted
	maxUnnoted = 20   // messages that are tried
)

// unnoted finds the copies of a card that arrived although we died, or lost Telegram's answer, before they were noted.
// c is the newest copy. The ids of a chat grow, and each message of ours is noted, so one between the last noted
// message and c was sent by an action that had to be repeated. Each of them is made to show the card, so it is settled
// with it. A message of somebody else cannot be edited.
func (l *link) unnoted(ctx context.Context, c channel.Copy, text rendered) (copies []channel.Copy) {
	a, err := l.cfg.Core.Ask(c.Ask)
	if err != nil || !a.Twice {
		return nil
	}
	chat, last, err := parseMessageID(l.account().Newest)
	in, newest, _ := parseMessageID(c.Message) // we have made it
	if err != nil || chat != in {
		return nil
	}
	for id, tries := max(last+1, newest-maxGap), 0; id < newest && tries < maxUnnoted; id++ {
		old := c
		old.Message, old.SentAt = messageID(chat, id), 0
		if shown, err := l.cfg.Core.Shows(Name, old.Message); err != nil || shown != "" {
			continue
		}
		tries++
		if l.edit(ctx, old.Message, text) == nil {
			copies = append(copies, old)
		}
	}
	return copies
}

// sentLast notes a message that shows no card. What was sent is not sent again if that fails.
func (l *link) sentLast(to room, message int64) {
	if l.cfg.Core == nil {
		return
	}
	if _, chat := l.person(); chat != to.chat {
		return
	}
	if err := l.cfg.Core.SentLast(Name, messageID(to.chat, message)); err != nil {
		l.cfg.Log.Error("note a message", "err", err)
	}
}
