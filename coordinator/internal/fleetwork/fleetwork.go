// Package fleetwork is the hub's side of a fleet: it lets machines join and speak, takes over what they show and tell,
// and sends them what the person asks of them. What is kept of that is in package feature; here is only what goes on. A coordinator
// that is no hub runs none of it.
package fleetwork

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/link"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// Config is what a Hub needs.
type Config struct {
	Core    *feature.Core
	Log     *slog.Logger
	Version string
	Self    fleet.Self
	Keys    *link.Keys
	Server  link.Server // what carries the messages
	// Person returns the name of the person who is paired with the phone, "" for nobody.
	Person func() string
}

// callFor bounds one call to a member.
const callFor = 20 * time.Second

// A Hub works for all members. Its methods may be called from any goroutine.
type Hub struct {
	cfg Config
	hub *link.Hub

	admits sync.Mutex // what was read last is said last

	mu   sync.Mutex
	live map[fleet.MachineID]context.CancelFunc // of the work for a member that has greeted us
	told map[string]time.Time                   // refusals that were journalled a moment ago
	ctx  context.Context
	work sync.WaitGroup
}

// New returns a hub. It works with Run.
func New(cfg Config) (h *Hub, err error) {
	h = &Hub{cfg: cfg, live: map[fleet.MachineID]context.CancelFunc{}, told: map[string]time.Time{}}
	h.hub, err = link.NewHub(link.HubConfig{
		Config: link.Config{
			Fleet: cfg.Self.Fleet, Keys: cfg.Keys, Handle: h.handle, Down: h.down, Refused: h.refused,
		},
		Server:      cfg.Server,
		Doubled:     h.doubled,
		Joining:     h.joining,
		InviteSpent: h.spent,
	})
	return h, err
}

// State says how the link is, for people.
func (h *Hub) State() link.State { return h.hub.State() }

// Run works until ctx ends.
func (h *Hub) Run(ctx context.Context) {
	h.mu.Lock()
	h.ctx = ctx
	h.mu.Unlock()
	sub := h.cfg.Core.Subscribe(feature.Machines)
	defer sub.Close()
	var parts sync.WaitGroup
	defer h.work.Wait() // the parts begin it
	defer parts.Wait()
	parts.Go(func() {
		if err := h.hub.Run(ctx); err != nil && ctx.Err() == nil {
			h.cfg.Log.Error("serve the fleet", "err", err)
		}
	})
	for ctx.Err() == nil {
		next := h.admit()
		t := time.NewTimer(next)
		select {
		case <-sub.C:
		case <-t.C:
		case <-ctx.Done():
		}
		t.Stop()
	}
}

// admit says who may speak from now on, and returns when that changes by itself.
func (h *Hub) admit() (next time.Duration) {
	h.admits.Lock()
	defer h.admits.Unlock()
	next, now := time.Hour, h.cfg.Core.Now()
	var members []link.Public
	for _, m := range h.cfg.Core.Machines() {
		if m.Trusted() {
			members = append(members, link.Public(m.Public))
		}
	}
	var invites []string
	for _, i := range h.cfg.Core.Fleet().Invites {
		if left := i.Ends.Sub(now); left > 0 && i.Used == "" {
			invites, next = append(invites, i.ID), min(next, left)
		}
	}
	h.hub.Admit(members, invites)
	return next
}

// tellEvery is the shortest time between two journal entries about the same refusal. A stranger would fill the journal.
const tellEvery = time.Minute

func (h *Hub) refused(id, why string) {
	h.mu.Lock()
	last, now := h.told[id+" "+why], time.Now()
	isNew := now.Sub(last) >= tellEvery
	if isNew {
		maps.DeleteFunc(h.told, func(_ string, at time.Time) bool { return now.Sub(at) >= tellEvery })
		h.told[id+" "+why] = now
	}
	h.mu.Unlock()
	if !isNew {
		return
	}
	who := id
	if m, err := h.cfg.Core.Machine(id); err == nil {
		who = m.Name
	}
	if err := h.cfg.Core.NoteFleet(who, why); err != nil {
		h.cfg.Log.Error("journal a refused message", "err", err)
	}
}

// doubled refuses a machine that speaks from two places, until the person has removed it.
func (h *Hub) doubled(id string) {
	m, err := h.cfg.Core.Machine(id)
	switch {
	case id == string(h.cfg.Self.ID):
		err = h.cfg.Core.TwoHubs()
	case err == nil:
		_, err = h.cfg.Core.ChangeMachine(m.ID, "two machines speak with the key of "+m.Name+": both are refused",
			channel.News{Kind: channel.MachineDoubled, Of: m.Name},
			func(m *fleet.Machine, _ time.Time) error { m.Doubled = true; return nil })
	}
	if err != nil {
		h.cfg.Log.Error("refuse a doubled machine", "id", id, "err", err)
	}
}

