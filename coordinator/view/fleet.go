package view

import (
	"cmp"
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
	Read: one(wire.OpMachine, machineWhole),
})

// Machine shows a machine of the fleet.
func Machine(m wire.Machine) Thing {
	questions := text.Only(m.OpenAsks > 0, text.Count(m.OpenAsks, "question"))
	has := text.Series(", ", questions, text.Count(m.Sessions, "session"), text.Count(m.Runs, "run"))
	marks := map[string]Mark{wire.MachineHere: {Good, "🖥"}, wire.MachineAway: {Muted, "💤"}, wire.MachineRefused: {Bad, "🚨"}}
	out := Thing{
		ID: m.Name, Title: m.Name, State: cmp.Or(text.Only(m.State == wire.MachineHere, "this machine"), m.State),
		Mark: cmp.Or(marks[m.State], Mark{Good, "🟢"}), Columns: lines(said(m.Role), said(has)),
		Notes: facts(
			Row{"", Bad, said(text.Only(m.State == wire.MachineRefused,
				"two machines speak with its key: remove it, and let each join again"))},
			Row{"", Ask, said(text.Only(m.WaitingOut > 0, fmt.Sprintf("%d on the way to it", m.WaitingOut)))},
			Row{"", Muted, said(text.Only(!m.Decides, "it decides by itself: its questions are only shown here"))},
		),
	}
	if m.State == wire.MachineAway {
		out.Columns = append(out.Columns, when("not reachable since", m.SeenAt))
	}
	return out
}

// machineWhole shows a machine with the age of what it shows.
func machineWhole(m wire.MachineReply) Thing {
	out := Machine(m.Machine)
	out.Details = facts(
		Row{"fingerprint", Plain, code(m.ID)}, Row{"version", Plain, said(m.Version)}, Row{"link", Bad, said(m.Link)},
		Row{"lag", Plain, said(text.Only(m.LagMS > 0, fmt.Sprintf("%d ms", m.LagMS)))},
		Row{"clock", Ask, said(text.Only(max(m.OffsetMS, -m.OffsetMS) > clockOff, fmt.Sprintf("%d s off", m.OffsetMS/1000)))},
	)
	earlier := func(name string) Row { return Row{"earlier name", Plain, said(name)} }
	out.Details = append(out.Details, Each(m.Aliases, earlier)...)
	for _, age := range m.Mirrors {
		if age.Count > 0 {
			out.Details = append(out.Details, Row{age.Kind + "s", Plain, append(said(fmt.Sprint(age.Count)), ago(age.At)...)})
		}
	}
	return out
}

// clockOff is how far two clocks may differ before people are told, in milliseconds.
const clockOff = 5000
