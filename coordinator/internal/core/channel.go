package core

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
	"github.com/afar-sh/afar/coordinator/internal/wake"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// available returns the channels on which the person can be reached: those of this
// coordinator with which somebody is paired.
func (s *State) available() (names []string) {
	for _, name := range s.Cfg.Channels {
		if s.Accounts.Rows[name].Person != nil {
			names = append(names, name)
		}
	}
	return names
}

// Reachable reports whether any channel is available.
func (s *State) Reachable() bool { return len(s.available()) > 0 }

// rings reports whether the person would notice a card now.
func (s *State) rings() bool {
	return slices.ContainsFunc(s.available(), func(name string) bool {
		return s.Accounts.Rows[name].Refused() == nil && s.Cfg.Rings(name)
	})
}

// OnChannel adds an action for one channel, in the lane with the channel's name.
func (s *Draft) OnChannel(name, key, kind, data string, due time.Time) {
	act := store.Action{Key: name + "/" + key, Lane: name, Kind: kind, Data: data, Due: due}
	s.Batch.Actions = append(s.Batch.Actions, act)
}

// OnChannels adds an action for every available channel.
func (s *Draft) OnChannels(key, kind, data string, due time.Time) {
	for _, name := range s.available() {
		s.OnChannel(name, key, kind, data, due)
	}
}

