package telegram

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// An update holds the parts of Telegram's update that Afar reads. It has no other fields,
// so that later additions by Telegram cannot make a tap unreadable.
type update struct {
	Message *message    `json:"message"`
	Tap     *tap        `json:"callback_query"`
	Bot     *membership `json:"my_chat_member"`
	Member  *membership `json:"chat_member"`
}

type message struct {
	ID     int64           `json:"message_id"`
	Date   int64           `json:"date"` // unix seconds
	Thread int64           `json:"message_thread_id"`
	Topic  bool            `json:"is_topic_message"` // Thread is a forum's topic, not a chain of replies
	From   *user           `json:"from"`
	Chat   chat            `json:"chat"`
	Text   string          `json:"text"`
	Reply  *message        `json:"reply_to_message"`
	Origin json.RawMessage `json:"forward_origin"`
	Via    *user           `json:"via_bot"`
	media
	Left   *user  `json:"left_chat_member"`
	Joined []user `json:"new_chat_members"`
	// The other chat, when a group has become a supergroup.
	MovedTo   int64 `json:"migrate_to_chat_id"`
	MovedFrom int64 `json:"migrate_from_chat_id"`
	Markup    struct {
		Rows [][]struct {
			Data string `json:"callback_data"`
		} `json:"inline_keyboard"`
	} `json:"reply_markup"`
}

type tap struct {
	ID      string  `json:"id"`
	From    user    `json:"from"`
	Message message `json:"message"`
	Data    string  `json:"data"`
}

type user struct {
	ID    int64  `json:"id"`
	IsBot bool   `json:"is_bot"`
	First string `json:"first_name"`
	Last  string `json:"last_name"`
}

type chat struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
}

// group reports whether others than the sender read along.
func (c chat) group() bool { return slices.Contains([]string{"group", "supergroup"}, c.Type) }

// maxName bounds a person's name in cards and journal, in UTF-16 units.
const maxName = 48

// name returns u's name in one line, without hidden characters.
func (u user) name() string {
	name := text.Fold(redact.Visible(u.First + " " + u.Last))
	if name == "" {
		return "somebody"
	}
	return shorten(name, maxName)
}

// act returns the act of an update that is a message.
func (m message) act(update int64) channel.Act {
	return channel.Act{Channel: Name, Update: update, At: m.room().address()}
}

// actOf returns the act of a message of the person, for an operation.
func (l *link) actOf(update int64, m message) channel.Act {
	act := m.act(update)
	act.By, act.Key = m.From.name(), l.keyOf(update)
	return act
}

func (m message) sender(update int64) sender {
	return sender{Act: m.act(update), user: m.From.ID, chat: m.Chat.ID, name: m.From.name()}
}

// joined returns the id of a person if they are among those who joined the chat, else 0.
func (m message) joined(p *channel.Person) int64 {
	for _, u := range m.Joined {
		if isUser(p, u.ID) {
			return u.ID
		}
	}
	return 0
}

// stamp returns when m was sent, by Telegram's clock.
func (m message) stamp() stamp { return stamp{chat: m.Chat.ID, id: m.ID, at: m.Date} }

// room returns where m was sent, which is where its answer goes.
func (m message) room() room {
	if m.Topic {
		return room{m.Chat.ID, m.Thread}
	}
	return room{chat: m.Chat.ID}
}

// written reports whether the sender wrote the text themselves. A text that somebody else
// wrote decides nothing.
func (m message) written() bool { return m.Text != "" && m.Origin == nil && m.Via == nil }

