package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/wire"
)

// This file carries out operations on other machines of the fleet. What reads is read there. What changes something is
// an order: it waits here until the machine has said what it came to.

// carryOut carries out an operation which its caller may ask for, on the machine of the thing that it names. in is the
// decoded request, or the JSON of it.
func (s *Server) carryOut(row operation, c *call, in any) (any, error) {
	raw, isRaw := in.(json.RawMessage)
	m, there, isElsewhere := s.placed(row, in)
	switch {
	case isElsewhere:
		return s.carryOutOn(m, row, c, there)
	case isRaw:
		c.body = raw
		return row.do(s, c)
	}
	return row.take(s, c, in)
}

// placed returns the other machine of the fleet whose thing a request names, and the request as that machine reads it.
// ok is false for a thing of this machine.
func (s *Server) placed(row operation, in any) (m fleet.Machine, there json.RawMessage, ok bool) {
	if !row.isAnywhere || s.cfg.Core.Fleet().Role != fleet.Hub {
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
	if m, err = s.cfg.Core.Machine(name); err != nil || name == "" {
		return m, nil, false
	}
	fields["id"], _ = json.Marshal(id) // a text
	there, err = json.Marshal(fields)
	return m, there, err == nil
}

// carryOutOn carries out an operation on another machine. A thing of a machine that is away is read as it was shown
// last.
func (s *Server) carryOutOn(m fleet.Machine, row operation, c *call, in json.RawMessage) (any, error) {
	at := s.origin(m)
	var reply json.RawMessage
	var err error
	switch {
	case row.access != reader && row.manner == keyed && len(in) > maxOrder:
		reply, err = s.sendNow(m, c, row.name, in)
	case row.access != reader:
		reply, err = s.order(m, c, row.name, in)
	case at.AwayAt == 0:
		reply, err = s.cfg.Fleet.Do(c.ctx, m.ID, c.decider(), row.name, in)
	default:
		var named wire.Named
		_ = json.Unmarshal(in, &named) // it was made by placed
		if reply = s.mirror(m.ID, row.mirrored, named.ID); reply == nil {
			err = fmt.Errorf("%s: %w", m.Name, core.ErrAway)
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
func (s *Server) order(m fleet.Machine, c *call, op string, in json.RawMessage) (json.RawMessage, error) {
	if err := s.allowThere(c); err != nil {
		return nil, err
	}
	if len(in) > maxOrder {
		return nil, badRequest("%d kB are too much for another machine; want at most %d", len(in)>>10, maxOrder>>10)
	}
	o, err := s.cfg.Core.Order(fleet.Order{Machine: m.ID, Op: op, In: in, By: c.decider(), Act: c.act})
	if err != nil {
		return nil, err
	}
	if c.act.Channel != "" {
		c.on = m.Name
		return nil, nil
	}
	return s.awaitOrder(c, m, o)
}

var errOfSession = fmt.Errorf("%w: a session asks nothing of another machine, and may only propose a run there", errDenied)

// allowThere returns an error unless the person asks for a change on another machine.
func (s *Server) allowThere(c *call) error {
	if s.writesAsSession(c) {
		return errOfSession
	}
	return s.allowPerson(c)
}

// sendNow has another machine carry out an operation whose request is too large to wait here, such as one with a file.
func (s *Server) sendNow(m fleet.Machine, c *call, op string, in json.RawMessage) (json.RawMessage, error) {
	if err := s.allowThere(c); err != nil {
		return nil, err
	}
	if !m.Decides {
		return nil, badRequest("%s", ask.From{Name: m.Name}.OnlyThere())
	}
	return s.cfg.Fleet.Do(c.ctx, m.ID, c.decider(), op, in)
}

// errUnderway says that nobody knows yet what an order came to.
var errUnderway = errors.New("has not answered yet: it is carried out when it does")

// awaitOrder returns what an order came to.
func (s *Server) awaitOrder(c *call, m fleet.Machine, o fleet.Order) (json.RawMessage, error) {
	if !s.cfg.Core.IsPresent(m.ID) {
		return nil, fmt.Errorf("%s is not reachable now and %w", m.Name, errUnderway)
	}
	ctx, cancel := context.WithTimeout(c.ctx, orderFor)
	defer cancel()
	o, ended := s.cfg.Core.AwaitOrder(ctx, o.ID())
	switch {
	case !ended:
		return nil, fmt.Errorf("%s %w", m.Name, errUnderway)
	case o.Reply.Error != "":
		return nil, &remoteError{code: o.Reply.Code, text: m.Name + ": " + o.Reply.Error}
	}
	return o.Reply.Body, nil
}

// orderOn has the machine with a name carry out an operation whose request names no thing of that machine.
func orderOn[Request, Reply any](
	s *Server, c *call, name string, op wire.Op[Request, Reply], in Request,
) (out Reply, err error) {
	m, err := s.cfg.Core.Machine(name)
	if err != nil {
		return out, err
	}
	raw, err := json.Marshal(in)
	if err == nil {
		raw, err = s.order(m, c, string(op), raw)
	}
	if err != nil {
		return out, err
	}
	return decodeReply(op, raw, s.origin(m))
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

// notThere are the operations that no machine carries out for another: they are about the machine itself.
var notThere = []string{
	string(wire.OpShutdown), string(wire.OpPerson), string(wire.OpSignOut), string(wire.OpMachineCall),
	string(wire.OpConfigSet), string(wire.OpPolicyTrust), string(wire.OpToolMessage),
	string(wire.OpTelegramConnect), string(wire.OpTelegramPair), string(wire.OpTelegramDisconnect),
	string(wire.OpFleetServe), string(wire.OpFleetInvite), string(wire.OpFleetJoin), string(wire.OpFleetRename),
	string(wire.OpFleetRemove), string(wire.OpFleetLeave), string(wire.OpRunTake), string(wire.OpRunOpen),
}

// The row of machine.call is added by itself, because the operation looks into the table.
func init() {
	operations[string(wire.OpMachineCall)] = row(wire.OpMachineCall, self, (*Server).machineCall).by(keyed)
}

// machineCall carries out an operation on another machine. The caller is checked as for the operation here.
func (s *Server) machineCall(c *call, in wire.MachineCall) (out wire.Raw, err error) {
	self := s.cfg.Core.Fleet()
	if self.Role != fleet.Hub {
		return nil, badRequest("only the hub of a fleet calls another machine")
	}
	row, known := operations[in.Op]
	if !known || slices.Contains(notThere, in.Op) || slices.Contains([]access{hook, own, runner}, row.access) {
		return nil, badRequest("%s is done on the machine itself", in.Op)
	}
	asked := *c
	asked.op, asked.body = in.Op, in.Body
	switch err := s.allow(row, &asked); {
	case err != nil:
		return nil, err
	case in.Op == string(wire.OpAnswer) || in.Op == string(wire.OpSend):
		if err := s.allowTerminal(&asked); err != nil {
			return nil, err
		}
	}
	m, err := s.cfg.Core.Machine(in.Machine)
	if err != nil {
		return nil, err
	}
	switch {
	case in.Op == string(wire.OpRunStart) && s.sessionAsks(&asked):
		return s.proposeOn(m, &asked)
	case s.writesAsSession(&asked):
		return nil, errOfSession
	}
	if row.access == reader {
		reply, err := s.cfg.Fleet.Do(c.ctx, m.ID, c.decider(), in.Op, in.Body)
		return wire.Raw(reply), err
	}
	reply, err := s.order(m, c, in.Op, json.RawMessage(in.Body))
	return wire.Raw(reply), err
}

// placeOn returns the directory of the session, run or project with a name on another machine, as that machine shows
// it; "" is where it worked last.
func (s *Server) placeOn(machine, name string) (dir string, err error) {
	m, err := s.cfg.Core.Machine(machine)
	if err != nil {
		return "", err
	}
	var newest int64
	for _, kind := range []string{fleet.OfSession, fleet.OfRun} {
		for _, one := range s.cfg.Core.MirrorsOn(m.ID, kind) {
			var at struct {
				Token, Name, Project, Dir string
				Since                     int64
			}
			if json.Unmarshal(one.Body, &at) != nil {
				continue
			}
			here := cmp.Or(at.Project, at.Dir)
			called := slices.Contains([]string{at.Token, at.Name, filepath.Base(here), here}, name)
			if here != "" && (name == "" || called) && at.Since >= newest {
				dir, newest = here, at.Since
			}
		}
	}
	if dir == "" {
		return "", badRequest("%s shows no session, run or project named %.60q", m.Name, name)
	}
	return dir, nil
}

// Remote carries out an operation for the hub that changes nothing, or that comes to the same when it is done again. in
// is its request, or the JSON of it.
func (s *Server) Remote(ctx context.Context, by, op string, in any) (any, error) {
	row, ok := operations[op]
	mayRepeat := row.access == reader || row.manner == keyed
	if !ok || !mayRepeat || slices.Contains(notThere, op) {
		return nil, badRequest("%s is no operation that the hub may repeat", op)
	}
	return s.take(&call{ctx: ctx, op: op, by: by, via: fleet.Channel}, in)
}
