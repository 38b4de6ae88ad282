package botapi

import "testing"

// TestTopics checks what the Bot API refuses about topics, and what people do with them.
func TestTopics(t *testing.T) {
	s, c := start(t)
	u := s.User(42, "Ada")
	f := s.Forum(9, "Sessions")
	forum := field{"chat_id", f.ID}
	f.ManageTopics(false)
	c.refused(400, "Bad Request: not enough rights to create a topic", "createForumTopic", forum, field{"name", "x"})
	f.ManageTopics(true)
	c.refused(400, "Bad Request: TOPIC_TITLE_EMPTY", "createForumTopic", forum, field{"name", "  "})
	var done bool
	var made struct {
		ID int `json:"message_thread_id"`
	}
	c.must("createForumTopic", &made, forum, field{"name", "web"})
	topic := field{"message_thread_id", made.ID}
	c.refused(400, "Bad Request: TOPIC_NOT_MODIFIED", "editForumTopic", forum, topic, field{"name", "web"})
	c.must("editForumTopic", &done, forum, topic, field{"name", "web-1"})
	c.refused(400, "Bad Request: TOPIC_NOT_MODIFIED", "reopenForumTopic", forum, topic)
	c.must("closeForumTopic", &done, forum, topic)
	c.refused(400, "Bad Request: TOPIC_NOT_MODIFIED", "closeForumTopic", forum, topic)
	c.must("sendMessage", new(apiMessage), forum, topic, field{"text", "an administrator still writes"})
	f.ManageTopics(false)
	c.refused(400, "Bad Request: TOPIC_CLOSED", "sendMessage", forum, topic, field{"text", "x"})
	c.must("reopenForumTopic", &done, forum, topic) // its own
	f.ManageTopics(true)
	c.refused(
		400,
		"Bad Request: message thread not found",
		"sendMessage",
		forum,
		field{"message_thread_id", 1},
		field{"text", "the general topic has no name"},
	)
	c.refused(400, "Bad Request: TOPIC_ID_INVALID", "closeForumTopic", forum, field{"message_thread_id", 7})
	u.Say(42, "/start")
	c.refused(
		400, "Bad Request: message thread not found", "sendMessage", field{"chat_id", 42}, topic, field{"text", "x"},
	)
	c.refused(400, "Bad Request: the chat is not a forum", "closeForumTopic", field{"chat_id", 42}, topic)

	c.drain()
	u.SayIn(f.ID, made.ID, "in the topic")
	got := c.drain()[0].Message
	if !got.IsTopic || got.Thread != made.ID || got.ReplyTo == nil || got.ReplyTo.ID != made.ID ||
		got.ReplyTo.Created == nil {
		t.Errorf("a text in a topic is shown as %+v", got)
	}
	general := u.Say(f.ID, "in the general one")
	if got := c.drain()[0].Message; got.IsTopic || got.Thread != 0 || got.ReplyTo != nil {
		t.Errorf("a text in the general topic is shown as %+v", got)
	}
	if _, err := u.Reply(general, "an answer there"); err != nil {
		t.Fatal(err)
	}
	if got := c.drain()[0].Message; got.IsTopic || got.Thread != general {
		t.Errorf("a chain of replies is shown as %+v", got)
	}
	var m apiMessage
	c.must("sendMessage", &m, forum, topic, field{"text", "hi"})
	f.DeleteTopic(made.ID)
	c.refused(400, "Bad Request: message thread not found", "sendMessage", forum, topic, field{"text", "x"})
	c.refused(
		400,
		"Bad Request: message to edit not found",
		"editMessageText",
		forum,
		field{"message_id", m.ID},
		field{"text", "y"},
	)
	if all := s.Topics(f.ID); len(all) != 1 || !all[0].Deleted || all[0].Name != "web-1" {
		t.Errorf("have %+v", all)
	}
}
