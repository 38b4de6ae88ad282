package server

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
)

// telegram is the name of the phone as a channel.
const telegram = "telegram"

// Act carries out the operation that the person asked for with what they did on a channel, and has the channel
// tell them the reply. The channel has checked that it is them. An error says that the update is not dealt
// with: it is handled again.
func (s *Server) Act(ctx context.Context, act channel.Act, op string, in any) error {
	if do, is := presses[op]; is {
		return s.cfg.Core.Act(act, func(one *core.Core) (channel.Settlement, error) { return pressed(one, do, in) })
	}
	row, known := operations[op]
	out := channel.Reply{Op: op, As: act.As}
	if !known { // of a hub that is newer; an error would have it tried for ever
		out.Code, out.Error = wire.CodeUnknownOp, fmt.Sprintf("Afar %s here does not know %.40q", s.cfg.Self.Version, op)
		return s.cfg.Core.Act(act, func(*core.Core) (channel.Settlement, error) {
			return channel.Settlement{Reply: &out}, nil
		})
	}
	c := &call{ctx: ctx, op: op, by: act.By, via: act.Channel, stored: true, act: act}
	manner := row.manner
	if _, _, isElsewhere := s.placed(row, in); isElsewhere && manner == keyed {
		manner = step // another machine touches the files; to order it there is one step of core
	}
	switch manner {
	case step:
		return s.cfg.Core.Act(act, func(one *core.Core) (channel.Settlement, error) {
			inAct := &Server{cfg: s.cfg, shared: s.shared}
			inAct.cfg.Core = one
			out, err := inAct.replyTo(c, in, out)
			return channel.Settlement{Reply: &out}, err
		})
	case reading:
		raw, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
		out.In = raw
	case keyed:
		var err error
		if out, err = s.replyTo(c, in, out); err != nil {
			return err
		}
	}
	return s.cfg.Core.Act(act, func(*core.Core) (channel.Settlement, error) {
		return channel.Settlement{Reply: &out}, nil
	})
}

// presses are the operations that only Act knows: what the person does on the cards of a channel and with texts that
// name no address. Each is one step of core.
var presses = map[string]func(*core.Core, core.Press) (core.Told, error){
	channel.OpPress:   (*core.Core).Press,
	channel.OpWritten: (*core.Core).Written,
	channel.OpChoose:  (*core.Core).Choose,
}

func pressed(
	one *core.Core, do func(*core.Core, core.Press) (core.Told, error), in any,
) (out channel.Settlement, err error) {
	p := in.(core.Press)
	told, err := do(one, p)
	if told.Worded != nil {
		out.Text, out.Refused = told.Words(), channel.IsRefusal(told.Worded)
	}
	if told.Edit {
		out.Edit = p.Message
	}
	out.Choose = string(told.Choose)
	return out, err
}

// replyTo carries out an operation and adds what it came to. An error says that it is to be tried again.
func (s *Server) replyTo(c *call, in any, out channel.Reply) (channel.Reply, error) {
	reply, err := s.take(c, in)
	made := success(reply, err)
	if made.Code == wire.CodeUnwritable || made.Code == wire.CodeClosing {
		return out, err
	}
	out.Body, out.Code, out.Error = json.RawMessage(made.Body), made.Code, made.Error
	out.Machine, out.Soon = c.on, c.on != ""
	return out, nil
}

// kept returns a secret for a reply: hidden if the reply is stored.
func (c *call) kept(secret string) string {
	if c.stored && secret != "" {
		return redact.Hidden
	}
	return secret
}

// Phone returns what an operation replies that the phone asks for while it tells the person something.
func (s *Server) Phone(ctx context.Context, name, op string, in any) (reply any, err error) {
	return s.take(&call{ctx: ctx, op: op, by: name, via: telegram}, in)
}
