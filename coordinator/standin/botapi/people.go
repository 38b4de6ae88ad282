package botapi

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// A User is a person with a phone. Each of their acts becomes an update for the bot, even
// while the server is stopped.
type User struct {
	ID   int64
	Name string

	s       *Server
	started bool // wrote to the bot in private
	blocked bool
	met     bool // the bot has seen them somewhere
}

// A Chat is a place where messages are. A private chat has its user's id.
type Chat struct {
	ID    int64
	Kind  string // private, group, supergroup or channel
	Title string
	Forum bool // has topics

	s       *Server
	movedTo int64          // the supergroup that it has become
	admin   bool           // the bot is an administrator and sees every message
	manages bool           // and has the right can_manage_topics
	removed bool           // the bot is not in it any more
	silent  bool           // the bot may not send messages
	left    map[int64]bool // who left it
}

// User returns the person with this id, and adds them if they are unknown.
// The bot can write to them only after they wrote to it: Say(u.ID, "/start").
func (s *Server) User(id int64, name string) *User {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u, ok := s.users[id]; ok {
		return u
	}
	u := &User{ID: id, Name: name, s: s}
	s.users[id] = u
	s.chats[id] = &Chat{ID: id, Kind: "private", s: s}
	return u
}

// Group makes a group that the bot is a plain member of: in privacy mode it
// sees only commands, mentions and replies to itself there. The sign of id is
// set to minus.
func (s *Server) Group(id int64, title string) *Chat {
	return s.addChat(Chat{ID: id, Kind: "group", Title: title})
}

// Forum makes a supergroup with topics, which the bot administers; it sees every
// message there. The sign of id is set to minus.
func (s *Server) Forum(id int64, title string) *Chat {
	return s.addChat(Chat{ID: id, Kind: "supergroup", Title: title, Forum: true, admin: true, manages: true})
}

// Channel makes a channel that the bot administers. The sign of id is set to
// minus.
func (s *Server) Channel(id int64, title string) *Chat {
	return s.addChat(Chat{ID: id, Kind: "channel", Title: title, admin: true})
}

// Upgrade turns the group into a supergroup with another id, as Telegram does when a group
// grows or gets topics. The bot is told in both chats. From then on its calls to the old
// chat are refused. The sign of id is set to minus.
func (c *Chat) Upgrade(by *User, id int64) *Chat {
	next := c.s.addChat(Chat{
		ID:      id,
		Kind:    "supergroup",
		Title:   c.Title,
		Forum:   true,
		admin:   c.admin,
		manages: c.manages,
	})
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.movedTo = next.ID
	for _, m := range []Message{{Chat: c.ID, movedTo: next.ID}, {Chat: next.ID, movedFrom: c.ID}} {
		m.From, m.kind = by.ID, "moved"
		c.s.enqueue("message", c.s.render(c.s.addMessage(m)))
	}
	return next
}

func (s *Server) addChat(c Chat) *Chat {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.s, c.ID = s, min(c.ID, -c.ID)
	s.chats[c.ID] = &c
	return &c
}

// Say writes text to a chat and returns the message's id. In the user's own
// chat (u.ID) it starts the bot, or restarts it after a block. It panics when
// there is no such chat for this user: that is a mistake in the test.
func (u *User) Say(chat int64, text string) int { return u.SayIn(chat, 0, text) }

// Reply writes text as an answer to a message, in that message's chat and topic.
func (u *User) Reply(messageID int, text string) (int, error) {
	m, err := u.visible(messageID)
	if err != nil {
		return 0, fmt.Errorf("reply: %w", err)
	}
	return u.post(Message{Chat: m.Chat, Thread: m.Thread, ReplyTo: m.ID, Text: text}), nil
}

// Forward forwards a text to the bot that another person wrote.
func (u *User) Forward(chat int64, from, text string) int {
	return u.post(Message{Chat: chat, Text: text, origin: &origin{
		Type: "hidden_user", SenderUserName: from, Date: time.Now().Unix(),
	}})
}

// Sticker sends a sticker: a message without text.
func (u *User) Sticker(chat int64) int { return u.post(Message{Chat: chat, kind: "sticker"}) }

// Edit changes a text that this user wrote.
func (u *User) Edit(messageID int, text string) error {
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	m := u.s.message(messageID)
	if m == nil || m.From != u.ID {
		return fmt.Errorf("edit message %d: not a message of %s", messageID, u.Name)
	}
	m.setText(text)
	m.Edits = append(m.Edits, Edit{At: time.Now(), Method: "edit", Text: text})
	if u.s.hears(m) {
		u.s.enqueue("edited_message", u.s.render(m))
	}
	return nil
}

// React puts an emoji on a message. The bot gets an update only if its allowed_updates name
// message_reaction.
func (u *User) React(messageID int, emoji string) error {
	m, err := u.visible(messageID)
	if err != nil {
		return fmt.Errorf("react: %w", err)
	}
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	u.s.enqueue("message_reaction", map[string]any{
		"chat":         u.s.renderChat(m.Chat),
		"message_id":   m.ID,
		"user":         u.render(),
		"date":         time.Now().Unix(),
		"old_reaction": []any{},
		"new_reaction": []any{map[string]string{"type": "emoji", "emoji": emoji}},
	})
	return nil
}

// Block blocks the bot. The bot gets an update, and its messages are refused with 403.
func (u *User) Block() { u.setBlocked(true) }

