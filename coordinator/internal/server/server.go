// Package server answers the Unix socket: it checks who is calling, decodes one
// request line, calls core, and encodes one reply line. Domain errors become
// wire codes here and nowhere else.
package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/review"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/topic"
	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/internal/usage"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/roomy"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The time that a caller has to send its request and to take its reply, and
// the pause after a connection that could not be taken.
const (
	ioFor       = 20 * time.Second
	acceptAgain = 50 * time.Millisecond
)

// Config is what a Server needs. The functions reach parts that the server
// must not know.
type Config struct {
	Core *core.Core
	Log  *slog.Logger
	Bin  string // directory of our binaries
	Dirs home.Dirs
	Hold time.Duration // how long a Stop hook holds a session that checks in

	Self     func() wire.Coordinator
	Doctor   func() []wire.Check
	Shutdown func() // begins the end; must not block
	// Page is the loop.md of a session, named by its token, as it lies there. The
	// guard keeps sessions from writing it, so what differs is the person's.
	Page func(token string) string
	// Overrules names the mods of other plugins that could overrule the guard in a
	// session.
	Overrules  func(session.Session) []string
	Guard      func() wire.Guard
	Marks      func() // carries out what was asked for while nobody answered; before each call
	Connect    func(ctx context.Context, token, api string) error
	Disconnect func() error
	Pair       func() (code string, p *channel.Pairing, err error)
	Telegram   func() wire.TelegramReply
	Git        Git
	Consult    Consult
	// Usage reads what a transcript says was used behind the byte from, and where
	// the transcript ends; a negative from only finds the end.
	Usage func(transcript string, from int64) (sum usage.Sum, end int64)
	// Said reads the last text that the model wrote in a transcript since the last
	// prompt, "" for none.
	Said func(transcript string) string
	// SaidBeforeCall is Said for a call that is asked about now. It may wait a second
	// for the call to be in the transcript.
	SaidBeforeCall func(transcript string) string
	// Glance says what the host's files tell of a session, by its transcript.
	Glance func(transcript string) usage.Glance
	// Snapshot takes the planned snapshot of a step and waits for it, at most so
	// long; last says that the step runs as soon as it returns.
	Snapshot func(ctx context.Context, id undo.ID, within time.Duration, last bool)
}

// Git is what the server asks of a repository. Each returns quickly, and empty
// where it cannot tell.
type Git struct {
	Tree   func(ctx context.Context, dir string) string                      // digest of the work tree
	Recent func(ctx context.Context, dir string) (commits, changed []string) // newest first
	Top    func(ctx context.Context, dir string) (string, error)             // of the main checkout
}

// A Server answers the socket.
type Server struct {
	cfg   Config
	calls sync.WaitGroup // requests that are being answered

	behind backlog // of the replies

	mu      sync.Mutex
	told    map[string]time.Time // refusals that were journalled a moment ago
	clients map[int]client       // by process id, see line
	// Of second opinions: the calls of reviewers that are about to consult, and the
	// consultations that run, by id.
	reviewers map[session.ID][]review.Call
	running   map[string]consultation
}

// New returns a server; Serve starts it.
func New(cfg Config) *Server {
	return &Server{cfg: cfg, told: map[string]time.Time{}, clients: map[int]client{}, reviewers: map[session.ID][]review.Call{}, running: map[string]consultation{}}
}

// Serve answers l until ctx ends, then waits for the requests in hand. It
// closes l.
func (s *Server) Serve(ctx context.Context, l *net.UnixListener) error {
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	defer s.calls.Wait()
	over := make(chan error, 1)
	s.calls.Go(func() { s.answerNext(ctx, l, over) })
	return <-over
}

// answerNext takes one connection, leaves the next one to another goroutine, and
// answers its own: a hook waits for whoever the system woke, and for nobody whom
// that one would have to wake in turn.
func (s *Server) answerNext(ctx context.Context, l *net.UnixListener, over chan<- error) {
	roomy.Grow()
	conn, err := s.accept(ctx, l)
	if conn == nil {
		over <- err
		return
	}
	s.calls.Go(func() { s.answerNext(ctx, l, over) })
	s.answer(ctx, conn)
}

// accept returns the next connection, none when ctx ends or l breaks.
func (s *Server) accept(ctx context.Context, l *net.UnixListener) (*net.UnixConn, error) {
	for {
		conn, err := l.AcceptUnix()
		switch {
		case ctx.Err() != nil:
			return nil, nil
		case err == nil:
			return conn, nil
		case errors.Is(err, net.ErrClosed):
			return nil, fmt.Errorf("accept: %w", err)
		}
		s.cfg.Log.Error("accept", "err", err) // too many open files, say: it passes
		time.Sleep(acceptAgain)
	}
}

// A call is one request being answered.
type call struct {
	ctx  context.Context // ends with the caller's connection and with the server
	op   string          // what is asked for
	line []peer.Process  // the caller and what it descends from, nearest first
	body []byte
	// printed notes whether the caller printed our reply before it ended; nil where
	// nobody needs to know.
	printed func(bool) error
	receipt chan bool // gets what the caller's connection says behind its request
	// then is left to do when the reply is out, see backlog: a host that waits for its
	// hook need not wait for that too.
	then []func()
}

func (s *Server) answer(server context.Context, conn *net.UnixConn) {
	defer conn.Close()
	ctx, cancel := context.WithCancel(server)
	defer cancel()
	c := &call{ctx: ctx, receipt: make(chan bool, 1)}
	reply := s.reply(c, cancel, conn)
	if len(c.then) > 0 {
		s.behind.add(c.then)
		defer s.calls.Go(s.later)
	}
	if reply.Code == wire.CodeInternal || reply.Code == wire.CodeUnwritable {
		s.cfg.Log.Error("answer a call", "err", reply.Error)
	}
	_ = conn.SetWriteDeadline(time.Now().Add(ioFor))
	_, _ = conn.Write(reply.Line()) // a caller that is gone needs no reply
	if c.printed != nil {
		s.takeReceipt(server, c, conn)
	}
}

