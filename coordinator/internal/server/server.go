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

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/callers"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/opinions"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/topic"
	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/internal/usage"
	"github.com/afar-sh/afar/coordinator/internal/workplace"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/roomy"
	"github.com/afar-sh/afar/coordinator/wire"
)

// ioFor is how long a caller may take to send its request, and again to read its reply.
// acceptAgain is the pause after a failure to accept a connection.
const (
	ioFor       = 20 * time.Second
	acceptAgain = 50 * time.Millisecond
)

// Config is what a Server needs. Its functions call parts of the program that this
// package must not import.
type Config struct {
	Core *core.Core
	Log  *slog.Logger
	// Place has the directories of Afar and of its binaries.
	Place workplace.Reader
	// Mark gives a client of the host its birthmark; nil gives none.
	Mark func(pid int) error
	Hold time.Duration // how long a Stop hook holds a session that checks in

	Self     wire.Coordinator
	Shutdown func() // begins the shutdown; must not block
	Consult  Consult
	Tasks    Tasks
	// Suggestions are the files of suggestions.
	Suggestions Suggestions
	Gaps        Notebook  // gaps.md
	Actions     io.Writer // gets a line for each call that reaches others, nil for nowhere
	// LastTextBeforeCall returns the last text that the model wrote in a transcript, for a call that is asked about now. It may wait a
	// second until the transcript contains the call.
	LastTextBeforeCall func(transcript string) string
	// Holds reports whether a transcript has a text that was given to its session at a time or
	// later. ok is false if nobody knows.
	Holds func(transcript, text string, since time.Time) (held, ok bool)
	// Discard removes a transcript that holds no conversation. gone is true if there is none.
	Discard func(transcript string) (gone bool)
	// Glance returns what the host's files say about the session of a transcript.
	Glance func(transcript string) usage.Glance
	// Spent returns what the session of a transcript used since a time, in no order.
	Spent func(transcript string, since time.Time) []usage.Spent
	// Steps returns the last tool calls of a transcript, newest first, at most most.
	Steps func(transcript string, most int) []usage.Step
	Parts // see Connect
}

// Parts are what works beside the server: channels, and workers that may call it. They are made after it.
type Parts struct {
	Doctor func() []wire.Check
	// LoopPage returns the text of a session's loop.md; token names the session. The guard
	// does not let sessions write this file, so any difference was written by the person.
	LoopPage func(token string) string
	// Overrules returns the mods of other plugins that could overrule the guard in a
	// session.
	Overrules func(session.Session) []string
	Guard     func() wire.Guard
	// Config writes settings into config.toml and has them in force; it returns the lines that are new.
	Config   func(values map[string]string) (written []string, err error)
	Marks    func() // carries out the marks left while no coordinator answered; runs before each call
	Telegram Telegram
	Page     Page
	Fleet    Fleet
	Runs     Runs
	Memory   Memory
	Triggers Triggers
	Modules  Modules
	// Tools answers a message of an agent that speaks MCP over stdio; see tools.Server.
	Tools func(ctx context.Context, line []peer.Process, id string, message []byte) ([]byte, error)
	// Snapshot takes the planned snapshot of a step, and returns it soon.
	Snapshot func(ctx context.Context, id undo.ID) (undo.Snapshot, error)
}

// Page is what the server knows of the local page.
type Page interface {
	URL() string         // its address, "" while it is not served
	State() wire.Channel // as a channel
	// Link returns the address of a path and says where it works. It returns "" while the
	// page is not served.
	Link(path string) (address, where string)
}

// A Server answers the socket.
type Server struct {
	cfg Config // its Core is that of one act, in a Server of Act
	*shared
}

// What the servers of a coordinator share.
type shared struct {
	calls    sync.WaitGroup // requests that are being answered
	callers  *callers.Register
	opinions *opinions.Desk

	behind   backlog    // work that replies left to do
	deciding sync.Mutex // held while a decision about a suggestion is carried out
	creating sync.Mutex // held from the choice of a task's name until its folder is made

	mu     sync.Mutex
	told   map[string]time.Time   // refusals that were journalled a moment ago
	posted map[string]paced       // by author, see pace
	opened map[ask.ID]*time.Timer // asks for whose answer no hook waits yet, see expectHook
}

// New returns a server; Serve starts it.
func New(cfg Config) *Server {
	return &Server{cfg: cfg, shared: &shared{
		callers:  &callers.Register{Known: cfg.Core, Bin: cfg.Place.Bin, Self: cfg.Self.PID, Started: cfg.Runs.Started},
		opinions: opinions.NewDesk(cfg.Self.PID),
		told:     map[string]time.Time{},
		posted:   map[string]paced{},
		opened:   map[ask.ID]*time.Timer{},
	}}
}

// Connect gives the server the parts that work beside it, before Serve.
func (s *Server) Connect(p Parts) {
	s.cfg.Parts = p
	s.callers.Started = p.Runs.Started
}

// Serve answers l until ctx ends, then waits for the current requests. It
// closes l.
func (s *Server) Serve(ctx context.Context, l *net.UnixListener) error {
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	defer s.calls.Wait()
	over := make(chan error, 1)
	s.calls.Go(func() { s.answerNext(ctx, l, over) })
	return <-over
}

// answerNext accepts one connection, starts another goroutine for the next connection,
// and answers its own. So the goroutine that the system wakes for a hook also answers it,
// and the hook does not wait until another goroutine is woken.
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

