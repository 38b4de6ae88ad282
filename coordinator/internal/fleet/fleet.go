// Package fleet holds what the machines of one person know of each other: who they are, what the hub mirrors of a
// member, and what waits to be done on another machine. It is pure. SQLite on each machine is the truth: nothing here
// relies on what carries the messages.
package fleet

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// A MachineID is the fingerprint of a machine's keys. It is never reused.
type MachineID string

// A Role is what a machine is in its fleet.
type Role string

// The roles of a machine; None has no fleet.
const (
	None   Role = ""
	Hub    Role = "hub"    // speaks to the phone, and shows all machines
	Member Role = "member" // any other machine
)

// Channel is the name of the channel through which a member reaches the person: the hub.
const Channel = "hub"

// A Public is the public half of a machine's keys, in the form of nkeys.
type Public struct {
	Sign string `json:"sign"`
	Box  string `json:"box"`
}

// A Self is what a machine is itself in its fleet. The zero Self has no fleet.
type Self struct {
	Role  Role      `json:"role,omitempty"`
	Fleet string    `json:"fleet,omitempty"` // a random name, part of every subject and signature
	ID    MachineID `json:"id,omitempty"`
	Name  string    `json:"name,omitempty"`
	// Life is a random number of the database. A machine that was put back to an earlier copy takes a new one.
	Life string `json:"life,omitempty"`

	Listen string `json:"listen,omitempty"` // of the hub's own server
	NATS   string `json:"nats,omitempty"`   // the address of a cluster that is used instead, "" for none
	Creds  string `json:"creds,omitempty"`  // the file that opens the cluster

	// What a member knows of its hub.
	Addrs []string  `json:"addrs,omitempty"`
	Pin   string    `json:"pin,omitempty"`
	Hub   Public    `json:"hub,omitzero"`
	HubID MachineID `json:"hub_id,omitempty"`
	Peer  Known     `json:"peer,omitzero"`
	// Decides says that the person may answer for this machine at the hub.
	Decides bool `json:"decides,omitempty"`
}

// Known is how far one machine knows another one, and what it is: the number of the newest entry of its journal that
// was heard of, in which life, and its hash. Two copies of a database that went on apart have other hashes.
type Known struct {
	Name    string    `json:"name,omitempty"`
	Version string    `json:"version,omitempty"`
	Life    string    `json:"life,omitempty"`
	Entry   int64     `json:"entry,omitempty"`
	Mark    string    `json:"mark,omitempty"`
	SeenAt  time.Time `json:"seen_at,omitzero"`
	Offset  int64     `json:"offset_ms,omitempty"` // of its clock to ours
}

// A Machine is what the hub keeps of a member.
type Machine struct {
	ID       MachineID `json:"id"`
	Name     string    `json:"name"`
	Aliases  []string  `json:"aliases,omitempty"` // earlier names, still good in addresses
	Public   Public    `json:"public"`
	Decides  bool      `json:"decides"` // the phone and the hub's page may answer for it
	JoinedAt time.Time `json:"joined_at"`
	Known    Known     `json:"known"`
	Last     int64     `json:"last,omitempty"` // the number of the newest order for it
	// Doubled says that two machines speak with its key. Both are refused until it is removed.
	Doubled bool `json:"doubled,omitempty"`
	Removed bool `json:"removed,omitempty"`
}

// Trusted reports whether the machine may speak.
func (m Machine) Trusted() bool { return m.ID != "" && !m.Removed && !m.Doubled }

// Named reports whether name is the machine's name or an earlier one.
func (m Machine) Named(name string) bool {
	return strings.EqualFold(m.Name, name) || slices.ContainsFunc(m.Aliases, func(a string) bool {
		return strings.EqualFold(a, name)
	})
}

