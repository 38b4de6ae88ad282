package telegram

import (
	"context"
	"fmt"
	"time"

	"github.com/go-telegram/bot"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// The API's words about topics.
const (
	noThread = "message thread not found" // deleted by people
	noTopic  = "TOPIC_ID_INVALID"         // the same, of methods that change it
	closed   = "TOPIC_CLOSED"             // by people, where the bot may not change that
	notForum = "the chat is not a forum"
	noRights = "not enough rights"
	asItWas  = "TOPIC_NOT_MODIFIED"
)

// recheckForum is the time after which a chat that had no topics is asked again whether it
// is a forum in which we may make topics.
const recheckForum = 10 * time.Minute

// A forum is what is known about a group. Only the worker of the lane uses it.
type forum struct {
	is     bool
	denied bool // we may not make topics
	at     time.Time
}

// open reports whether we can make topics in f.
func (f forum) open() bool { return f.is && !f.denied }

// inRoom sends a message about a session. In a forum the message goes to the session's own
// topic, which is made if it does not exist, or was deleted or closed. Anywhere else it goes to the
// chat.
func (l *link) inRoom(ctx context.Context, chat int64, id session.ID, send func(room) error) error {
	to, err := l.roomOf(ctx, chat, id)
	if err != nil {
		return err
	}
	err = send(to)
	if to.thread == 0 || !says(err, noThread) && !says(err, closed) {
		return err
	}
	if err := l.cfg.Core.PutRoom(channel.Room{Channel: Name, Session: id, Inside: chatAddress(chat)}); err != nil {
		return err
	}
	if to, err = l.roomOf(ctx, chat, id); err != nil {
		return err
	}
	return send(to)
}

// roomOf returns where a session speaks.
func (l *link) roomOf(ctx context.Context, chat int64, id session.ID) (room, error) {
	plain := room{chat: chat}
	if chat > 0 || id == "" {
		return plain, nil
	}
	if r, ok := l.cfg.Core.Room(Name, id, chatAddress(chat)); ok {
		return parseAddress(r.Address)
	}
	f, err := l.forum(ctx, chat)
	if err != nil || !f.open() {
		return plain, err
	}
	return l.newThread(ctx, chat, id)
}

// forum returns whether a group is a forum. It asks Telegram if it does not know that.
func (l *link) forum(ctx context.Context, chat int64) (forum, error) {
	f := l.forums[chat]
	if f.open() || l.cfg.Now().Sub(f.at) < recheckForum {
		return f, nil
	}
	c, err := l.bot.GetChat(ctx, &bot.GetChatParams{ChatID: chat})
	if err != nil {
		return f, l.outcome(chat, err)
	}
	f = forum{is: c.IsForum, at: l.cfg.Now()}
	l.forums[chat] = f
	return f, nil
}

// newThread makes the topic of a session. If the bot has no right to make topics, all
// messages go to one place, and the person is told so once.
func (l *link) newThread(ctx context.Context, chat int64, id session.ID) (room, error) {
	plain, about := room{chat: chat}, fmt.Sprintf("topics:%d", chat)
	v, err := l.cfg.Core.Session(string(id))
	if err != nil {
		return plain, nil // a forgotten session needs no topic
	}
	made, err := l.bot.CreateForumTopic(ctx, &bot.CreateForumTopicParams{ChatID: chat, Name: v.Token})
	switch {
	case says(err, notForum):
		l.forums[chat] = forum{at: l.cfg.Now()}
		return plain, nil
	case says(err, noRights):
		l.forums[chat] = forum{is: true, denied: true, at: l.cfg.Now()}
		return plain, l.cfg.Core.TellOnce(Name, about, channel.News{Text: "📌 I may not make topics in this group, " +
			"so all sessions speak in one place. " +
			"Make me an administrator who may manage topics, and each session gets a topic of its own."})
	case err != nil:
		return plain, l.outcome(chat, err)
	}
	to := room{chat, int64(made.MessageThreadID)}
	noted := channel.Room{Channel: Name, Session: id, Inside: chatAddress(chat), Address: to.address()}
	if err := l.insist(ctx, "note topic", func() error { return l.cfg.Core.PutRoom(noted) }); err != nil {
		return plain, err
	}
	return to, l.cfg.Core.Untrue(about)
}

// topic closes the topic of a session that has ended, and reopens the topic of a session
// that came back. A topic that no longer exists, or that the bot may not change, is left
// alone.
func (l *link) topic(ctx context.Context, id session.ID) error {
	person, chat := l.person()
	if person == nil {
		return nil
	}
	r, ok := l.cfg.Core.Room(Name, id, person.Address)
	v, err := l.cfg.Core.Session(string(id))
	ended := v.State == session.Ended
	if !ok || err != nil || r.Closed == ended {
		return nil
	}
	at, err := parseAddress(r.Address)
	if err != nil {
		return core.GiveUp(err)
	}
	if ended {
		_, err = l.bot.CloseForumTopic(ctx, &bot.CloseForumTopicParams{ChatID: chat, MessageThreadID: int(at.thread)})
	} else {
		_, err = l.bot.ReopenForumTopic(ctx, &bot.ReopenForumTopicParams{ChatID: chat, MessageThreadID: int(at.thread)})
	}
	r.Closed = ended
	switch {
	case says(err, noTopic), says(err, noThread):
		r.Address = ""
	case says(err, noRights):
		return nil
	case err != nil && !says(err, asItWas):
		return l.outcome(chat, err)
	}
	return l.cfg.Core.PutRoom(r)
}
