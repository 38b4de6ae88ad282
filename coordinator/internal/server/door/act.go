package door

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Act carries out the operation that the person asked for with what they did on a channel, and has the channel
// tell them the reply. The channel has checked that it is them. An error says that the update is not dealt
// with: it is handled again.
func (d *Door) Act(ctx context.Context, act channel.Act, op string, in any) error {
	if do, is := presses[op]; is {
		return d.core.Act(act, func(one *feature.Core) (channel.Settlement, error) { return pressed(one, do, in) })
	}
	row, known := d.table[op]
	out := channel.Reply{Op: op, As: act.As}
	if !known { // of a hub that is newer; an error would have it tried for ever
		out.Code, out.Error = wire.CodeUnknownOp, fmt.Sprintf("Afar %s here does not know %.40q", d.cfg.Self.Version, op)
		return d.core.Act(act, func(*feature.Core) (channel.Settlement, error) {
			return channel.Settlement{Reply: &out}, nil
		})
	}
	c := &Call{door: d, Ctx: ctx, op: op, by: act.By, via: act.Channel, stored: true, act: act}
	manner := row.Manner
	if _, _, isElsewhere := d.placed(row, in); isElsewhere && manner == Keyed {
		manner = Step // another machine touches the files; to order it there is one step of core
	}
	switch manner {
	case Step:
		return d.core.Act(act, func(one *feature.Core) (channel.Settlement, error) {
			c.door = d.within(one)
			out, err := c.door.replyTo(c, in, out)
			return channel.Settlement{Reply: &out}, err
		})
	case Reading:
		raw, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
		out.In = raw
	case Keyed:
		var err error
		if out, err = d.replyTo(c, in, out); err != nil {
			return err
		}
	}
	return d.core.Act(act, func(*feature.Core) (channel.Settlement, error) {
		return channel.Settlement{Reply: &out}, nil
	})
}

// presses are the operations that only Act knows: what the person does on the cards of a channel and with texts that
// name no address. Each is one step of core.
var presses = map[string]func(*feature.Core, core.Press) (core.Told, error){
	channel.OpPress:   (*feature.Core).Press,
	channel.OpWritten: (*feature.Core).Written,
	channel.OpChoose:  (*feature.Core).Choose,
}

func pressed(
	one *feature.Core, do func(*feature.Core, core.Press) (core.Told, error), in any,
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
func (d *Door) replyTo(c *Call, in any, out channel.Reply) (channel.Reply, error) {
	reply, err := d.take(c, in)
	made := success(reply, err)
	if made.Code == wire.CodeUnwritable || made.Code == wire.CodeClosing {
		return out, err
	}
	out.Body, out.Code, out.Error = json.RawMessage(made.Body), made.Code, made.Error
	out.Machine, out.Soon = c.on, c.on != ""
	return out, nil
}

// Phone returns what an operation replies that the phone asks for while it tells the person something.
func (d *Door) Phone(ctx context.Context, name, op string, in any) (reply any, err error) {
	return d.take(&Call{door: d, Ctx: ctx, op: op, by: name, via: Telegram}, in)
}

// Page carries out one operation for a browser that is signed in to the page, with the
// permissions that the command line has. line is the process at the other end, with its
// ancestors; it is empty if that is unknown. in is the request type of the operation, and
// reply its reply type.
func (d *Door) Page(ctx context.Context, line []peer.Process, op string, in any) (reply any, err error) {
	return d.take(&Call{door: d, Ctx: ctx, op: op, Line: line, via: Web}, in)
}

// take carries out an operation that did not come over the socket. in is its decoded request, or the JSON of it.
func (d *Door) take(c *Call, in any) (reply any, err error) {
	row, ok := d.table[c.op]
	if !ok {
		return nil, fmt.Errorf("unknown operation %q", c.op)
	}
	if err := c.allow(row); err != nil {
		return nil, err
	}
	d.cfg.Marks()
	return d.carryOut(row, c, in)
}