// accept returns the next connection. It returns nil when ctx ends, and an error when l
// is closed.
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
		s.cfg.Log.Error("accept", "err", err) // such as too many open files, which passes
		time.Sleep(acceptAgain)
	}
}

// A call is one request being answered.
type call struct {
	ctx  context.Context // ends with the caller's connection and with the server
	op   string          // the operation
	line []peer.Process  // the caller and its ancestors, nearest first
	body []byte
	// parsed is the body, once it is read.
	parsed hostjson.Value
	via    string      // the channel that it comes from, "" for the socket
	act    channel.Act // what the person did there, if the reply is told later
	on     string      // the machine that carries it out and whose reply is told later, "" for none
	by     string      // who decides, as the channel knows them; "" for all others
	stored bool        // its reply is stored until a channel tells it, see kept
	// printed records whether the caller printed the reply before it ended; nil if that
	// does not matter.
	printed func(bool) error
	receipt chan bool // gets whether the caller sent a receipt after its request
	// then is the work to do after the reply, see backlog. The host waits for its hook and
	// need not wait for this work too.
	then []func()
}

// exe returns the program of the caller. It returns "" if the caller is unknown.
func (c *call) exe() string {
	if len(c.line) == 0 {
		return ""
	}
	return c.line[0].Exe
}

// maxWait is the longest wait of one call, after which the caller asks again.
const maxWait = 25 * time.Second

// wait returns the context of a call that waits for so many milliseconds, at most maxWait.
func (c *call) wait(ms int64) (context.Context, context.CancelFunc) {
	return context.WithTimeout(c.ctx, min(time.Duration(ms)*time.Millisecond, maxWait))
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

// takeReceipt waits for the caller's receipt or its end, and records which one came. Once
// that is recorded it tells the caller. A caller that hears nothing sends its receipt to
// the next coordinator.
func (s *Server) takeReceipt(server context.Context, c *call, conn *net.UnixConn) {
	select {
	case printed := <-c.receipt:
		if err := c.printed(printed); err != nil {
			s.cfg.Log.Error("note what became of a reply", "err", err)
			return
		}
		_ = conn.SetWriteDeadline(time.Now().Add(ioFor))
		_, _ = conn.Write([]byte{'\n'}) // a caller that is gone needs no answer
	case <-server.Done(): // the caller tells the next coordinator, or that coordinator finds the caller dead
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
		return wire.Reply{
			V:     wire.Version,
			Code:  wire.CodeUnknownOp,
			Error: fmt.Sprintf("this coordinator does not know %q", req.Op),
		}
	}
	c.op, c.line, c.body = req.Op, line, req.Body
	if err := s.allow(op, c); err != nil {
		return failure(err)
	}
	_ = conn.SetReadDeadline(time.Time{})
	go watch(conn, c.receipt, cancel)
	s.behind.work()
	s.cfg.Marks()
	return success(s.carryOut(op, c, json.RawMessage(c.body)))
}

// watch waits for the caller's next byte or for the end of the connection, and then ends
// the call. After its request a caller sends nothing but a receipt, which is one byte.
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
	return s.callers.Line(pid), nil
}

// readers holds read buffers for reuse. A hook may wait on its connection for an hour, and
// a connection that waits needs no buffer.
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
	var remote *remoteError
	if errors.As(err, &remote) {
		return wire.Reply{V: wire.Version, Code: remote.code, Error: remote.text}
	}
	code := wire.CodeInternal
	for _, known := range []struct {
		err  error
		code string
	}{
		{core.ErrUnwritable, wire.CodeUnwritable},
		{errDenied, wire.CodeDenied},
		{errBadRequest, wire.CodeBadRequest},
		{core.ErrNotFound, wire.CodeNotFound},
		{core.ErrNoChannel, wire.CodeBadRequest},
		{core.ErrAway, wire.CodeSettled},
		{core.ErrBound, wire.CodeBadRequest},
		{ask.ErrScope, wire.CodeBadRequest},
		{ask.ErrTerminal, wire.CodeDenied},
		{ask.ErrSettled, wire.CodeSettled},
		{core.ErrChannel, wire.CodeDenied},
		{undo.ErrGone, wire.CodeSettled},
		{undo.ErrDone, wire.CodeSettled},
		{undo.ErrBusy, wire.CodeSettled},
		{undo.ErrEarly, wire.CodeNotFound},
		{loop.ErrNone, wire.CodeNotFound},
		{loop.ErrDepth, wire.CodeBadRequest},
		{loop.ErrNoTask, wire.CodeBadRequest},
		{topic.ErrName, wire.CodeBadRequest},
		{topic.ErrText, wire.CodeBadRequest},
		{topic.ErrOurs, wire.CodeDenied},
		{run.ErrStale, wire.CodeSettled},
		{run.ErrState, wire.CodeSettled},
		{run.ErrGap, wire.CodeBadRequest},
		{run.ErrUnbegun, wire.CodeSettled},
		{run.ErrOpen, wire.CodeSettled},
		{core.ErrTaken, wire.CodeSettled},
		{context.Canceled, wire.CodeClosing},
	} {
		if errors.Is(err, known.err) {
			code = known.code
			break
		}
	}
	return wire.Reply{V: wire.Version, Code: code, Error: err.Error()}
}
