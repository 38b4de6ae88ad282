package noun

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/callers"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/topic"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// mostPosts is the largest number of posts that one read returns.
const mostPosts = 1000

func (s *Server) post(c *door.Call, in wire.PostRequest) (out wire.Post, err error) {
	v, by := c.Author()
	if by != callers.Person {
		if err := s.pace(by, len(in.Text)); err != nil {
			return out, err
		}
	}
	p, err := s.cfg.Core.Post(v.ID, in.Topic, by, redact.Mask(in.Text))
	return wirePost(p), err
}

// What one session may post within a minute.
const (
	paceFor   = time.Minute
	pacePosts = 60
	paceBytes = 256 << 10
)

// A paced is what an author has posted since a time.
type paced struct {
	since        time.Time
	posts, bytes int
}

// pace counts a post of an author, and returns an error if there were too many within a minute. What
// is posted is kept for ever.
func (s *Server) pace(by string, bytes int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(s.posted, func(_ string, p paced) bool { return now.Sub(p.since) >= paceFor })
	p, ok := s.posted[by]
	if !ok {
		p.since = now
	}
	p.posts, p.bytes = p.posts+1, p.bytes+bytes
	if p.posts > pacePosts || p.bytes > paceBytes {
		left := paceFor - now.Sub(p.since)
		return door.BadRequest("a session posts at most %d texts and %d kB in a minute; go on in %s, or write a file and "+
			"post its name", pacePosts, paceBytes>>10, text.Length(left))
	}
	s.posted[by] = p
	return nil
}

func (s *Server) read(c *door.Call, in wire.ReadRequest) (out wire.ReadReply, err error) {
	switch in.Topic {
	case topic.Current, topic.Anchor:
		return s.readLoop(c, in)
	}
	limit := min(max(in.Limit, 0), mostPosts)
	if limit == 0 {
		limit = 100
	}
	ctx, cancel := c.Wait(in.WaitMS)
	defer cancel()
	posts, err := s.cfg.Core.Posts(ctx, in.Topic, in.After, limit, in.Last)
	return wire.ReadReply{Posts: wire.List(posts, wirePost)}, err
}

// readLoop returns one of the two topics that are made anew for each read: the current
// loop, or its anchor.
func (s *Server) readLoop(c *door.Call, in wire.ReadRequest) (out wire.ReadReply, err error) {
	l, err := s.whoseLoop(c, in.Session)
	if err != nil {
		return out, err
	}
	v, err := s.cfg.Core.Session(l.Session)
	if err != nil {
		return out, err
	}
	said := s.cfg.Core.Anchor(v.ID, s.cfg.Place.Facts(c.Ctx, v, l))
	if in.Topic == topic.Current {
		raw, err := json.MarshalIndent(loop.Current(l), "", "  ")
		if err != nil {
			return out, fmt.Errorf("encode loop: %w", err)
		}
		said = string(raw)
	}
	post := wire.Post{
		ID:    l.RunID,
		Topic: in.Topic,
		At:    wire.Millis(l.UpdatedAt),
		By:    "afar",
		Text:  said,
	}
	return wire.ReadReply{Posts: []wire.Post{post}}, nil
}

// whoseLoop returns the loop of the named session. Without a name it returns the loop of
// the session that asks, or, outside a session, the only loop that runs.
func (s *Server) whoseLoop(c *door.Call, name string) (loop.Stack, error) {
	if name != "" {
		v, err := s.session(name)
		if err != nil {
			return loop.Stack{}, err
		}
		return s.loopOf(v)
	}
	if v, _ := c.Author(); v.ID != "" {
		return s.loopOf(v)
	}
	var running []loop.Stack
	for _, l := range s.cfg.Core.Loops() {
		if l.Active() {
			running = append(running, l)
		}
	}
	switch len(running) {
	case 0:
		return loop.Stack{}, fmt.Errorf("no loop runs: %w", core.ErrNotFound)
	case 1:
		return running[0], nil
	}
	return loop.Stack{}, door.BadRequest("%d loops run: say whose with --session (afar loop list)", len(running))
}

func (s *Server) loopOf(v session.Session) (loop.Stack, error) {
	l := s.cfg.Core.Loop(v.ID)
	if l.Session == "" {
		return l, fmt.Errorf("%s has no loop: %w", v.Token, core.ErrNotFound)
	}
	return l, nil
}

func (s *Server) topics(*door.Call, wire.None) (wire.TopicsReply, error) {
	list, err := s.cfg.Core.Topics()
	out := wire.TopicsReply{Topics: []wire.Topic{}}
	for _, t := range list {
		out.Topics = append(out.Topics, wire.Topic{ID: t.Topic, Posts: t.Posts, At: wire.Millis(t.At)})
	}
	return out, err
}

func wirePost(p topic.Post) wire.Post {
	return wire.Post{ID: strconv.FormatInt(p.Seq, 10), Topic: p.Topic, At: wire.Millis(p.At), By: p.By, Text: p.Text}
}
