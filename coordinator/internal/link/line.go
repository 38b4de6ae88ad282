package link

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Kinds of the link itself. Those of the layers above begin with a letter.
const (
	kindHello = ".hello" // outside of a session: its nonces
	kindPing  = ".ping"
	kindReply = ".reply"
	kindError = ".error" // the body is a Refusal
	kindBye   = ".bye"   // the sender goes
	kindOver  = ".over"  // outside of the counter: the receiver's session is no longer one
)

// atOnce is how many requests of one machine are handled at the same time.
const atOnce = 64

// A line is one session between this machine and another one. All that it sends has a counter, and
// is published in that order, so the other side refuses whatever comes a second time.
type line struct {
	config  *Config
	conn    *nats.Conn
	other   Public
	subject string // where the other side hears
	session [32]byte
	inbox   string // where NATS says that the other side does not hear
	sub     *nats.Subscription
	come    pieces // requests of the other side, until all of their pieces have come
	gone    pieces // replies, until the other side has fetched them

	mu      sync.Mutex
	sent    uint64
	seen    uint64
	silence *time.Timer // ends the line
	waiting map[uint64]chan answer
	why     error // why it is over

	slots  chan struct{}
	ctx    context.Context // ends with the line
	cancel context.CancelFunc
	work   sync.WaitGroup
}

type answer struct {
	kind string
	body []byte
	err  error
}

