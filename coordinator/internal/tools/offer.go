package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/afar-sh/afar/coordinator/internal/schema"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A call is one call of a tool.
type call struct {
	*Server
	ctx  context.Context
	line []peer.Process // of the session that makes it, see Config.Call
	id   string         // a repeated call has the same
}

// ask carries out an operation for the session of a call.
func ask[Request, Reply any](c call, op wire.Op[Request, Reply], in Request) (Reply, error) {
	return op.With(in).Through(func(op string, in any) (any, error) { return c.cfg.Call(c.ctx, c.line, op, in) })
}

// offer adds a tool. Its arguments are the fields of In; do returns what the agent reads. The
// first sentence of about is what agents find the tool by.
func offer[In any](s *Server, name, about string, do func(call, In) (string, error)) {
	form := schema.Of[In]()
	tool := &mcp.Tool{Name: name, Description: about, InputSchema: form}
	s.mcp.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in, err := arguments[In](req.Params.Arguments, form)
		if err != nil {
			return result("", fmt.Errorf("the arguments do not fit: %w. %s", err, usage(name, form))), nil
		}
		c, err := s.callOf(ctx, req)
		if err != nil {
			return result("", err), nil
		}
		return result(do(c, in)), nil
	})
}

// arguments reads the arguments of a call.
func arguments[In any](raw json.RawMessage, form schema.Schema) (in In, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if err := schema.Check(form, raw); err != nil {
		return in, err
	}
	return in, json.Unmarshal(raw, &in)
}

// usage says which arguments a tool takes.
func usage(name string, form schema.Schema) string {
	if len(form.Properties) == 0 {
		return name + " takes no arguments."
	}
	var all []string
	for _, key := range form.PropertyOrder {
		p, must := form.Properties[key], "optional"
		if slices.Contains(form.Required, key) {
			must = "required"
		}
		all = append(all, fmt.Sprintf("%s (%s, %s): %s", key, p.Type, must, p.Description))
	}
	return name + " takes: " + strings.Join(all, "; ") + ". Mend them and call it again."
}

// result is what an agent reads of a call.
func result(text string, err error) *mcp.CallToolResult {
	if err != nil {
		text = strings.TrimPrefix(err.Error(), "bad request: ")
	}
	return &mcp.CallToolResult{
		IsError: err != nil,
		Content: []mcp.Content{&mcp.TextContent{Text: text}},
	}
}

// A caller is who sends a message.
type caller struct {
	line func() ([]peer.Process, error)
	id   string // of the message; "" over HTTP, where the tool call has one
}

type callerKey struct{}

// hostsID is where Claude Code writes the id of a tool call, the one that its hooks get.
const hostsID = "claudecode/toolUseId"

// errNobody says that a call cannot be traced to a session.
var errNobody = errors.New("refused: this call belongs to no session")

// callOf returns the call that a request makes, with the session that makes it.
func (s *Server) callOf(ctx context.Context, req *mcp.CallToolRequest) (c call, err error) {
	from, ok := ctx.Value(callerKey{}).(caller)
	if !ok {
		return c, errNobody
	}
	line, err := from.line()
	if err != nil {
		return c, fmt.Errorf("%w: %w", errNobody, err)
	}
	c = call{Server: s, ctx: ctx, line: line, id: from.id}
	if c.id != "" {
		return c, nil
	}
	c.id, _ = req.Params.Meta[hostsID].(string)
	if c.id == "" {
		return c, fmt.Errorf("%w: it has no id of a tool call", errNobody)
	}
	return c, s.cfg.Made(line, c.id)
}
