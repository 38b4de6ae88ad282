package feature

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

func machineParts(_, _ fleet.Machine) []wake.Part { return []wake.Part{Machines} }
func orderParts(_, _ fleet.Order) []wake.Part     { return []wake.Part{Orders} }

// An orderTable holds the orders, and finds those of a machine that wait.
type orderTable struct {
	*table.Table[fleet.OrderID, fleet.Order]
	waiting *table.Index[fleet.OrderID, fleet.Order]
}

func newOrderTable(s *core.State) orderTable {
	t := core.Register(s, store.Orders, table.Traits[fleet.Order]{Touches: orderParts})
	return orderTable{Table: t, waiting: t.IndexBy(func(o fleet.Order) string {
		return table.KeyIf(o.Waits(), string(o.Machine))
	})}
}

// A mirrorTable holds what other machines show.
type mirrorTable struct {
	*table.Table[fleet.MirrorID, fleet.Mirror]
	byMachine *table.Index[fleet.MirrorID, fleet.Mirror] // and kind, see on
	byKind    *table.Index[fleet.MirrorID, fleet.Mirror]
}

func newMirrorTable(s *core.State) mirrorTable {
	t := core.Register(s, store.Mirrors, table.Traits[fleet.Mirror]{
		Touches: func(_, _ fleet.Mirror) []wake.Part { return []wake.Part{Mirrors} },
	})
	return mirrorTable{
		Table:     t,
		byMachine: t.IndexBy(func(m fleet.Mirror) string { return table.KeyIf(!m.Gone, on(m.Machine, m.Kind)) }),
		byKind:    t.IndexBy(func(m fleet.Mirror) string { return table.KeyIf(!m.Gone, m.Kind) }),
	}
}

// on returns the key of what a machine shows of a kind.
func on(id fleet.MachineID, kind string) string { return string(id) + " " + kind }

// ErrAway says that a machine is not connected.
var ErrAway = errors.New("the machine is not reachable now")

// Fleet returns what this machine is in its fleet.
func (c *Core) Fleet() (f store.Fleet) {
	c.view(func(s *draft) { f = s.Settings.Fleet })
	f.Invites = slices.Clone(f.Invites)
	return f
}

// ChangeFleet changes what this machine is in its fleet; text says so in the journal, "" for nothing.
func (c *Core) ChangeFleet(text string, change func(f *store.Fleet, now time.Time) error) error {
	return c.do(func(s *draft) error {
		set := s.NewSettings()
		set.Fleet.Invites = slices.Clone(set.Fleet.Invites)
		if err := change(&set.Fleet, s.Now); err != nil {
			return err
		}
		if text != "" {
			s.Record(event.FleetChanged, "", set.Fleet.Name, text)
		}
		return nil
	})
}

// Mine returns what this machine says of itself at each connect.
func (c *Core) Mine() (k fleet.Known) {
	c.view(func(s *draft) {
		k = fleet.Known{Name: s.Settings.Fleet.Name, Life: s.Settings.Fleet.Life, Entry: s.Entry, Mark: s.Mark}
	})
	return k
}

// Now returns the time by the clock of this machine.
func (c *Core) Now() time.Time { return c.cfg.Now() }

// WasPutBack reports whether this database is an earlier copy of what another machine has seen: the newest entry that
// the other one has heard of is not there, or another one is in its place.
func (c *Core) WasPutBack(seen fleet.Known) (bool, error) {
	mine := c.Mine()
	if seen.Life == "" || seen.Life != mine.Life {
		return false, nil
	}
	if seen.Entry > mine.Entry {
		return true, nil
	}
	near, err := c.cfg.Store.JournalBefore(seen.Entry+1, 1, "")
	if err != nil || len(near) == 0 {
		return false, err
	}
	return near[0].Hash != seen.Mark, nil
}

// Machines returns the members of the fleet, by name. Those that were removed are left out.
func (c *Core) Machines() (out []fleet.Machine) {
	c.view(func(s *draft) { out = s.members() })
	return out
}

