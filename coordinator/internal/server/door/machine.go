package door

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/wire"
)

// This file carries out operations on other machines of the fleet. What reads is read there. What changes something is
// an order: it waits here until the machine has said what it came to.

// carryOut carries out an operation which its caller may ask for, on the machine of the thing that it names. in is the
// decoded request, or the JSON of it.
func (d *Door) carryOut(row Operation, c *Call, in any) (any, error) {
	raw, isRaw := in.(json.RawMessage)
	m, there, isElsewhere := d.placed(row, in)
	switch {
	case isElsewhere:
		return d.carryOutOn(m, row, c, there)
	case isRaw:
		c.body = raw
		return row.do(c)
	}
	return row.take(c, in)
}

// placed returns the other machine of the fleet whose thing a request names, and the request as that machine reads it.
// ok is false for a thing of this machine.
func (d *Door) placed(row Operation, in any) (m fleet.Machine, there json.RawMessage, ok bool) {
	if !row.isAnywhere || d.core.Fleet().Role != fleet.Hub {
		return m, nil, false
	}
	raw, isRaw := in.(json.RawMessage)
	var err error
	if !isRaw {
		raw, err = json.Marshal(in)
	}
	fields := map[string]json.RawMessage{}
	var id string
	if err != nil || json.Unmarshal(raw, &fields) != nil || json.Unmarshal(fields["id"], &id) != nil {
		return m, nil, false // the operation says what is wrong
	}
	id, name := fleet.Split(id)
	if m, err = d.core.Machine(name); err != nil || name == "" {
		return m, nil, false
	}
	fields["id"], _ = json.Marshal(id) // a text
	there, err = json.Marshal(fields)
	return m, there, err == nil
}

// carryOutOn carries out an operation on another machine. A thing of a machine that is away is read as it was shown
// last.
func (d *Door) carryOutOn(m fleet.Machine, row Operation, c *Call, in json.RawMessage) (any, error) {
	at := Origin(d.core, m)
	var reply json.RawMessage
	var err error
	switch {
	case row.Access != Reader && row.Manner == Keyed && len(in) > maxOrder:
		reply, err = c.sendNow(m, row.name, in)
	case row.Access != Reader:
		reply, err = c.order(m, row.name, in)
	case at.AwayAt == 0:
		reply, err = d.cfg.Do(c.Ctx, m.ID, c.Decider(), row.name, in)
	default:
		var named wire.Named
		_ = json.Unmarshal(in, &named) // it was made by placed
		if reply = d.mirror(m.ID, row.mirrored, named.ID); reply == nil {
			err = fmt.Errorf("%s: %w", m.Name, feature.ErrAway)
		}
	}
	if err != nil {
		return nil, err
	}
	return row.reply(reply, at)
}

// orderFor is how long the command line and the page wait for what another machine makes of an order. It goes on there
// after that.
const orderFor = 15 * time.Second

// maxOrder bounds the request of an order, in bytes.
const maxOrder = 256 << 10

// order has another machine carry out an operation for the person. The command line and the page get what it came to.
// For what the person did on a channel the reply is empty: they are told later.
func (c *Call) order(m fleet.Machine, op string, in json.RawMessage) (json.RawMessage, error) {
	if err := c.allowThere(); err != nil {
		return nil, err
	}
	if len(in) > maxOrder {
		return nil, BadRequest("%d kB are too much for another machine; want at most %d", len(in)>>10, maxOrder>>10)
	}
	o, err := c.door.core.Order(fleet.Order{Machine: m.ID, Op: op, In: in, By: c.Decider(), Act: c.act})
	if err != nil {
		return nil, err
	}
	if c.act.Channel != "" {
		c.on = m.Name
		return nil, nil
	}
	return c.AwaitOrder(m, o)
}

var errOfSession = fmt.Errorf("%w: a session asks nothing of another machine, and may only propose a run there",
	ErrDenied)

// allowThere returns an error unless the person asks for a change on another machine.
func (c *Call) allowThere() error {
	if c.writesAsSession() {
		return errOfSession
	}
	return c.AllowPerson()
}

// sendNow has another machine carry out an operation whose request is too large to wait here, such as one with a file.
func (c *Call) sendNow(m fleet.Machine, op string, in json.RawMessage) (json.RawMessage, error) {
	if err := c.allowThere(); err != nil {
		return nil, err
	}
	if !m.Decides {
		return nil, BadRequest("%s", ask.From{Name: m.Name}.OnlyThere())
	}
	return c.door.cfg.Do(c.Ctx, m.ID, c.Decider(), op, in)
}

// ErrUnderway says that nobody knows yet what an order came to.
var ErrUnderway = errors.New("has not answered yet: it is carried out when it does")