// Encode returns the data of an action. It cannot fail, because v holds only strings and
// numbers.
func Encode(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// ShowCard makes every available channel show the current card of an ask.
func (s *Draft) ShowCard(a ask.Ask) {
	id := string(a.CardID())
	s.OnChannels("card:"+id, ActCard, id, s.Now)
}

// showOpen makes one channel show the open asks that have left the terminal.
func (s *Draft) showOpen(name string) {
	for _, a := range s.Asks.everywhere() {
		if a.Shown && a.State == ask.Open {
			id := string(a.CardID())
			s.OnChannel(name, "card:"+id, ActCard, id, s.Now)
		}
	}
}

// settle tells the person who acted on a channel what the act led to.
func (s *Draft) settle(act channel.Act, text string) {
	s.tell(act, channel.Settlement{Text: text})
}

func (s *Draft) tell(act channel.Act, what channel.Settlement) {
	kind, key := ActSay, "say:"+itoa(act.Update)
	if act.Tap != "" {
		kind, key = ActTap, "tap:"+act.Tap
	}
	what.Tap = act.Tap
	if act.Tap == "" || what.Reply != nil { // a message may follow the answer to the tap
		what.To = act.At
	}
	s.OnChannel(act.Channel, key, kind, Encode(what), s.Now)
}

// Acknowledge deals with an act that changes nothing. It answers with a text, if the
// text is not empty.
func (c *Core) Acknowledge(act channel.Act, text string) error {
	return c.Do(func(s *Draft) error {
		s.Batch.Act = act
		if text != "" {
			s.settle(act, text)
		}
		return nil
	})
}

// Account returns the account of a channel.
func (c *Core) Account(name string) (a channel.Account) {
	c.View(func(s *State, _ time.Time) { a = s.Account(name) })
	return a
}

// Account returns the account of a channel, which may be one that was never paired.
func (s *State) Account(name string) channel.Account {
	a := s.Accounts.Rows[name]
	a.Channel = name
	return a
}

// accountParts returns the parts that a change of an account touches.
func accountParts(before, after channel.Account) []wake.Part {
	same := before.Speaker == after.Speaker && before.Person == after.Person && before.Pairing == after.Pairing
	if same && before.Refusal == after.Refusal {
		return nil
	}
	return []wake.Part{Pairing}
}

// Person returns the person who is paired with a channel, nil for none.
func (c *Core) Person(name string) *channel.Person { return c.Account(name).Person }

// ChangeAccount deals with an act that concerns its channel's account. change returns
// the account that replaces the current one.
func (c *Core) ChangeAccount(act channel.Act, change func(a channel.Account, now time.Time) channel.Change) error {
	return c.Do(func(s *Draft) error {
		s.Batch.Act = act
		before := s.Account(act.Channel)
		next := change(before, s.Now)
		if next.Account != nil && next.Account.Person != before.Person {
			next.Account.Refusal = nil // it is of an address that no longer counts
		}
		if next.Account != nil {
			s.Accounts.Put(s.Batch, *next.Account)
		}
		if next.Anew {
			s.Batch.Anew = act.Channel
		}
		if next.Settle != "" {
			s.settle(act, next.Settle)
		}
		if next.Notice != "" {
			s.noticeOn(act.Channel, "account", channel.News{Text: next.Notice})
		}
		if next.Show {
			s.showOpen(act.Channel)
		}
		if next.Event.Kind != "" {
			next.Event.At = s.Now
			s.Batch.Events = append(s.Batch.Events, next.Event)
		}
		return nil
	})
}

// Sent notes messages that show cards, what they say, and that the action which sent them is done. The zero
// action is one that goes on.
func (c *Core) Sent(by store.Action, sent ...channel.Copy) error {
	return c.sent(by, sent, false)
}

// Repeatable is Sent for an action that comes to the same if it is carried out again.
func (c *Core) Repeatable(by store.Action, sent ...channel.Copy) error { return c.sent(by, sent, true) }

func (c *Core) sent(by store.Action, sent []channel.Copy, mayWait bool) error {
	return c.Do(func(s *Draft) error {
		s.Batch.Copies, s.Batch.MayWait = sent, mayWait
		if by.Key != "" {
			s.Batch.Done = []store.Action{by}
		}
		return nil
	})
}

// SentLast notes the newest message of a channel to its person that shows no card. If that is lost, its action is
// carried out again, and sends a newer one.
func (c *Core) SentLast(name string, message channel.MessageID) error {
	return c.Do(func(s *Draft) error {
		s.Batch.MayWait = true
		a := s.Account(name)
		a.Newest = message
		s.Accounts.Put(s.Batch, a)
		return nil
	})
}

// Shows returns the ask whose card a message of a channel shows, "" for none.
func (c *Core) Shows(name string, message channel.MessageID) (ask.ID, error) {
	id, _, err := c.cfg.Store.ShownBy(name, message)
	return id, err
}

// Copies returns the messages of a channel that show the card of an ask, oldest first.
func (c *Core) Copies(name string, id ask.ID) ([]channel.Copy, error) {
	return c.cfg.Store.Copies(name, id)
}

// Doubt notes that it is unknown whether a channel has sent the card of an ask. The
// next card may be a second one, and says so.
func (c *Core) Doubt(name string, id ask.ID) error {
	copies, err := c.cfg.Store.Copies(name, id)
	if err != nil || len(copies) > 0 {
		return err
	}
	_, err = c.changeAsk(id, func(a ask.Ask, _ time.Time) (ask.Ask, event.Kind, error) {
		a.Twice = true
		return a, "", nil
	})
	return err
}

// doubtInterrupted calls Doubt for the cards that were being sent when the last
// coordinator died. A lane does one action at a time, so this can only be the first
// card of each channel that is not noted as sent.
func (c *Core) doubtInterrupted() error {
	last, err := c.cfg.Store.Journal(0, 1, "", true)
	if err != nil || len(last) == 0 || last[0].Kind == event.Stopped {
		return err
	}
	c.wasKilled = true
	for _, name := range c.cfg.Channels {
		id, ok, err := c.cfg.Store.Unshown(name, ActCard)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := c.Doubt(name, id); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return nil
}

// WasKilled reports whether the last coordinator died: the first action of each lane may have been carried out.
func (c *Core) WasKilled() bool { return c.wasKilled }

// Receive takes raw updates. The commit that deals with the first of them keeps all, and KeepReceived does if
// there is none.
func (c *Core) Receive(updates []channel.Update) error {
	return c.Do(func(s *Draft) error {
		s.Batch.Received, s.Batch.MayWait = updates, true
		return nil
	})
}

// KeepReceived commits the updates that no commit has kept. Only then may they be acknowledged to their channel.
func (c *Core) KeepReceived() error {
	err := c.cfg.Store.FlushReceived()
	if err != nil { // without one, nothing may have been written
		err = c.wrote(err)
	}
	return err
}

// Received returns the updates of a channel that are not dealt with yet, in order.
func (c *Core) Received(name string) ([]channel.Update, error) { return c.cfg.Store.Received(name) }

// SessionShown returns the session whose question or check-in a message shows.
func (c *Core) SessionShown(name string, message channel.MessageID) (id session.ID, ok bool) {
	on, shown, err := c.cfg.Store.ShownBy(name, message)
	if err != nil || !shown {
		return "", false
	}
	a, _ := c.Ask(on) // zero if it fails
	return a.Session, a.Session != ""
}

// A roomTable holds the rooms, and finds them by their address.
type roomTable struct {
	*table.Table[string, channel.Room]
	byAddress *table.Index[string, channel.Room]
}

func newRoomTable(s *State) roomTable {
	made := Register(s, store.Rooms, table.Traits[channel.Room]{})
	return roomTable{Table: made, byAddress: made.IndexBy(func(r channel.Room) string {
		return table.KeyIf(r.Address != "", r.Channel+" "+string(r.Address))
	})}
}

// Room returns the place of a session inside an address of a channel; ok is false
// when it has none there.
func (c *Core) Room(name string, id session.ID, inside channel.Address) (r channel.Room, ok bool) {
	c.View(func(s *State, _ time.Time) { r = s.room(name, id, inside) })
	return r, r.Address != ""
}

func (s *State) room(name string, id session.ID, inside channel.Address) channel.Room {
	return s.rooms.Rows[channel.Room{Channel: name, Session: id, Inside: inside}.ID()]
}

// PutRoom stores a room. A room without an Address is gone.
func (c *Core) PutRoom(r channel.Room) error {
	return c.Do(func(s *Draft) error {
		s.rooms.Put(s.Batch, r)
		s.followRoom(r, s.Sessions.Rows[r.Session])
		return nil
	})
}

// followRooms closes or reopens the rooms of a session that ended or came back, in the
// channels with which people are paired now.
func (s *Draft) followRooms(v session.Session) {
	for _, name := range s.available() {
		inside := s.Accounts.Rows[name].Person.Address
		s.followRoom(s.room(name, v.ID, inside), v)
	}
}

func (s *Draft) followRoom(r channel.Room, v session.Session) {
	ended := v.State == session.Ended
	if r.Address == "" || r.Closed == ended {
		return
	}
	id := string(r.Session)
	s.OnChannel(r.Channel, "room:"+id, ActRoom, id, s.Now)
}

// SessionIn returns the session whose room is at an address; ok is false for any
// other address.
func (c *Core) SessionIn(name string, at channel.Address) (id session.ID, ok bool) {
	c.View(func(s *State, _ time.Time) { id, ok = s.sessionIn(name, at) })
	return id, ok
}

func (s *State) sessionIn(name string, at channel.Address) (session.ID, bool) {
	r, ok := s.rooms.byAddress.One(name + " " + string(at))
	return r.Session, ok
}

// TellOnce tells the person news on a channel, once, until Untrue withdraws it. about
// names the fact.
func (c *Core) TellOnce(name, about string, n channel.News) error {
	return c.Do(func(s *Draft) error {
		if s.Settings.Notes[about] != "" {
			return nil
		}
		set := s.NewSettings()
		set.Notes = maps.Clone(set.Notes)
		if set.Notes == nil {
			set.Notes = map[string]string{}
		}
		set.Notes[about] = n.Words()
		s.noticeOn(name, about, n)
		return nil
	})
}

// Untrue withdraws a fact of TellOnce, without telling the person.
func (c *Core) Untrue(about string) error {
	return c.Do(func(s *Draft) error {
		if s.Settings.Notes[about] == "" {
			return nil
		}
		set := s.NewSettings()
		set.Notes = maps.Clone(set.Notes)
		delete(set.Notes, about)
		return nil
	})
}

// AboutSilence begins the name of the fact of TellOnce that a project asks for silence.
const AboutSilence = "silence:"

// TellSilence tells the person on a channel, once, that a project asks for silence. why says how it
// asks.
func (c *Core) TellSilence(name, project, why string) error {
	shown := text.Fold(redact.Visible(project))
	return c.TellOnce(name, AboutSilence+project, channel.News{Kind: channel.Silenced, Of: shown, Why: why})
}
