package link

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/afar-sh/afar/coordinator/fleetserver"
)

// HubConfig is what a hub needs.
type HubConfig struct {
	Config
	Server Server
	// Doubled says that two machines speak with one key, or two hubs with this one's. Both are refused until Forgive or a
	// restart.
	Doubled func(id string)
	// Joining answers a machine that joins with an invite. The caller admits the machine, and no longer
	// the invite, before or after it returns the reply. It may be called again for the same machine.
	Joining func(ctx context.Context, invite string, who Public, body []byte) (reply []byte, err error)
	// InviteSpent says that an invite had five bad requests. It is refused from now on.
	InviteSpent func(invite string)
}

// A Hub speaks with all members.
type Hub struct {
	config HubConfig
	id     string

	mu      sync.Mutex
	state   State
	roster  map[string]Public
	invites map[string]*invitation
	doubled map[string]bool
	lines   map[[32]byte]*line // all sessions that are not over
	current map[string]*line   // the session of each member
	begun   map[string][]begun // helloes of which no session came yet
	conn    *nats.Conn
	ctx     context.Context // ends with the connection
	server  *process

	reloads sync.Mutex // the server gets the states in their order

	run       [32]byte // names this hub among copies of it, in a cluster
	twoHubs   bool     // a copy of this hub answered: both are refused until they start again
	calls     []func() // of the config's functions, in their order
	isCalling bool
	work      sync.WaitGroup // of the connection
}

// begun is a session that its member has not used yet.
type begun struct {
	session [32]byte
	at      time.Time
}

const (
	maxBegun    = 16
	begunWithin = 30 * time.Second
	probeWithin = time.Second
)

// NewHub returns a hub. Run connects it.
func NewHub(c HubConfig) (*Hub, error) {
	if !isName(c.Fleet) {
		return nil, fmt.Errorf("the fleet's name is %q: want letters, digits and dashes", c.Fleet)
	}
	c.setDefaults()
	if c.Doubled == nil {
		c.Doubled = func(string) {}
	}
	if c.InviteSpent == nil {
		c.InviteSpent = func(string) {}
	}
	h := &Hub{
		config: c, id: c.Keys.ID(), state: State{Since: time.Now()},
		roster: map[string]Public{}, invites: map[string]*invitation{}, doubled: map[string]bool{},
		lines: map[[32]byte]*line{}, current: map[string]*line{}, begun: map[string][]begun{},
	}
	_, _ = rand.Read(h.run[:]) // it never fails, by its contract
	return h, nil
}

// State returns how the hub's own connection to its server is.
func (h *Hub) State() State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state
}

func (h *Hub) setState(connected bool, why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Connected != connected {
		h.state = State{Connected: connected, Since: time.Now()}
	}
	h.state.Err = why
}

// Call sends a request to a member and waits for its answer: ErrAway if it is not connected, a Refusal
// if it refuses.
func (h *Hub) Call(ctx context.Context, to, kind string, body []byte) ([]byte, error) {
	if !isKind(kind) {
		return nil, fmt.Errorf("the kind %q is none: want letters, digits and dashes", kind)
	}
	h.mu.Lock()
	l := h.current[to]
	h.mu.Unlock()
	if l == nil {
		return nil, ErrAway
	}
	return l.call(ctx, kind, body)
}

// Connected reports whether a member has a session now. A Down that a newer session overtook finds it true.
func (h *Hub) Connected(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.current[id] != nil
}

