package core

import (
	"maps"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// ActThread is an action whose data is a session's id: make its thread stand open
// or closed as the session does.
const ActThread = "thread"

type threadKey struct {
	session session.ID
	chat    int64
}

// Thread returns where a session speaks in a chat that is a forum; ok is false
// when it has no thread there.
func (c *Core) Thread(id session.ID, chat int64) (t store.Thread, ok bool) {
	c.view(func(s *state, _ time.Time) { t = s.threads[threadKey{id, chat}] })
	return t, t.ID != 0
}

// PutThread notes how a thread stands, or with an ID of 0 that it is gone.
func (c *Core) PutThread(t store.Thread) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		b.Threads = append(b.Threads, t)
		if t.ID != 0 && t.Closed != (s.sessions.rows[t.Session].State == session.Ended) {
			b.Actions = append(b.Actions, threadAction(t.Session, now))
		}
		return b, nil
	})
}

// followThread has the thread of a session that ended or came back do the same.
func (s *state) followThread(b *store.Batch, v session.Session, now time.Time) {
	if s.settings.Person == nil {
		return
	}
	t := s.threads[threadKey{v.ID, s.settings.Person.Chat}]
	if t.ID != 0 && t.Closed != (v.State == session.Ended) {
		b.Actions = append(b.Actions, threadAction(v.ID, now))
	}
}

func threadAction(id session.ID, now time.Time) store.Action {
	return store.Action{Key: "thread:" + string(id), Lane: LaneTelegram, Kind: ActThread, Data: string(id), Due: now}
}

// SessionIn returns the session whose thread a room is; ok is false for any
// other room.
func (c *Core) SessionIn(r Room) (id session.ID, ok bool) {
	c.view(func(s *state, _ time.Time) { id, ok = s.sessionIn(r) })
	return id, ok
}

func (s *state) sessionIn(r Room) (session.ID, bool) {
	for _, t := range s.threads {
		if r.Thread != 0 && t.ID == r.Thread && t.Chat == r.Chat {
			return t.Session, true
		}
	}
	return "", false
}

// TellOnce tells the person something that stays true until Untrue says that it
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
