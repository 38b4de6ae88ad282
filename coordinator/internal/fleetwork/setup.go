package fleetwork

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/link"
	"github.com/afar-sh/afar/coordinator/internal/random"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A Setup changes what this machine is in a fleet. It works on every machine; Hub is nil on one that is no hub.
type Setup struct {
	Core    *feature.Core
	Dir     string // of keys and certificate
	Version string
	Machine string // the name of this machine
	Hub     *Hub
	Link    func() link.State // how the link is, nil for none
	// Leaving tells the hub of a member that it leaves, nil on other machines.
	Leaving func(ctx context.Context) error
}

// ServerProgram is the name of the program that carries a fleet's messages.
const ServerProgram = "fleet-server"

// LinkServer returns what carries the messages of a hub.
func LinkServer(self fleet.Self, bin, dir string) (link.Server, error) {
	if self.NATS == "" {
		return link.Embedded{Bin: filepath.Join(bin, ServerProgram), Listen: self.Listen, Dir: dir}, nil
	}
	creds, err := os.ReadFile(self.Creds)
	if self.Creds == "" {
		err = nil
	}
	return link.Cluster{URL: self.NATS, Creds: string(creds)}, err
}

// Serve makes this machine the hub of a fleet. A hub stays the same fleet with another address.
func (s Setup) Serve(_ context.Context, in wire.FleetServeRequest) (out wire.FleetChanged, err error) {
	keys, err := link.LoadKeys(s.Dir)
	if err != nil {
		return out, err
	}
	listen := cmp.Or(in.Listen, link.DefaultAddr())
	if _, port, err := net.SplitHostPort(listen); err != nil || port == "" {
		return out, fmt.Errorf("the address %.60q is not HOST:PORT", listen)
	}
	if in.NATS != "" && in.Creds != "" {
		if _, err := os.ReadFile(in.Creds); err != nil {
			return out, fmt.Errorf("read the credentials: %w", err)
		}
	}
	name := fleet.FreeName(cmp.Or(in.Name, s.Machine), nil)
	err = s.Core.ChangeFleet("this machine is the hub of a fleet", func(f *store.Fleet, _ time.Time) error {
		f.Role, f.ID = fleet.Hub, fleet.MachineID(keys.ID())
		f.Name = cmp.Or(in.Name, f.Name, name)
		f.Fleet, f.Life = cmp.Or(f.Fleet, random.Word()), cmp.Or(f.Life, random.Word())
		f.Listen, f.NATS, f.Creds = listen, in.NATS, in.Creds
		return fleet.CheckName(f.Name)
	})
	self := s.Core.Fleet()
	return wire.FleetChanged{
		Role: string(fleet.Hub), Name: self.Name, ID: string(self.ID), Address: addresses(self.Self), Decides: true,
	}, err
}

// addresses returns where members reach the hub.
func addresses(self fleet.Self) []string {
	if self.NATS != "" {
		return strings.Split(self.NATS, ",")
	}
	host, port, err := net.SplitHostPort(self.Listen)
	if ip := net.ParseIP(host); err != nil || host != "" && (ip == nil || !ip.IsUnspecified()) {
		return []string{self.Listen}
	}
	var all []string
	found, _ := net.InterfaceAddrs()
	for _, a := range found {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && n.IP.To4() != nil {
			all = append(all, net.JoinHostPort(n.IP.String(), port))
		}
	}
	return append(all, net.JoinHostPort("127.0.0.1", port))
}

// Invite makes a word with which one machine joins, once.
func (s Setup) Invite(in wire.FleetInviteRequest) (out wire.FleetInvitation, err error) {
	keys, err := link.LoadKeys(s.Dir)
	if err != nil {
		return out, err
	}
	id, seed := link.NewInvite()
	var ends time.Time
	err = s.Core.ChangeFleet("an invite for one machine was made", func(f *store.Fleet, now time.Time) error {
		ends = now.Add(fleet.InviteFor)
		kept := f.Invites[:0]
		for _, i := range f.Invites {
			if now.Before(i.Ends) {
				kept = append(kept, i)
			}
		}
		f.Invites = append(kept, fleet.Invite{ID: id, Name: in.Name, Decides: in.Decides, Ends: ends})
		return nil
	})
	if err != nil {
		return out, err
	}
	self := s.Core.Fleet().Self
	word := link.Word{Fleet: self.Fleet, Addrs: addresses(self), Hub: keys.Public, Seed: seed, Cluster: self.NATS != ""}
	if word.Cluster {
		creds, err := os.ReadFile(self.Creds)
		if err != nil && self.Creds != "" {
			return out, fmt.Errorf("read the credentials: %w", err)
		}
		word.Creds = string(creds)
	} else {
		cert, err := link.Certificate(s.Dir)
		if err != nil {
			return out, err
		}
		word.Pin = cert.Pin
	}
	s.Hub.admit()
	return wire.FleetInvitation{Word: word.String(), Ends: ends.UnixMilli()}, nil
}