// Admit says who may speak from now on: these members, and whoever has one of these invites. Others
// are cut at once.
func (h *Hub) Admit(members []Public, invites []string) {
	h.mu.Lock()
	h.roster = map[string]Public{}
	for _, m := range members {
		h.roster[m.ID()] = m
	}
	was := h.invites
	h.invites = map[string]*invitation{}
	for _, id := range invites {
		h.invites[id] = cmp.Or(was[id], &invitation{})
	}
	for id, i := range was { // its machine may not have the answer yet
		if h.invites[id] == nil && i.by != (Public{}) && !i.isOver() {
			i.isKept, h.invites[id] = true, i
		}
	}
	maps.DeleteFunc(h.doubled, func(id string, _ bool) bool { return !h.isMember(id) })
	maps.DeleteFunc(h.begun, func(id string, _ []begun) bool { return !h.isMember(id) })
	var gone []*line
	for _, l := range h.lines {
		if !h.isMember(l.other.ID()) {
			gone = append(gone, l)
		}
	}
	h.mu.Unlock()
	for _, l := range gone {
		h.over(l, &Refusal{codeUnknown, "this machine is no longer of the fleet"})
	}
	h.reload()
}

// reload tells the hub's own server who may connect now.
func (h *Hub) reload() {
	h.reloads.Lock()
	defer h.reloads.Unlock()
	h.mu.Lock()
	server := h.server
	h.mu.Unlock()
	if server == nil {
		return
	}
	if err := server.say(context.Background(), h.serverState()); err != nil {
		server.stop() // Run starts one that knows
	}
}

func (h *Hub) isMember(id string) bool { return h.roster[id] != Public{} }

// Run keeps the hub connected until the context ends.
func (h *Hub) Run(ctx context.Context) error {
	failures := 0
	for ctx.Err() == nil {
		err := h.serve(ctx)
		if was := h.State(); was.Connected && time.Since(was.Since) > time.Second {
			failures = 0
		}
		h.setState(false, err)
		select {
		case <-ctx.Done():
		case <-time.After(pause(time.Second/10, failures)):
		}
		failures++
	}
	return ctx.Err()
}

// serve connects once, and returns when the connection or the server has ended.
func (h *Hub) serve(ctx context.Context) error {
	if h.isTwo() {
		return ErrTwoHubs
	}
	d, server, err := h.open(ctx)
	if err != nil {
		return err
	}
	serverOver := make(chan struct{}) // never closed without a server of our own
	if server != nil {
		defer server.stop()
		serverOver = server.over
	}
	conn, over, err := d.dial("afar hub")
	if err != nil {
		return err
	}
	defer func() {
		conn.Close()
		<-over
	}()
	ctx, leave := context.WithCancel(ctx)
	h.mu.Lock()
	h.conn, h.ctx, h.server = conn, ctx, server
	h.mu.Unlock()
	defer h.close()
	defer leave()
	if err := h.listen(conn); err != nil {
		return err
	}
	h.reload() // Admit may have been called meanwhile
	h.setState(true, nil)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-over:
		return errors.New("the connection to the server of the fleet ended")
	case <-serverOver:
		return errors.New("the server of the fleet ended")
	}
}

// open starts the hub's own server, if it has one, and returns the way to it.
func (h *Hub) open(ctx context.Context) (door, *process, error) {
	if c, ok := h.config.Server.(Cluster); ok {
		return door{addr: c.URL, creds: c.Creds}, nil, nil
	}
	e, ok := h.config.Server.(Embedded)
	if !ok {
		return door{}, nil, errors.New("the hub has no server")
	}
	cert, err := Certificate(e.Dir)
	if err != nil {
		return door{}, nil, err
	}
	server, err := startServer(ctx, e.Bin, h.serverState())
	return door{addr: dialed(e.Listen), pin: cert.Pin, key: h.config.Keys.sign}, server, err
}

// serverState returns who may connect, and what each may do.
func (h *Hub) serverState() fleetserver.State {
	e := h.config.Server.(Embedded)
	cert, _ := Certificate(e.Dir) // open has read it
	f := h.config.Fleet
	h.mu.Lock()
	defer h.mu.Unlock()
	users := []fleetserver.User{{
		Nkey: h.config.Keys.Sign, Publish: []string{down(f, "*"), joined(f, "*")},
		Subscribe: []string{up(f, "*"), join(f, "*"), nobody(inbox(h.id))},
	}}
	for _, id := range slices.Sorted(maps.Keys(h.roster)) {
		users = append(users, fleetserver.User{
			Nkey: h.roster[id].Sign, Publish: []string{up(f, id)}, Subscribe: []string{down(f, id), nobody(inbox(id))},
		})
	}
	for _, id := range slices.Sorted(maps.Keys(h.invites)) {
		if h.invites[id].isOver() {
			continue
		}
		users = append(users, fleetserver.User{
			Nkey: id, Publish: []string{join(f, id)}, Subscribe: []string{joined(f, id), nobody(inbox(id))},
		})
	}
	return fleetserver.State{Listen: e.Listen, Cert: cert.File, Key: cert.KeyFile, Users: users}
}