// newLine returns a session on a connection. end must be called.
func newLine(c *Config, conn *nats.Conn, other Public, subject string, session [32]byte) (*line, error) {
	l := &line{
		config: c, conn: conn, other: other, subject: subject, session: session,
		inbox:   inbox(c.Keys.ID()) + "." + hex.EncodeToString(session[:8]) + ".",
		waiting: map[uint64]chan answer{}, slots: make(chan struct{}, atOnce),
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	var err error
	l.sub, err = conn.Subscribe(l.inbox+"*", func(m *nats.Msg) {
		if m.Header.Get("Status") == "503" && len(m.Data) == 0 {
			l.end(ErrAway)
		}
	})
	if err == nil {
		l.silence = time.AfterFunc(l.config.silent(), func() { l.end(errSilent) })
	}
	return l, err
}

// end ends the session: what waits for an answer gets the error. It does not wait.
func (l *line) end(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why != nil {
		return
	}
	l.why = why
	l.silence.Stop()
	for _, c := range l.waiting {
		c <- answer{err: why}
	}
	clear(l.waiting)
	_ = l.sub.Unsubscribe() // the connection may be gone
	l.cancel()
}

// call sends a request and waits for its answer. A large body goes in pieces, and so does a large answer.
func (l *line) call(ctx context.Context, kind string, body []byte) (reply []byte, err error) {
	if len(body) > maxBody {
		return nil, fmt.Errorf("%w: this one has %d", ErrTooLarge, len(body))
	}
	if len(body) > piece {
		if kind, body, err = l.upload(ctx, kind, body); err != nil {
			return nil, err
		}
	}
	a, err := l.ask(ctx, kind, body)
	if err == nil && a.kind == kindMore {
		return l.download(ctx, a.body)
	}
	return a.body, err
}

// ask sends one message and waits for its answer, which may announce the pieces of a reply.
func (l *line) ask(ctx context.Context, kind string, body []byte) (a answer, err error) {
	n, c, err := l.send(kind, 0, body)
	if err != nil {
		return a, err
	}
	select {
	case a = <-c:
	case <-ctx.Done():
		l.mu.Lock()
		delete(l.waiting, n)
		l.mu.Unlock()
		return a, ctx.Err()
	}
	if a.err != nil || a.kind == kindReply || a.kind == kindMore {
		return a, a.err
	}
	return answer{}, readRefusal(a.body)
}

// readRefusal returns the refusal that a message is.
func readRefusal(body []byte) error {
	refusal := &Refusal{}
	if err := json.Unmarshal(body, refusal); err != nil {
		return errors.New("the other machine's error cannot be read")
	}
	return refusal
}

// send sends a message. A request, which answers nothing, gets a channel for its answer.
func (l *line) send(kind string, re uint64, body []byte) (uint64, chan answer, error) {
	if len(body) > maxMessage {
		return 0, nil, fmt.Errorf("%w: one piece has %d", ErrTooLarge, len(body))
	}
	e := &envelope{kind: kind, session: l.session, re: re}
	if err := e.seal(l.config.Keys, l.other, body); err != nil {
		return 0, nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why != nil {
		return 0, nil, l.why
	}
	e.n = l.sent + 1
	if err := e.sign(l.config.Keys, l.config.Fleet); err != nil {
		return 0, nil, err
	}
	if err := l.conn.PublishRequest(l.subject, l.inbox+strconv.FormatUint(e.n, 10), e.bytes()); err != nil {
		return 0, nil, ErrAway
	}
	l.sent++
	if re != 0 {
		return e.n, nil, nil
	}
	c := make(chan answer, 1)
	l.waiting[e.n] = c
	return e.n, c, nil
}

var errReplayed = errors.New("a message came a second time, or late")

// take takes a message of this session whose signature was checked.
func (l *line) take(e *envelope) error {
	l.mu.Lock()
	if l.why != nil {
		l.mu.Unlock()
		return nil // it came too late
	}
	if e.n <= l.seen {
		l.mu.Unlock()
		return errReplayed
	}
	l.seen = e.n
	l.silence.Reset(l.config.silent())
	c := l.waiting[e.re]
	delete(l.waiting, e.re)
	l.work.Add(1)
	l.mu.Unlock()
	go func() {
		defer l.work.Done()
		l.read(e, c)
	}()
	return nil
}

// read opens a message and does what it says.
func (l *line) read(e *envelope, c chan answer) {
	body, err := e.open(l.config.Keys, l.other)
	if err != nil || len(body) > maxMessage {
		l.config.Refused(e.from, "a message cannot be opened")
		body, err = nil, errors.New("the other machine's message cannot be opened")
	}
	switch {
	case e.re != 0:
		if c != nil {
			c <- answer{kind: e.kind, body: body, err: err}
		}
	case e.kind == kindBye:
		l.end(ErrAway)
	case err != nil:
		l.answer(e.n, nil, err)
	case e.kind == kindPing:
		l.answer(e.n, nil, nil)
	case e.kind == kindPart, e.kind == kindWhole, e.kind == kindPull:
		if kind, whole, ok := l.answerPart(e, body); ok {
			l.handle(e, kind, whole)
		}
	default:
		l.handle(e, e.kind, body)
	}
}

// handle has a request answered by the layer above.
func (l *line) handle(e *envelope, kind string, body []byte) {
	if !isKind(kind) {
		l.answer(e.n, nil, &Refusal{codeUnknown, fmt.Sprintf("this machine knows no %.40q: it may be older", kind)})
		return
	}
	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
	default:
		l.answer(e.n, nil, &Refusal{codeBusy, "the machine has too many requests at once"})
		return
	}
	reply, err := l.config.Handle(l.ctx, e.from, kind, body)
	l.reply(e.n, reply, err)
}

func (l *line) answer(re uint64, reply []byte, err error) {
	kind := kindReply
	if err != nil {
		kind, reply = kindError, refusalOf(err)
	}
	_, _, _ = l.send(kind, re, reply) // it fails when the session is over, and with it the call
}

func refusalOf(err error) []byte {
	refusal := &Refusal{}
	if !errors.As(err, &refusal) {
		refusal = &Refusal{codeFailed, err.Error()}
	}
	refusal = &Refusal{cut(refusal.Code), cut(refusal.Text)}
	text, _ := json.Marshal(refusal) // strings only
	return text
}

// cut keeps a refusal's text from being too large for a message.
func cut(s string) string { return strings.ToValidUTF8(s[:min(len(s), 16<<10)], "") }

// beat sends heartbeats until the line is over. The other side's replies are its own.
func (l *line) beat() {
	ticks := time.NewTicker(l.config.Beat)
	defer ticks.Stop()
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-ticks.C:
		}
		ctx, cancel := context.WithTimeout(l.ctx, l.config.Beat)
		_, _ = l.call(ctx, kindPing, nil) // the line ends by itself when nothing is heard
		cancel()
	}
}

var errSilent = fmt.Errorf("%w: it is silent", ErrAway)

// reason returns why the line is over.
func (l *line) reason() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.why
}

// isKind reports whether a kind is one of the layers above.
func isKind(kind string) bool {
	return isName(kind) && len(kind) <= maxKind && kind[0] != '-' && kind[0] != '_'
}