// Unblock ends a block.
func (u *User) Unblock() { u.setBlocked(false) }

// Post publishes a text in a channel and returns its id.
func (c *Chat) Post(text string) int {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	m := c.s.addMessage(Message{Chat: c.ID, Text: text, kind: "channel_post"})
	c.s.enqueue("channel_post", c.s.render(m))
	return m.ID
}

func (u *User) setBlocked(blocked bool) {
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	u.block(blocked)
}

// block sets or ends a block, and tells the bot about a change. The caller holds mu.
func (u *User) block(blocked bool) {
	if u.blocked == blocked {
		return
	}
	u.blocked = blocked
	before, after := "member", "kicked"
	if !blocked {
		before, after = after, before
	}
	u.s.enqueue("my_chat_member", map[string]any{
		"chat":            u.s.renderChat(u.ID),
		"from":            u.render(),
		"date":            time.Now().Unix(),
		"old_chat_member": botMember(before),
		"new_chat_member": botMember(after),
	})
}

// post adds a message of this user. The bot gets an update if it may read the message.
func (u *User) post(m Message) int {
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	c, ok := u.s.chats[m.Chat]
	if !ok || c.Kind == "channel" || c.Kind == "private" && c.ID != u.ID {
		panic(fmt.Sprintf("botapi: %s cannot write in chat %d", u.Name, m.Chat))
	}
	if c.Kind == "private" {
		u.block(false)
		u.started = true
	}
	m.From = u.ID
	added := u.s.addMessage(m)
	if u.s.hears(added) {
		u.met = true
		u.s.enqueue("message", u.s.render(added))
	}
	return added.ID
}

// visible returns a message that this user can see.
func (u *User) visible(id int) (Message, error) {
	m, ok := u.s.Message(id)
	switch {
	case !ok:
		return Message{}, fmt.Errorf("message %d: no such message", id)
	case m.Deleted:
		return Message{}, fmt.Errorf("message %d: deleted", id)
	case m.Chat > 0 && m.Chat != u.ID:
		return Message{}, fmt.Errorf("message %d: in another person's chat", id)
	}
	return m, nil
}

// hears reports whether the bot gets a message: every one in a private chat and where it is
// an administrator, else only those that privacy mode allows. The caller holds mu.
func (s *Server) hears(m *Message) bool {
	c := s.chats[m.Chat]
	if c.Kind == "private" || c.admin {
		return true
	}
	if to, ok := s.messages[m.ReplyTo]; ok && to.From == botID {
		return true
	}
	return strings.HasPrefix(m.Text, "/") || strings.Contains(m.Text, "@"+botUsername)
}

// addMessage gives a person's message its id and its place. The caller holds mu.
func (s *Server) addMessage(m Message) *Message {
	s.lastMsg++
	m.ID, m.Sent = s.lastMsg, time.Now()
	m.first = m.Keyboard
	if m.From != botID {
		m.setText(m.Text)
	}
	s.messages[m.ID] = &m
	s.order = append(s.order, m.ID)
	s.wake()
	return &m
}

// setText sets the text of a person, and marks the commands in it.
func (m *Message) setText(text string) {
	m.Text, m.Raw = text, text
	m.Entities = commands(text)
}

// Tap presses the button whose data or label is given, or whose label begins
// with it, and returns the callback query's id. It is an error, as a phone
// would show nothing to press, when the message is gone or has no such button
// now.
func (u *User) Tap(messageID int, button string) (string, error) {
	m, err := u.visible(messageID)
	if err != nil {
		return "", fmt.Errorf("tap: %w", err)
	}
	return u.press(m, button, m.Keyboard)
}

// TapLate presses a button that the message has or once had, even if it was deleted: the
// person tapped before the edit reached the phone.
func (u *User) TapLate(messageID int, button string) (string, error) {
	m, ok := u.s.Message(messageID)
	if !ok {
		return "", fmt.Errorf("tap: message %d: no such message", messageID)
	}
	rows := append([][]Button{}, m.first...)
	for _, e := range m.Edits {
		rows = append(rows, e.Keyboard...)
	}
	return u.press(m, button, rows)
}

func (u *User) press(m Message, button string, rows [][]Button) (string, error) {
	b, err := pick(rows, button)
	if err != nil {
		return "", fmt.Errorf("tap on message %d: %w", m.ID, err)
	}
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	u.met = true
	return u.s.addQuery(u, m.ID, b.Data), nil
}

// pick finds a callback button by its data, else by its label, else by the beginning of its
// label.
func pick(rows [][]Button, want string) (Button, error) {
	ways := []func(Button) bool{
		func(b Button) bool { return b.Data == want && want != "" },
		func(b Button) bool { return b.Label == want },
		func(b Button) bool { return strings.HasPrefix(b.Label, want) },
	}
	for _, way := range ways {
		for _, b := range flatten(rows) {
			if !way(b) {
				continue
			}
			if b.URL != "" {
				return Button{}, fmt.Errorf("button %q opens a link", b.Label)
			}
			return b, nil
		}
	}
	if len(rows) == 0 {
		return Button{}, errors.New("it has no buttons")
	}
	return Button{}, fmt.Errorf("no button %q among %v", want, flatten(rows))
}

func flatten(rows [][]Button) []Button {
	var all []Button
	for _, row := range rows {
		all = append(all, row...)
	}
	return all
}
