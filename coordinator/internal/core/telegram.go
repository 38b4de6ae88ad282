package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// Connected notes which bot the channel speaks through.
func (c *Core) Connected(bot string) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		if s.settings.Bot == bot {
			return b, nil
		}
		set := s.change(&b)
		set.Bot, set.Person, set.Pairing = bot, nil, nil
		b.NewBot = true
		text := "telegram connected as @" + bot
		if bot == "" {
			text = "telegram disconnected"
		}
		b.Events = append(b.Events, happened(event.TelegramConnected, "", bot, text, now))
		return b, nil
	})
}

// StartPairing makes a fresh code; an older one is dead.
func (c *Core) StartPairing() (code string, p *channel.Pairing, err error) {
	code = c.cfg.Code()
	err = c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		p = channel.NewPairing(code, now)
		s.change(&b).Pairing = p
		b.Events = append(b.Events, happened(event.TelegramPairing, "", "", "a pairing code was made", now))
		return b, nil
	})
	return code, p, err
}

// A Sender is who wrote or tapped, and where.
type Sender struct {
	Room
	User  int64
	Name  string
	Query string // of a tap: it is what is answered, for the bot may not write to just anybody
}

// strangerEvery is how often a stranger gets an answer: once is enough.
const strangerEvery = 24 * time.Hour

// Pair deals with `/start CODE` from anyone. A right code binds that user in
// that chat; everything else changes nothing but the count of wrong codes.
func (c *Core) Pair(update int64, from Sender, code string) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		b.Update = update
		pairing, err := s.settings.Pairing.Try(code, now)
		if errors.Is(err, channel.ErrNoCode) {
			return s.strange(b, from, now), nil
		}
		set := s.change(&b)
		set.Pairing = pairing
		switch {
		case err == nil:
			set.Person = &channel.Person{User: from.User, Chat: from.Chat, Name: from.Name, At: now}
			s.say(&b, update, from.Room, welcome(from), now)
			s.showAll(&b, now)
			b.Events = append(b.Events, happened(event.TelegramPaired, "", strconv.FormatInt(from.User, 10), "telegram paired with "+from.Name, now))
		default:
			s.say(&b, update, from.Room, "That is not the code. `afar telegram pair`, typed on your machine, makes one.", now)
			b.Events = append(b.Events, happened(event.TelegramPairing, "", "", "a wrong pairing code came in: "+err.Error(), now))
		}
		return b, nil
	})
}

// Moved deals with the news that a group has become a supergroup, which is another
// chat: the person is there now, and what waits is shown there. Any other group's news
// change nothing. An update of 0 is none: a refusal said it.
func (c *Core) Moved(update, from, to int64) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		b.Update = update
		if s.settings.Person == nil || s.settings.Person.Chat != from || from >= 0 || to >= 0 {
			return b, nil
		}
		person := *s.settings.Person
		person.Chat = to
		s.change(&b).Person = &person
		s.notify(&b, "moved", "", "📦 This group is a supergroup now. We go on here.", now)
		s.showAll(&b, now)
		b.Events = append(b.Events, happened(event.TelegramPaired, "", strconv.FormatInt(person.User, 10), "the group of "+person.Name+" became a supergroup", now))
		return b, nil
	})
}

func welcome(from Sender) string {
	text := "👋 Paired with " + from.Name + ".\nQuestions of your sessions come here while you are away. `/help` says more."
	if from.Chat < 0 {
		text += "\nEverybody in this group can read them. Only " + from.Name + " can answer."
	}
	return text
}

// showAll has the open asks that left the terminal already shown to a new person.
func (s *state) showAll(b *store.Batch, now time.Time) {
	for _, a := range s.asks.waiting() {
		if a.Shown && a.State == ask.Open {
			b.Actions = append(b.Actions, cardAction(a, now))
		}
	}
}

// Stranger deals with any update that is not the person's: it changes nothing
// and is answered once.
func (c *Core) Stranger(update int64, from Sender) error {
	return c.do(func(s *state, now time.Time) (store.Batch, error) {
		return s.strange(store.Batch{Update: update}, from, now), nil
	})
}