// Join makes this machine a member of the fleet that a word invites to.
func (s Setup) Join(ctx context.Context, in wire.FleetJoinRequest) (out wire.FleetChanged, err error) {
	word, err := link.ParseWord(in.Word)
	if err != nil {
		return out, err
	}
	keys, err := link.LoadKeys(s.Dir)
	if err != nil {
		return out, err
	}
	body, err := json.Marshal(fleet.Joining{Name: cmp.Or(in.Name, s.Machine), Version: s.Version})
	if err != nil {
		return out, err
	}
	reply, err := link.Join(ctx, word, keys, body)
	if err != nil {
		return out, fmt.Errorf("join the fleet: %w", err)
	}
	var joined fleet.Joined
	if err := fleet.Decode("joined", reply, &joined); err != nil {
		return out, err
	}
	creds := ""
	if word.Creds != "" {
		creds = filepath.Join(s.Dir, "cluster.creds")
		if err := os.WriteFile(creds, []byte(word.Creds), 0o600); err != nil {
			return out, err
		}
	}
	text := fmt.Sprintf("this machine joined the fleet of %s as %s", joined.Hub, joined.Name)
	err = s.Core.ChangeFleet(text, func(f *store.Fleet, _ time.Time) error {
		*f = store.Fleet{Self: fleet.Self{
			Role: fleet.Member, Fleet: word.Fleet, ID: fleet.MachineID(keys.ID()), Name: joined.Name, Life: random.Word(),
			Addrs: word.Addrs, Pin: word.Pin, Hub: fleet.Public(word.Hub), Creds: creds,
			HubID: fleet.MachineID(word.Hub.ID()), Peer: fleet.Known{Name: joined.Hub}, Decides: joined.Decides,
		}}
		return nil
	})
	return wire.FleetChanged{
		Role: string(fleet.Member), Name: joined.Name, Hub: joined.Hub, ID: keys.ID(), Address: word.Addrs,
		Decides: joined.Decides,
	}, err
}

// Leave makes this machine one without a fleet. Its keys go, so that it joins as another one. A hub that cannot be
// reached goes on to list it as away.
func (s Setup) Leave(ctx context.Context) error {
	if s.Leaving != nil {
		_ = s.Leaving(ctx)
	}
	if err := os.RemoveAll(s.Dir); err != nil {
		return fmt.Errorf("remove the keys: %w", err)
	}
	return s.Core.LeaveFleet()
}

// Remove cuts a member off at once.
func (s Setup) Remove(ctx context.Context, id fleet.MachineID) {
	if s.Hub != nil {
		s.Hub.Remove(ctx, id)
	}
}

// Do returns the reply of an operation of a member. It changes nothing, or comes to the same when it is done again.
func (s Setup) Do(ctx context.Context, id fleet.MachineID, by, op string, in []byte) (json.RawMessage, error) {
	if s.Hub == nil {
		return nil, errors.New("this machine is no hub")
	}
	return s.Hub.Do(ctx, id, by, op, in)
}

// State says why the link does not work, "" where it does or where there is none.
func (s Setup) State() string {
	if s.Link == nil {
		return ""
	}
	state := s.Link()
	if state.Connected {
		return ""
	}
	return cmp.Or(state.Why(), "not connected since "+state.Since.Local().Format("15:04:05"))
}

// clockOff is how far the clocks of two machines may differ before the doctor says so.
const clockOff = 5 * time.Second