// AwaitOrder returns what an order came to.
func (c *Call) AwaitOrder(m fleet.Machine, o fleet.Order) (json.RawMessage, error) {
	if !c.door.core.IsPresent(m.ID) {
		return nil, fmt.Errorf("%s is not reachable now and %w", m.Name, ErrUnderway)
	}
	ctx, cancel := context.WithTimeout(c.Ctx, orderFor)
	defer cancel()
	o, ended := c.door.core.AwaitOrder(ctx, o.ID())
	switch {
	case !ended:
		return nil, fmt.Errorf("%s %w", m.Name, ErrUnderway)
	case o.Reply.Error != "":
		return nil, &remoteError{code: o.Reply.Code, text: m.Name + ": " + o.Reply.Error}
	}
	return o.Reply.Body, nil
}

// OrderOn has the machine with a name carry out an operation whose request names no thing of that machine.
func OrderOn[Request, Reply any](
	c *Call, name string, op wire.Op[Request, Reply], in Request,
) (out Reply, err error) {
	m, err := c.door.core.Machine(name)
	if err != nil {
		return out, err
	}
	raw, err := json.Marshal(in)
	if err == nil {
		raw, err = c.order(m, string(op), raw)
	}
	if err != nil {
		return out, err
	}
	return decodeReply(op, raw, Origin(c.door.core, m))
}

// decodeReply decodes what another machine replies; the names in it are addresses then. Nothing is the zero Reply.
func decodeReply[Request, Reply any](
	_ wire.Op[Request, Reply], raw json.RawMessage, on wire.Origin,
) (out Reply, err error) {
	if len(raw) == 0 {
		return out, nil
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return out, fmt.Errorf("the reply of %s: %w", on.Machine, err)
	}
	if thing, isThing := any(&out).(interface{ From(wire.Origin) }); isThing {
		thing.From(on)
	}
	return out, nil
}

// A remoteError is the error of an operation on another machine.
type remoteError struct{ code, text string }

func (e *remoteError) Error() string { return e.text }

// machineCall carries out an operation on another machine. The caller is checked as for the operation here.
func machineCall(c *Call, in wire.MachineCall) (out wire.Raw, err error) {
	self := c.door.core.Fleet()
	if self.Role != fleet.Hub {
		return nil, BadRequest("only the hub of a fleet calls another machine")
	}
	row, known := c.door.table[in.Op]
	if !known || row.IsHere || row.Access.ofPrograms() {
		return nil, BadRequest("%s is done on the machine itself", in.Op)
	}
	asked := c.As(in.Op)
	switch err := asked.allow(row); {
	case err != nil:
		return nil, err
	case in.Op == string(wire.OpAnswer) || in.Op == string(wire.OpSend):
		if err := asked.AllowTerminal(); err != nil {
			return nil, err
		}
	}
	m, err := c.door.core.Machine(in.Machine)
	if err != nil {
		return nil, err
	}
	switch {
	case row.propose != nil && asked.SessionAsks():
		return row.propose(asked, m, in.Body)
	case asked.writesAsSession():
		return nil, errOfSession
	}
	if row.Access == Reader {
		reply, err := c.door.cfg.Do(c.Ctx, m.ID, c.Decider(), in.Op, in.Body)
		return wire.Raw(reply), err
	}
	reply, err := c.order(m, in.Op, json.RawMessage(in.Body))
	return wire.Raw(reply), err
}

// Remote carries out an operation for the hub that changes nothing, or that comes to the same when it is done again. in
// is its request, or the JSON of it.
func (d *Door) Remote(ctx context.Context, by, op string, in any) (any, error) {
	row, ok := d.table[op]
	mayRepeat := row.Access == Reader || row.Manner == Keyed
	if !ok || !mayRepeat || row.IsHere {
		return nil, BadRequest("%s is no operation that the hub may repeat", op)
	}
	return d.take(&Call{door: d, Ctx: ctx, op: op, by: by, via: fleet.Channel}, in)
}

// Origin returns where the things of a machine are, as a Core knows it.
func Origin(c *feature.Core, m fleet.Machine) wire.Origin {
	at := wire.Origin{Machine: m.Name, SeenAt: wire.Millis(m.Known.SeenAt)}
	if !c.IsPresent(m.ID) {
		at.AwayAt = cmp.Or(at.SeenAt, wire.Millis(m.JoinedAt))
	}
	return at
}

// mirror returns what a machine showed last of the thing with an id or a name, nil for nothing.
func (d *Door) mirror(of fleet.MachineID, kind, name string) []byte {
	for _, m := range d.core.MirrorsOn(of, kind) {
		var is struct{ ID, Token, Name string }
		if json.Unmarshal(m.Body, &is) == nil && slices.Contains([]string{is.ID, is.Token, is.Name}, name) {
			return m.Body
		}
	}
	return nil
}
