package noun

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A Fleet is what the server knows of the link to other machines.
type Fleet interface {
	// Serve and Join change what this machine is; the coordinator starts again as that.
	Serve(ctx context.Context, in wire.FleetServeRequest) (wire.FleetChanged, error)
	Join(ctx context.Context, in wire.FleetJoinRequest) (wire.FleetChanged, error)
	Leave(ctx context.Context) error
	Invite(in wire.FleetInviteRequest) (wire.FleetInvitation, error)
	Remove(ctx context.Context, id fleet.MachineID)
	// Do returns the reply of an operation of another machine. It changes nothing, or comes to the same when it is done
	// again.
	Do(ctx context.Context, id fleet.MachineID, by, op string, in []byte) (json.RawMessage, error)
	// State says how the link is, in words, "" where it is as it should be.
	State() string
	// Checks says how each machine of the fleet is, for people; nothing without a fleet.
	Checks() []wire.Check
}

var errNoFleet = door.BadRequest("this machine has no fleet: afar fleet serve makes it the hub of one")

func (s *Server) machines(*door.Call, wire.None) (out wire.MachinesReply, err error) {
	out.Machines = []wire.Machine{}
	self := s.cfg.Core.Fleet()
	if self.Role == fleet.None {
		return out, nil
	}
	here := wire.Machine{
		ID: string(self.ID), Name: self.Name, Role: string(self.Role), State: wire.MachineHere,
		Decides: self.Decides || self.Role == fleet.Hub,
		Version: s.cfg.Self.Version, SeenAt: time.Now().UnixMilli(),
	}
	for _, a := range s.cfg.Core.Asks(false) {
		if !a.Mirrored() && a.Waiting() {
			here.OpenAsks++
		}
	}
	_, here.Sessions = s.cfg.Core.Running(0, 1)
	_, here.Runs = s.cfg.Core.FirstRuns(1)
	if here.WaitingOut, err = s.cfg.Core.Undone(fleet.Channel); err != nil {
		return out, err
	}
	out.Machines = append(out.Machines, here)
	for _, m := range s.cfg.Core.Machines() {
		out.Machines = append(out.Machines, s.wireMachine(m))
	}
	if self.Role == fleet.Member {
		out.Machines = append(out.Machines, wire.Machine{
			ID: string(self.HubID), Name: self.Peer.Name, Role: string(fleet.Hub), State: s.linkState(),
			SeenAt: self.Peer.SeenAt.UnixMilli(), Version: self.Peer.Version, Decides: true,
		})
	}
	return out, nil
}

// linkState returns the state of the hub as a member sees it.
func (s *Server) linkState() string {
	if s.cfg.Fleet.State() == "" {
		return wire.MachineUp
	}
	return wire.MachineAway
}

func (s *Server) wireMachine(m fleet.Machine) wire.Machine {
	w := wire.Machine{
		ID: string(m.ID), Name: m.Name, Role: string(fleet.Member), State: wire.MachineAway, Version: m.Known.Version,
		Decides: m.Decides, WaitingOut: len(s.cfg.Core.Waiting(m.ID)), OpenAsks: len(s.cfg.Core.OpenMirrors(m.ID)),
	}
	if !m.Known.SeenAt.IsZero() {
		w.SeenAt = m.Known.SeenAt.UnixMilli()
	}
	switch {
	case m.Doubled:
		w.State = wire.MachineRefused
	case s.cfg.Core.IsPresent(m.ID):
		w.State = wire.MachineUp
	}
	w.Sessions = len(s.cfg.Core.MirrorsOn(m.ID, fleet.OfSession))
	w.Runs = len(s.cfg.Core.MirrorsOn(m.ID, fleet.OfRun))
	return w
}

