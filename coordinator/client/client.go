// Package client reaches the coordinator: it dials, starts the daemon if there
// is none, and makes one call. It never removes the socket; only the holder of
// the life lock does.
package client

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wire"
)

// ErrUnreachable says that no coordinator answered the call: it is absent, hangs
// or ended before it had sent the whole reply.
var ErrUnreachable = errors.New("coordinator not reachable")

// ErrCannotStart says that a coordinator was started and failed, now or a moment
// ago. Errors that wrap it give the reason, and wrap ErrUnreachable too.
var ErrCannotStart = errors.New("it cannot start")

// ErrSilent says that something accepts connections and does not answer.
var ErrSilent = errors.New("it does not answer")

// redialEvery is the pause between two tries to reach a coordinator that is
// just starting.
const redialEvery = 20 * time.Millisecond

// startEvery is how long a coordinator that was started may take to answer. After
// that another one is started, because the first may have been killed.
const startEvery = time.Second

// A Client makes calls to the coordinator of one home.
type Client struct {
	Dirs home.Dirs
	Bin  string          // directory of Afar's binaries, where `afar` is
	Env  func() []string // environment of a coordinator that this client starts
	// Remember makes a failed start count for home.FailureFor, also that of another
	// client: a hook must not wait for a coordinator that cannot start. A person's
	// command does not set it and tries again.
	Remember bool
	// Over is closed when nobody waits for the reply any more. From then on the client
	// starts no coordinator and makes no directory. Nil means never.
	Over <-chan struct{}

	knocked connection // for the next call; nil for none
}

// Knock connects for the next call. While the caller still prepares that call,
// the coordinator looks up the calling process. Knock does nothing if no
// coordinator listens.
func (c *Client) Knock() {
	if conn, err := connect(c.Dirs.Socket()); err == nil {
		c.knocked = conn
	}
}

// Call makes one call and returns the raw reply line. It starts no coordinator.
// The deadline bounds the whole call. The error wraps ErrUnreachable.
func (c *Client) Call(req wire.Request, deadline time.Time) ([]byte, error) {
	line, kept, err := c.CallKeeping(req, deadline)
	kept.Release()
	return line, err
}

// CallKeeping is like Call and keeps the connection open, for a receipt.
func (c *Client) CallKeeping(req wire.Request, deadline time.Time) ([]byte, *Kept, error) {
	conn, err := c.dial(deadline)
	if err != nil {
		return nil, nil, err
	}
	line, err := exchange(conn, req)
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	return line, &Kept{conn}, nil
}

// exchange sends a request and returns the reply line.
func exchange(conn connection, req wire.Request) ([]byte, error) {
	_, sent := conn.Write(req.Line())
	line, err := readLine(conn) // a coordinator that refuses may reply before it has read the request
	if err != nil && sent != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, sent)
	}
	return line, err
}

// CallStarting is like Call, but starts the coordinator if there is none and
// dials again until the deadline. It gives up when the coordinator fails to
// start; the error then wraps ErrCannotStart. It makes a call again that broke
// off, so the coordinator may get the call twice.
func (c *Client) CallStarting(req wire.Request, deadline time.Time) ([]byte, error) {
	line, kept, err := c.CallStartingKeeping(req, deadline)
	kept.Release()
	return line, err
}

// CallStartingKeeping is like CallStarting and keeps the connection open, for a
// receipt.
func (c *Client) CallStartingKeeping(req wire.Request, deadline time.Time) ([]byte, *Kept, error) {
	s := starter{client: c, began: time.Now()}
	defer s.release()
	for {
		reply, kept, err := c.CallKeeping(req, deadline)
		if err == nil {
			return reply, kept, nil
		}
		if !time.Now().Before(deadline) {
			s.giveUp()
			return nil, nil, err
		}
		if c.isOver() {
			return nil, nil, err
		}
		if err := s.start(); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
		}
		time.Sleep(redialEvery)
	}
}

func (c *Client) isOver() bool {
	select {
	case <-c.Over:
		return true
	default:
		return false
	}
}

// Ping asks the coordinator for a reply, and waits at most within. The error
// wraps ErrUnreachable. It also wraps ErrSilent if something listens and does not
// answer.
func (c *Client) Ping(within time.Duration) error {
	conn, err := c.dial(time.Now().Add(within))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, sent := conn.Write(wire.Request{V: wire.Version, Op: string(wire.OpPing)}.Line())
	if _, err = readLine(conn); errors.Is(errors.Join(sent, err), os.ErrDeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrUnreachable, ErrSilent)
	}
	return err
}

// receiptFor bounds the time to send a receipt and to hear that the coordinator has kept
// it.
const receiptFor = 2 * time.Second

// A Kept is the connection of a call after its reply. It is nil for a call that failed.
type Kept struct{ conn connection }

// Receipt tells the coordinator that its reply was printed. It returns an error if the
// coordinator could not be told, because it has died since.
func (k *Kept) Receipt() error {
	if err := k.conn.SetDeadline(time.Now().Add(receiptFor)); err != nil {
		return err
	}
	_, err := k.conn.Write([]byte{'\n'})
	return err
}

// Noted waits until the coordinator has kept the receipt. It returns an error if the
// receipt may be lost: the coordinator may have died before it kept the receipt.
func (k *Kept) Noted() error {
	_, err := k.conn.Read(make([]byte, 1))
	return err
}

// Release closes the connection.
func (k *Kept) Release() {
	if k != nil {
		k.conn.Close()
	}
}

// Answering reports whether a coordinator accepts connections now.
func (c *Client) Answering() bool {
	conn, err := c.dial(time.Now().Add(time.Second))
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// connection is an open connection to the coordinator, as each system implements it.
type connection interface {
	io.ReadWriteCloser
	SetDeadline(time.Time) error
}

func (c *Client) dial(deadline time.Time) (connection, error) {
	conn, err := c.connection()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if err := conn.SetDeadline(deadline); err != nil {
		conn.Close()
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return conn, nil
}

// connection returns the connection that Knock made, or a new one.
func (c *Client) connection() (connection, error) {
	if conn := c.knocked; conn != nil {
		c.knocked = nil
		return conn, nil
	}
	return connect(c.Dirs.Socket())
}

func readLine(conn io.Reader) ([]byte, error) {
	r := bufio.NewReader(io.LimitReader(conn, wire.MaxLine))
	line, err := r.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("%w: reply broke off: %w", ErrUnreachable, err)
	}
	return line[:len(line)-1], nil
}
