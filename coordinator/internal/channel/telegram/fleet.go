package telegram

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/wire"
)

// fleetText says how things are on the other machines of the fleet, by machine.
func (l *link) fleetText() string {
	all, err := wire.OpMachines.With(wire.None{}).Through(l.caller(""))
	status, failed := wire.OpStatus.With(wire.StatusRequest{}).Through(l.caller(""))
	if err != nil || failed != nil {
		return "" // /machines says why
	}
	var b strings.Builder
	for _, m := range all.Machines[1:] {
		fmt.Fprintf(&b, "\n\n%s", m.Name)
		if m.State == wire.MachineAway {
			fmt.Fprintf(&b, ", not reachable since %s", l.clock(m.SeenAt))
		}
		for _, v := range status.Sessions {
			if v.Machine == m.Name {
				fmt.Fprintf(&b, "\n%s: %s", short(v.Token), short(v.State))
			}
		}
	}
	return b.String()
}

// onItsWay says that what the person asked for is on its way to a machine.
func (l *link) onItsWay(machine string) string {
	m, err := l.cfg.Core.Machine(machine)
	if err != nil || l.cfg.Core.IsPresent(m.ID) {
		return "📤 On its way to " + machine + "."
	}
	return "📤 It waits for " + machine + ", not reachable since " + l.clock(m.Known.SeenAt.UnixMilli()) + "."
}

// onMachine begins what is said of something on a machine, "" for this one.
func onMachine(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}

// isAddress reports whether the name of a thing names another machine, too.
func isAddress(name string) bool { return strings.Contains(name, "@") }

// machineName returns the machine in the name of a thing, this one where it has none.
func (l *link) machineName(of string) string {
	_, machine, _ := strings.Cut(of, "@")
	return cmp.Or(machine, l.cfg.Machine)
}

// underway says below a card of another machine what is known of its answer: it is on its way, or the machine cannot be
// reached. A card whose answer is on its way has no buttons.
func (r rendered) underway(from *ask.From) rendered {
	var note string
	switch {
	case from.Sent != "" && from.Away != "":
		r.rows, note = nil, fmt.Sprintf("📤 %s. It waits for %s, not reachable since %s.", from.Sent, from.Name, from.Away)
	case from.Sent != "":
		r.rows, note = nil, fmt.Sprintf("📤 %s, on its way to %s.", from.Sent, from.Name)
	case from.Away != "":
		note = fmt.Sprintf("💤 %s is not reachable since %s.", from.Name, from.Away)
	default:
		return r
	}
	note = "\n" + escape(note)
	if units(plain(r.html+note)) <= maxText {
		r.html += note
	}
	return r
}

// machineOf reads the name of a place on another machine, MACHINE:PLACE or MACHINE alone. ok is false for any other
// name.
func (l *link) machineOf(name string) (machine, place string, ok bool) {
	machine, place, _ = strings.Cut(name, ":")
	if machine == "" {
		return "", "", false
	}
	m, err := l.cfg.Core.Machine(machine)
	return m.Name, place, err == nil
}
