package core

import (
	"maps"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// ActTopic is an action whose data is a session's id: make its topic stand open
// or closed as the session does.
const ActTopic = "topic"

type topicKey struct {
	session session.ID
	chat    int64
}

// Topic returns where a session speaks in a chat; ok is false when it has no
// topic there.
func (c *Core) Topic(id session.ID, chat int64) (t store.Topic, ok bool) {
	c.view(func(s *state, _ time.Time) { t = s.topics[topicKey{id, chat}] })
	return t, t.Thread != 0
}

// PutTopic notes how a topic stands, or with a Thread of 0 that it is gone.
func (c *Core) PutTopic(t store.Topic) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		b.Topics = append(b.Topics, t)
		if t.Thread != 0 && t.Closed != (s.sessions[t.Session].State == session.Ended) {
			b.Actions = append(b.Actions, topicAction(t.Session, now))
		}
		return b, nil
	})
}

// followTopic has the topic of a session that ended or came back do the same.
func (s *state) followTopic(b *store.Batch, v session.Session, now time.Time) {
	if s.settings.Peer == nil {
		return
	}
	t := s.topics[topicKey{v.ID, s.settings.Peer.Chat}]
	if t.Thread != 0 && t.Closed != (v.State == session.Ended) {
		b.Actions = append(b.Actions, topicAction(v.ID, now))
	}
}

func topicAction(id session.ID, now time.Time) store.Action {
	return store.Action{Key: "topic:" + string(id), Lane: LaneTelegram, Kind: ActTopic, Data: string(id), Due: now}
}

// SessionIn returns the session whose topic a room is; ok is false for any
// other room.
func (c *Core) SessionIn(r Room) (id session.ID, ok bool) {
	c.view(func(s *state, _ time.Time) { id, ok = s.sessionIn(r) })
	return id, ok
}

func (s *state) sessionIn(r Room) (session.ID, bool) {
	for _, t := range s.topics {
		if r.Topic != 0 && t.Thread == r.Topic && t.Chat == r.Chat {
			return t.Session, true
		}
	}
	return "", false
}

// TellOnce tells the peer something that stays true until Untrue says that it
// no longer is; about names it.
func (c *Core) TellOnce(about, text string) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		if s.settings.Notes[about] != "" {
			return b, nil
		}
		set := s.change(&b)
		set.Notes = maps.Clone(set.Notes)
		if set.Notes == nil {
			set.Notes = map[string]string{}
		}
		set.Notes[about] = text
		s.notify(&b, about, "", text, now)
		return b, nil
	})
}

// Untrue takes back what TellOnce told, without a word.
func (c *Core) Untrue(about string) error {
	return c.do(func(s *state, _ time.Time) (b store.Batch, err error) {
		if s.settings.Notes[about] == "" {
			return b, nil
		}
		set := s.change(&b)
		set.Notes = maps.Clone(set.Notes)
		delete(set.Notes, about)
		return b, nil
	})
}
