package noun

import (
	"context"
	"errors"

	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

// tools says where the tools are served over HTTP.
func (s *Server) tools(*door.Call, wire.None) (out wire.ToolsReply, err error) {
	page := s.cfg.Page.URL()
	if page == "" {
		return wire.ToolsReply{Note: s.cfg.Page.State().Note}, nil
	}
	return wire.ToolsReply{URL: page + wire.ToolsPath}, nil
}

// toolMessage answers a message of an agent that came over the stdio of `afar mcp`.
func (s *Server) toolMessage(c *door.Call, in wire.ToolMessageRequest) (out wire.ToolMessageReply, err error) {
	if in.ID == "" || len(in.ID) > 80 {
		return out, door.BadRequest("a message of an agent needs an id of its own")
	}
	answer, err := s.cfg.Tools(c.Ctx, c.Line, in.ID, in.Message)
	if err != nil && !errors.Is(err, context.Canceled) {
		err = door.BadRequest("%v", err)
	}
	return wire.ToolMessageReply{Message: answer}, err
}
