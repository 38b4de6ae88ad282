package server

import (
	"context"
	"fmt"
)

// telegram is the name of the phone as a channel.
const telegram = "telegram"

// Phone carries out one operation for the person who is paired with the phone. The channel
// has checked that it is them; name is theirs. in is the request type of the operation, and
// reply its reply type.
func (s *Server) Phone(ctx context.Context, name, op string, in any) (reply any, err error) {
	row, ok := operations[op]
	if !ok {
		return nil, fmt.Errorf("unknown operation %q", op)
	}
	c := &call{ctx: ctx, op: op, phone: name}
	switch row.access {
	case asker, standing, writer:
		err = s.allowStanding(c)
	case change:
		err = s.allowChannel(c)
	case reader, self, owner, person:
	default:
		err = fmt.Errorf("%w: %s is not for a person", errDenied, op)
	}
	if err != nil {
		return nil, err
	}
	s.cfg.Marks()
	return row.take(s, c, in)
}

// onChannel reports whether a call comes from the page or the phone, not over the socket.
func (c *call) onChannel() bool { return c.page || c.phone != "" }

// allowChannel returns an error for a decision from a channel whose answers do not count. The
// command line is a way out that always counts.
func (s *Server) allowChannel(c *call) error {
	if !c.onChannel() {
		return nil
	}
	return s.allowHere(c)
}
