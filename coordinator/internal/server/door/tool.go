package door

import (
	"context"
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/ledger"
	"github.com/afar-sh/afar/coordinator/peer"
)

// Tool carries out one operation for the session that a process belongs to, with the
// permissions of a program that the session has started. line is the process with its
// ancestors. in is the request type of the operation, and reply its reply type.
func (d *Door) Tool(ctx context.Context, line []peer.Process, op string, in any) (reply any, err error) {
	if v, _ := d.cfg.Callers.Author(line); v.ID == "" {
		return nil, fmt.Errorf("%w: this call belongs to no session that Afar knows", ErrDenied)
	}
	return d.take(&Call{door: d, Ctx: ctx, op: op, Line: line}, in)
}

// MadeCall returns an error unless the first process of a line is itself the client of a
// session, and the guard let the session's tool call with this id through. A program that a
// session starts is not its client, and a client has the calls of its own session alone.
func (d *Door) MadeCall(line []peer.Process, id string) error {
	err := d.madeCall(line, id)
	if err != nil && d.fresh(err.Error()) {
		d.refused("tool", err.Error())
	}
	return err
}

func (d *Door) madeCall(line []peer.Process, id string) error {
	if !peer.Supported {
		return fmt.Errorf("%w: on this system Afar cannot tell which program calls", ErrDenied)
	}
	v, ok := d.clientOf(line)
	if !ok {
		return fmt.Errorf("%w: this call does not come from Claude Code in a session that Afar knows", ErrDenied)
	}
	if ledger.Of(d.cfg.Dirs.Calls(), string(v.ID), id) != ledger.Seen {
		return fmt.Errorf("%w: Afar's guard has not let this tool call of %s through", ErrDenied, v.Token)
	}
	return nil
}

// clientOf returns the session whose client is the first process of a line.
func (d *Door) clientOf(line []peer.Process) (v session.Session, ok bool) {
	if len(line) == 0 {
		return v, false
	}
	v, ok = d.core.OfClient(line[0].PID)
	return v, ok && peer.Lives(v.Client, v.ClientBorn)
}