// listen subscribes to what the members send.
func (h *Hub) listen(conn *nats.Conn) error {
	_, err := conn.Subscribe(up(h.config.Fleet, "*"), func(m *nats.Msg) { h.receive(conn, m) })
	if err != nil {
		return err
	}
	_, err = conn.Subscribe(join(h.config.Fleet, "*"), func(m *nats.Msg) { h.joins(conn, m) })
	if err != nil {
		return err
	}
	if _, isCluster := h.config.Server.(Cluster); isCluster {
		h.announce(conn, "") // the hub's own server lets one hub in
	}
	return conn.FlushTimeout(dialWithin)
}

// close ends all sessions of a connection and waits for their handlers.
func (h *Hub) close() {
	h.mu.Lock()
	h.conn, h.server = nil, nil
	all := slices.Collect(maps.Values(h.lines))
	clear(h.begun)
	h.mu.Unlock()
	for _, l := range all {
		_, _, _ = l.send(kindBye, 0, nil) // the member may be gone
		l.end(ErrAway)
	}
	h.work.Wait()
}

// enter reports whether a connection is still the hub's. Then h.work waits for the caller.
func (h *Hub) enter(conn *nats.Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conn != conn {
		return false
	}
	h.work.Add(1)
	return true
}

// receive takes a message from a member.
func (h *Hub) receive(conn *nats.Conn, m *nats.Msg) {
	if !h.enter(conn) {
		return
	}
	defer h.work.Done()
	id := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
	e, err := parse(m.Data)
	if err != nil {
		h.config.Refused(id, err.Error())
		return
	}
	h.mu.Lock()
	who := h.roster[id]
	h.mu.Unlock()
	switch {
	case id == h.id:
		h.hearHub(conn, e)
	case who == Public{}:
		h.config.Refused(id, "the machine is not of the fleet")
	case e.from != id || e.to != h.id || !e.isFrom(who, h.config.Fleet):
		h.config.Refused(id, "a message is forged")
	case e.kind == kindHello:
		h.hello(conn, who, e)
	default:
		h.take(conn, who, e)
	}
}

// hello answers a hello. Nothing changes before the member uses the session.
func (h *Hub) hello(conn *nats.Conn, who Public, e *envelope) {
	var asked hello
	if err := h.config.readOutside(e, who, &asked); err != nil || len(asked.Nonce) != 64 {
		h.config.Refused(e.from, "a hello cannot be read")
		return
	}
	reply := hello{Nonce: newNonce(), For: asked.Nonce}
	session := sessionOf(h.config.Fleet, e.from, h.id, asked.Nonce, reply.Nonce)
	h.mu.Lock()
	if h.doubled[e.from] {
		reply.Error = errDoubled
	} else {
		all := append(h.begun[e.from], begun{session, time.Now()})
		h.begun[e.from] = all[max(0, len(all)-maxBegun):]
	}
	h.mu.Unlock()
	// a member that gets no answer says hello again
	_ = h.config.sendOutside(conn, down(h.config.Fleet, e.from), who, envelope{kind: kindHello}, reply)
}

var errDoubled = &Refusal{codeDoubled, "another machine speaks with this machine's key"}