func (s *draft) members() []fleet.Machine {
	all := slices.SortedFunc(maps.Values(s.machines.Rows), func(a, b fleet.Machine) int {
		return cmp.Compare(a.Name, b.Name)
	})
	return slices.DeleteFunc(all, func(m fleet.Machine) bool { return m.Removed })
}

// Machine returns the member with a name, an earlier name or a fingerprint.
func (c *Core) Machine(name string) (m fleet.Machine, err error) {
	c.view(func(s *draft) {
		if one, ok := s.machines.Rows[fleet.MachineID(name)]; ok && !one.Removed {
			m = one
			return
		}
		for _, one := range s.members() {
			if one.Name == name || m.ID == "" && one.Named(name) {
				m = one
			}
		}
	})
	if m.ID == "" {
		return m, fmt.Errorf("machine %.40q: %w", name, core.ErrNotFound)
	}
	return m, nil
}

// Present returns since when each machine is connected.
func (c *Core) Present() (out map[fleet.MachineID]time.Time) {
	c.view(func(s *draft) { out = maps.Clone(s.present) })
	return out
}

// IsPresent reports whether a machine is connected.
func (c *Core) IsPresent(id fleet.MachineID) (is bool) {
	c.view(func(s *draft) { _, is = s.present[id] })
	return is
}

// Admit lets a machine join by an invite. A machine that has joined by it joins again.
func (c *Core) Admit(invite string, who fleet.Machine) (m fleet.Machine, err error) {
	err = c.do(func(s *draft) error {
		invites := slices.Clone(s.Settings.Fleet.Invites)
		at := slices.IndexFunc(invites, func(i fleet.Invite) bool { return i.ID == invite })
		if at < 0 || !invites[at].Good(who.ID, s.Now) {
			return errors.New("this invite was used or is over: afar fleet invite makes another one")
		}
		in := &invites[at]
		old, joinsAgain := s.machines.Rows[who.ID]
		switch {
		case joinsAgain && !old.Trusted():
			return errors.New("the key of this machine is refused; it joins with new keys: afar fleet leave, then join")
		case in.Used == who.ID: // the answer was lost
			m = old
			return nil
		}
		all := slices.DeleteFunc(s.members(), func(m fleet.Machine) bool { return m.ID == who.ID })
		name := fleet.FreeName(cmp.Or(in.Name, old.Name, who.Name), append(all, fleet.Machine{Name: s.Settings.Fleet.Name}))
		m = who
		if joinsAgain {
			m = old
		}
		if joinsAgain && name != old.Name {
			m = old.Rename(name)
		}
		m.Name, m.Decides, m.JoinedAt, in.Used = name, in.Decides, s.Now, who.ID
		s.NewSettings().Fleet.Invites = invites
		s.machines.Put(s.Batch, m)
		text := fmt.Sprintf("%s joined the fleet (fingerprint %s)", m.Name, m.ID)
		s.Record(event.FleetChanged, "", m.Name, text)
		s.Notify("fleet", "", channel.News{Kind: channel.MachineJoined, Of: m.Name, What: string(m.ID)})
		return nil
	})
	return m, err
}

// ChangeMachine changes what is kept of a member; text says so in the journal, and news tells the person. Both may be
// zero.
func (c *Core) ChangeMachine(
	id fleet.MachineID, text string, news channel.News, change func(m *fleet.Machine, now time.Time) error,
) (m fleet.Machine, err error) {
	err = c.do(func(s *draft) error {
		var ok bool
		if m, ok = s.machines.Rows[id]; !ok {
			return fmt.Errorf("machine %s: %w", id, core.ErrNotFound)
		}
		before := m
		if err := change(&m, s.Now); err != nil {
			return err
		}
		s.machines.Put(s.Batch, m)
		if text != "" {
			s.Record(event.FleetChanged, "", m.Name, text)
		}
		if news.Kind != "" {
			s.Notify(string(news.Kind), "", news)
		}
		if m.Name != before.Name || m.Decides != before.Decides || m.Removed != before.Removed {
			s.reshow(m)
		}
		return nil
	})
	return m, err
}

