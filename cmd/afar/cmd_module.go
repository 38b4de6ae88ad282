package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

func newModule(a *app) *cobra.Command {
	return group("module", "Folders that bring events for triage, and tools for runs",
		newModuleList(a), newModuleShow(a), newModuleEnable(a), newModuleDisable(a), newModuleRestart(a))
}

// moduleName says what the argument of most commands is.
const moduleName = "the name of a module (afar module list)"

func newModuleList(a *app) *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List the modules", Args: exactly()}
	asJSON := jsonFlag(c, "modules")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return read(c.Context(), a, wire.OpModules, wire.None{}, *asJSON, func(p *page, in wire.ModulesReply) {
			if len(in.Modules) == 0 {
				p.line("No modules. A module is a folder with a file module.toml: %s/NAME", p.path(in.Folder))
				return
			}
			renderModules(p, in.Modules)
		})
	}
	return c
}

func renderModules(p *page, all []wire.Module) {
	var rows [][]cell
	for _, m := range all {
		rows = append(rows, []cell{
			{oneLine(m.ID, 40), bold},
			{wording.ModuleState(m), moduleInk(m)},
			plain(wording.ModuleBrings(m)),
		})
		for _, more := range moduleMore(m) {
			rows = append(rows, []cell{{oneLine(more, 160), dim}})
		}
	}
	p.table(rows)
}

// moduleMore says what else is to know of a module in a list.
func moduleMore(m wire.Module) (lines []string) {
	switch {
	case m.Fault != "":
		return []string{m.Fault}
	case m.State == wire.ModuleProposed:
		return []string{"look at it: afar module show " + m.ID}
	case m.State != wire.ModuleEnabled:
		return nil
	}
	if m.Source != nil {
		lines = append(lines, wording.ModuleSource(*m.Source, moment))
	}
	for _, s := range m.Servers {
		if s.Fault != "" {
			lines = append(lines, s.Fault)
		}
	}
	return lines
}

func moduleInk(m wire.Module) ink {
	switch m.State {
	case wire.ModuleEnabled:
		return green
	case wire.ModuleBroken:
		return red
	case wire.ModuleProposed:
		return yellow
	}
	return dim
}

func newModuleShow(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "show NAME", Short: "Show what a module brings, and what it does", Args: exactly(moduleName),
	}
	asJSON := jsonFlag(c, "the module")
	c.RunE = func(c *cobra.Command, args []string) error {
		return read(c.Context(), a, wire.OpModule, wire.ModuleRequest{ID: args[0]}, *asJSON, renderModule)
	}
	return c
}

func renderModule(p *page, m wire.Module) {
	p.line("%s  %s", p.paint(bold, oneLine(m.Title, 100)), p.paint(moduleInk(m), wording.ModuleState(m)))
	rows := [][]cell{{plain("folder"), plain(p.path(m.Folder))}}
	add := func(name, value string) {
		if value != "" {
			rows = append(rows, []cell{plain(name), plain(oneLine(value, 300))})
		}
	}
	if m.Hash != "" {
		add("content", fmt.Sprintf("%s, sha256 %s", text.Count(m.Files, "file"), m.Hash))
	}
	add("", fileNames(m.Content))
	add("held", m.Held)
	for _, s := range m.Servers {
		add("tools", s.Name+": "+cmp.Or(s.URL, wording.ModuleCommand(s.Command))+envNote(s.EnvFile))
		add("", s.Fault)
	}
	if s := m.Source; s != nil {
		add("source", wording.ModuleCommand(s.Command)+envNote(s.EnvFile))
		if m.State == wire.ModuleEnabled {
			add("", wording.ModuleSource(*s, moment))
		}
		if s.Events > 0 {
			add("events", fmt.Sprintf("%d, last %s", s.Events, moment(s.Last)))
		}
		if s.Bad > 0 {
			add("bad lines", fmt.Sprintf("%d, last: %s", s.Bad, s.BadLine))
		}
	}
	p.table(rows)
	switch {
	case m.Fault != "":
		p.line("%s", p.paint(red, oneLine(m.Fault, 300)))
	case m.State != wire.ModuleEnabled:
		p.line("Nothing of it runs. Enable it as it is: afar module enable %s", m.ID)
	}
}

// fileNames names the first files in the folder of a module.
func fileNames(files []wire.ModuleFile) string {
	var names []string
	for _, f := range files {
		name := f.Path
		if f.Program {
			name += " (program)"
		}
		names = append(names, name)
	}
	return text.Some(names, 12)
}

func envNote(file string) string {
	if file == "" {
		return ""
	}
	return ", with the variables in " + file
}

func newModuleEnable(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "enable NAME", Short: "Enable a module with its folder as it is", Args: exactly(moduleName),
		Long: "Enables a module with its folder as it is now: its source is started, and runs get its tools. " +
			"Each change of a\n" +
			"file in the folder disables it again. With --hash, only the content that `afar module show` has shown " +
			"is enabled.",
	}
	hash := c.Flags().String("hash", "", "the `SHA256` that the folder must have")
	asJSON := jsonFlag(c, "the module")
	c.RunE = func(c *cobra.Command, args []string) error {
		in := wire.ModuleEnableRequest{ID: args[0], Hash: *hash}
		return read(c.Context(), a, wire.OpModuleEnable, in, *asJSON, renderModule)
	}
	return c
}

func newModuleDisable(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "disable NAME",
		Short: "Disable a module: its source ends, and runs get none of its tools",
		Args:  exactly(moduleName),
	}
	asJSON := jsonFlag(c, "the module")
	c.RunE = func(c *cobra.Command, args []string) error {
		in := wire.ModuleRequest{ID: args[0]}
		return read(c.Context(), a, wire.OpModuleDisable, in, *asJSON, func(p *page, m wire.Module) {
			p.line("Module %s is disabled. Enable it: afar module enable %s", m.ID, m.ID)
		})
	}
	return c
}

func newModuleRestart(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "restart NAME", Short: "End the source of a module, and start it again at once", Args: exactly(moduleName),
	}
	asJSON := jsonFlag(c, "the module")
	c.RunE = func(c *cobra.Command, args []string) error {
		in := wire.ModuleRequest{ID: args[0]}
		return read(c.Context(), a, wire.OpModuleRestart, in, *asJSON, func(p *page, m wire.Module) {
			p.line("The source of module %s is started again.", m.ID)
		})
	}
	return c
}
