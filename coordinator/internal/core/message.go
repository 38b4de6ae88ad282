package core

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// A messageTable holds the texts for sessions.
type messageTable struct {
	*table.Table[message.ID, message.Message]
	byNonce   *table.Index[message.ID, message.Message]
	bySession *table.Index[message.ID, message.Message]
	ByState   *table.Index[message.ID, message.Message]
	byTask    *table.Index[message.ID, message.Message]
}

func newMessageTable(s *State) messageTable {
	t := Register(s, store.Messages, table.Traits[message.Message]{
		Touches: messageParts,
		Held:    func(m message.Message) { s.newestSeq = max(s.newestSeq, m.Seq) },
	})
	return messageTable{
		Table:     t,
		byNonce:   t.IndexBy(func(m message.Message) string { return m.Nonce }),
		bySession: t.IndexBy(func(m message.Message) string { return string(m.Session) }),
		ByState:   t.IndexBy(func(m message.Message) string { return string(m.State) }),
		byTask:    t.IndexBy(func(m message.Message) string { return m.Task }),
	}
}

func messageParts(_, after message.Message) []wake.Part {
	if after.To == message.ToTriage {
		return []wake.Part{Triaged}
	}
	if after.Task != "" {
		return []wake.Part{OfSession(after.Session), Tasks}
	}
	return []wake.Part{OfSession(after.Session)}
}

// of returns the texts for a session, in no order.
func (t messageTable) of(id session.ID) []message.Message { return t.bySession.All(string(id)) }

// delivered returns the texts that a hook took and whose arrival no session has
// confirmed.
func (t messageTable) delivered() []message.Message { return t.ByState.All(string(message.Delivered)) }

// newestText returns the number of the newest text, with those of the draft.
func (s *Draft) newestText() int64 {
	newest := s.newestSeq
	for m := range store.Messages.In(s.Batch) {
		newest = max(newest, m.Seq)
	}
	return newest
}

// Post stores a text. If its key is known, it returns the message with that key.
func (s *Draft) Post(m message.Message) message.Message {
	if known, ok := s.Messages.After(s.Batch, message.IDOf(m.Key)); ok {
		return known
	}
	m = message.Add(m, s.newestText(), s.Now)
	s.Messages.Put(s.Batch, m)
	text := fmt.Sprintf("%s wrote %d characters for %s", m.By, utf8.RuneCountInString(m.Text), s.nameOf(m))
	s.Record(event.MessageAdded, m.Session, string(m.ID), text)
	switch {
	case m.Task != "":
		s.passTexts(task.Slug(m.Task))
	case m.Session != "":
		if m.Data && s.held(m.Session) { // the person's own words answer the check-in
			s.dropCheckIns(m.Session, "the session goes on with a text of "+m.By)
		}
		s.queueRunOf(m.Session)
	}
	return m
}

func (s *Draft) nameOf(m message.Message) string {
	switch {
	case m.ForPerson():
		return "the person"
	case m.To == message.ToTriage:
		return "triage"
	case m.Task != "":
		return "task " + m.Task
	case m.Session == "":
		return "a session to be named"
	}
	if r, ok := s.RunOf(m.Session); ok {
		return "run " + r.Name
	}
	return s.Token(m.Session)
}

// Deliver hands the texts that wait for a session to the hook that names the
// delivery. Only a call with the same name gets the same texts again. A known taker
// reports when it has printed them; see TextsPrinted.
func (c *Core) Deliver(id session.ID, delivery string, taker session.Process) (d message.Delivery, err error) {
	err = c.Do(func(s *Draft) error {
		d = message.Take(s.here(id), id, delivery, taker, s.Now)
		s.Messages.Put(s.Batch, d.Changed...)
		for _, m := range d.Changed {
			text := s.Token(id) + ": the text of " + m.By + " was handed over"
			s.Record(event.MessageDelivered, id, string(m.ID), text)
		}
		if len(d.Changed) > 0 && !taker.Known() {
			s.takeReplies(id)
		}
		return nil
	})
	return d, err
}

