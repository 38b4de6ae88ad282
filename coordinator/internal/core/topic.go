package core

import (
	"context"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/topic"
	"github.com/afar-sh/afar/coordinator/text"
)

// Post adds a text to a topic; by names the author. The text must be free of
// secrets.
func (c *Core) Post(id session.ID, name, by, text string) (p topic.Post, err error) {
	var posts []topic.Post
	err = c.Do(func(s *Draft) (err error) {
		made, err := topic.New(name, by, text, s.Now)
		if err != nil {
			return err
		}
		posts = []topic.Post{made}
		s.Batch.Posts = posts
		s.Record(event.TopicPosted, id, name, by+": "+Briefly(Folded(text)))
		return nil
	})
	if err == nil {
		p = posts[0] // numbered by the commit
	}
	return p, err
}

// Briefly returns the beginning of a text, for a journal line.
func Briefly(s string) string { return text.Clip(s, 200) }

// Posts returns at most limit posts of a topic after seq, oldest first; with
// newest the last limit ones. It waits for the first until ctx ends.
func (c *Core) Posts(ctx context.Context, name string, after int64, limit int, newest bool) ([]topic.Post, error) {
	if err := topic.Check(name); err != nil {
		return nil, err
	}
	return AwaitRows(ctx, c, ofPosts(name), func() ([]topic.Post, error) {
		return c.cfg.Store.Posts(name, after, limit, newest)
	})
}

// Topics returns all topics with posts, the one with the newest first.
func (c *Core) Topics() ([]store.Posted, error) { return c.cfg.Store.Topics() }

// tellTopics posts a loop's step where other agents look: its beginning and its end in
// the project's topic, and each step in the trace when that is configured.
func (s *Draft) tellTopics(id session.ID, kind event.Kind, out loop.Outcome) {
	post := func(name, action, text string) { s.postLoop(name, action, text) }
	line := s.Token(id) + ": " + loop.Brief(out.Stack)
	switch kind {
	case event.LoopStarted:
		post(topic.OfProject(s.Sessions.Rows[id].Project), "STARTED", line)
	case event.LoopEnded:
		post(topic.OfProject(s.Sessions.Rows[id].Project), "ENDED", line)
	}
	if s.Cfg.Trace {
		post(topic.Trace, string(kind), line)
	}
}

// postLoop posts what a loop did to a topic.
func (s *Draft) postLoop(name, action, text string) {
	post := topic.Post{Topic: name, At: s.Now, By: "afar", Text: "[loop] " + action + ": " + text}
	s.Batch.Posts = append(s.Batch.Posts, post)
}