// handle handles one update, in one commit. An error always comes from core; the update is
// then kept.
func (l *link) handle(in channel.Update) error {
	var u update
	if err := json.Unmarshal(in.Body, &u); err != nil {
		l.cfg.Log.Warn("an update that cannot be read", "update", in.ID, "err", err)
		return l.cfg.Core.Acknowledge(channel.Act{Channel: Name, Update: in.ID}, "")
	}
	var m message
	if u.Message != nil {
		m = *u.Message
	}
	if err := l.heard(u); err != nil {
		return err
	}
	switch {
	case u.Tap != nil:
		return l.tapped(in.ID, *u.Tap)
	case u.Bot != nil:
		return l.botMoved(in.ID, *u.Bot)
	case u.Member != nil:
		return l.personMoved(in.ID, u.Member.Now.User.ID, u.Member.Chat.ID, u.Member.Now.isIn())
	case len(m.Joined) > 0:
		return l.personMoved(in.ID, m.joined(l.account().Person), m.Chat.ID, true)
	case m.Left != nil:
		return l.personMoved(in.ID, m.Left.ID, m.Chat.ID, false)
	case m.MovedTo != 0:
		return l.moveChat(in.ID, m.Chat.ID, m.MovedTo)
	case m.MovedFrom != 0:
		return l.moveChat(in.ID, m.MovedFrom, m.Chat.ID)
	case m.From == nil, m.From.IsBot:
	case m.Chat.Type == "private":
		return l.received(in.ID, m)
	case m.Chat.group() && l.isForBot(m):
		return l.received(in.ID, m)
	}
	l.cfg.Log.Info("an update without meaning for us", "update", in.ID)
	return l.cfg.Core.Acknowledge(channel.Act{Channel: Name, Update: in.ID}, "")
}

// isForBot reports whether a message in a group is for the bot, since people also talk to
// each other there. Messages for the bot are commands, replies to a message of a bot, and
// texts of the person in the topic of a session.
func (l *link) isForBot(m message) bool {
	if command, _ := split(m.Text); command != "" {
		_, to, named := strings.Cut(strings.Fields(m.Text)[0], "@")
		return !named || strings.EqualFold(to, l.account().Speaker)
	}
	if to := m.reply(); to != nil {
		return to.From != nil && to.From.IsBot
	}
	_, ours := l.cfg.Core.SessionIn(Name, m.room().address())
	return ours && isPerson(l.account().Person, m.From.ID, m.Chat.ID)
}

// rest returns what follows the command of a text, as it was written.
func (m message) rest() string {
	_, rest := cutWord(strings.TrimSpace(m.Text))
	return rest
}

// cutWord cuts a text behind its first word.
func cutWord(s string) (word, rest string) {
	i := strings.IndexFunc(s, unicode.IsSpace)
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimSpace(s[i:])
}

// reply returns the message that m replies to, or nil. In a topic, Telegram marks every
// other message as a reply to the message that made the topic; that does not count.
func (m message) reply() *message {
	if m.Topic && m.Reply != nil && m.Reply.ID == m.Thread {
		return nil
	}
	return m.Reply
}

// received handles a message for the bot.
func (l *link) received(update int64, m message) error {
	from, account := m.sender(update), l.account()
	command, rest := split(m.Text)
	code := m.written() && command == "/start" && rest != ""
	if !isPerson(account.Person, from.user, from.chat) {
		if code {
			return l.pair(from, rest)
		}
		return l.stranger(from)
	}
	switch {
	case m.any():
		return l.sentFile(update, m)
	case !m.written():
		return l.cfg.Core.Acknowledge(from.Act, "")
	case code && account.Pairing.Waiting(l.cfg.Now()):
		return l.pair(from, rest)
	case command == "" && m.reply() != nil:
		return l.replied(update, m)
	case command == "":
		return l.wrote(update, m)
	}
	if known, err := l.runCommand(update, m); known {
		return err
	}
	if m.Chat.group() {
		return l.cfg.Core.Acknowledge(from.Act, "") // a command for somebody else
	}
	return l.cfg.Core.Acknowledge(from.Act, "I do not know "+short(command)+".\n\n"+helpText)
}

// split returns the command at the beginning of a text, without the name of the bot, and
// the rest without white space. It returns "" if there is no command.
func split(text string) (command, rest string) {
	if !strings.HasPrefix(strings.TrimSpace(text), "/") {
		return "", ""
	}
	words := strings.Fields(text)
	command, _, _ = strings.Cut(words[0], "@")
	return strings.ToLower(command), strings.Join(words[1:], "")
}