// missed tells the person of texts that a session did not get before it ended.
func (s *Draft) missed(v session.Session) {
	_, runs := s.Runs.ByConversation.One(string(v.ID)) // its next turn takes them
	if runs || len(message.Waiting(s.Messages.of(v.ID), v.ID)) == 0 {
		return
	}
	s.tellMissed(v)
}

func (s *Draft) tellMissed(v session.Session) {
	s.Notify("missed", v.ID, channel.News{Kind: channel.Missed, Of: v.Token})
}

// ComesBack notes that a hook of a session calls. That proves that the texts that
// another hook took before have arrived. It returns how many texts wait.
func (c *Core) ComesBack(id session.ID, delivery string) (waiting int, err error) {
	err = c.Do(func(s *Draft) error {
		s.Messages.Put(s.Batch, message.Finish(s.Messages.of(id), id, delivery, s.Now)...)
		waiting = len(message.Waiting(s.here(id), id))
		return nil
	})
	return waiting, err
}

// Messages returns all messages in memory, oldest first.
func (c *Core) Messages() (out []message.Message) {
	c.View(func(s *State, _ time.Time) { out = slices.Collect(maps.Values(s.Messages.Rows)) })
	sort.Slice(out, func(i, j int) bool { return out[i].Seq < out[j].Seq })
	return out
}

// AddressOf returns where a text goes; it is zero while the person has not said it.
func (c *Core) AddressOf(m message.Message) (a message.Address) {
	c.View(func(s *State, _ time.Time) {
		r, runs := s.Runs.ByConversation.One(string(m.Session))
		switch {
		case m.To != "":
			a = message.Address{Kind: m.To}
		case m.Task != "":
			a = message.Address{Kind: message.ToTask, Name: m.Task}
		case runs:
			a = message.Address{Kind: message.ToRun, Name: r.Name}
		case m.Session != "":
			a = message.Address{Kind: message.ToSession, Name: cmp.Or(s.Token(m.Session), string(m.Session))}
		}
	})
	return a
}

// TakeOver makes waiter, a hook with its process, the one that waits to wake a session.
func (c *Core) TakeOver(id session.ID, waiter string, in session.Process) error {
	return c.Do(func(s *Draft) error {
		if v, ok := s.Sessions.Rows[id]; ok && v.Waiter != waiter {
			v.Waiter, v.WaitsIn = waiter, in
			s.Sessions.Put(s.Batch, v)
		}
		return nil
	})
}

// The answers of AwaitWake.
const (
	Wait = "wait" // nothing yet: ask again
	Wake = "wake" // a text waits and the session is idle
	End  = "end"  // the session ended, or another hook waits for it
)

// idleFor is the shortest time for which a session is idle before it is woken. After that time
// its Stop hook has ended.
const idleFor = 500 * time.Millisecond

// AwaitWake waits until a session must be woken, at most until ctx ends. reason is the text
// of its loop for the session; it is empty if a text of the person waits.
func (c *Core) AwaitWake(ctx context.Context, id session.ID, waiter string) (answer, reason string) {
	c.await(ctx, func(s *State, now time.Time) (done bool, at time.Time) {
		answer, at = s.wake(id, waiter, now)
		reason = s.wakeReason(id, now)
		return answer != Wait, at
	}, OfSession(id), Paused)
	return answer, reason
}

// dataWaits is the only thing that the host is told of texts that are data.
const dataWaits = "Afar: a text from outside waits; it is in the context of this turn."

func (s *State) wakeReason(id session.ID, now time.Time) string {
	texts := message.Waiting(s.here(id), id)
	switch {
	case len(texts) > 0 && texts[0].Data:
		return dataWaits
	case !s.awaited(id, now):
		return s.Loops.Rows[id].Waking()
	}
	return ""
}

// awaited reports whether a text or a late answer waits for a session.
func (s *State) awaited(id session.ID, now time.Time) bool {
	return len(message.Waiting(s.here(id), id)) > 0 || s.untold(id, now)
}

