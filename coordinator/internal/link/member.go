package link

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// MemberConfig is what a member needs. All but Config is from its invite.
type MemberConfig struct {
	Config
	Hub   Public
	Addrs []string // the first that answers with the pinned certificate is used
	Pin   string   // none in a cluster
	Creds string   // the text of credentials, for a cluster
}

// A Member speaks with the hub.
type Member struct {
	config MemberConfig
	id     string
	hub    string

	mu    sync.Mutex
	state State
	line  *line
}

// NewMember returns a member. Run connects it.
func NewMember(c MemberConfig) (*Member, error) {
	if !isName(c.Fleet) {
		return nil, fmt.Errorf("the fleet's name is %q: want letters, digits and dashes", c.Fleet)
	}
	if err := c.Hub.Check(); err != nil {
		return nil, err
	}
	c.setDefaults()
	return &Member{config: c, id: c.Keys.ID(), hub: c.Hub.ID(), state: State{Since: time.Now()}}, nil
}

// State returns how the connection to the hub is.
func (m *Member) State() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state
}

// set notes the session, or why there is none.
func (m *Member) set(l *line, why error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state.Connected != (l != nil) {
		m.state = State{Connected: l != nil, Since: time.Now()}
	}
	m.line, m.state.Err = l, why
}

// Call sends a request to the hub and waits for its answer: ErrAway if it is not connected, a Refusal
// if it refuses.
func (m *Member) Call(ctx context.Context, kind string, body []byte) ([]byte, error) {
	if !isKind(kind) {
		return nil, fmt.Errorf("the kind %q is none: want letters, digits and dashes", kind)
	}
	m.mu.Lock()
	l := m.line
	m.mu.Unlock()
	if l == nil {
		return nil, ErrAway
	}
	return l.call(ctx, kind, body)
}

// Run keeps the member connected until the context ends.
func (m *Member) Run(ctx context.Context) error {
	for failures := 0; ctx.Err() == nil; failures++ {
		wasUp, err := m.connect(ctx)
		if wasUp {
			failures = 0
		}
		m.set(nil, err)
		select {
		case <-ctx.Done():
		case <-time.After(pause(time.Second, failures)):
		}
	}
	return ctx.Err()
}

// connect has one session at the first address that answers. It returns when it is over.
func (m *Member) connect(ctx context.Context) (wasUp bool, err error) {
	var errs []error
	for _, addr := range m.config.Addrs {
		d := door{addr: addr, pin: m.config.Pin, key: m.config.Keys.sign, creds: m.config.Creds}
		conn, over, err := d.dial("afar " + m.id)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		wasUp, err := m.serve(ctx, conn, over)
		conn.Close()
		<-over
		return wasUp, err
	}
	return false, errors.Join(errs...)
}

// serve says hello and keeps the session until it is over.
func (m *Member) serve(ctx context.Context, conn *nats.Conn, over chan struct{}) (wasUp bool, err error) {
	in, err := conn.SubscribeSync(down(m.config.Fleet, m.id))
	if err != nil {
		return false, err
	}
	l, err := m.hello(ctx, conn, in)
	if err != nil {
		return false, err
	}
	defer l.work.Wait()
	defer l.end(ErrAway)
	l.work.Go(func() { m.receive(l, in) })
	first, cancel := context.WithTimeout(ctx, dialWithin)
	_, err = l.call(first, kindPing, nil) // the session begins by this
	cancel()
	if err != nil {
		return false, fmt.Errorf("the hub does not begin: %w", err)
	}
	m.set(l, nil)
	m.config.Up(m.hub)
	defer m.config.Down(m.hub)
	defer m.set(nil, nil)
	l.work.Go(l.beat)
	select {
	case <-ctx.Done():
		_, _, _ = l.send(kindBye, 0, nil) // the hub finds out without it
		_ = conn.FlushTimeout(time.Second)
		return true, ctx.Err()
	case <-over:
		return true, errors.New("the connection to the hub ended")
	case <-l.ctx.Done():
		return true, l.reason()
	}
}

// hello says hello to the hub and returns the session that both agree on.
func (m *Member) hello(ctx context.Context, conn *nats.Conn, in *nats.Subscription) (*line, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, dialWithin, errors.New("the hub does not answer"))
	defer cancel()
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	_, err := conn.Subscribe(inbox(m.id)+".hello", func(*nats.Msg) { leave(errors.New("the hub is not at its server")) })
	if err != nil {
		return nil, err
	}
	said := hello{Nonce: newNonce()}
	subject := up(m.config.Fleet, m.id)
	err = m.config.sendOutside(conn, subject, m.config.Hub, envelope{kind: kindHello}, said)
	if err != nil {
		return nil, err
	}
	for {
		e, err := m.next(ctx, in)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		reply := m.answers(e, said)
		switch {
		case reply == nil:
		case reply.Error != nil:
			return nil, reply.Error
		default:
			session := sessionOf(m.config.Fleet, m.id, m.hub, said.Nonce, reply.Nonce)
			return newLine(&m.config.Config, conn, m.config.Hub, subject, session)
		}
	}
}

// next returns the next message that the hub signed for this machine.
func (m *Member) next(ctx context.Context, in *nats.Subscription) (*envelope, error) {
	for {
		msg, err := in.NextMsgWithContext(ctx)
		if err != nil {
			return nil, err
		}
		e, err := parse(msg.Data)
		if err == nil && e.to == m.id && e.isFrom(m.config.Hub, m.config.Fleet) {
			return e, nil
		}
		m.config.Refused(m.hub, "a message is forged")
	}
}

// answers returns the hub's hello if a message is the one for this hello.
func (m *Member) answers(e *envelope, said hello) *hello {
	var reply hello
	if e.kind != kindHello || m.config.readOutside(e, m.config.Hub, &reply) != nil || reply.For != said.Nonce {
		return nil
	}
	return &reply
}

// receive takes what the hub sends until the session is over.
func (m *Member) receive(l *line, in *nats.Subscription) {
	for {
		e, err := m.next(l.ctx, in)
		switch {
		case err != nil:
			l.end(ErrAway)
			return
		case e.session != l.session:
			m.config.Refused(m.hub, "a message is of another session")
		case e.kind == kindOver:
			m.over(l, e)
		default:
			if err := l.take(e); err != nil {
				m.config.Refused(m.hub, err.Error())
			}
		}
	}
}

// over ends the session as the hub says.
func (m *Member) over(l *line, e *envelope) {
	why := &Refusal{}
	if err := m.config.readOutside(e, m.config.Hub, why); err == nil {
		l.end(fmt.Errorf("%w: %s", ErrAway, why.Text))
	}
}
