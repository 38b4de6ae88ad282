package botapi

import (
	"fmt"
	"slices"
	"strings"
)

// A Topic is one topic of a forum. The general one has none.
type Topic struct {
	ID      int // message_thread_id
	Name    string
	Closed  bool
	Deleted bool // by the people of the forum

	ours bool // made by the bot
}

// Topics returns the topics that a forum has or had, in the order in which they
// were made.
func (s *Server) Topics(chat int64) (all []Topic) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.topics[chat] {
		all = append(all, *t)
	}
	slices.SortFunc(all, func(a, b Topic) int { return a.ID - b.ID })
	return all
}

// ManageTopics gives the bot the right can_manage_topics in the chat, or removes it.
func (c *Chat) ManageTopics(may bool) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.manages = may
}

// DeleteTopic deletes a topic with all its messages, as people do. The bot gets no update.
func (c *Chat) DeleteTopic(id int) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if t := c.s.topics[c.ID][id]; t != nil {
		t.Deleted = true
	}
	for _, m := range c.s.messages {
		if m.Chat == c.ID && m.Thread == id {
			m.Deleted = true
		}
	}
	c.s.wake()
}

func (s *Server) createForumTopic(r request) (any, error) {
	c, err := s.forum(r.params)
	if err != nil {
		return nil, err
	}
	name, err := topicName(r.params)
	switch {
	case err != nil:
		return nil, err
	case name == "":
		return nil, badRequest("TOPIC_TITLE_EMPTY")
	case !c.manages:
		return nil, badRequest("not enough rights to create a topic")
	}
	// A topic's id is that of the service message that made it.
	s.lastMsg++
	if s.topics[c.ID] == nil {
		s.topics[c.ID] = map[int]*Topic{}
	}
	s.topics[c.ID][s.lastMsg] = &Topic{ID: s.lastMsg, Name: name, ours: true}
	return map[string]any{
		"message_thread_id": s.lastMsg, "name": name, "icon_color": 7322096,
	}, nil
}

func (s *Server) editForumTopic(r request) (any, error) {
	name, err := topicName(r.params)
	if err != nil {
		return nil, err
	}
	t, err := s.managed(r.params, "not enough rights to edit the topic")
	switch {
	case err != nil:
		return nil, err
	case name == "" || name == t.Name:
		return nil, badRequest("TOPIC_NOT_MODIFIED")
	}
	t.Name = name
	return true, nil
}

func (s *Server) closeForumTopic(r request) (any, error)  { return s.setClosed(r, true) }
func (s *Server) reopenForumTopic(r request) (any, error) { return s.setClosed(r, false) }

func (s *Server) setClosed(r request, closed bool) (any, error) {
	t, err := s.managed(r.params, "not enough rights to close or open the topic")
	switch {
	case err != nil:
		return nil, err
	case t.Closed == closed:
		return nil, badRequest("TOPIC_NOT_MODIFIED")
	}
	t.Closed = closed
	return true, nil
}

// forum returns the forum that a call names. The caller holds mu.
func (s *Server) forum(p params) (*Chat, error) {
	c, err := s.writable(p)
	if err == nil && !c.Forum {
		return nil, badRequest("the chat is not a forum")
	}
	return c, err
}

// managed returns the topic that a call names, if the bot may change it: one of
// its own, or any with the right. The caller holds mu.
func (s *Server) managed(p params, refusal string) (*Topic, error) {
	c, err := s.forum(p)
	if err != nil {
		return nil, err
	}
	id, err := p.integer("message_thread_id")
	if err != nil {
		return nil, err
	}
	t := s.topic(c.ID, int(id))
	switch {
	case t == nil:
		return nil, badRequest("TOPIC_ID_INVALID")
	case !c.manages && !t.ours:
		return nil, badRequest("%s", refusal)
	}
	return t, nil
}

// topic returns a topic that was not deleted, nil if there is none. The caller holds mu.
func (s *Server) topic(chat int64, id int) *Topic {
	if t := s.topics[chat][id]; t != nil && !t.Deleted {
		return t
	}
	return nil
}

func topicName(p params) (string, error) {
	name := strings.TrimSpace(p["name"])
	if units(name) > 128 {
		return "", badRequest("TOPIC_TITLE_INVALID")
	}
	return name, nil
}

// thread returns the topic for a message, 0 for none. A call cannot name the general topic of
// a forum, 1. The caller holds mu.
func (s *Server) thread(p params, c *Chat) (int, error) {
	id, err := p.integer("message_thread_id")
	if err != nil || id == 0 {
		return 0, err
	}
	t := s.topic(c.ID, int(id))
	switch {
	case t == nil:
		return 0, badRequest("message thread not found")
	case t.Closed && !c.manages:
		return 0, badRequest("TOPIC_CLOSED")
	}
	return t.ID, nil
}

// place sets the thread of a message as the Bot API does. In a topic, a message that replies
// to nothing is a reply to the message that made the topic. Elsewhere a chain of replies is
// a thread without a topic. The caller holds mu.
func (s *Server) place(r *apiMessage, m *Message) {
	t := s.topics[m.Chat][m.Thread]
	switch {
	case t != nil:
		r.Thread, r.IsTopic = t.ID, true
		if r.ReplyTo == nil {
			r.ReplyTo = &apiMessage{
				ID:      t.ID,
				Thread:  t.ID,
				IsTopic: true,
				Chat:    r.Chat,
				Created: &apiTopic{Name: t.Name, Color: 7322096},
			}
		}
	case m.ReplyTo != 0 && r.Chat.Type == "supergroup":
		r.Thread = m.ReplyTo
	}
}

// SayIn is Say into a topic of a forum. It panics when there is no such topic:
// that is a mistake in the test.
func (u *User) SayIn(chat int64, thread int, text string) int {
	u.s.mu.Lock()
	t := u.s.topic(chat, thread)
	u.s.mu.Unlock()
	if thread != 0 && t == nil {
		panic(fmt.Sprintf("botapi: %s cannot write in topic %d of chat %d", u.Name, thread, chat))
	}
	return u.post(Message{Chat: chat, Thread: thread, Text: text})
}