// RenameMachine gives a member another name.
func (c *Core) RenameMachine(id fleet.MachineID, name string) (fleet.Machine, error) {
	all := c.Machines()
	self := c.Fleet().Name
	return c.ChangeMachine(id, "renamed to "+name, channel.News{}, func(m *fleet.Machine, _ time.Time) error {
		taken := func(o fleet.Machine) bool { return o.ID != id && !o.Removed && o.Named(name) }
		if slices.ContainsFunc(all, taken) || strings.EqualFold(self, name) {
			return fleet.ErrNameTaken
		}
		*m = m.Rename(name)
		return fleet.CheckName(name)
	})
}

// SetPresent notes whether a machine is connected. Its cards say so, and what the person is told of it is one line.
func (c *Core) SetPresent(id fleet.MachineID, is bool) error {
	var since map[fleet.MachineID]time.Time // before the change
	err := c.do(func(s *draft) error {
		m, ok := s.machines.Rows[id]
		if _, was := s.present[id]; !ok || was == is {
			return nil
		}
		since = maps.Clone(s.present)
		if is {
			s.present[id] = s.Now
		} else {
			delete(s.present, id)
			m.Known.SeenAt = s.Now
		}
		s.machines.Put(s.Batch, m)
		s.reshow(m)
		return nil
	})
	if err != nil && since != nil { // nothing was committed
		return errors.Join(err, c.do(func(s *draft) error {
			s.present = since
			return nil
		}))
	}
	return err
}

// MetMachine notes what a member says of itself when it connects. One with a new life was put back: what was under way
// to it may have been carried out, and is not sent again.
func (c *Core) MetMachine(id fleet.MachineID, says fleet.Hello) (m fleet.Machine, err error) {
	err = c.do(func(s *draft) error {
		var ok bool
		if m, ok = s.machines.Rows[id]; !ok || !m.Trusted() {
			return fmt.Errorf("machine %s: %w", id, core.ErrNotFound)
		}
		if m.Known.Life != "" && m.Known.Life != says.Life {
			s.putBack(m.Name, func(o fleet.Order) bool { return o.Machine == id })
		}
		offset := says.Now - s.Now.UnixMilli()
		m.Known = fleet.Known{
			Version: says.Version, Life: says.Life, Entry: says.Entry, Mark: says.Mark, SeenAt: s.Now, Offset: offset,
		}
		s.machines.Put(s.Batch, m)
		return nil
	})
	return m, err
}

// putBack ends the orders that were under way when a machine was put back, and tells the person.
func (s *draft) putBack(name string, of func(fleet.Order) bool) {
	ended := s.dropOrders(of, name+" was put back to an earlier copy, and this may have been done")
	text := fmt.Sprintf("%s was put back to an earlier copy of its database: %d orders are not sent again", name, ended)
	s.Record(event.FleetPutBack, "", name, text)
	s.Notify("put-back "+name, "", channel.News{Kind: channel.MachinePutBack, Of: name, N: ended})
}

// dropOrders ends the waiting orders that of accepts, and returns how many there were. Nobody knows what they came to.
func (s *draft) dropOrders(of func(fleet.Order) bool, why string) (ended int) {
	for _, o := range s.orders.Rows {
		if !o.Waits() || !of(o) {
			continue
		}
		o.Ended, o.Reply = s.Now, &channel.Reply{Op: o.Op, Code: "settled", Error: why}
		s.orders.Put(s.Batch, o)
		s.unsend(o)
		ended++
	}
	return ended
}

// HeardMachine notes how far a member says that it is. kill -9 may lose it.
func (c *Core) HeardMachine(id fleet.MachineID, how fleet.Known) error {
	return c.do(func(s *draft) error {
		m, ok := s.machines.Rows[id]
		if !ok || m.Known.Life != how.Life || m.Known.Entry >= how.Entry {
			return nil
		}
		m.Known.Entry, m.Known.Mark, m.Known.SeenAt = how.Entry, how.Mark, s.Now
		s.machines.Put(s.Batch, m)
		s.Batch.MayWait = true
		return nil
	})
}

