package telegram

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-telegram/bot"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
)

// chatRefusals are the API's words for a chat that takes no message at all, and what ends that. The first that fits
// counts. %s is the name of the person.
var chatRefusals = []struct{ words, fix string }{
	{"blocked by the user", unblock},
	{"deactivated", "`afar telegram pair` with an account that exists"},
	{"kicked", takeBackIn},
	{"not a member", takeBackIn},
	{"was deleted", "`afar telegram pair` in another chat"},
	{"chat not found", "%s sends the bot /start, or `afar telegram pair` in another chat"},
	{"user not found", "%s sends the bot /start, or `afar telegram pair` in another chat"},
	{"initiate conversation", "%s sends the bot /start"},
	{"PEER_ID_INVALID", "%s sends the bot /start, or `afar telegram pair` in another chat"},
	{"USER_IS_BLOCKED", unblock},
	{"not enough rights to send text", mayWrite},
	{"not enough rights to send message", mayWrite},
	{"no rights to send", mayWrite},
	{"need administrator rights", mayWrite},
	{"CHAT_WRITE_FORBIDDEN", mayWrite},
	{"CHAT_SEND_PLAIN_FORBIDDEN", mayWrite},
	{"CHAT_RESTRICTED", mayWrite},
	{"CHAT_ADMIN_REQUIRED", mayWrite},
	{"USER_BANNED_IN_CHANNEL", mayWrite},
	{"CHANNEL_PRIVATE", takeBackIn},
}

const (
	unblock    = "%s unblocks the bot in Telegram or sends it /start"
	mayWrite   = "let the bot send messages in that group, or `afar telegram pair` elsewhere"
	mayTalk    = "%s sends the bot /start, or `afar telegram pair` in another chat"
	takeBackIn = "add the bot to the group again, or `afar telegram pair` elsewhere"
)

// chatRefused reports whether an error of the bot says that a chat takes no message at all, and returns what ends that.
// All answers with 403 say so.
func chatRefused(err error) (fix string, ok bool) {
	isRefused := errors.Is(err, bot.ErrorForbidden)
	if !isRefused && !errors.Is(err, bot.ErrorBadRequest) {
		return "", false
	}
	for _, r := range chatRefusals {
		if says(err, r.words) {
			return r.fix, true
		}
	}
	return mayTalk, isRefused
}

// refusedBy returns what the API's refusal of a message for the person says.
func refusedBy(p *channel.Person, err error, fix string) channel.Refusal {
	_, words, _ := strings.Cut(err.Error(), ", ") // behind the library's own word for the code
	return refusalOf(p, "Telegram refuses messages for %s: "+visible(words, maxWhy), fix)
}

// accepted notes that a chat has taken a message. The message is not sent again if that fails.
func (l *link) accepted(chat int64) {
	if l.cfg.Core == nil || l.account().Refused() == nil {
		return
	}
	if _, of := l.person(); of != chat {
		return
	}
	if err := l.cfg.Core.Accept(channel.Act{Channel: Name}); err != nil {
		l.cfg.Log.Error("note that the chat takes messages", "err", err)
	}
}

// sayRefused tells the person that a question waits whose card Telegram does not take. If it does not take that
// either, the chat refuses all.
func (l *link) sayRefused(ctx context.Context, p *channel.Person, card ask.Card, why error) error {
	token := oneLine(l.placeOf(card[0]).token)
	l.note("a question of " + token + " is not shown: " + why.Error())
	_, chat := l.person()
	text := "⚠️ A question of " + token + " waits, but Telegram does not take its card. Answer it on the page or at the " +
		"terminal: `afar asks`"
	err := l.inRoom(ctx, chat, card[0].Session, func(to room) error { return l.say(ctx, to, text) })
	switch {
	case errors.Is(err, core.ErrGiveUp):
		return l.refuse(refusedBy(p, err, mayTalk))
	case err != nil:
		return err
	}
	return why
}