// Rename gives the machine a new name. The old one stays an alias of old addresses.
func (m Machine) Rename(name string) Machine {
	m.Aliases = append(slices.DeleteFunc(slices.Clone(m.Aliases), func(a string) bool { return a == name }), m.Name)
	m.Name = name
	return m
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?$`)

// CheckName refuses what cannot be the name of a machine.
func CheckName(name string) error {
	if !nameForm.MatchString(name) {
		return fmt.Errorf("%.40q is no name for a machine; want letters, digits and dashes, at most 32", name)
	}
	return nil
}

// ErrNameTaken says that a name is that of another machine of the fleet.
var ErrNameTaken = errors.New("another machine has this name")

// FreeName returns name, or name with a number behind it, so that no machine of all has it. It makes a name of any
// text.
func FreeName(name string, all []Machine) string {
	name, _, _ = strings.Cut(name, ".")
	name = strings.Trim(strings.Map(func(r rune) rune {
		if nameForm.MatchString(string(r)) {
			return r
		}
		return '-'
	}, name), "-")
	name = strings.Trim(name[:min(len(name), 28)], "-")
	if CheckName(name) != nil {
		name = "machine"
	}
	free := name
	taken := func(m Machine) bool { return m.Named(free) }
	for n := 2; slices.ContainsFunc(all, taken); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// An Invite lets one machine join, once.
type Invite struct {
	ID      string    `json:"id"`             // the public half of its one-time key
	Name    string    `json:"name,omitempty"` // for the machine, "" for its own choice
	Decides bool      `json:"decides"`
	Ends    time.Time `json:"ends"`
	Used    MachineID `json:"used,omitempty"` // by which machine
}

// InviteFor is how long an invite is good.
const InviteFor = 10 * time.Minute

// Good reports whether a machine may join by the invite: it is that machine's already, or nobody's.
func (i Invite) Good(by MachineID, now time.Time) bool {
	return i.ID != "" && now.Before(i.Ends) && (i.Used == "" || i.Used == by)
}

// An OrderID names an order: its machine, and its number there.
type OrderID string

// An Order is an operation that somebody asked for here and that another machine carries out. It waits until that
// machine has said what it came to, however long that takes.
type Order struct {
	Machine MachineID  `json:"machine"`
	Number  int64      `json:"number"` // the machine takes each number of a life once
	Op      string     `json:"op"`
	In      []byte     `json:"in"`            // the request of the operation, as JSON
	Ask     ask.ID     `json:"ask,omitempty"` // that it answers, as the hub names it
	By      string     `json:"by"`
	For     session.ID `json:"for,omitempty"` // the session that proposed it, "" for none
	// Act is what the person did here, for the answer to it. The zero Act is that of the command line, which waits.
	Act   channel.Act    `json:"act,omitzero"`
	At    time.Time      `json:"at"`
	Taken bool           `json:"taken,omitempty"` // the machine has committed it
	Reply *channel.Reply `json:"reply,omitempty"` // what it came to
	Ended time.Time      `json:"ended,omitzero"`
}

// ID returns the unique name of the order.
func (o Order) ID() OrderID { return OrderID(fmt.Sprintf("%s/%012d", o.Machine, o.Number)) }

// Waits reports whether nobody knows yet what the order came to.
func (o Order) Waits() bool { return o.Ended.IsZero() }

// A MirrorID names a mirror: machine, kind and the id there.
type MirrorID string

// A Mirror is the hub's copy of what a member shows. It is never the truth.
type Mirror struct {
	Machine MachineID `json:"machine"`
	Kind    string    `json:"kind"`
	Ref     string    `json:"ref"` // the id on the member
	Hash    string    `json:"hash"`
	Body    []byte    `json:"body,omitempty"` // as the member's own commands print it as JSON
	At      time.Time `json:"at"`             // when it came
	Gone    bool      `json:"gone,omitempty"` // the member shows it no more
}

// ID returns the unique name of the mirror.
func (m Mirror) ID() MirrorID { return MirrorID(string(m.Machine) + " " + m.Kind + " " + m.Ref) }

// The kinds of mirrors.
const (
	OfSession = "session"
	OfRun     = "run"
	OfTask    = "task"
	OfLoop    = "loop"
	OfNews    = "news" // what the person was told; it has no body
)

// Kinds are the kinds of what machines show, all but OfNews.
var Kinds = []string{OfSession, OfRun, OfTask, OfLoop}

// Split returns an address without its machine, and the machine's name, "" for this machine.
func Split(address string) (rest, machine string) {
	at := strings.LastIndexByte(address, '@')
	if at < 0 || CheckName(address[at+1:]) != nil {
		return address, ""
	}
	return address[:at], address[at+1:]
}