func (s *Server) machine(c *door.Call, in wire.Named) (out wire.MachineReply, err error) {
	self := s.cfg.Core.Fleet()
	if self.Role != fleet.None && (in.ID == self.Name || in.ID == string(self.ID)) {
		all, err := s.machines(c, wire.None{})
		return wire.MachineReply{Machine: all.Machines[0], Mirrors: []wire.Age{}, Link: s.cfg.Fleet.State()}, err
	}
	m, err := s.cfg.Core.Machine(in.ID)
	if err != nil {
		return out, err
	}
	out = wire.MachineReply{
		Machine: s.wireMachine(m), Aliases: m.Aliases, OffsetMS: m.Known.Offset, Mirrors: []wire.Age{},
	}
	for _, kind := range fleet.Kinds {
		age := wire.Age{Kind: kind}
		for _, one := range s.cfg.Core.MirrorsOn(m.ID, kind) {
			age.Count, age.At = age.Count+1, max(age.At, one.At.UnixMilli())
		}
		out.Mirrors = append(out.Mirrors, age)
	}
	if out.State == wire.MachineUp {
		began := time.Now()
		if _, err := s.cfg.Fleet.Do(c.Ctx, m.ID, c.Decider(), string(wire.OpPing), nil); err == nil {
			out.LagMS = max(time.Since(began).Milliseconds(), 1)
		}
	}
	return out, nil
}

func (s *Server) fleetServe(c *door.Call, in wire.FleetServeRequest) (out wire.FleetChanged, err error) {
	if self := s.cfg.Core.Fleet(); self.Role == fleet.Member {
		return out, door.BadRequest("this machine is a member of %s's fleet: afar fleet leave, first", self.Peer.Name)
	}
	out, err = s.cfg.Fleet.Serve(c.Ctx, in)
	if err == nil {
		c.Then(s.cfg.Shutdown)
	}
	return out, err
}

func (s *Server) fleetJoin(c *door.Call, in wire.FleetJoinRequest) (out wire.FleetChanged, err error) {
	switch self := s.cfg.Core.Fleet(); self.Role {
	case fleet.Hub:
		return out, door.BadRequest("this machine is the hub of a fleet itself: afar fleet leave, first")
	case fleet.Member:
		return out, door.BadRequest("this machine is a member of %s's fleet: afar fleet leave, first", self.Peer.Name)
	}
	out, err = s.cfg.Fleet.Join(c.Ctx, in)
	if err == nil {
		c.Then(s.cfg.Shutdown)
	}
	return out, err
}

func (s *Server) fleetLeave(c *door.Call, _ wire.None) (out wire.FleetChanged, err error) {
	if s.cfg.Core.Fleet().Role == fleet.None {
		return out, errNoFleet
	}
	if err := s.cfg.Fleet.Leave(c.Ctx); err != nil {
		return out, err
	}
	c.Then(s.cfg.Shutdown)
	return out, nil
}

func (s *Server) fleetInvite(_ *door.Call, in wire.FleetInviteRequest) (out wire.FleetInvitation, err error) {
	if s.cfg.Core.Fleet().Role != fleet.Hub {
		return out, door.BadRequest("only the hub of a fleet invites: afar fleet serve makes this machine one")
	}
	if in.Name != "" {
		if err := fleet.CheckName(in.Name); err != nil {
			return out, door.BadRequest("%v", err)
		}
		taken := func(m fleet.Machine) bool { return m.Named(in.Name) }
		if slices.ContainsFunc(s.cfg.Core.Machines(), taken) {
			return out, door.BadRequest("a machine of the fleet is named %s: take another name, or afar fleet remove %s",
				in.Name, in.Name)
		}
	}
	return s.cfg.Fleet.Invite(in)
}

func (s *Server) fleetRename(_ *door.Call, in wire.FleetRenameRequest) (out wire.Machine, err error) {
	m, err := s.cfg.Core.Machine(in.ID)
	if err == nil {
		m, err = s.cfg.Core.RenameMachine(m.ID, in.Name)
	}
	if errors.Is(err, fleet.ErrNameTaken) {
		err = door.BadRequest("%v", err)
	}
	return s.wireMachine(m), err
}

func (s *Server) fleetRemove(c *door.Call, m fleet.Machine) (out wire.Machine, err error) {
	m, err = s.cfg.Core.ChangeMachine(m.ID, "removed from the fleet by "+c.Decider(), channel.News{},
		func(m *fleet.Machine, _ time.Time) error { m.Removed = true; return nil })
	if err == nil {
		s.cfg.Fleet.Remove(c.Ctx, m.ID)
	}
	return s.wireMachine(m), err
}
