package tools

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/afar-sh/afar/coordinator/peer"
)

// Answer answers one message of an agent that came over stdio. line is the process that passed
// it on, with its ancestors; id names the message. The answer is nil for a notification.
func (s *Server) Answer(ctx context.Context, line []peer.Process, id string, message []byte) ([]byte, error) {
	m, err := jsonrpc.DecodeMessage(message)
	if err != nil {
		return nil, fmt.Errorf("the message is not JSON-RPC: %w", err)
	}
	req, ok := m.(*jsonrpc.Request)
	if !ok || !req.IsCall() {
		return nil, nil
	}
	from := caller{id: id, line: func() ([]peer.Process, error) { return line, nil }}
	ctx = context.WithValue(ctx, callerKey{}, from)
	one := &exchange{request: req, answer: make(chan jsonrpc.Message, 1), closed: make(chan struct{})}
	session, err := s.mcp.Connect(ctx, one, begun(req))
	if err != nil {
		return nil, fmt.Errorf("take the message: %w", err)
	}
	defer session.Close()
	select {
	case answer := <-one.answer:
		return jsonrpc.EncodeMessage(answer)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begun returns the state of a conversation that is past its beginning, nil for the request
// that begins one. The tools keep no state between two messages, so the coordinator may
// restart between them.
func begun(req *jsonrpc.Request) *mcp.ServerSessionOptions {
	if req.Method == "initialize" {
		return nil
	}
	return &mcp.ServerSessionOptions{State: &mcp.ServerSessionState{
		InitializeParams:  &mcp.InitializeParams{ProtocolVersion: "2025-11-25"},
		InitializedParams: &mcp.InitializedParams{},
	}}
}

// An exchange is a connection that carries one request and its answer.
type exchange struct {
	request *jsonrpc.Request // nil once it is read
	answer  chan jsonrpc.Message
	closed  chan struct{}
	close   sync.Once
}

// Connect returns the connection itself.
func (e *exchange) Connect(context.Context) (mcp.Connection, error) { return e, nil }

// SessionID returns no id: the connection is one exchange.
func (e *exchange) SessionID() string { return "" }

// Read returns the request, and then waits for the end.
func (e *exchange) Read(ctx context.Context) (jsonrpc.Message, error) {
	if req := e.request; req != nil {
		e.request = nil
		return req, nil
	}
	select {
	case <-e.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write keeps the answer. Nothing else that the server says has a reader.
func (e *exchange) Write(_ context.Context, m jsonrpc.Message) error {
	if _, ok := m.(*jsonrpc.Response); !ok {
		return nil
	}
	select {
	case e.answer <- m:
	default:
	}
	return nil
}

// Close ends the connection.
func (e *exchange) Close() error {
	e.close.Do(func() { close(e.closed) })
	return nil
}