func (s *state) strange(b store.Batch, from Sender, now time.Time) store.Batch {
	text := "This bot belongs to somebody. Nothing you send here has any effect."
	if s.settings.Person == nil {
		text = "Not paired yet. Run `afar telegram pair` and send me the code: `/start CODE`."
		if from.Query != "" {
			text = plainTicks(text)
		}
	}
	if s.settings.Person != nil && s.settings.Person.User == from.User {
		text = "We talk in another chat now, so nothing you do here has any effect. `afar telegram pair` moves us."
		if from.Query != "" {
			s.tap(&b, Press{Query: from.Query}, plainTicks(text), now)
			return b
		}
	}
	who := from.Chat
	if who < 0 {
		who = from.User // in a group each is answered once
	}
	if now.UnixMilli() < s.settings.Told[who]+strangerEvery.Milliseconds() || who == 0 {
		return b
	}
	told := map[int64]int64{who: now.UnixMilli()}
	for chat, at := range s.settings.Told {
		if now.UnixMilli() < at+strangerEvery.Milliseconds() {
			told[chat] = at
		}
	}
	s.change(&b).Told = told
	if from.Query == "" {
		s.say(&b, b.Update, from.Room, text, now)
	} else {
		s.tap(&b, Press{Query: from.Query}, text, now)
	}
	b.Events = append(b.Events, happened(event.TelegramStranger, "", strconv.FormatInt(from.User, 10), fmt.Sprintf("a stranger wrote to the bot (user %d)", from.User), now))
	return b
}

// plainTicks is a text for where no markup is read.
func plainTicks(text string) string { return strings.ReplaceAll(text, "`", "") }

// Ignore deals with an update by forgetting it.
func (c *Core) Ignore(update int64) error {
	return c.do(func(*state, time.Time) (store.Batch, error) { return store.Batch{Update: update}, nil })
}

// Reply deals with a text from the person by answering it.
func (c *Core) Reply(update int64, to Room, text string) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		b.Update = update
		s.say(&b, update, to, text, now)
		return b, nil
	})
}

func (c *Core) answerTap(p Press, text string) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		b.Update = p.Update
		s.tap(&b, p, text, now)
		return b, nil
	})
}

func (s *state) tap(b *store.Batch, p Press, text string, now time.Time) {
	data, err := json.Marshal(Tap{p.Query, text})
	if err != nil {
		return // cannot happen: two strings
	}
	b.Actions = append(b.Actions, store.Action{Key: "tap:" + p.Query, Lane: LaneTelegram, Kind: ActTap, Data: string(data), Due: now})
}

func (s *state) say(b *store.Batch, update int64, to Room, text string, now time.Time) {
	data, err := json.Marshal(Say{to, text})
	if err != nil {
		return // cannot happen: numbers and a string
	}
	b.Actions = append(b.Actions, store.Action{
		Key: "say:" + strconv.FormatInt(update, 10), Lane: LaneTelegram, Kind: ActSay, Data: string(data), Due: now,
	})
}

// Sent notes the message that shows an ask, and what it says.
func (c *Core) Sent(card store.Card) error {
	return c.do(func(*state, time.Time) (store.Batch, error) { return store.Batch{Cards: []store.Card{card}}, nil })
}

// Doubt notes that nobody knows whether the card of an ask was sent: what is
// sent next may be its second, and says so.
func (c *Core) Doubt(id ask.ID) error {
	cards, err := c.cfg.Store.Cards(id)
	if err != nil || len(cards) > 0 {
		return err
	}
	_, err = c.changeAsk(id, func(a ask.Ask, _ time.Time) (ask.Ask, event.Kind, error) {
		a.Twice = true
		return a, "", nil
	})
	return err
}

// cutOff doubts the card that was being sent when the coordinator before this
// one died. A lane does one thing at a time, so it can only be the first of
// those that nobody has noted.
func (c *Core) cutOff() error {
	last, err := c.cfg.Store.Journal(0, 1, "", true)
	if err != nil || len(last) == 0 || last[0].Kind == event.Stopped {
		return err
	}
	id, ok, err := c.cfg.Store.Unshown(ActCard)
	if err != nil || !ok {
		return err
	}
	if err := c.Doubt(id); !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

// Person returns who is paired, nil for nobody.
func (c *Core) Person() *channel.Person { return c.Settings().Person }

// Receive commits raw updates; only then may they be acknowledged.
func (c *Core) Receive(updates []store.Update) error {
	if len(updates) == 0 {
		return nil
	}
	return c.wrote(c.cfg.Store.Receive(updates))
}

// Received returns the updates that nobody has dealt with yet, in order.
func (c *Core) Received() ([]store.Update, error) { return c.cfg.Store.Received() }

// Cards returns the messages that show an ask, oldest first.
func (c *Core) Cards(id ask.ID) ([]store.Card, error) { return c.cfg.Store.Cards(id) }
