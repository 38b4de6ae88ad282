// Package relay is what `afar mcp` does: it passes the messages of an agent that speaks MCP
// from stdin to the coordinator, and the answers to stdout. It keeps no state, so the
// coordinator may restart meanwhile. There may be one such process for each agent, so it links
// little.
package relay

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wire"
)

const (
	// maxMessage bounds a message of an agent, in bytes.
	maxMessage = 1 << 20
	// answerFor is how long the answer of a tool may take.
	answerFor = time.Minute
	// startFor bounds the start of the coordinator.
	startFor = 10 * time.Second
	// parentEvery is the time between two looks at the process that started this one.
	parentEvery = time.Second
	// silentFor is how long an agent may take to its first message. One that died before this
	// process looked for it would be missed otherwise.
	silentFor = time.Minute
)

// Main passes messages until the agent closes stdin, ends, or sends a signal. It returns the
// exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, err := newClient()
	if err == nil {
		err = (&relay{client: c, out: os.Stdout, calls: map[string]context.CancelFunc{}}).run(ctx, os.Stdin)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "afar mcp:", err)
		return 1
	}
	return 0
}

// newClient returns a client for the coordinator of this installation.
func newClient() (*client.Client, error) {
	bin, err := home.Bin()
	if err != nil {
		return nil, err
	}
	dirs, _, err := home.ForHook(bin, os.Getenv) // an agent starts it, with an environment of its own
	if err != nil {
		return nil, err
	}
	return &client.Client{Dirs: dirs, Bin: bin, Env: dirs.Env}, nil
}

// A relay is one process between an agent and the coordinator.
type relay struct {
	client *client.Client

	printing sync.Mutex
	out      io.Writer

	heard atomic.Bool // it has got a message
	mu    sync.Mutex
	calls map[string]context.CancelFunc // those that are not answered, by their ids
}

// run ends when in does, and when the process that started this one has ended: another process
// may hold the other end of in.
func (r *relay) run(ctx context.Context, in io.Reader) error {
	parent, began := os.Getppid(), time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	read := make(chan error, 1)
	go func() { read <- r.read(ctx, in) }()
	tick := time.NewTicker(parentEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-read:
			return err
		case <-ctx.Done():
			return nil
		case <-tick.C:
			silent := !r.heard.Load() && time.Since(began) > silentFor
			if silent || os.Getppid() != parent {
				return nil
			}
		}
	}
}

// read takes messages until the input ends.
func (r *relay) read(ctx context.Context, from io.Reader) error {
	in := bufio.NewScanner(from)
	in.Buffer(nil, maxMessage)
	for in.Scan() {
		r.heard.Store(true)
		r.take(ctx, bytes.Clone(in.Bytes()))
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a message has at most %d bytes", maxMessage)
	}
	return in.Err()
}

// An envelope is what the relay reads of a message.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Of json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// The codes of JSON-RPC for the relay's own errors.
const (
	notJSON  = -32700
	internal = -32603
)

// take passes one message on, without waiting for its answer.
func (r *relay) take(ctx context.Context, message []byte) {
	var m envelope
	err := json.Unmarshal(message, &m)
	switch {
	case err != nil && !json.Valid(message):
		r.fail(json.RawMessage("null"), notJSON, "the message is not JSON")
	case m.Method == "notifications/cancelled":
		r.cancel(string(m.Params.Of))
	case m.Method == "", len(m.ID) == 0:
		// a notification, or an answer to a question that nobody asked
	default:
		ctx, cancel := context.WithCancel(ctx)
		r.keep(string(m.ID), cancel)
		go r.answer(ctx, m.ID, message)
	}
}

func (r *relay) keep(id string, cancel context.CancelFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[id] = cancel
}

// cancel ends a call that is not answered yet.
func (r *relay) cancel(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if end, ok := r.calls[id]; ok {
		end()
		delete(r.calls, id)
	}
}

func (r *relay) answer(ctx context.Context, id json.RawMessage, message []byte) {
	defer r.cancel(string(id))
	line, err := r.ask(message)
	switch {
	case ctx.Err() != nil: // nobody waits for it
	case err != nil:
		r.fail(id, internal, err.Error())
	default:
		r.print(line)
	}
}

// ask has the coordinator answer a message. It starts one if none runs, and asks the next one
// if the first ends meanwhile: a message with the same id is the same message.
func (r *relay) ask(message []byte) ([]byte, error) {
	body, err := json.Marshal(wire.ToolMessageRequest{ID: rand.Text(), Message: message})
	if err != nil {
		return nil, err
	}
	req := wire.Request{V: wire.Version, Op: string(wire.OpToolMessage), Body: body}
	line, err := r.client.Call(req, time.Now().Add(answerFor))
	if err != nil {
		ping := wire.Request{V: wire.Version, Op: string(wire.OpPing)}
		if _, err := r.client.CallStarting(ping, time.Now().Add(startFor)); err != nil {
			return nil, err
		}
		line, err = r.client.Call(req, time.Now().Add(answerFor))
	}
	if err != nil {
		return nil, err
	}
	return answerIn(line)
}

// answerIn returns the answer in a reply of the coordinator.
func answerIn(line []byte) ([]byte, error) {
	var reply struct {
		Error string                `json:"error"`
		Body  wire.ToolMessageReply `json:"body"`
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		return nil, fmt.Errorf("read the coordinator's answer: %w", err)
	}
	if reply.Error != "" {
		return nil, errors.New(reply.Error)
	}
	return reply.Body.Message, nil
}

// fail answers a message with an error.
func (r *relay) fail(id json.RawMessage, code int, text string) {
	line, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0",
		"id":      id,
		"error":   map[string]any{"code": code, "message": text},
	})
	if err == nil {
		r.print(line)
	}
}

// print writes one line. An agent that does not read it has ended.
func (r *relay) print(line []byte) {
	r.printing.Lock()
	defer r.printing.Unlock()
	_, _ = r.out.Write(append(line, '\n'))
}
