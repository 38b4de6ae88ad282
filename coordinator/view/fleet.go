package view

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Machines are the machines of the fleet, this one first.
var Machines = add(Noun{
	Name: "machine", Named: true,
	Page: true, About: "the machines of your fleet",
	Empty: "This machine has no fleet. `afar fleet serve` makes it the hub of one: then the questions of your other " +
		"machines come to the same phone.",
	List: list(wire.OpMachines, wire.None{}, func(r wire.MachinesReply) []Thing { return Each(r.Machines, Machine) }),
	Read: one(wire.OpMachine, func(r wire.MachineReply) Thing { return MachineWhole(r) }),
})

// Machine shows a machine of the fleet.
func Machine(m wire.Machine) Thing {
	out := Thing{ID: m.Name, Title: m.Name, State: m.State, Mark: Mark{Good, "🟢"}}
	has := text.Count(m.Sessions, "session") + ", " + text.Count(m.Runs, "run")
	if m.OpenAsks > 0 {
		has = text.Count(m.OpenAsks, "question") + ", " + has
	}
	out.Columns = lines(said(m.Role), said(has))
	switch m.State {
	case wire.MachineHere:
		out.Mark = Mark{Good, "🖥"}
		out.State = "this machine"
	case wire.MachineAway:
		out.Mark = Mark{Muted, "💤"}
		out.Columns = append(out.Columns, when("not reachable since", m.SeenAt))
	case wire.MachineRefused:
		out.Mark = Mark{Bad, "🚨"}
		out.Notes = facts(Row{"", Bad, said("two machines speak with its key: remove it, and let each join again")})
	}
	if m.WaitingOut > 0 {
		out.Notes = append(out.Notes, Row{"", Ask, said(fmt.Sprintf("%d on the way to it", m.WaitingOut))})
	}
	if !m.Decides {
		out.Notes = append(out.Notes, Row{"", Muted, said("it decides by itself: its questions are only shown here")})
	}
	return out
}

// MachineWhole shows a machine with the age of what it shows.
func MachineWhole(m wire.MachineReply) Thing {
	out := Machine(m.Machine)
	out.Details = facts(Row{"fingerprint", Plain, code(m.ID)}, Row{"version", Plain, said(m.Version)},
		Row{"link", Bad, said(m.Link)})
	if m.LagMS > 0 {
		out.Details = append(out.Details, Row{"lag", Plain, said(fmt.Sprintf("%d ms", m.LagMS))})
	}
	if m.OffsetMS > clockOff || m.OffsetMS < -clockOff {
		out.Details = append(out.Details, Row{"clock", Ask, said(fmt.Sprintf("%d s off", m.OffsetMS/1000))})
	}
	for _, name := range m.Aliases {
		out.Details = append(out.Details, Row{"earlier name", Plain, said(name)})
	}
	for _, age := range m.Mirrors {
		if age.Count > 0 {
			out.Details = append(out.Details, Row{age.Kind + "s", Plain, append(said(fmt.Sprint(age.Count)), ago(age.At)...)})
		}
	}
	return out
}

// clockOff is how far two clocks may differ before people are told, in milliseconds.
const clockOff = 5000