// Checks says how each machine of the fleet is, this one first; nothing without a fleet, or for a coordinator that has
// yet to start again as a part of one.
func (s Setup) Checks() (all []wire.Check) {
	self := s.Core.Fleet()
	if self.Role == fleet.None || s.Link == nil {
		return nil
	}
	present := s.Core.Present()
	all = append(all, s.checkLink(self.Self, len(present)))
	if self.Role == fleet.Member {
		all = append(all, checkClock(self.Peer.Name, self.Peer)...)
	}
	for _, m := range s.Core.Machines() {
		since, here := present[m.ID]
		all = append(append(all, s.checkMember(m, since, here)), checkClock(m.Name, m.Known)...)
	}
	return all
}

// checkLink says how the link of this machine is. As many machines as present are connected to it.
func (s Setup) checkLink(self fleet.Self, present int) wire.Check {
	c := wire.Check{ID: "fleet", State: "ok", Text: "this machine is " + self.Name + ", the " + string(self.Role)}
	why := s.State()
	switch {
	case why != "" && self.Role == fleet.Hub:
		c.State, c.Text = "bad", "no machine can reach this hub: "+why
		c.Fix = "afar fleet serve --listen HOST:PORT, with an address of this machine that is free"
		if errors.Is(s.Link().Err, link.ErrTwoHubs) {
			c.Fix = "on the copy: afar fleet leave; then, on the other: afar stop"
		}
	case why != "":
		c.State, c.Text = "bad", "the hub "+self.Peer.Name+" is not reached: "+why
		c.Fix = fixLink(self, s.Link().Err)
	case self.Role == fleet.Hub && present == 0 && isLoopback(self.Listen):
		c.State, c.Text = "off", "this hub listens at "+self.Listen+", which other machines reach by ssh alone"
		c.Fix = "ssh -N -R " + port(self.Listen) + ":" + self.Listen + " MACHINE, or afar fleet serve --listen HOST:PORT"
	case self.Role == fleet.Member:
		c.Text = fmt.Sprintf("this machine is %s, connected to the hub %s since %s", self.Name, self.Peer.Name,
			clock(s.Link().Since))
	}
	waits, err := s.Core.Undone(fleet.Channel)
	if self.Role == fleet.Member && err == nil && waits > 0 {
		c.Text += fmt.Sprintf("; %d waiting for it", waits)
	}
	return c
}

// fixLink says what to do about a member's link that does not work.
func fixLink(self fleet.Self, why error) string {
	anew := "afar fleet leave here, then join by a new invite of " + self.Peer.Name
	switch {
	case errors.Is(why, link.ErrKey):
		return "the hub has removed this machine, or another one speaks with its key: " + anew
	case errors.Is(why, link.ErrPin):
		return "another program answers there, or the hub was set up anew: if you did that, " + anew
	}
	return "see that " + strings.Join(self.Addrs, " or ") + " is reached from here; a hub that moved invites anew"
}

func isLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && (ip != nil && ip.IsLoopback() || host == "localhost")
}

func port(listen string) string { return listen[strings.LastIndexByte(listen, ':')+1:] }

// checkMember says how a member is, and how old what is shown of it.
func (s Setup) checkMember(m fleet.Machine, since time.Time, here bool) wire.Check {
	c := wire.Check{ID: "fleet", State: "ok", Text: m.Name + " is connected since " + clock(since)}
	switch {
	case m.Doubled:
		c.State, c.Text = "bad", "two machines speak with the key of "+m.Name
		c.Fix = "afar fleet remove " + m.Name + ", then let each join by an invite of its own"
	case !here:
		c.State, c.Text = "off", m.Name+" is not reachable; what is shown of it is of "+clock(m.Known.SeenAt)
		c.Fix = "see that it is on and reaches this hub; afar doctor, there"
	}
	if n := len(s.Core.Waiting(m.ID)); n > 0 {
		c.Text += fmt.Sprintf("; %d on the way to it", n)
	}
	return c
}

func clock(t time.Time) string { return t.Local().Format("Jan 2 15:04") }

func checkClock(name string, k fleet.Known) []wire.Check {
	off := time.Duration(k.Offset) * time.Millisecond
	if off.Abs() <= clockOff {
		return nil
	}
	return []wire.Check{{
		ID: "fleet", State: "off", Text: fmt.Sprintf("the clock of %s differs by %s", name, off.Round(time.Second)),
		Fix: "set both clocks by the network (timedatectl set-ntp true)",
	}}
}