// heard ends a refusal when the person does something in their chat: they are there, and so is the bot.
func (l *link) heard(u update) error {
	a := l.account()
	if a.Refused() == nil {
		return nil
	}
	by := u.Tap != nil && isPerson(a.Person, u.Tap.From.ID, u.Tap.Message.Chat.ID)
	if m := u.Message; m != nil && m.Left == nil && m.From != nil {
		by = isPerson(a.Person, m.From.ID, m.Chat.ID)
	}
	if !by {
		return nil
	}
	return l.cfg.Core.Accept(channel.Act{Channel: Name})
}

// A membership is news about the place of somebody in a chat.
type membership struct {
	Chat chat `json:"chat"`
	Now  struct {
		User user `json:"user"`
		member
	} `json:"new_chat_member"`
}

// A member is the place of somebody in a chat.
type member struct {
	Status string `json:"status"`
	In     bool   `json:"is_member"`         // of one who is restricted
	Write  *bool  `json:"can_send_messages"` // the same
}

func (m member) isIn() bool {
	in := []string{"creator", "administrator", "member"}
	return m.Status == "restricted" && m.In || slices.Contains(in, m.Status)
}

// botMoved handles news about the bot in a chat. Only the chat where the person is paired counts.
func (l *link) botMoved(update int64, m membership) error {
	act := channel.Act{Channel: Name, Update: update}
	p, chat := l.person()
	refused := l.account().Refused()
	switch {
	case p == nil, m.Chat.ID != chat:
	case !m.Now.isIn() && chat > 0:
		return l.cfg.Core.Refuse(act, refusalOf(p, "%s has blocked the bot in Telegram", unblock))
	case !m.Now.isIn():
		return l.cfg.Core.Refuse(act, refusalOf(p, "the bot was removed from the group of %s", takeBackIn))
	case m.Now.Write != nil && !*m.Now.Write:
		return l.cfg.Core.Refuse(act, refusalOf(p, "the bot may not write in the group of %s", mayWrite))
	case refused != nil && !refused.Absent:
		return l.cfg.Core.Accept(act)
	}
	return l.cfg.Core.Acknowledge(act, "")
}

// personMoved handles news about a person in a chat. Only the paired person in the chat where they are paired counts.
func (l *link) personMoved(update int64, user, in int64, here bool) error {
	act := channel.Act{Channel: Name, Update: update}
	p, chat := l.person()
	switch {
	case !isPerson(p, user, in):
		return l.cfg.Core.Acknowledge(act, "")
	case here || chat > 0:
		return l.cfg.Core.Accept(act)
	}
	return l.cfg.Core.Refuse(act, absence(p))
}

// absence is the refusal of a group that the person has left: nothing more is shown to the others there.
func absence(p *channel.Person) channel.Refusal {
	r := refusalOf(p, "%s has left the group where questions are shown",
		"%s joins it again, or `afar telegram pair` elsewhere")
	r.Absent = true
	return r
}

func refusalOf(p *channel.Person, why, fix string) channel.Refusal {
	named := func(text string) string { return strings.ReplaceAll(text, "%s", p.Name) }
	return channel.Refusal{Why: named(why), Fix: named(fix)}
}

// seePerson asks from time to time whether the person is still in the group where they are paired. The news that
// they left may have come while nobody polled, and a large group sends none.
func (l *link) seePerson(ctx context.Context) error {
	p, chat := l.person()
	if p == nil || chat > 0 || l.cfg.Now().Sub(l.seen[p.Address]) < recheckForum {
		return nil
	}
	var m member
	err := l.call(ctx, "getChatMember", map[string]any{"chat_id": chat, "user_id": p.ID}, &m)
	var no *refusal
	if err != nil && !errors.As(err, &no) {
		return err
	}
	if err == nil && !m.isIn() {
		return l.refuse(absence(p))
	}
	l.seen[p.Address] = l.cfg.Now() // if Telegram does not say it, the next message says whether the chat works
	return nil
}

// refuse notes a refusal and returns the error of the action that found it out.
func (l *link) refuse(r channel.Refusal) error {
	if err := l.cfg.Core.Refuse(channel.Act{Channel: Name}, r); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s", core.ErrRefused, r.Why)
}

// refusedText says why messages for the person wait, and since when; "" if they do not.
func refusedText(r *channel.Refusal) (why, fix string) {
	if r == nil {
		return "", ""
	}
	return r.Why + " (since " + r.Since.Format(sinceForm) + ")", r.Fix
}
