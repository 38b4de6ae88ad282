package agentrun

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/wire"
)

// errRefused says that the coordinator understood a call and said no: the turn is over, or
// another process drives it.
var errRefused = errors.New("the coordinator refused")

// retryEvery is the pause before a coordinator that cannot answer is called again.
const retryEvery = 200 * time.Millisecond

// serveEvery is how often a turn behind a wall looks for a coordinator.
const serveEvery = 2 * time.Second

// call makes one call, and reads the reply into out unless that is nil. It starts a
// coordinator if there is none. Without an answer it tries again until the deadline.
func call[Request, Reply any](
	t *turn, op wire.Op[Request, Reply], in Request, out *Reply, within time.Duration,
) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode %s: %w", op, err)
	}
	req := wire.Request{V: wire.Version, Op: string(op), Body: body}
	for end := time.Now().Add(within); ; time.Sleep(retryEvery) {
		line, err := t.client.CallStarting(req, end)
		if err == nil {
			err = readReply(line, wire.Into(out))
		}
		if err == nil || errors.Is(err, errRefused) || time.Now().After(end) {
			return err
		}
		if _, gone := os.Stat(t.dirs.State); gone != nil { // Afar was removed: start no coordinator
			return fmt.Errorf("%w: %w", errRefused, gone)
		}
	}
}

// keepServed starts a coordinator whenever there is none, until stop. Hooks behind a wall wait for one and cannot
// start it.
func (t *turn) keepServed() (stop func()) {
	if t.spec.Wall.Mode == "" {
		return func() {}
	}
	over := make(chan struct{})
	go func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(serveEvery):
			}
			if !t.client.Answering() {
				_ = call(t, wire.OpPing, wire.None{}, nil, serveEvery) // it is tried again
			}
		}
	}()
	return func() { close(over) }
}

// readReply reads a reply line into out. The error wraps errRefused if another try would get
// the same answer.
func readReply(line []byte, out any) error {
	var r wire.Reply
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("%w: its reply is not JSON: %w", client.ErrUnreachable, err)
	}
	switch r.Code {
	case wire.CodeOK:
		if out == nil {
			return nil
		}
		return json.Unmarshal(r.Body, out)
	case wire.CodeClosing, wire.CodeUnwritable, wire.CodeInternal:
		return fmt.Errorf("%w: %s", client.ErrUnreachable, r.Error)
	}
	return fmt.Errorf("%w: %s", errRefused, r.Error)
}
