package core

import (
	"errors"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// ErrNoChannel says that no channel to the person is available.
var ErrNoChannel = errors.New("no channel is available")

// Send stores a text for a session, for its next hook to take, and returns when that
// will be. If the text is the person's own, it also answers the check-in of a session
// that stopped. A text with a known key is not sent again.
// held says when a task at rest gets it, see taskFate.
func (c *Core) Send(m message.Message, held string) (sent message.Message, when channel.Fate, err error) {
	if m.Data {
		m.Text = message.Fence(m.By, m.Text, c.cfg.Secret())
	}
	err = c.Do(func(s *Draft) error {
		if old, known := s.Messages.Rows[message.IDOf(m.Key)]; known {
			sent, when = old, s.reaches(old, held)
			return nil
		}
		if !m.Data {
			if err := errors.Join(s.answerCheckIn(m), s.answerWith(m)); err != nil {
				return err
			}
		}
		sent, when = s.Post(m), s.reaches(m, held)
		if r, ok := s.RunOf(m.Session); ok && m.Run && r.State == run.Failed { // a limit is reached
			when = channel.Fate{To: when.To, At: channel.Never, Why: r.Why}
		}
		return nil
	})
	return sent, when, err
}

// answerCheckIn ends the open check-in of the session that gets m, and so releases its
// Stop hook and updates its card.
func (s *Draft) answerCheckIn(m message.Message) error {
	for _, a := range s.openCheckIns(m.Session) {
		d := ask.Decision{By: m.By, Channel: m.Channel}.ForCheckIn(m.Text)
		if _, err := s.Answer(ask.Card{a}, ask.Answer, d); err != nil {
			return err
		}
	}
	return nil
}

// Reaches returns when the recipient of a text gets it. held says when a task at rest gets it, see taskFate.
func (c *Core) Reaches(m message.Message, held string) (when channel.Fate) {
	c.View(func(s *State, _ time.Time) { when = s.reaches(m, held) })
	return when
}

func (s *State) reaches(m message.Message, held string) channel.Fate {
	if m.To == message.ToTriage {
		return channel.Fate{To: string(m.To), At: channel.AtTriage}
	}
	if m.Task != "" {
		return s.taskFate(m, held)
	}
	if r, ok := s.Runs.ByConversation.One(string(m.Session)); ok && m.Run {
		return s.runFate(r)
	}
	f := s.fate(m.Session)
	if s.held(m.Session) {
		f.At = channel.AtOnce
	}
	return f
}

// held reports whether the Stop hook of a session waits for its check-in.
func (s *State) held(id session.ID) bool {
	return s.Sessions.Rows[id].State == session.Waiting && len(s.openCheckIns(id)) > 0
}

// Tell sends the person a text, in every away mode. m.By names the sender; id is the session
// that it comes from, "" for none. A text that answers another one goes to the place where that
// one was written. A text with a known key is not sent again.
func (c *Core) Tell(id session.ID, m message.Message) (sent message.Message, err error) {
	m.To = message.ToPerson
	answers, _, err := c.Text(m.Re)
	if err != nil {
		return sent, err
	}
	err = c.Do(func(s *Draft) error {
		if old, known := s.Messages.Rows[message.IDOf(m.Key)]; known {
			sent = old
			return nil
		}
		if !s.Reachable() {
			return ErrNoChannel
		}
		sent = s.Post(m)
		s.tellOf(sent, answers, id)
		return nil
	})
	return sent, err
}

// tellOf shows the person a text of the session id: at once and in one place if it answers a
// text of theirs, otherwise on all channels.
func (s *Draft) tellOf(m, answers message.Message, id session.ID) {
	wrote, shown := channel.News{Kind: channel.Wrote, Of: m.By, What: channel.Verbatim(m.Text)}, string(m.ID)
	if answers.ID != "" {
		s.answered(answers, m)
	}
	if answers.From == "" || !slices.Contains(s.available(), answers.Channel) {
		s.Notify("send", id, wrote, shown)
		return
	}
	n := channel.Notice{
		Session: id, News: []channel.News{wrote}, Shows: []string{shown}, At: channel.Address(answers.From),
	}
	s.OnChannel(answers.Channel, "tell:"+string(m.ID), ActNotice, Encode(n), s.Now)
}

// Told notes that a channel has shown texts to the person.
func (c *Core) Told(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return c.Do(func(s *Draft) error {
		for _, id := range ids {
			m, ok := s.Messages.Rows[message.ID(id)]
			next, err := message.Show(m, s.Now)
			if !ok || err != nil {
				continue // another channel was first
			}
			s.Messages.Put(s.Batch, next)
			s.Record(event.MessageDelivered, "", id, "the person was shown the text of "+m.By)
		}
		return nil
	})
}

// textsRead is how many texts a search reads from the store at a time.
const textsRead = 500

// An InboxQuery selects texts.
type InboxQuery struct {
	To     message.Message            // they have its recipient; the zero text selects all
	Before message.ID                 // they came before this one, "" for all
	Most   int                        // at most so many
	Keep   func(message.Message) bool // nil keeps all
}

// Inbox returns the texts that a query selects, the newest first, however old they are.
func (c *Core) Inbox(q InboxQuery) (out []message.Message, err error) {
	atOnce := textsRead
	if q.Keep == nil {
		atOnce = q.Most
	}
	for {
		some, bad, err := c.cfg.Store.TextsBefore(q.To, q.Before, atOnce)
		if err != nil {
			return nil, err
		}
		for _, m := range some {
			if len(out) < q.Most && (q.Keep == nil || q.Keep(m)) {
				out = append(out, m)
			}
		}
		if len(out) == q.Most || len(some) == 0 || len(some)+len(bad) < atOnce {
			return out, nil
		}
		q.Before = some[len(some)-1].ID
	}
}

// Text returns the text with an id, however old it is. ok is false if there is none.
func (c *Core) Text(id message.ID) (m message.Message, ok bool, err error) {
	return store.Messages.Get(c.cfg.Store, id)
}

// answered notes in a text what answers it. m is the text as it was read before the lock.
func (s *Draft) answered(m, answer message.Message) {
	if now, ok := s.Messages.Rows[m.ID]; ok {
		m = now
	}
	m.Outcome = "answered: " + Folded(answer.Body())
	s.Messages.Put(s.Batch, m)
}
