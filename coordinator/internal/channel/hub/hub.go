// Package hub is the channel of a member of a fleet: it reaches the person through the hub, which has their phone. It
// shows the hub its cards and what it has going on, tells it what is for the person, and takes from it what the person
// did there. Its lane of core's actions is the outbox: an action is done when the hub has committed it.
//
// It holds no state. What it is told twice counts once, and what is lost is said again at the next connect.
package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/link"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// Name is the name of this channel.
const Name = fleet.Channel

// Config is what a Channel needs.
type Config struct {
	Core    *feature.Core
	Log     *slog.Logger
	Version string
	Self    fleet.Self
	Keys    *link.Keys
	// Act carries out an operation for what the person did at the hub, and has the channel tell them the reply.
	Act func(ctx context.Context, act channel.Act, op string, in any) error
	// Do returns the reply of an operation that changes nothing, or that comes to the same when it is done again.
	Do func(ctx context.Context, by, op string, in any) (any, error)
	// Place says where an ask comes from.
	Place func(ask.Ask) ask.From
	// Items returns what the hub shows of this machine beside its questions.
	Items func() []fleet.Item
}

// callFor bounds one call to the hub.
const callFor = 20 * time.Second

// A Channel is a member's way to its person. Its methods may be called from any goroutine.
type Channel struct {
	cfg    Config
	member *link.Member
	orders sync.Mutex // one order is carried out at a time
	shows  sync.WaitGroup

	mu    sync.Mutex
	ready chan struct{} // closed while the hub has been greeted
	end   context.CancelFunc
	again chan struct{} // the hub wants to be greeted
	// isBehind says that what waited for the hub is not yet told together.
	isBehind bool
	// isFirst says that no action was carried out yet.
	isFirst bool
}

// New returns the channel. It connects with Run.
func New(cfg Config) (c *Channel, err error) {
	c = &Channel{cfg: cfg, ready: make(chan struct{}), again: make(chan struct{}, 1), isFirst: true}
	var creds []byte
	if cfg.Self.Creds != "" {
		if creds, err = os.ReadFile(cfg.Self.Creds); err != nil {
			return nil, fmt.Errorf("read the credentials of the fleet: %w", err)
		}
	}
	c.member, err = link.NewMember(link.MemberConfig{
		Config: link.Config{Fleet: cfg.Self.Fleet, Keys: cfg.Keys, Handle: c.handle, Up: c.up, Down: c.down},
		Addrs:  cfg.Self.Addrs, Pin: cfg.Self.Pin, Hub: link.Public(cfg.Self.Hub), Creds: string(creds),
	})
	return c, err
}

// State says how the link is, for people.
func (c *Channel) State() link.State { return c.member.State() }

// Run shows the hub what core has for the person, and takes in what they do, until ctx ends.
func (c *Channel) Run(ctx context.Context) {
	var parts sync.WaitGroup
	defer parts.Wait()
	parts.Go(func() {
		if err := c.member.Run(ctx); err != nil && ctx.Err() == nil {
			c.cfg.Log.Error("link to the hub", "err", err)
		}
	})
	parts.Go(func() { c.cfg.Core.Work(ctx, Name, c.act) })
	for {
		select {
		case <-c.again:
			c.meet(ctx)
		case <-ctx.Done():
			c.down("")
			c.shows.Wait()
			return
		}
	}
}

// Say tells the person something at once, without the database.
func (c *Channel) Say(ctx context.Context, text string) error {
	key := fmt.Sprintf("say:%d", time.Now().UnixNano())
	return c.call(ctx, fleet.MsgTell, fleet.Tell{Key: key, Notice: channel.Notice{Text: text}}, nil)
}

// leaveFor bounds the wait for the hub: it may cut the connection before its reply has come.
const leaveFor = 3 * time.Second

// Leave tells the hub that this machine leaves the fleet.
func (c *Channel) Leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaveFor)
	defer cancel()
	return c.call(ctx, fleet.MsgLeave, struct{}{}, nil)
}

func (c *Channel) up(string) {
	select {
	case c.again <- struct{}{}:
	default:
	}
}

// down ends what goes on while the hub is greeted.
func (c *Channel) down(string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end == nil {
		return
	}
	c.end()
	c.end, c.ready = nil, make(chan struct{})
}

