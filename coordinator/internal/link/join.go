package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// A machine joins with a one-time key, which NATS lets use two subjects only. What it sends names its
// own keys, is signed by both, and is sealed to the hub. The first machine that the hub takes has the
// invite to itself: when its answer is lost it asks again and gets the same one. The invite is gone
// when that machine's first session begins, or after a while.

const (
	kindJoin     = ".join"
	maxBad       = 5 // requests with one invite
	answerWithin = 30 * time.Second
)

// errInvite says that the hub's server does not know an invite.
var errInvite = errors.New("the invite is refused: it was used, or its time is over")

// A joinRequest is what a new machine sends.
type joinRequest struct {
	Who     Public `json:"who"`
	Proof   []byte `json:"proof"`   // the invite's signature of the message
	Message []byte `json:"message"` // an envelope
}

// An invitation is an invite that the hub admits.
type invitation struct {
	bad    int
	by     Public // who uses it, as soon as somebody does
	reply  []byte
	until  time.Time // how long it is kept for the one who uses it
	isKept bool      // the caller admits it no longer
}

// isOver reports whether nobody can use the invite.
func (i *invitation) isOver() bool {
	return i.bad >= maxBad || i.isKept && time.Now().After(i.until)
}

// Member returns the config of the member that joined with the word.
func (w Word) Member(c Config) MemberConfig {
	return MemberConfig{Config: c, Hub: w.Hub, Addrs: w.Addrs, Pin: w.Pin, Creds: w.Creds}
}

// Join asks the hub to take this machine, and returns the hub's reply. An error of the hub is a Refusal.
// After any other error the hub may have taken it: Join may be called again with the same keys.
func Join(ctx context.Context, w Word, keys *Keys, body []byte) ([]byte, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	if len(body) > maxMessage/2 { // the request is coded twice
		return nil, ErrTooLarge
	}
	key, err := nkeys.FromSeed([]byte(w.Seed))
	if err != nil {
		return nil, err
	}
	defer key.Wipe()
	var errs []error
	for _, addr := range w.Addrs {
		conn, over, err := door{addr: addr, pin: w.Pin, key: key, creds: w.Creds}.dialAgain(ctx, "afar join")
		if errors.Is(err, ErrKey) {
			return nil, errInvite
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		defer func() {
			conn.Close()
			<-over
		}()
		return askToJoin(ctx, conn, w, key, keys, body)
	}
	return nil, errors.Join(errs...)
}

// askToJoin sends one request and waits for its answer.
func askToJoin(
	ctx context.Context, conn *nats.Conn, w Word, invite nkeys.KeyPair, keys *Keys, body []byte,
) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, answerWithin, errors.New("the hub does not answer"))
	defer cancel()
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	id, err := invite.PublicKey()
	if err != nil {
		return nil, err
	}
	in, err := conn.SubscribeSync(joined(w.Fleet, id))
	if err != nil {
		return nil, err
	}
	away := inbox(id) + ".join"
	_, err = conn.Subscribe(away, func(*nats.Msg) { leave(errors.New("the hub is not at its server")) })
	if err != nil {
		return nil, err
	}
	e := envelope{kind: kindJoin, session: sessionOf(w.Fleet, keys.ID(), w.Hub.ID(), newNonce(), ""), n: 1}
	request, err := newJoinRequest(&e, w, invite, keys, body)
	if err != nil {
		return nil, err
	}
	if err := conn.PublishRequest(join(w.Fleet, id), away, request); err != nil {
		return nil, err
	}
	for {
		msg, err := in.NextMsgWithContext(ctx)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("the hub did not answer: %w", err)
		}
		reply, err := parse(msg.Data)
		if err != nil || reply.session != e.session || reply.to != e.from || !reply.isFrom(w.Hub, w.Fleet) {
			continue // not the answer to this request
		}
		return readAnswer(reply, keys, w.Hub)
	}
}

func newJoinRequest(e *envelope, w Word, invite nkeys.KeyPair, keys *Keys, body []byte) ([]byte, error) {
	if err := e.seal(keys, w.Hub, body); err != nil {
		return nil, err
	}
	if err := e.sign(keys, w.Fleet); err != nil {
		return nil, err
	}
	request := joinRequest{Who: keys.Public, Message: e.bytes()}
	var err error
	if request.Proof, err = invite.Sign(request.Message); err != nil {
		return nil, err
	}
	return json.Marshal(request)
}

