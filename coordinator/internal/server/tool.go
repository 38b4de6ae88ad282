package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/ledger"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Tool carries out one operation for the session that a process belongs to, with the
// permissions of a program that the session has started. line is the process with its
// ancestors. in is the request type of the operation, and reply its reply type.
func (s *Server) Tool(ctx context.Context, line []peer.Process, op string, in any) (reply any, err error) {
	if v, _ := s.callers.Author(line); v.ID == "" {
		return nil, fmt.Errorf("%w: this call belongs to no session that Afar knows", errDenied)
	}
	return s.take(&call{ctx: ctx, op: op, line: line}, in)
}

// MadeCall returns an error unless the first process of a line is itself the client of a
// session, and the guard let the session's tool call with this id through. A program that a
// session starts is not its client, and a client has the calls of its own session alone.
func (s *Server) MadeCall(line []peer.Process, id string) error {
	err := s.madeCall(line, id)
	if err != nil && s.fresh(err.Error()) {
		s.refused("tool", err.Error())
	}
	return err
}

func (s *Server) madeCall(line []peer.Process, id string) error {
	if !peer.Supported {
		return fmt.Errorf("%w: on this system Afar cannot tell which program calls", errDenied)
	}
	v, ok := s.clientOf(line)
	if !ok {
		return fmt.Errorf("%w: this call does not come from Claude Code in a session that Afar knows", errDenied)
	}
	if ledger.Of(s.cfg.Place.Dirs.Calls(), string(v.ID), id) != ledger.Seen {
		return fmt.Errorf("%w: Afar's guard has not let this tool call of %s through", errDenied, v.Token)
	}
	return nil
}

// clientOf returns the session whose client is the first process of a line.
func (s *Server) clientOf(line []peer.Process) (v session.Session, ok bool) {
	if len(line) == 0 {
		return v, false
	}
	v, ok = s.cfg.Core.OfClient(line[0].PID)
	return v, ok && peer.Lives(v.Client, v.ClientBorn)
}

// tools says where the tools are served over HTTP.
func (s *Server) tools(*call, wire.None) (out wire.ToolsReply, err error) {
	page := s.cfg.Page.URL()
	if page == "" {
		return wire.ToolsReply{Note: s.cfg.Page.State().Note}, nil
	}
	return wire.ToolsReply{URL: page + wire.ToolsPath}, nil
}

// toolMessage answers a message of an agent that came over the stdio of `afar mcp`.
func (s *Server) toolMessage(c *call, in wire.ToolMessageRequest) (out wire.ToolMessageReply, err error) {
	if in.ID == "" || len(in.ID) > 80 {
		return out, badRequest("a message of an agent needs an id of its own")
	}
	answer, err := s.cfg.Tools(c.ctx, c.line, in.ID, in.Message)
	if err != nil && !errors.Is(err, context.Canceled) {
		err = badRequest("%v", err)
	}
	return wire.ToolMessageReply{Message: answer}, err
}