// meet greets the hub, sends the cards that it lacks, and has it shown what goes on here.
func (c *Channel) meet(ctx context.Context) {
	c.down("")
	for tries := 0; ctx.Err() == nil && c.member.State().Connected; tries++ {
		err := c.greet(ctx)
		if err == nil {
			break
		}
		c.cfg.Log.Warn("greet the hub", "err", err)
		sleep(ctx, min(time.Second<<min(tries, 5), 30*time.Second))
	}
	if ctx.Err() != nil || !c.member.State().Connected {
		return
	}
	session, end := context.WithCancel(ctx)
	c.mu.Lock()
	c.end, c.isBehind = end, true
	close(c.ready)
	c.mu.Unlock()
	c.shows.Go(func() { c.show(session) })
}

// greet says who we are and how far we are, and takes in the same of the hub.
func (c *Channel) greet(ctx context.Context) error {
	says := fleet.Hello{Known: c.cfg.Core.Mine(), Now: c.cfg.Core.Now().UnixMilli(), Seen: c.cfg.Core.Fleet().Peer}
	says.Version = c.cfg.Version
	open := c.cfg.Core.OpenCards()
	open = slices.DeleteFunc(open, func(card ask.Card) bool { return !card.Face().Shown })
	for _, card := range open {
		says.Cards = append(says.Cards, card[0].CardID())
	}
	hub, err := c.hello(ctx, says)
	if err != nil {
		return err
	}
	if err := c.cfg.Core.MetHub(hub); err != nil {
		return err
	}
	for _, card := range open {
		if err := c.send(ctx, card); err != nil {
			return err
		}
	}
	return c.settle()
}

// hello greets the hub, and compares what it has seen of this machine with what is there.
func (c *Channel) hello(ctx context.Context, says fleet.Hello) (hub fleet.Hello, err error) {
	err = c.call(ctx, fleet.MsgHello, says, &hub)
	if err != nil || hub.Seen.Life == "" {
		return hub, err
	}
	putBack, err := c.cfg.Core.WasPutBack(hub.Seen)
	if err == nil && putBack {
		err = c.cfg.Core.TakeNewLife()
	}
	if err != nil {
		return hub, err
	}
	says.Known, says.Checked = c.cfg.Core.Mine(), hub.Seen.Mark
	says.Version = c.cfg.Version
	hub = fleet.Hello{}
	if err = c.call(ctx, fleet.MsgHello, says, &hub); err == nil && hub.Seen.Life != "" {
		err = errors.New("the hub has seen more of this machine meanwhile")
	}
	return hub, err
}

// settle carries out the orders that were committed and not dealt with, each once.
func (c *Channel) settle() error {
	c.orders.Lock()
	defer c.orders.Unlock()
	left, err := c.cfg.Core.Received(Name)
	for _, u := range left {
		err = errors.Join(err, c.take(u))
	}
	return err
}

// call asks the hub, and reads its reply into out.
func (c *Channel) call(ctx context.Context, kind string, body, out any) error {
	raw, err := fleet.Say(c.cfg.Core.Mine(), body)
	if err != nil {
		return core.GiveUp(err)
	}
	ctx, cancel := context.WithTimeout(ctx, callFor)
	defer cancel()
	reply, err := c.member.Call(ctx, kind, raw)
	if errors.Is(err, link.ErrTooLarge) {
		return core.GiveUp(err)
	}
	if err != nil || out == nil {
		return err
	}
	return fleet.Decode(kind, reply, out)
}