// TakeNewLife makes this machine another one for its peers, because its database is an earlier copy: it executes
// nothing for others that it finds undone, and asks nothing again that may have been done.
func (c *Core) TakeNewLife() error {
	return c.do(func(s *draft) error {
		set := s.NewSettings()
		set.Fleet.Life = s.Cfg.Secret()
		for _, m := range s.machines.Rows {
			m.Last = 0
			s.machines.Put(s.Batch, m)
		}
		s.Batch.Anew = fleet.Channel
		if set.Fleet.Role == fleet.Hub {
			s.putBack(set.Fleet.Name, fleet.Order.Waits)
			return nil
		}
		text := "this database is an earlier copy: a new life begins" // the hub tells the person
		s.Record(event.FleetPutBack, "", set.Fleet.Name, text)
		return nil
	})
}

// MetHub notes what the hub says when this member connects: what it is, and whom the phone belongs to. A hub with a new
// life numbers its orders anew.
func (c *Core) MetHub(says fleet.Hello) error {
	return c.do(func(s *draft) error {
		set := s.NewSettings()
		if f := &set.Fleet; f.Peer.Life != says.Life {
			s.Batch.Anew = fleet.Channel
		}
		set.Fleet.Peer = fleet.Known{
			Name: says.Name, Version: says.Version, Life: says.Life, Entry: says.Entry, Mark: says.Mark, SeenAt: s.Now,
			Offset: says.Now - s.Now.UnixMilli(),
		}
		set.Fleet.Name, set.Fleet.Decides = cmp.Or(says.You, set.Fleet.Name), says.Decides
		a := s.Account(fleet.Channel)
		was := a.Person
		a.Speaker, a.Person = says.Name, nil
		if says.Person != "" {
			a.Person = &channel.Person{ID: fleet.Channel, Address: fleet.Channel, Name: says.Person, At: s.Now}
			if was != nil {
				a.Person.At = was.At
			}
		}
		s.Accounts.Put(s.Batch, a)
		return nil
	})
}

// HeardHub notes how far the hub says that it is. kill -9 may lose it.
func (c *Core) HeardHub(how fleet.Known) error {
	return c.do(func(s *draft) error {
		if p := s.Settings.Fleet.Peer; p.Life != how.Life || p.Entry >= how.Entry {
			return nil
		}
		set := s.NewSettings()
		set.Fleet.Peer.Entry, set.Fleet.Peer.Mark, set.Fleet.Peer.SeenAt = how.Entry, how.Mark, s.Now
		s.Batch.MayWait = true
		return nil
	})
}

// TwoHubs tells the person that another hub speaks with the key of this one.
func (c *Core) TwoHubs() error {
	return c.do(func(s *draft) error {
		name := s.Settings.Fleet.Name
		s.Record(event.FleetChanged, "", name, "another hub speaks with the key of this one: both are refused")
		s.Notify(string(channel.TwoHubs), "", channel.News{Kind: channel.TwoHubs, Of: name})
		return nil
	})
}

// NoteFleet journals a message of a machine that does not count.
func (c *Core) NoteFleet(who, why string) error { return c.Note(event.FleetRefused, "", who, why) }

// Order has another machine carry out an operation. The order waits until the machine has said what it came to; the
// person of the act hears it then.
func (c *Core) Order(o fleet.Order) (placed fleet.Order, err error) {
	err = c.do(func(s *draft) (err error) {
		placed, err = s.order(o)
		return err
	})
	return placed, err
}

func (s *draft) order(o fleet.Order) (fleet.Order, error) {
	m, ok := s.machines.After(s.Batch, o.Machine)
	if !ok || !m.Trusted() {
		return o, fmt.Errorf("machine %s: %w", o.Machine, core.ErrNotFound)
	}
	if !m.Decides {
		return o, fmt.Errorf("%w: %s joined with --no-decide: answer at that machine", core.ErrChannel, m.Name)
	}
	m.Last++
	o.Number, o.At = m.Last, s.Now
	s.machines.Put(s.Batch, m)
	s.orders.Put(s.Batch, o)
	s.Record(event.FleetSent, "", m.Name, fmt.Sprintf("%s: %s for %s (number %d)", m.Name, o.Op, o.By, o.Number))
	return o, nil
}

