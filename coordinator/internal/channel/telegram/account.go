package telegram

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
)

// A sender is the user who wrote or tapped. The act says where.
type sender struct {
	channel.Act
	user, chat int64
	name       string
}

// isPerson reports whether p is this user and is paired in this chat.
func isPerson(p *channel.Person, user, chat int64) bool {
	return p.Is(itoa(user), chatAddress(chat))
}

// account returns the stored account: the bot, the paired person and the open pairing.
func (c *Channel) account() channel.Account { return c.cfg.Core.Account(Name) }

// person returns the paired person and the chat in which asks are shown, or nil if nobody
// is paired.
func (c *Channel) person() (p *channel.Person, chat int64) {
	p = c.account().Person
	if p == nil {
		return nil, 0
	}
	r, err := parseAddress(p.Address)
	if err != nil {
		c.cfg.Log.Error("read the address of the paired person", "err", err)
		return nil, 0
	}
	return p, r.chat
}

// StartPairing makes a new code. An older code is no longer valid.
func (c *Channel) StartPairing() (code string, p *channel.Pairing, err error) {
	code = c.cfg.Code()
	err = c.change(func(a channel.Account, now time.Time) channel.Change {
		p = channel.NewPairing(code, now)
		a.Pairing = p
		return channel.Change{Account: &a, Event: happened(event.TelegramPairing, "", "a pairing code was made")}
	})
	return code, p, err
}

// noteBot records the bot that the channel speaks through, "" for none. If the bot changes,
// nobody is paired with the new one.
func (c *Channel) noteBot(bot string) error {
	return c.change(func(a channel.Account, _ time.Time) channel.Change {
		if a.Speaker == bot {
			return channel.Change{}
		}
		a.Speaker, a.Person, a.Pairing = bot, nil, nil
		text := "telegram connected as @" + bot
		if bot == "" {
			text = "telegram disconnected"
		}
		return channel.Change{Account: &a, Anew: true, Event: happened(event.TelegramConnected, bot, text)}
	})
}

// change changes the account without an act.
func (c *Channel) change(f func(channel.Account, time.Time) channel.Change) error {
	return c.cfg.Core.ChangeAccount(channel.Act{Channel: Name}, f)
}

// pair handles /start CODE. The right code pairs the sender in that chat. A wrong code only
// raises the count of wrong codes.
func (c *Channel) pair(from sender, code string) error {
	return c.cfg.Core.ChangeAccount(from.Act, func(a channel.Account, now time.Time) channel.Change {
		pairing, err := a.Pairing.Try(code, now)
		if errors.Is(err, channel.ErrNoCode) {
			return answerStranger(a, from, now)
		}
		a.Pairing = pairing
		if err != nil {
			return channel.Change{
				Account: &a,
				Settle:  "That is not the code. `afar telegram pair`, typed on your machine, makes one.",
				Event:   happened(event.TelegramPairing, "", "a wrong pairing code came in: "+err.Error()),
			}
		}
		a.Person = &channel.Person{ID: itoa(from.user), Address: chatAddress(from.chat), Name: from.name, At: now}
		return channel.Change{
			Account: &a,
			Settle:  welcome(from),
			Show:    true,
			Event:   happened(event.TelegramPaired, a.Person.ID, "telegram paired with "+from.name),
		}
	})
}

func welcome(from sender) string {
	text := "👋 Paired with " + from.name + ".\n" +
		"Questions of your sessions come here while you are away. `/help` says more."
	if from.chat < 0 {
		text += "\nEverybody in this group can read them. Only " + from.name + " can answer."
	}
	return text
}

// moveChat handles the news that a group has become a supergroup, which is a different
// chat. If the person is paired in the group, they are now paired in the supergroup, and
// open asks are shown there. For any other group nothing changes. An update of 0 means
// that the news came in a refusal of the API.
func (c *Channel) moveChat(update, from, to int64) error {
	act := channel.Act{Channel: Name, Update: update}
	return c.cfg.Core.ChangeAccount(act, func(a channel.Account, _ time.Time) channel.Change {
		switch {
		case from >= 0, to >= 0:
			return channel.Change{}
		case a.Person == nil, a.Person.Address != chatAddress(from):
			return channel.Change{}
		}
		person := *a.Person
		person.Address = chatAddress(to)
		a.Person = &person
		return channel.Change{
			Account: &a,
			Notice:  "📦 This group is a supergroup now. We go on here.",
			Show:    true,
			Event:   happened(event.TelegramPaired, person.ID, "the group of "+person.Name+" became a supergroup"),
		}
	})
}

// stranger handles an update from anybody except the paired person. It changes nothing and
// is answered once.
func (c *Channel) stranger(from sender) error {
	return c.cfg.Core.ChangeAccount(from.Act, func(a channel.Account, now time.Time) channel.Change {
		return answerStranger(a, from, now)
	})
}

func answerStranger(a channel.Account, from sender, now time.Time) channel.Change {
	text := strangerText(a, from)
	if from.Tap != "" {
		text = strings.ReplaceAll(text, "`", "") // the answer to a tap has no markup
		if isUser(a.Person, from.user) {
			return channel.Change{Settle: text}
		}
	}
	who := from.chat
	if who < 0 {
		who = from.user // in a group, each user is answered once
	}
	next, ok := a.TellStranger(itoa(who), now)
	if !ok || who == 0 {
		return channel.Change{}
	}
	about := fmt.Sprintf("a stranger wrote to the bot (user %d)", from.user)
	return channel.Change{Account: &next, Settle: text, Event: happened(event.TelegramStranger, itoa(from.user), about)}
}

func strangerText(a channel.Account, from sender) string {
	switch {
	case a.Person == nil:
		return "Not paired yet. Run `afar telegram pair` and send me the code: `/start CODE`."
	case isUser(a.Person, from.user):
		return "We talk in another chat now, so nothing you do here has any effect. `afar telegram pair` moves us."
	}
	return "This bot belongs to somebody. Nothing you send here has any effect."
}

// isUser reports whether p is this user, in any chat.
func isUser(p *channel.Person, user int64) bool { return p != nil && p.ID == itoa(user) }

// happened makes a journal entry; core sets its time.
func happened(kind event.Kind, subject, text string) event.Event {
	return event.Event{Kind: kind, Subject: subject, Text: text}
}