// act carries out one action of core, once the hub is greeted.
func (c *Channel) act(ctx context.Context, a store.Action) error {
	c.mu.Lock()
	ready := c.ready
	c.mu.Unlock()
	select {
	case <-ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if merged, err := c.catchUp(a); err != nil || merged {
		return err
	}
	switch a.Kind {
	case core.ActCard:
		return c.card(ctx, a)
	case core.ActNotice:
		n, err := channel.ReadNotice(a.Data)
		if err != nil {
			return core.GiveUp(err)
		}
		if err := c.tell(ctx, a, fleet.Tell{Notice: n}); err != nil {
			return err
		}
		return c.cfg.Core.Told(n.Shows)
	case core.ActRunEnded:
		var e run.TurnEnd
		if err := json.Unmarshal([]byte(a.Data), &e); err != nil {
			return core.GiveUp(err)
		}
		return c.tell(ctx, a, fleet.Tell{Ended: &e})
	case core.ActRemind:
		return c.tell(ctx, a, fleet.Tell{Remind: ask.ID(a.Data)})
	case core.ActTap, core.ActSay:
		return c.settled(ctx, a)
	case core.ActRoom, core.ActRunFile:
		return nil // the hub makes a file of a long result by itself, and no rooms for others
	}
	return core.GiveUp(fmt.Errorf("action %q: this channel does not know it", a.Kind))
}

// catchUp has what waited for the hub told in one message, after each greeting. It reports whether that stands for an
// action, too. What may have been told already is told by itself, so that the hub knows it by its key.
func (c *Channel) catchUp(a store.Action) (merged bool, err error) {
	c.mu.Lock()
	isBehind, but := c.isBehind, ""
	if c.isFirst && c.cfg.Core.WasKilled() {
		but = a.Key
	}
	c.mu.Unlock()
	if !isBehind {
		return false, nil
	}
	all, err := c.cfg.Core.TellTogether(Name, but, noticeOf, core.ActNotice, core.ActRunEnded)
	if err != nil {
		return false, err
	}
	c.mu.Lock()
	c.isBehind, c.isFirst = false, false
	c.mu.Unlock()
	return all[a.Key], nil
}

// noticeOf returns what an action tells the person.
func noticeOf(a store.Action) (n channel.Notice, err error) {
	if a.Kind == core.ActNotice {
		return channel.ReadNotice(a.Data)
	}
	var e run.TurnEnd
	err = json.Unmarshal([]byte(a.Data), &e)
	n.Text = "run " + e.Name + " " + e.Words() + "\n" + e.Said()
	return n, err
}

func (c *Channel) tell(ctx context.Context, a store.Action, t fleet.Tell) error {
	t.Key = fmt.Sprintf("%s:%s:%d", c.cfg.Core.Mine().Life, a.Key, a.Gen)
	return c.call(ctx, fleet.MsgTell, t, nil)
}

// card shows the hub a card as it is now. One whose asks ended before it was shown is never sent.
func (c *Channel) card(ctx context.Context, a store.Action) error {
	id := ask.ID(a.Data)
	card, err := c.cfg.Core.OnCard(id)
	if errors.Is(err, core.ErrNotFound) {
		return core.GiveUp(err)
	}
	if err != nil {
		return err
	}
	copies, err := c.cfg.Core.Copies(Name, id)
	open := len(card.Waiting()) > 0
	if err != nil || len(copies) == 0 && !open {
		return err
	}
	if err := c.send(ctx, card); err != nil {
		return err
	}
	noted := channel.Copy{Ask: id, Channel: Name, Message: channel.MessageID(id)}
	if len(copies) == 0 {
		return c.cfg.Core.Sent(a, noted)
	}
	return c.cfg.Core.Repeatable(a, noted)
}

// maxShown bounds the input of a card that the hub shows, in bytes. The machine itself shows all of it.
const maxShown = 128 << 10

func (c *Channel) send(ctx context.Context, card ask.Card) error {
	out := fleet.Card{Asks: slices.Clone(card), From: c.cfg.Place(card[0])}
	for i := range out.Asks {
		a := &out.Asks[i]
		a.Nonce = "" // it binds an answer to this machine's own buttons
		a.Text = ask.Elide(a.Text, maxShown/len(out.Asks))
		a.Taker = session.Process{}
	}
	return c.call(ctx, fleet.MsgCard, out, nil)
}

// settled tells the hub what an order came to.
func (c *Channel) settled(ctx context.Context, a store.Action) error {
	var s channel.Settlement
	if err := json.Unmarshal([]byte(a.Data), &s); err != nil {
		return core.GiveUp(err)
	}
	out := fleet.Settled{What: s}
	if _, err := fmt.Sscanf(s.Tap, orderTap, &out.Number, &out.Life); err != nil {
		return core.GiveUp(fmt.Errorf("settlement of %q: %w", s.Tap, err))
	}
	out.What.Tap, out.What.To = "", ""
	return c.call(ctx, fleet.MsgSettled, out, nil)
}

// orderTap is how an act names the order that it carries out: its number, and the hub's life.
const orderTap = "%d %s"

// handle answers a message of the hub.
func (c *Channel) handle(ctx context.Context, _, kind string, raw []byte) ([]byte, error) {
	var said fleet.Said
	if err := fleet.Decode(kind, raw, &said); err != nil {
		return nil, err
	}
	switch kind {
	case fleet.MsgHello:
		c.up("")
		return []byte("{}"), nil
	case fleet.MsgOrder:
		var in fleet.Sent
		if err := fleet.Decode(kind, said.Body, &in); err != nil {
			return nil, err
		}
		return []byte("{}"), errors.Join(c.order(in), c.cfg.Core.HeardHub(said.How()))
	case fleet.MsgDo:
		var in fleet.Do
		if err := fleet.Decode(kind, said.Body, &in); err != nil {
			return nil, err
		}
		reply, err := c.cfg.Do(ctx, in.By, in.Op, in.In)
		if err != nil {
			return nil, err
		}
		return json.Marshal(reply)
	case fleet.MsgLeave:
		return []byte("{}"), nil
	}
	return nil, fmt.Errorf("this machine does not know %.40q messages: its Afar is %s", kind, c.cfg.Version)
}

// order commits an order and carries it out. One that is known already is not carried out again.
func (c *Channel) order(in fleet.Sent) error {
	if life := c.cfg.Core.Fleet().Peer.Life; in.Life != life {
		c.up("")
		return &link.Refusal{Code: "life", Text: "the hub has another life: it greets first"}
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	u := channel.Update{Channel: Name, ID: in.Number, Body: raw}
	if err := c.cfg.Core.Receive([]channel.Update{u}); err != nil {
		return err
	}
	return c.settle()
}

// take carries out one order, in one commit with the end of its update; c.orders is held.
func (c *Channel) take(u channel.Update) error {
	var in fleet.Sent
	if err := json.Unmarshal(u.Body, &in); err != nil {
		return c.cfg.Core.Acknowledge(channel.Act{Channel: Name, Update: u.ID}, "")
	}
	act := channel.Act{
		Channel: Name, Update: u.ID, At: Name, Tap: fmt.Sprintf(orderTap, in.Number, in.Life), By: in.By,
		Key: "hub" + in.Life + fmt.Sprint(in.Number),
	}
	ctx, cancel := context.WithTimeout(context.Background(), callFor)
	defer cancel()
	if in.Op != channel.OpPress {
		return c.cfg.Act(ctx, act, in.Op, in.In)
	}
	var press fleet.Press
	err := json.Unmarshal(in.In, &press)
	var p core.Press
	if err == nil {
		p, err = c.cfg.Core.PressFrom(act, press)
	}
	if err != nil {
		return c.cfg.Core.Act(act, func(*feature.Core) (channel.Settlement, error) {
			return channel.Settlement{Text: "Nothing was changed: " + err.Error() + ".", Refused: true}, nil
		})
	}
	return c.cfg.Act(ctx, act, in.Op, p)
}

// showEvery is the shortest time between two looks at what goes on here.
const showEvery = time.Second

// show has the hub shown what goes on here, until ctx ends.
func (c *Channel) show(ctx context.Context) {
	sub := c.cfg.Core.Subscribe(core.Anything)
	defer sub.Close()
	known, whole := map[string]string{}, true
	for ctx.Err() == nil {
		if err := c.showOnce(ctx, known, whole); err != nil {
			c.cfg.Log.Warn("show the hub what goes on here", "err", err)
		} else {
			whole = false
		}
		sleep(ctx, showEvery)
		select {
		case <-sub.C:
		case <-ctx.Done():
		}
	}
}

// showOnce sends what has changed since known, which the hub has. With whole it compares everything first.
func (c *Channel) showOnce(ctx context.Context, known map[string]string, whole bool) error {
	now, items := map[string]string{}, map[string]fleet.Item{}
	for _, item := range c.cfg.Items() {
		hash := sha256.Sum256(item.Body)
		item.Hash = hex.EncodeToString(hash[:12])
		now[item.Name], items[item.Name] = item.Hash, item
	}
	var changed []string
	if whole {
		var want fleet.Wanted
		if err := c.call(ctx, fleet.MsgMirror, fleet.Shown{Digests: now}, &want); err != nil {
			return err
		}
		clear(known)
		maps.Copy(known, now)
		changed = want.Names
	} else {
		for name, hash := range now {
			if known[name] != hash {
				changed = append(changed, name)
			}
		}
	}
	slices.Sort(changed)
	for _, name := range changed {
		if item, ok := items[name]; ok {
			if err := c.call(ctx, fleet.MsgMirror, fleet.Shown{Items: []fleet.Item{item}}, nil); err != nil {
				delete(known, name)
				return err
			}
			known[name] = item.Hash
		}
	}
	var gone []string
	for name := range known {
		if _, still := now[name]; !still {
			gone = append(gone, name)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	if err := c.call(ctx, fleet.MsgMirror, fleet.Shown{Gone: gone}, nil); err != nil {
		return err
	}
	for _, name := range gone {
		delete(known, name)
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