// Waiting returns the orders for a machine that nobody knows the end of, in their order.
func (c *Core) Waiting(id fleet.MachineID) (out []fleet.Order) {
	c.view(func(s *draft) { out = s.orders.waiting.All(string(id)) })
	slices.SortFunc(out, func(a, b fleet.Order) int { return cmp.Compare(a.Number, b.Number) })
	return out
}

// Taken notes that the machine has committed an order. kill -9 may lose it: the order is then sent again.
func (c *Core) Taken(id fleet.OrderID) error {
	return c.do(func(s *draft) error {
		o, ok := s.orders.Rows[id]
		if !ok || o.Taken {
			return nil
		}
		o.Taken, s.Batch.MayWait = true, true
		s.orders.Put(s.Batch, o)
		return nil
	})
}

// EndOrder notes what an order came to, once, and tells the person who asked for it.
func (c *Core) EndOrder(id fleet.OrderID, what channel.Settlement) error {
	return c.do(func(s *draft) error {
		o, ok := s.orders.Rows[id]
		if !ok || !o.Waits() {
			return nil
		}
		o.Taken, o.Ended, o.Reply = true, s.Now, what.Reply
		if o.Reply == nil {
			body, _ := json.Marshal(what.Text)
			o.Reply = &channel.Reply{Op: o.Op, Body: body}
		}
		s.orders.Put(s.Batch, o)
		m := s.machines.Rows[o.Machine]
		s.unsend(o)
		if o.For != "" && o.Reply.Error != "" {
			s.handBack(o.For, string(o.ID()), "@"+m.Name, "It was not started: "+o.Reply.Error+".")
		}
		saidByCard := o.Act.Tap != "" && !what.Refused && what.Reply == nil
		if o.Act.Channel == "" || saidByCard { // the command line waits for it
			return nil
		}
		told := channel.Settlement{To: o.Act.At, Text: what.Text, Reply: what.Reply}
		switch {
		case told.Reply != nil:
			told.Reply.As, told.Reply.Machine = o.Act.As, m.Name
		case told.Text != "":
			told.Text = m.Name + ": " + told.Text
		}
		s.OnChannel(o.Act.Channel, "order:"+string(o.ID()), core.ActSay, core.Encode(told), s.Now)
		return nil
	})
}

// Mirror takes over what a machine shows: items that are new or changed, and the names of those that are gone.
func (c *Core) Mirror(id fleet.MachineID, items []fleet.Item, gone []string) error {
	return c.do(func(s *draft) error {
		for _, item := range items {
			kind, ref, _ := strings.Cut(item.Name, " ")
			m := fleet.Mirror{Machine: id, Kind: kind, Ref: ref, Hash: item.Hash, Body: item.Body, At: s.Now}
			s.mirrors.Put(s.Batch, m)
		}
		for _, name := range gone {
			old, ok := s.mirrors.Rows[fleet.MirrorID(string(id)+" "+name)]
			if ok && !old.Gone {
				old.Gone, old.Body = true, nil
				s.mirrors.Put(s.Batch, old)
			}
		}
		s.Batch.MayWait = true // the machine compares again when it connects
		return nil
	})
}

// Mirrored returns the digests of what a machine showed last, by name.
func (c *Core) Mirrored(id fleet.MachineID) map[string]string {
	out := map[string]string{}
	c.view(func(s *draft) {
		for _, kind := range fleet.Kinds {
			for _, m := range s.mirrors.byMachine.All(on(id, kind)) {
				out[m.Kind+" "+m.Ref] = m.Hash
			}
		}
	})
	return out
}

// MirrorsOf returns what other machines show of a kind, in no order.
func (c *Core) MirrorsOf(kind string) (out []fleet.Mirror) {
	c.view(func(s *draft) { out = s.mirrors.byKind.All(kind) })
	return out
}