// spent ends an invite that had too many bad requests, also for a hub that starts again.
func (h *Hub) spent(invite string) {
	text := "an invite is over: it had too many bad requests"
	err := h.cfg.Core.ChangeFleet(text, func(f *store.Fleet, _ time.Time) error {
		f.Invites = slices.DeleteFunc(f.Invites, func(i fleet.Invite) bool { return i.ID == invite })
		return nil
	})
	if err != nil {
		h.cfg.Log.Error("end an invite", "err", err)
	}
}

func (h *Hub) joining(_ context.Context, invite string, who link.Public, body []byte) ([]byte, error) {
	var in fleet.Joining
	if err := fleet.Decode("join", body, &in); err != nil {
		return nil, err
	}
	m, err := h.cfg.Core.Admit(invite, fleet.Machine{
		ID: fleet.MachineID(who.ID()), Public: fleet.Public(who), Name: in.Name, Known: fleet.Known{Version: in.Version},
	})
	if err != nil {
		return nil, err
	}
	h.admit() // it connects at once
	return json.Marshal(fleet.Joined{Name: m.Name, Hub: h.cfg.Core.Fleet().Name, Decides: m.Decides})
}

// down ends the work for a member, unless it has a newer session, which greets us or has done so.
func (h *Hub) down(id string) {
	if h.hub.Connected(id) {
		return
	}
	h.mu.Lock()
	end := h.live[fleet.MachineID(id)]
	delete(h.live, fleet.MachineID(id))
	h.mu.Unlock()
	if end == nil {
		return
	}
	end()
	if err := h.cfg.Core.SetPresent(fleet.MachineID(id), false); err != nil {
		h.cfg.Log.Error("note that a machine is away", "err", err)
	}
}