// takeReceipt waits for the caller's receipt or its end, and notes it. The caller is told
// once its receipt is kept: without that word it tells the next coordinator.
func (s *Server) takeReceipt(server context.Context, c *call, conn *net.UnixConn) {
	select {
	case printed := <-c.receipt:
		if err := c.printed(printed); err != nil {
			s.cfg.Log.Error("note what became of a reply", "err", err)
			return
		}
		_ = conn.SetWriteDeadline(time.Now().Add(ioFor))
		_, _ = conn.Write([]byte{'\n'}) // a caller that is gone needs no word
	case <-server.Done(): // the caller tells the next coordinator, or that one finds it dead
	}
}

func (s *Server) later() {
	time.Sleep(breath)
	s.behind.work()
}

func (s *Server) reply(c *call, cancel context.CancelFunc, conn *net.UnixConn) wire.Reply {
	line, err := s.caller(conn)
	if err != nil {
		return failure(fmt.Errorf("%w: %w", errDenied, err))
	}
	_ = conn.SetReadDeadline(time.Now().Add(ioFor))
	req, err := takeRequest(conn)
	if err != nil {
		return failure(err)
	}
	op, ok := operations[req.Op]
	if !ok {
		return wire.Reply{V: wire.Version, Code: wire.CodeUnknownOp, Error: fmt.Sprintf("this coordinator does not know %q", req.Op)}
	}
	c.op, c.line, c.body = req.Op, line, req.Body
	if err := s.allow(op, c); err != nil {
		return failure(err)
	}
	_ = conn.SetReadDeadline(time.Time{})
	go watch(conn, c.receipt, cancel)
	s.behind.work()
	s.cfg.Marks()
	return success(op.do(s, c))
}

// watch ends the call when its caller goes away. All that a caller sends behind its
// request is a receipt. It returns when the connection closes.
func watch(r io.Reader, receipt chan<- bool, gone context.CancelFunc) {
	var one [1]byte
	n, _ := r.Read(one[:])
	receipt <- n == 1
	gone()
}

// caller checks the user at the other end and returns the calling process with
// its ancestors.
func (s *Server) caller(conn *net.UnixConn) ([]peer.Process, error) {
	if !peer.Supported {
		return nil, nil
	}
	uid, pid, err := peer.Of(conn)
	if err != nil {
		return nil, err
	}
	if uid != os.Getuid() {
		return nil, fmt.Errorf("user %d may not speak to the coordinator of user %d", uid, os.Getuid())
	}
	return s.line(pid), nil
}

// readers are kept for the next request: a hook may wait on its connection for
// an hour, and a thousand of them need no buffer for that.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 64<<10) }}

func takeRequest(conn io.Reader) (wire.Request, error) {
	r := readers.Get().(*bufio.Reader)
	r.Reset(conn)
	defer func() {
		r.Reset(nil)
		readers.Put(r)
	}()
	return readRequest(r)
}

// readRequest reads one line. A request that is cut off, too long or not JSON
// is the caller's fault.
func readRequest(r *bufio.Reader) (wire.Request, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > wire.MaxLine {
			return wire.Request{}, badRequest("the request is longer than %d bytes", wire.MaxLine)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return wire.Request{}, badRequest("the request broke off: %v", err)
		}
	}
	req, ok := wire.ReadLine(line)
	if ok {
		return req, nil
	}
	if err := json.Unmarshal(line, &req); err != nil {
		return req, badRequest("the request is not JSON: %v", err)
	}
	return req, nil
}

var (
	errDenied     = errors.New("refused")
	errBadRequest = errors.New("bad request")
)

func badRequest(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errBadRequest, fmt.Sprintf(format, args...))
}

func success(body any, err error) wire.Reply {
	if err != nil {
		return failure(err)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return failure(fmt.Errorf("encode reply: %w", err))
	}
	return wire.Reply{V: wire.Version, Body: raw}
}

func failure(err error) wire.Reply {
	code := wire.CodeInternal
	for _, known := range []struct {
		err  error
		code string
	}{
		{core.ErrUnwritable, wire.CodeUnwritable},
		{errDenied, wire.CodeDenied}, {errBadRequest, wire.CodeBadRequest}, {errUnclear, wire.CodeBadRequest},
		{core.ErrNotFound, wire.CodeNotFound}, {core.ErrNoChannel, wire.CodeBadRequest}, {core.ErrBound, wire.CodeBadRequest}, {ask.ErrScope, wire.CodeBadRequest},
		{ask.ErrSettled, wire.CodeSettled}, {core.ErrChannel, wire.CodeDenied},
		{undo.ErrGone, wire.CodeSettled}, {undo.ErrDone, wire.CodeSettled}, {undo.ErrBusy, wire.CodeSettled}, {undo.ErrEarly, wire.CodeNotFound},
		{loop.ErrNone, wire.CodeNotFound}, {loop.ErrDepth, wire.CodeBadRequest},
		{loop.ErrNoTask, wire.CodeBadRequest},
		{topic.ErrName, wire.CodeBadRequest}, {topic.ErrText, wire.CodeBadRequest}, {topic.ErrOurs, wire.CodeDenied}, {context.Canceled, wire.CodeClosing},
	} {
		if errors.Is(err, known.err) {
			code = known.code
			break
		}
	}
	return wire.Reply{V: wire.Version, Code: code, Error: err.Error()}
}
