// Package door takes the calls of everybody: hooks, the command line, the channels of the person, the tools of agents
// and the other machines of a fleet. It tells who calls, refuses what a caller may not ask for and journals that,
// decodes the request, and encodes the reply. Domain errors become wire codes here; a handler names a code only where it is
// the one that refuses.
//
// The rows of operations come from the packages beside it, which get a Call and a request. Its own are those that say who
// answers and those of what a person does on a card. It changes nothing but the journal.
package door

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
	"github.com/afar-sh/afar/coordinator/internal/callers"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
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

// Config is what a Door needs.
type Config struct {
	Core *feature.Core
	Log  *slog.Logger
	Dirs home.Dirs
	Bin  string // directory of Afar's binaries
	Self wire.Coordinator
	// Callers tells who calls.
	Callers *callers.Register
	// Operations returns the rows of all operations. They work on a Core: that of the coordinator, or that of one act.
	Operations func(*feature.Core) Table
	Marks      func() // carries out the marks left while no coordinator answered; runs before each call
	// Do returns the reply of an operation of another machine, see noun.Fleet.
	Do func(ctx context.Context, id fleet.MachineID, by, op string, in []byte) (json.RawMessage, error)
}

// A Door takes calls.
type Door struct {
	core  *feature.Core // that of one act, in the Door of an act
	table Table         // whose operations work on core
	*shared
}

// What the doors of a coordinator share.
type shared struct {
	cfg    Config
	calls  sync.WaitGroup // requests that are being answered
	behind backlog        // work that replies left to do

	mu   sync.Mutex
	told map[string]time.Time // refusals that were journalled a moment ago
}

// New returns a door; Serve opens it.
func New(cfg Config) *Door {
	return &Door{core: cfg.Core, table: cfg.Operations(cfg.Core), shared: &shared{
		cfg:  cfg,
		told: map[string]time.Time{},
	}}
}

// within returns the door of one act.
func (d *Door) within(act *feature.Core) *Door {
	return &Door{core: act, table: d.cfg.Operations(act), shared: d.shared}
}

// Serve answers l until ctx ends, then waits for the current requests. It
// closes l.
func (d *Door) Serve(ctx context.Context, l *net.UnixListener) error {
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	defer d.calls.Wait()
	over := make(chan error, 1)
	d.calls.Go(func() { d.answerNext(ctx, l, over) })
	return <-over
}

// answerNext accepts one connection, starts another goroutine for the next connection,
// and answers its own. So the goroutine that the system wakes for a hook also answers it,
// and the hook does not wait until another goroutine is woken.
func (d *Door) answerNext(ctx context.Context, l *net.UnixListener, over chan<- error) {
	roomy.Grow()
	conn, err := d.accept(ctx, l)
	if conn == nil {
		over <- err
		return
	}
	d.calls.Go(func() { d.answerNext(ctx, l, over) })
	d.answer(ctx, conn)
}

// accept returns the next connection. It returns nil when ctx ends, and an error when l
// is closed.
func (d *Door) accept(ctx context.Context, l *net.UnixListener) (*net.UnixConn, error) {
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
		d.cfg.Log.Error("accept", "err", err) // such as too many open files, which passes
		time.Sleep(acceptAgain)
	}
}

func (d *Door) answer(server context.Context, conn *net.UnixConn) {
	defer conn.Close()
	ctx, cancel := context.WithCancel(server)
	defer cancel()
	c := &Call{door: d, Ctx: ctx, receipt: make(chan bool, 1)}
	reply := d.reply(c, cancel, conn)
	if len(c.then) > 0 {
		d.behind.add(c.then)
		defer d.calls.Go(d.later)
	}
	if reply.Code == wire.CodeInternal || reply.Code == wire.CodeUnwritable {
		d.cfg.Log.Error("answer a call", "err", reply.Error)
	}
	_ = conn.SetWriteDeadline(time.Now().Add(ioFor))
	_, _ = conn.Write(reply.Line()) // a caller that is gone needs no reply
	if c.printed != nil {
		d.takeReceipt(server, c, conn)
	}
}

// takeReceipt waits for the caller's receipt or its end, and records which one came. Once
// that is recorded it tells the caller. A caller that hears nothing sends its receipt to
// the next coordinator.
func (d *Door) takeReceipt(server context.Context, c *Call, conn *net.UnixConn) {
	select {
	case printed := <-c.receipt:
		if err := c.printed(printed); err != nil {
			d.cfg.Log.Error("note what became of a reply", "err", err)
			return
		}
		_ = conn.SetWriteDeadline(time.Now().Add(ioFor))
		_, _ = conn.Write([]byte{'\n'}) // a caller that is gone needs no answer
	case <-server.Done(): // the caller tells the next coordinator, or that coordinator finds the caller dead
	}
}

func (d *Door) later() {
	time.Sleep(breath)
	d.behind.work()
}

func (d *Door) reply(c *Call, cancel context.CancelFunc, conn *net.UnixConn) wire.Reply {
	line, err := d.caller(conn)
	if err != nil {
		return failure(fmt.Errorf("%w: %w", ErrDenied, err))
	}
	_ = conn.SetReadDeadline(time.Now().Add(ioFor))
	req, err := takeRequest(conn)
	if err != nil {
		return failure(err)
	}
	op, ok := d.table[req.Op]
	if !ok {
		return wire.Reply{
			V:     wire.Version,
			Code:  wire.CodeUnknownOp,
			Error: fmt.Sprintf("this coordinator does not know %q", req.Op),
		}
	}
	c.op, c.Line, c.body = req.Op, line, req.Body
	if err := c.allow(op); err != nil {
		return failure(err)
	}
	_ = conn.SetReadDeadline(time.Time{})
	go watch(conn, c.receipt, cancel)
	d.behind.work()
	d.cfg.Marks()
	return success(d.carryOut(op, c, json.RawMessage(c.body)))
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
func (d *Door) caller(conn *net.UnixConn) ([]peer.Process, error) {
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
	return d.cfg.Callers.Line(pid), nil
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
			return wire.Request{}, BadRequest("the request is longer than %d bytes", wire.MaxLine)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return wire.Request{}, BadRequest("the request broke off: %v", err)
		}
	}
	req, ok := wire.ReadLine(line)
	if ok {
		return req, nil
	}
	if err := json.Unmarshal(line, &req); err != nil {
		return req, BadRequest("the request is not JSON: %v", err)
	}
	return req, nil
}