// handle answers a message of a member.
func (h *Hub) handle(_ context.Context, from, kind string, raw []byte) (reply []byte, err error) {
	id := fleet.MachineID(from)
	var said fleet.Said
	if err := fleet.Decode(kind, raw, &said); err != nil {
		return nil, err
	}
	var out any = struct{}{}
	switch kind {
	case fleet.MsgHello:
		out, err = h.hello(id, said.Body)
	case fleet.MsgCard:
		var in fleet.Card
		if err = fleet.Decode(kind, said.Body, &in); err == nil {
			err = h.cfg.Core.MirrorCard(id, in)
		}
	case fleet.MsgTell:
		var in fleet.Tell
		if err = fleet.Decode(kind, said.Body, &in); err == nil {
			err = h.cfg.Core.TellFrom(id, in)
		}
	case fleet.MsgSettled:
		var in fleet.Settled
		if err = fleet.Decode(kind, said.Body, &in); err == nil && in.Life == h.cfg.Core.Mine().Life {
			err = h.cfg.Core.EndOrder(fleet.Order{Machine: id, Number: in.Number}.ID(), in.What)
		}
	case fleet.MsgMirror:
		var in fleet.Shown
		if err = fleet.Decode(kind, said.Body, &in); err == nil {
			out, err = h.shown(id, in)
		}
	case fleet.MsgLeave:
		_, err = h.cfg.Core.ChangeMachine(id, "left the fleet", channel.News{},
			func(m *fleet.Machine, _ time.Time) error { m.Removed = true; return nil })
	default:
		err = fmt.Errorf("the hub does not know %.40q messages: its Afar is %s", kind, h.cfg.Version)
	}
	if err == nil && kind != fleet.MsgHello {
		err = h.cfg.Core.HeardMachine(id, said.How())
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// hello takes in what a member says of itself, and begins the work for it.
func (h *Hub) hello(id fleet.MachineID, body []byte) (out fleet.Hello, err error) {
	var in fleet.Hello
	if err := fleet.Decode(fleet.MsgHello, body, &in); err != nil {
		return out, err
	}
	putBack, err := h.cfg.Core.WasPutBack(in.Seen)
	if err == nil && putBack {
		err = h.cfg.Core.TakeNewLife()
		h.greetAll(id)
	}
	if err != nil {
		return out, err
	}
	before, err := h.cfg.Core.Machine(string(id))
	if err != nil {
		return out, err
	}
	if before.Known.Life == in.Life && before.Known.Mark != in.Checked {
		return fleet.Hello{Seen: before.Known}, nil
	}
	m, err := h.cfg.Core.MetMachine(id, in)
	if err != nil {
		return out, err
	}
	out = fleet.Hello{
		Known: h.cfg.Core.Mine(), Now: h.cfg.Core.Now().UnixMilli(), Person: h.cfg.Person(), You: m.Name, Decides: m.Decides,
	}
	out.Version = h.cfg.Version
	if err := h.withdraw(id, in.Cards); err != nil {
		return out, err
	}
	if err := h.cfg.Core.SetPresent(id, true); err != nil {
		return out, err
	}
	h.begin(id)
	return out, nil
}

// greetAll asks the members that are connected to greet again, except one.
func (h *Hub) greetAll(but fleet.MachineID) {
	h.mu.Lock()
	ctx := h.ctx
	others := make([]fleet.MachineID, 0, len(h.live))
	for id := range h.live {
		if id != but {
			others = append(others, id)
		}
	}
	h.mu.Unlock()
	for _, id := range others {
		h.work.Go(func() { _, _ = h.call(ctx, id, fleet.MsgHello, struct{}{}) })
	}
}

// withdraw ends the mirrors of asks that are on no card that the member has open.
func (h *Hub) withdraw(id fleet.MachineID, cards []ask.ID) error {
	open := map[ask.ID]bool{}
	for _, ref := range cards {
		open[ask.MirrorID(string(id), ref)] = true
	}
	var over []ask.ID
	for ref := range h.cfg.Core.OpenMirrors(id) {
		if a, err := h.cfg.Core.Ask(ask.MirrorID(string(id), ref)); err == nil && !open[a.CardID()] {
			over = append(over, ref)
		}
	}
	return h.cfg.Core.WithdrawMirrors(id, over, "it ended while its machine was not reachable")
}

// begin sends the member what waits for it, from now until it is down.
func (h *Hub) begin(id fleet.MachineID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if end := h.live[id]; end != nil {
		end()
	}
	ctx, end := context.WithCancel(h.ctx)
	h.live[id] = end
	h.work.Go(func() { h.deliver(ctx, id) })
}

// deliver sends a member its orders, in their order, until ctx ends. Each is sent again at each connect until the
// member has said what it came to.
func (h *Hub) deliver(ctx context.Context, id fleet.MachineID) {
	sub := h.cfg.Core.Subscribe(feature.Orders)
	defer sub.Close()
	var sent int64
	for ctx.Err() == nil {
		var again <-chan time.Time // nil waits for the next order
		for _, o := range h.cfg.Core.Waiting(id) {
			if o.Number <= sent {
				continue
			}
			if err := h.deliverOne(ctx, o); err != nil {
				h.cfg.Log.Warn("send an order", "machine", id, "number", o.Number, "err", err)
				again = time.After(retry)
				break
			}
			sent = o.Number
		}
		select {
		case <-sub.C:
		case <-again:
		case <-ctx.Done():
		}
	}
}

// retry is the pause after an order that could not be sent.
const retry = 5 * time.Second

func (h *Hub) deliverOne(ctx context.Context, o fleet.Order) error {
	_, err := h.call(ctx, o.Machine, fleet.MsgOrder, fleet.Sent{
		Life: h.cfg.Core.Mine().Life, Number: o.Number, Op: o.Op, In: o.In, By: o.By,
	})
	if err != nil {
		return err
	}
	return h.cfg.Core.Taken(o.ID())
}

// shown takes over what a member shows.
func (h *Hub) shown(id fleet.MachineID, in fleet.Shown) (out fleet.Wanted, err error) {
	if in.Digests == nil {
		return out, h.cfg.Core.Mirror(id, in.Items, in.Gone)
	}
	have := h.cfg.Core.Mirrored(id)
	for name, hash := range in.Digests {
		if have[name] != hash {
			out.Names = append(out.Names, name)
		}
	}
	for name := range have {
		if _, still := in.Digests[name]; !still {
			in.Gone = append(in.Gone, name)
		}
	}
	return out, h.cfg.Core.Mirror(id, nil, in.Gone)
}

// call asks a member.
func (h *Hub) call(ctx context.Context, id fleet.MachineID, kind string, body any) ([]byte, error) {
	raw, err := fleet.Say(h.cfg.Core.Mine(), body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callFor+time.Duration(len(raw)>>18)*time.Second)
	defer cancel()
	reply, err := h.hub.Call(ctx, string(id), kind, raw)
	if errors.Is(err, link.ErrAway) {
		err = feature.ErrAway
	}
	return reply, err
}

// Do returns the reply of an operation of a member. It changes nothing, or comes to the same when it is done again.
func (h *Hub) Do(ctx context.Context, id fleet.MachineID, by, op string, in []byte) (json.RawMessage, error) {
	return h.call(ctx, id, fleet.MsgDo, fleet.Do{Op: op, In: json.RawMessage(cmp.Or(string(in), "{}")), By: by})
}

// Remove cuts a member off at once.
func (h *Hub) Remove(ctx context.Context, id fleet.MachineID) {
	_, _ = h.call(ctx, id, fleet.MsgLeave, struct{}{}) // it may be away
	h.admit()
}