// take takes a message of a session.
func (h *Hub) take(conn *nats.Conn, who Public, e *envelope) {
	h.mu.Lock()
	l := h.lines[e.session]
	isNew := l == nil && h.uses(e)
	h.mu.Unlock()
	if isNew {
		l = h.begin(conn, who, e)
	}
	if l == nil || l.other != who {
		h.config.Refused(e.from, "a message is of a session that is over")
		h.sendOver(conn, who, e.session, &Refusal{codeFailed, "the session is over"})
		return
	}
	if err := l.take(e); err != nil {
		h.config.Refused(e.from, err.Error())
	}
}

// uses reports whether a message is the first one of a session that has begun, and forgets the beginning.
func (h *Hub) uses(e *envelope) bool {
	i := slices.IndexFunc(h.begun[e.from], func(b begun) bool {
		return b.session == e.session && time.Since(b.at) < begunWithin
	})
	if i >= 0 {
		h.begun[e.from] = slices.Delete(h.begun[e.from], i, i+1)
	}
	return i >= 0
}

// begin makes a session the member's. The one before is probed.
func (h *Hub) begin(conn *nats.Conn, who Public, e *envelope) *line {
	l, err := newLine(&h.config.Config, conn, who, down(h.config.Fleet, e.from), e.session)
	if err != nil {
		return nil // the connection has just ended
	}
	h.mu.Lock()
	if h.conn != conn { // close has ended all others
		h.mu.Unlock()
		l.end(ErrAway)
		return nil
	}
	older := h.current[e.from]
	h.current[e.from], h.lines[l.session] = l, l
	isSettled := h.settle(who)
	h.mu.Unlock()
	if older != nil {
		h.tell(func() { h.config.Down(e.from) })
		h.work.Go(func() { h.probe(older) })
	}
	h.tell(func() { h.config.Up(e.from) })
	h.work.Go(func() { h.keep(l) })
	if isSettled {
		h.work.Go(h.reload)
	}
	return l
}

// keep keeps a session until it is over.
func (h *Hub) keep(l *line) {
	<-l.ctx.Done()
	l.work.Wait()
	id := l.other.ID()
	h.mu.Lock()
	delete(h.lines, l.session)
	isCurrent := h.current[id] == l
	if isCurrent {
		delete(h.current, id)
	}
	h.mu.Unlock()
	if isCurrent {
		h.tell(func() { h.config.Down(id) })
	}
}

// probe asks in a session whose place another one took. Its machine holds no older session when it
// began a new one, so an answer comes from a second machine with the same key.
func (h *Hub) probe(older *line) {
	ctx, cancel := context.WithTimeout(older.ctx, probeWithin)
	defer cancel()
	_, err := older.call(ctx, kindPing, nil)
	older.end(ErrAway)
	if err != nil {
		return
	}
	id := older.other.ID()
	h.mu.Lock()
	was := h.doubled[id]
	h.doubled[id] = true
	latest := h.current[id]
	delete(h.begun, id)
	h.mu.Unlock()
	h.over(older, errDoubled)
	if latest != nil {
		h.over(latest, errDoubled)
	}
	if !was {
		h.tell(func() { h.config.Doubled(id) })
	}
}

// over ends a session and says so to its holder.
func (h *Hub) over(l *line, why *Refusal) {
	h.sendOver(l.conn, l.other, l.session, why)
	l.end(ErrAway)
}

func (h *Hub) sendOver(conn *nats.Conn, who Public, session [32]byte, why *Refusal) {
	// it saves the member the wait until it hears nothing
	_ = h.config.sendOutside(conn, down(h.config.Fleet, who.ID()), who, envelope{kind: kindOver, session: session}, why)
}

// tell has a function of the config called after those before it. Its caller is part of h.work.
func (h *Hub) tell(call func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, call)
	if !h.isCalling {
		h.isCalling = true
		h.work.Go(h.callAll)
	}
}

func (h *Hub) callAll() {
	for {
		h.mu.Lock()
		calls := h.calls
		h.calls, h.isCalling = nil, len(calls) > 0
		h.mu.Unlock()
		if len(calls) == 0 {
			return
		}
		for _, call := range calls {
			call()
		}
	}
}
