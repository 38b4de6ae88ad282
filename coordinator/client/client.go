// Package client reaches the coordinator: it dials, starts the daemon where
// there is none, and makes one call. It never removes the socket; only the
// holder of the life lock does.
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

// ErrUnreachable says that no coordinator took the call: it is absent, hung or
// broke off before the whole reply.
var ErrUnreachable = errors.New("coordinator not reachable")

// ErrCannotStart says that a coordinator was started and failed, now or a moment
// ago. Errors that wrap it give the reason, and wrap ErrUnreachable too.
var ErrCannotStart = errors.New("it cannot start")

// ErrSilent says that something accepts connections and does not answer.
var ErrSilent = errors.New("it does not answer")

// redialEvery is the pause between two tries to reach a coordinator that is
// just starting.
const redialEvery = 20 * time.Millisecond

// startEvery is how long a coordinator that was started has to answer: after
// that it is started again, for it may have been killed meanwhile.
const startEvery = time.Second

// A Client makes calls to the coordinator of one home.
type Client struct {
	Dirs home.Dirs
	Bin  string          // directory of our binaries, where `afar` is
	Env  func() []string // environment of a coordinator that this client starts
	// Remember has a failed start count for a while, also one of another client: a
	// hook must not wait for what cannot come. A person's command tries again.
	Remember bool

	knocked connection // for the next call; nil for none
}

// Knock connects for the next call: while that is still being put together, the
// coordinator looks at who calls. Where nobody answers it does nothing.
func (c *Client) Knock() {
	if conn, err := connect(c.Dirs.Socket()); err == nil {
		c.knocked = conn
	}
}

// Call makes one call, without starting anything, and returns the raw reply
// line. All of it has to happen before the deadline. The error wraps
// ErrUnreachable.
func (c *Client) Call(req wire.Request, deadline time.Time) ([]byte, error) {
	line, kept, err := c.CallKeeping(req, deadline)
	kept.Release()
	return line, err
}

// CallKeeping is Call whose connection stays, for a receipt.
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
	line, err := readLine(conn) // a coordinator that refuses says so before it has read all
	if err != nil && sent != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, sent)
	}
	return line, err
}

// CallStarting is Call that starts the coordinator when there is none and dials
// again until the deadline, or until the coordinator has failed to start: the
// error then wraps ErrCannotStart. A call that broke off is made again, so the
// coordinator may get it twice.
func (c *Client) CallStarting(req wire.Request, deadline time.Time) ([]byte, error) {
	line, kept, err := c.CallStartingKeeping(req, deadline)
	kept.Release()
	return line, err
}

// CallStartingKeeping is CallStarting whose connection stays, for a receipt.
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
		if err := s.start(); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
		}
		time.Sleep(redialEvery)
	}
}

// Ping asks the coordinator whether it answers, and waits at most so long. The
// error wraps ErrSilent when something listens and says nothing, and
// ErrUnreachable when nothing listens.
func (c *Client) Ping(within time.Duration) error {
	conn, err := c.dial(time.Now().Add(within))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, sent := conn.Write(wire.Request{V: wire.Version, Op: wire.OpPing}.Line())
	if _, err = readLine(conn); errors.Is(errors.Join(sent, err), os.ErrDeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrUnreachable, ErrSilent)
	}
	return err
}

// receiptFor bounds how long it takes to say that a reply was printed, and to hear that
// this is noted.
const receiptFor = 2 * time.Second

// A Kept is the connection of a call after its reply. Nil is none.
type Kept struct{ conn connection }

// Receipt tells the coordinator that its reply was printed. The error says that it was
// not told: it has died since.
func (k *Kept) Receipt() error {
	if err := k.conn.SetDeadline(time.Now().Add(receiptFor)); err != nil {
		return err
	}
	_, err := k.conn.Write([]byte{'\n'})
	return err
}

// Noted waits until the coordinator has kept the receipt. One that died may have received
// the receipt and not kept it; an error says that the receipt may be lost.
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

// connection is what a system has for an open connection.
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

// connection is the one that Knock made, or a new one.
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