// wake returns what the waiter of a session must do, and when that changes by itself.
func (s *State) wake(id session.ID, waiter string, now time.Time) (answer string, at time.Time) {
	v := s.Sessions.Rows[id]
	switch {
	case !v.Live(), v.Waiter != waiter:
		return End, at
	case !v.Interactive() && !s.Loops.Rows[id].Rests():
		return End, at // nobody writes to a print session, and its client waits for this hook
	case s.Settings.Paused, v.State != session.Idle:
		return Wait, at
	case !s.awaited(id, now) && s.Loops.Rows[id].Waking() == "":
		return Wait, at
	}
	if at = v.Since.Add(idleFor); now.Before(at) {
		return Wait, at
	}
	if at = s.reservedUntil(id, now); now.Before(at) {
		return Wait, at
	}
	return Wake, time.Time{}
}

// Written deals with a text of the person that is not a reply to a message. The text
// answers the only question that was open when it was written. Otherwise it is for the
// only living session. Otherwise the person is asked. It never decides several open
// questions, or a question that is younger than the text. In the topic of a session
// only that session counts.
func (c *Core) Written(p Press) (Told, error) { return c.pressIt(p, (*Draft).written) }

// pressIt applies what the person did on a channel to the state as it is now.
func (c *Core) pressIt(p Press, apply func(s *Draft, p Press) Told) (told Told, err error) {
	if err := c.Look(); err != nil {
		return told, err
	}
	err = c.Do(func(s *Draft) error {
		told = apply(s, p)
		return nil
	})
	return told, err
}

func (s *Draft) written(p Press) Told {
	all, live := s.onCards(), s.live()
	if id, ok := s.sessionIn(p.Channel, p.At); ok {
		all = slices.DeleteFunc(all, func(a ask.Ask) bool { return a.Session != id })
		live = []session.Session{s.Sessions.Rows[id]}
	}
	m := p.message("")
	switch open := p.seen(all); {
	case len(open) == 1:
		return Told{Worded: s.decide(open[0], p)}
	case len(open) > 1:
		m.Answers = true
	case len(all) == 1:
		return tells(channel.TooEarly)
	case len(all) > 1:
		return tells(channel.AllTooEarly)
	case p.Word:
		return tells(channel.NothingOpen)
	case len(live) == 0:
		return tells(channel.NothingRuns)
	case len(live) == 1:
		m.Session = live[0].ID
		return Told{Worded: s.fate(s.Post(m).Session)}
	}
	m.Nonce = s.Cfg.Secret()
	return Told{Choose: s.Post(m).ID}
}

func (p Press) message(id session.ID) message.Message {
	return message.Message{
		Key:     p.Channel + ":" + itoa(p.Update),
		Session: id,
		Text:    p.Text,
		By:      p.Decision.By,
		Channel: p.Decision.Channel,
		From:    string(p.At),
	}
}

// onCards returns the open asks that have left the terminal, one for each card, oldest
// first.
func (s *State) onCards() (out []ask.Ask) {
	for _, card := range s.openCards() {
		if face := card.Face(); face.State == ask.Open && face.Shown {
			out = append(out, face)
		}
	}
	return out
}

// live returns the sessions that run with Afar's hooks, by token.
func (s *State) live() (out []session.Session) {
	for _, v := range s.Sessions.living.All() {
		if v.Protected() {
			out = append(out, v)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Token < out[j].Token })
	return out
}

// wakeable reports whether a session is idle and a hook or a mod of it waits to wake it, as
// Look has just seen.
func (s *State) wakeable(v session.Session) bool {
	return v.State == session.Idle && (v.Waiter != "" || v.Mod.Known())
}

