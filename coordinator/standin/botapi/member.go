package botapi

import (
	"net/http"
	"time"
)

// The words of a place in a chat, as the Bot API says them.
const (
	isMember = "member"
	isAdmin  = "administrator"
	hasLeft  = "left"
	isKicked = "kicked"
)

// Remove removes the bot from a group, as an administrator does. The bot is told in an update, and its calls to
// the chat are refused from then on.
func (c *Chat) Remove(by *User) { c.setBot(by, true) }

// Readmit adds the bot to the group again.
func (c *Chat) Readmit(by *User) { c.setBot(by, false) }

func (c *Chat) setBot(by *User, removed bool) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.removed == removed {
		return
	}
	before := c.botStatus()
	c.removed = removed
	c.s.enqueue("my_chat_member", c.change(by, botMember(before), botMember(c.botStatus())))
}

func (c *Chat) botStatus() string {
	switch {
	case c.removed:
		return isKicked
	case c.admin:
		return isAdmin
	}
	return isMember
}

// Silence takes from the bot the right to send messages to the chat, or gives it back. The right is one of all
// members, so no update tells the bot.
func (c *Chat) Silence(silent bool) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.silent = silent
}

// Forget makes the bot's chat with the user unknown to the bot, as if they had never written.
func (u *User) Forget() {
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	u.started, u.met = false, false
}

// Leave takes the user out of a group; Join brings them back. The bot sees the service message, and as an
// administrator the change of the member, where it asked for those.
func (u *User) Leave(c *Chat) { u.setMember(c, true) }
func (u *User) Join(c *Chat)  { u.setMember(c, false) }

func (u *User) setMember(c *Chat, left bool) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.left[u.ID] == left {
		return
	}
	if c.left == nil {
		c.left = map[int64]bool{}
	}
	before := u.member(c)
	c.left[u.ID] = left
	kind := "joined"
	if left {
		kind = "left"
	}
	if c.removed {
		return
	}
	c.s.enqueue("message", c.s.render(c.s.addMessage(Message{Chat: c.ID, From: u.ID, kind: kind})))
	if c.admin {
		c.s.enqueue("chat_member", c.change(u, before, u.member(c)))
	}
}

func (u *User) member(c *Chat) map[string]any {
	status := isMember
	if c.left[u.ID] {
		status = hasLeft
	}
	return map[string]any{"user": u.render(), "status": status}
}

// change is the update that says how a place in the chat has changed. The caller holds mu.
func (c *Chat) change(by *User, before, after map[string]any) map[string]any {
	return map[string]any{
		"chat": c.s.renderChat(c.ID), "from": by.render(), "date": time.Now().Unix(),
		"old_chat_member": before, "new_chat_member": after,
	}
}

func (s *Server) getChatMember(r request) (any, error) {
	c, err := s.writable(r.params)
	if err != nil {
		return nil, err
	}
	id, err := r.params.integer("user_id")
	if err != nil {
		return nil, badRequest("invalid user_id specified")
	}
	if id == botID {
		return botMember(c.botStatus()), nil
	}
	u, known := s.users[id]
	if !known {
		return nil, badRequest("member not found")
	}
	return u.member(c), nil
}

// refusal says why the bot may not write in a chat that it knows, nil if it may. The caller holds mu.
func (s *Server) refusal(c *Chat) error {
	switch {
	case c.removed:
		return forbidden("bot was kicked from the " + c.Kind + " chat")
	case c.movedTo != 0:
		return &apiError{
			code: http.StatusBadRequest, text: "Bad Request: group chat was upgraded to a supergroup chat", movedTo: c.movedTo,
		}
	case c.Kind != "private":
		return nil
	}
	switch u := s.users[c.ID]; {
	case u.blocked:
		return forbidden("bot was blocked by the user")
	case !u.started:
		return forbidden("bot can't initiate conversation with a user")
	}
	return nil
}