// MirrorsOn returns what a machine shows of a kind, in no order.
func (c *Core) MirrorsOn(id fleet.MachineID, kind string) (out []fleet.Mirror) {
	c.view(func(s *draft) { out = s.mirrors.byMachine.All(on(id, kind)) })
	return out
}

// TellFrom tells the person what a machine has for them, once.
func (c *Core) TellFrom(id fleet.MachineID, t fleet.Tell) error {
	mark := fleet.Mirror{Machine: id, Kind: fleet.OfNews, Ref: t.Key, Gone: true}
	_, old, err := store.Mirrors.Get(c.cfg.Store, mark.ID()) // memory forgets it sooner
	if err != nil || old {
		return err
	}
	return c.do(func(s *draft) error {
		if _, known := s.mirrors.Rows[mark.ID()]; known {
			return nil
		}
		mark.At = s.Now
		s.mirrors.Put(s.Batch, mark)
		key, name := string(mark.ID()), s.machines.Rows[id].Name
		switch {
		case t.Ended != nil:
			e := *t.Ended
			by := s.proposerOf(id, e.Run)
			e.Run, e.Name = e.Run+run.ID("@"+name), e.Name+"@"+name
			s.TellEnding("run-ended:"+key, e, s.Now)
			if by != "" {
				s.handBack(by, key, e.Name, "It "+e.Words()+".\n"+e.Said())
			}
		case t.Remind != "":
			card := string(ask.MirrorID(string(id), t.Remind))
			s.OnChannels("remind:"+card, core.ActRemind, card, s.Now)
		default:
			s.OnChannels("notice:"+key, core.ActNotice, core.Encode(noticeOf(name, t.Notice)), s.Now)
		}
		return nil
	})
}

// proposerOf returns the session here that proposed a run of a machine, "" for none.
func (s *draft) proposerOf(id fleet.MachineID, started run.ID) session.ID {
	for _, o := range s.orders.Rows {
		var r struct{ ID run.ID }
		isIt := o.For != "" && o.Machine == id && o.Reply != nil && json.Unmarshal(o.Reply.Body, &r) == nil
		if isIt && r.ID == started {
			return o.For
		}
	}
	return ""
}

// noticeOf returns the notice of a machine as the hub tells it: it names the machine and binds nothing here.
func noticeOf(machine string, n channel.Notice) channel.Notice {
	n.Session, n.At, n.Shows, n.Machine = "", "", nil, machine
	n.News = slices.Clone(n.News)
	for i := range n.News {
		n.News[i] = channel.News{Text: machine + " · " + n.News[i].Words()}
	}
	if len(n.News) == 0 {
		n.Text = machine + " · " + n.Text
	}
	return n
}

// AwaitOrder waits until an order has ended, at most until ctx ends.
func (c *Core) AwaitOrder(ctx context.Context, id fleet.OrderID) (o fleet.Order, ended bool) {
	c.until(ctx, func(s *draft) bool {
		o = s.orders.Rows[id]
		ended = !o.Waits()
		return ended
	}, Orders)
	return o, ended
}

// LeaveFleet forgets the fleet: its machines, what waits for them and what they show. Nobody is reached through the hub
// any more.
func (c *Core) LeaveFleet() error {
	return c.do(func(s *draft) error {
		set := s.NewSettings()
		was := set.Fleet.Name
		set.Fleet = store.Fleet{}
		for _, m := range s.machines.Rows {
			if !m.Removed {
				m.Removed = true
				s.machines.Put(s.Batch, m)
				s.reshow(m)
			}
		}
		for _, m := range s.mirrors.Rows {
			if !m.Gone {
				m.Gone, m.Body = true, nil
				s.mirrors.Put(s.Batch, m)
			}
		}
		s.dropOrders(fleet.Order.Waits, "the fleet is left")
		a := s.Account(fleet.Channel)
		if a.Person != nil {
			a.Person = nil
			s.Accounts.Put(s.Batch, a)
		}
		s.Record(event.FleetChanged, "", was, "this machine left its fleet")
		return nil
	})
}