// fate returns when a session gets a text that waits for it. It is correct for the
// processes that Look has just seen. A terminal that has the conversation of a taken run is a
// session like others.
func (s *State) fate(id session.ID) channel.Fate {
	if r, ok := s.Runs.ByConversation.One(string(id)); ok && r.State != run.Taken {
		return s.runFate(r)
	}
	v := s.Sessions.Rows[id]
	f := channel.Fate{To: v.Token, At: channel.AtStop}
	switch {
	case v.State == session.Ended:
		f.At = channel.AtResume
	case s.Settings.Paused:
		f.At = channel.AtUnpause
	case s.wakeable(v):
		f.At = channel.AtOnce
	case v.State == session.Idle:
		f.At = channel.AtPrompt
	case v.Batches:
		f.At = channel.AtTool
	case s.Loops.Rows[id].Active():
		f.At = channel.AtLoopEnd
	}
	return f
}

// Choose gives a text that waited for its recipient to the one that the person tapped: p.Choice is the token
// of a session or, for a text that answers a question, the nonce of that, "" for none. p.Decision is what the text says.
func (c *Core) Choose(p Press) (Told, error) { return c.pressIt(p, (*Draft).choose) }

func (s *Draft) choose(p Press) Told {
	m, known := s.Messages.byNonce.One(p.Nonce)
	switch {
	case !known:
		return tells(channel.UnknownText)
	case m.Answers:
		return s.settleText(m, p)
	}
	v, _ := s.Find(p.Choice)
	routed, err := message.Route(m, v.ID)
	switch {
	case err != nil:
		return Told{Worded: channel.News{Kind: channel.SentText, Of: s.Token(m.Session)}}
	case !v.Live():
		return tells(channel.SessionOver)
	}
	s.Messages.Put(s.Batch, routed)
	s.queueRunOf(v.ID)
	s.Record(event.MessageAdded, v.ID, string(m.ID), m.By+" sent a text to "+v.Token)
	return Told{Worded: s.fate(v.ID), Edit: true}
}

// settleText answers the question that the person tapped with the text that waited for its question.
func (s *Draft) settleText(m message.Message, p Press) Told {
	a, found := s.Asks.byNonce.One(p.Choice)
	dropped, err := message.Drop(m, s.Now)
	switch {
	case err != nil:
		return tells(channel.UsedText)
	case p.Choice == "":
		dropped.Outcome = "answers nothing, as you chose"
		s.Messages.Put(s.Batch, dropped)
		return Told{Worded: channel.News{Kind: channel.NothingDecided}, Edit: true}
	case !found, len(s.onCard(a).Waiting()) == 0:
		return Told{Worded: channel.Answer{Card: ask.Card{a}, Err: ask.ErrSettled}}
	}
	p.Text = m.Text
	said := channel.News{Kind: channel.DecidedIn, Of: s.Token(a.Session), What: s.decide(a, p).Words()}
	dropped.Outcome = "answered a question of " + Folded(said.Words())
	s.Messages.Put(s.Batch, dropped)
	return Told{Worded: said, Edit: true}
}

// A Choice is a text for which the person has to choose the recipient: one of the
// sessions, or, if it answers a question, one of the open questions.
type Choice struct {
	message.Message
	Tokens []string  // of the sessions that run
	Open   []ask.Ask // oldest first
}

// Choice returns the choice for a text that was written at an address of a channel. ok is false if the person has
// already chosen.
func (c *Core) Choice(name string, at channel.Address, text message.ID) (out Choice, ok bool) {
	c.View(func(s *State, _ time.Time) {
		out.Message = s.Messages.Rows[text]
		ok, out.Open = out.State == message.Unrouted, s.onCards()
		if id, one := s.sessionIn(name, at); one {
			out.Open = slices.DeleteFunc(out.Open, func(a ask.Ask) bool { return a.Session != id })
		}
		for _, v := range s.live() {
			out.Tokens = append(out.Tokens, v.Token)
		}
	})
	return out, ok
}

// TextByNonce returns the text that waits under a nonce, "" for none.
func (c *Core) TextByNonce(nonce string) (text string) {
	c.View(func(s *State, _ time.Time) {
		m, _ := s.Messages.byNonce.One(nonce)
		text = m.Text
	})
	return text
}