// readAnswer returns the body of a reply, or the refusal that it is.
func readAnswer(e *envelope, keys *Keys, from Public) ([]byte, error) {
	body, err := e.open(keys, from)
	if err != nil || e.kind == kindReply {
		return body, err
	}
	return nil, readRefusal(body)
}

// joins takes a request to join. Requests are taken one after the other.
func (h *Hub) joins(conn *nats.Conn, m *nats.Msg) {
	if !h.enter(conn) {
		return
	}
	defer h.work.Done()
	id := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
	h.mu.Lock()
	invite := h.invites[id]
	isOpen := invite != nil && !invite.isOver()
	h.mu.Unlock()
	if !isOpen {
		h.config.Refused(id, "the invite is not one of the fleet")
		return
	}
	request, e, err := h.readJoin(id, m.Data)
	if err != nil {
		h.config.Refused(id, err.Error())
		h.blame(id, invite)
		return
	}
	reply, err := h.decide(id, invite, request.Who, e)
	answer := envelope{kind: kindReply, session: e.session, n: 1, re: 1}
	if err != nil {
		answer.kind, reply = kindError, refusalOf(err)
	}
	// a machine that gets no answer asks again
	if answer.seal(h.config.Keys, request.Who, reply) == nil && answer.sign(h.config.Keys, h.config.Fleet) == nil {
		_ = conn.Publish(joined(h.config.Fleet, id), answer.bytes())
		_ = conn.FlushTimeout(time.Second)
	}
	if err != nil {
		h.config.Refused(id, err.Error())
		h.blame(id, invite)
	}
}

// readJoin checks a request: its form, and that who sent it has the invite and the keys that it names.
func (h *Hub) readJoin(invite string, data []byte) (joinRequest, *envelope, error) {
	var r joinRequest
	if err := json.Unmarshal(data, &r); err != nil {
		return r, nil, errors.New("a request to join cannot be read")
	}
	if err := r.Who.Check(); err != nil {
		return r, nil, fmt.Errorf("a request to join: %w", err)
	}
	e, err := parse(r.Message)
	if err != nil {
		return r, nil, err
	}
	hasInvite := Public{Sign: invite}.verify(r.Message, r.Proof)
	if e.kind != kindJoin || e.to != h.id || !hasInvite || !e.isFrom(r.Who, h.config.Fleet) {
		return r, nil, errors.New("a request to join is forged")
	}
	return r, e, nil
}

// decide returns the hub's reply to a machine that joins.
func (h *Hub) decide(id string, invite *invitation, who Public, e *envelope) ([]byte, error) {
	h.mu.Lock()
	by, reply, joining, hubs := invite.by, invite.reply, h.config.Joining, h.ctx
	if by == (Public{}) {
		invite.by, invite.until = who, time.Now().Add(answerWithin)
	}
	h.mu.Unlock()
	switch {
	case by == who && reply != nil:
		return reply, nil
	case by != Public{} && by != who:
		return nil, &Refusal{codeUnknown, "another machine has used this invite"}
	case joining == nil:
		return nil, &Refusal{codeUnknown, "nobody can join now"}
	}
	body, err := e.open(h.config.Keys, who)
	if err == nil {
		ctx, cancel := context.WithTimeout(hubs, answerWithin)
		reply, err = joining(ctx, id, who, body)
		cancel()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		invite.by = Public{}
		return nil, err
	}
	invite.reply = append([]byte{}, reply...) // not nil
	time.AfterFunc(time.Until(invite.until)+time.Second, h.reload)
	return reply, nil
}

// blame counts a bad request with an invite, and ends the invite after the last one.
func (h *Hub) blame(id string, invite *invitation) {
	h.mu.Lock()
	invite.bad++
	isSpent := invite.bad == maxBad
	h.mu.Unlock()
	if isSpent {
		h.tell(func() { h.config.InviteSpent(id) })
		h.reload()
	}
}

// settle ends the invites that a machine used, when its first session begins.
func (h *Hub) settle(who Public) (isChanged bool) {
	for id, invite := range h.invites {
		if invite.by == who {
			delete(h.invites, id)
			isChanged = true
		}
	}
	return isChanged
}
