package telegram

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// maxModules bounds the modules of one list.
const maxModules = 10

const noModules = "No modules. A module is a folder that brings events for triage, or tools for runs. " +
	"In a terminal: `afar module list`."

// moduleList shows the modules, each with the button that disables it, or enables again what the
// person has disabled.
func (l *link) moduleList() (out rendered, err error) {
	all, err := call(l, Name, wire.OpModules, wire.None{})
	if len(all.Modules) == 0 {
		return rendered{html: ticks(noModules)}, err
	}
	closed := l.cfg.Core.Counts(Name)
	var b strings.Builder
	for _, m := range all.Modules[:min(len(all.Modules), maxModules)] {
		b.WriteString(l.moduleLines(m))
		if row := moduleButtons(m); closed == nil && row != nil {
			out.rows = append(out.rows, row)
		}
	}
	if left := len(all.Modules) - maxModules; left > 0 {
		fmt.Fprintf(&b, "\nand %s more: <code>afar module list</code>\n", text.Count(left, "module"))
	}
	if closed != nil {
		b.WriteString("\nNothing can be decided here: " + line(closed.Error(), maxPath) + ".")
	}
	out.html = strings.TrimSpace(b.String())
	return out, err
}

// moduleLines shows a module in a list.
func (l *link) moduleLines(m wire.Module) string {
	lines := fmt.Sprintf("%s <b>%s</b> · %s\n", moduleSign(m), line(m.Title, maxWord), wording.ModuleState(m))
	if brings := wording.ModuleBrings(m); brings != "" {
		lines += brings + "\n"
	}
	add := func(said string) {
		if said != "" {
			lines += "<i>" + line(said, maxReason) + "</i>\n"
		}
	}
	switch m.State {
	case wire.ModuleEnabled:
		if m.Source != nil {
			add("The source " + wording.ModuleSource(*m.Source, l.clock))
		}
		for _, s := range m.Servers {
			add(s.Fault)
		}
	case wire.ModuleProposed:
		lines += fmt.Sprintf("<i>Look at it, then:</i> <code>afar module enable %s</code>\n", line(m.ID, maxWord))
	default:
		add(cmp.Or(m.Fault, m.Held))
	}
	return lines
}

// moduleSign is the picture for the state of a module.
func moduleSign(m wire.Module) string {
	switch m.State {
	case wire.ModuleEnabled:
		return "🔌"
	case wire.ModuleProposed:
		return "💡"
	case wire.ModuleBroken:
		return "⚠️"
	}
	return "⏸"
}

// moduleButtons returns the button of a module, nil for one whose folder must be looked at or mended
// first.
func moduleButtons(m wire.Module) []button {
	name := " " + text.Clip(m.Title, maxButtonTitle)
	switch m.State {
	case wire.ModuleEnabled:
		return []button{{"Disable ⏸" + name, callback{ofModule, m.ID, switchOff}.String()}}
	case wire.ModuleDisabled:
		return []button{{"Enable ▶️" + name, callback{ofModule, m.ID, switchOn}.String()}}
	}
	return nil
}

// tappedModule carries out a tap on a button about a module.
func (l *link) tappedModule(p core.Press, c callback) error {
	said, err := l.switchModule(p.Decision.By, c)
	if err != nil {
		said = notDone(err)
	}
	return l.cfg.Core.Acknowledge(p.Act, said)
}

// switchModule disables a module, or enables it again, and says so. It enables only the folder that
// the person had enabled before: a phone does not show what a folder holds.
func (l *link) switchModule(person string, c callback) (said string, err error) {
	named := wire.ModuleRequest{ID: c.nonce}
	if c.value == switchOff {
		m, err := call(l, person, wire.OpModuleDisable, named)
		return "Module " + m.ID + " is disabled.", err
	}
	m, err := call(l, person, wire.OpModule, named)
	switch {
	case err != nil:
		return "", err
	case m.State == wire.ModuleProposed:
		return "", fmt.Errorf("its folder is new or was changed; look at it, then: afar module enable %s", m.ID)
	}
	in := wire.ModuleEnableRequest{ID: m.ID, Hash: m.Hash}
	m, err = call(l, person, wire.OpModuleEnable, in)
	return "Module " + m.ID + " is enabled.", err
}
