package wire

// Operations of the fleet. Serving, inviting, joining and removing are decisions of the person.
const (
	OpMachines    Op[None, MachinesReply]                 = "machines"
	OpMachine     Op[Named, MachineReply]                 = "machine"
	OpFleetServe  Op[FleetServeRequest, FleetChanged]     = "fleet.serve"
	OpFleetInvite Op[FleetInviteRequest, FleetInvitation] = "fleet.invite"
	OpFleetJoin   Op[FleetJoinRequest, FleetChanged]      = "fleet.join"
	OpFleetRename Op[FleetRenameRequest, Machine]         = "fleet.rename"
	OpFleetRemove Op[Named, Machine]                      = "fleet.remove"
	OpFleetLeave  Op[None, FleetChanged]                  = "fleet.leave"
	OpMachineCall Op[MachineCall, Raw]                    = "machine.call" // an operation, on another machine
)

// The states of a machine.
const (
	MachineHere    = "here" // it is this one
	MachineUp      = "connected"
	MachineAway    = "away"
	MachineRefused = "refused" // two machines speak with its key
)

// A Machine is one machine of the fleet.
type Machine struct {
	ID         string `json:"id"` // the fingerprint of its key, never reused
	Name       string `json:"name"`
	Role       string `json:"role"`  // hub or member
	State      string `json:"state"` // here, connected, away, or refused where two machines speak with its key
	SeenAt     int64  `json:"seen_at,omitempty"`
	Version    string `json:"version,omitempty"`
	Decides    bool   `json:"decides"` // the phone may answer for it
	OpenAsks   int    `json:"open_asks"`
	Sessions   int    `json:"sessions"`
	Runs       int    `json:"runs"`
	WaitingOut int    `json:"waiting_out"` // what it has not got rid of yet
}

// An Origin says which other machine of the fleet a thing is on. The zero Origin is this machine.
type Origin struct {
	Machine string `json:"machine,omitempty"`    // its name
	SeenAt  int64  `json:"seen_at,omitempty"`    // when it was as it is shown
	AwayAt  int64  `json:"away_since,omitempty"` // since when the machine cannot be reached, 0 while it can
}

// Address returns the address of a thing that has a name on the machine of o. It is "" for "".
func (o Origin) Address(name string) string {
	if name == "" || o.Machine == "" {
		return name
	}
	return name + "@" + o.Machine
}

// On reports whether the thing is on the machine with a name; every thing is on "".
func (o Origin) On(machine string) bool { return machine == "" || o.Machine == machine }

// From makes the session of another machine one of the fleet: its names are addresses.
func (s *Session) From(o Origin) {
	s.ID, s.Token, s.Run, s.URL, s.Origin = o.Address(s.ID), o.Address(s.Token), o.Address(s.Run), "", o
}

// From makes the run of another machine one of the fleet.
func (r *Run) From(o Origin) {
	r.ID, r.Name, r.Conversation, r.Depth, r.Origin = o.Address(r.ID), o.Address(r.Name), o.Address(r.Conversation), 0, o
}

// From makes the task of another machine one of the fleet.
func (t *Task) From(o Origin) { t.ID, t.Run, t.Origin = o.Address(t.ID), o.Address(t.Run), o }

// From makes the loop of another machine one of the fleet.
func (l *Loop) From(o Origin) { l.ID, l.Session, l.Origin = o.Address(l.ID), o.Address(l.Session), o }

// From makes the text to something on another machine one of the fleet.
func (r *SendReply) From(o Origin) { r.To = o.Address(r.To) }

// MachinesReply lists the machines of the fleet, this one first.
type MachinesReply struct {
	Machines []Machine `json:"machines"`
}

// MachineReply shows one machine with the age of each mirror and the lag.
type MachineReply struct {
	Machine
	Aliases  []string `json:"aliases,omitempty"` // earlier names, still good in addresses
	Mirrors  []Age    `json:"mirrors"`
	OffsetMS int64    `json:"offset_ms"` // of its clock to that of the hub
	LagMS    int64    `json:"lag_ms"`    // of a message to it and back, 0 while it is away
	Link     string   `json:"link,omitempty"`
}

// An Age says how old the newest mirror of a kind is.
type Age struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
	At    int64  `json:"at"`
}

// FleetServeRequest makes this machine the hub. Without a cluster it serves at an address of its own.
type FleetServeRequest struct {
	Listen string `json:"listen,omitempty"`
	NATS   string `json:"nats,omitempty"`
	Creds  string `json:"creds,omitempty"` // the path of a file
	Name   string `json:"name,omitempty"`  // of this machine
}

// FleetChanged says what this machine is now. The coordinator ends and starts again as that.
type FleetChanged struct {
	Role    string   `json:"role"`
	Name    string   `json:"name,omitempty"`
	Hub     string   `json:"hub,omitempty"`
	Address []string `json:"addresses,omitempty"`
	ID      string   `json:"id,omitempty"`
	Decides bool     `json:"decides,omitempty"`
}

// FleetInviteRequest asks for an invite for one machine.
type FleetInviteRequest struct {
	Name    string `json:"name,omitempty"`
	Decides bool   `json:"decides"`
}

// FleetInvitation is the word to paste on the other machine.
type FleetInvitation struct {
	Word string `json:"word"`
	Ends int64  `json:"ends"`
}

// FleetJoinRequest makes this machine a member.
type FleetJoinRequest struct {
	Word string `json:"word"`
	Name string `json:"name,omitempty"` // it wants this one
}

// FleetRenameRequest gives a machine another name.
type FleetRenameRequest struct {
	ID   string `json:"id"` // its name or fingerprint
	Name string `json:"name"`
}

// A MachineCall is an operation that another machine carries out.
type MachineCall struct {
	Machine string `json:"machine"`
	Op      string `json:"op"`
	Body    Raw    `json:"body,omitempty"`
}
