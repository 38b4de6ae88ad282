package telegram

import (
	"context"
	"fmt"
	"time"

	"github.com/go-telegram/bot"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// The API's words about topics.
const (
	noThread = "message thread not found" // deleted by people
	noTopic  = "TOPIC_ID_INVALID"         // the same, of methods that change it
	notForum = "the chat is not a forum"
	noRights = "not enough rights"
	asItWas  = "TOPIC_NOT_MODIFIED"
)

// lookAgain is how often a chat is asked whether it is a forum by now, and
// whether we may make topics in it.
const lookAgain = 10 * time.Minute

// A forum is what we know of a group. Only the worker of the lane uses it.
type forum struct {
	is     bool
	denied bool // we may not make topics
	at     time.Time
}

// inRoom sends what is about a session: in a forum into its own topic, made
// where there is none, anywhere else into the chat. People may delete a topic;
// then it is made anew.
func (l *link) inRoom(ctx context.Context, chat int64, id session.ID, send func(core.Room) error) error {
	to, err := l.roomOf(ctx, chat, id)
	if err != nil {
		return err
	}
	err = send(to)
	if to.Thread == 0 || !says(err, noThread) {
		return err
	}
	if err := l.cfg.Core.PutThread(store.Thread{Session: id, Chat: chat}); err != nil {
		return err
	}
	if to, err = l.roomOf(ctx, chat, id); err != nil {
		return err
	}
	return send(to)
}

// roomOf returns where a session speaks.
func (l *link) roomOf(ctx context.Context, chat int64, id session.ID) (core.Room, error) {
	plain := core.Room{Chat: chat}
	if chat > 0 || id == "" {
		return plain, nil
	}
	if t, ok := l.cfg.Core.Thread(id, chat); ok {
		return core.Room{Chat: chat, Thread: t.ID}, nil
	}
	f, err := l.forum(ctx, chat)
	if err != nil || !f.is || f.denied {
		return plain, err
	}
	return l.newThread(ctx, chat, id)
}

// forum asks what a group is, unless that is known well enough.
func (l *link) forum(ctx context.Context, chat int64) (forum, error) {
	f, known := l.forums[chat]
	if known && (f.is && !f.denied || l.cfg.Now().Sub(f.at) < lookAgain) {
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

// newThread makes the topic of a session. Where we may not, all comes into one
// place, and the person is told so once.
func (l *link) newThread(ctx context.Context, chat int64, id session.ID) (core.Room, error) {
	plain, about := core.Room{Chat: chat}, fmt.Sprintf("topics:%d", chat)
	v, err := l.cfg.Core.Session(string(id))
	if err != nil {
		return plain, nil // a session that nobody remembers needs no topic
	}
	made, err := l.bot.CreateForumTopic(ctx, &bot.CreateForumTopicParams{ChatID: chat, Name: v.Token})
	switch {
	case says(err, notForum):
		l.forums[chat] = forum{at: l.cfg.Now()}
		return plain, nil
	case says(err, noRights):
		l.forums[chat] = forum{is: true, denied: true, at: l.cfg.Now()}
		return plain, l.cfg.Core.TellOnce(about, "📌 I may not make topics in this group, so all sessions speak in one place. "+
			"Make me an administrator who may manage topics, and each session gets a topic of its own.")
	case err != nil:
		return plain, l.outcome(chat, err)
	}
	t := store.Thread{Session: id, Chat: chat, ID: int64(made.MessageThreadID)}
	if err := l.insist(ctx, "note topic", func() error { return l.cfg.Core.PutThread(t) }); err != nil {
		return plain, err
	}
	return core.Room{Chat: chat, Thread: t.ID}, l.cfg.Core.Untrue(about)
}

// topic closes the topic of a session that has ended and opens that of one that
// came back. A topic that is gone, or not ours to close, stays as it is.
func (l *link) topic(ctx context.Context, id session.ID) error {
	person := l.cfg.Core.Person()
	if person == nil {
		return nil
	}
	t, ok := l.cfg.Core.Thread(id, person.Chat)
	v, err := l.cfg.Core.Session(string(id))
	ended := v.State == session.Ended
	if !ok || err != nil || t.Closed == ended {
		return nil
	}
	if ended {
		_, err = l.bot.CloseForumTopic(ctx, &bot.CloseForumTopicParams{ChatID: t.Chat, MessageThreadID: int(t.ID)})
	} else {
		_, err = l.bot.ReopenForumTopic(ctx, &bot.ReopenForumTopicParams{ChatID: t.Chat, MessageThreadID: int(t.ID)})
	}
	t.Closed = ended
	switch {
	case says(err, noTopic), says(err, noThread):
		t.ID = 0
	case says(err, noRights):
		return nil
	case err != nil && !says(err, asItWas):
		return l.outcome(t.Chat, err)
	}
	return l.cfg.Core.PutThread(t)
}
