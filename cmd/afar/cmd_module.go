package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newModule(a *app) *cobra.Command {
	return group("module", "Folders that bring events for triage, and tools for runs",
		newModuleList(a), newModuleShow(a), newModuleEnable(a), newModuleDisable(a), newModuleRestart(a))
}

// moduleName says what the argument of most commands is.
const moduleName = "the name of a module (afar module list)"

func newModuleList(a *app) *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List the modules", Args: exactly()}
	return asking(a, c, wire.OpModules, "modules", nil, func(p *terminal.Page, in wire.ModulesReply) {
		if len(in.Modules) == 0 {
			p.Line("No modules. A module is a folder with a file module.toml: %s/NAME", p.Path(in.Folder))
			return
		}
		terminal.List(p, view.Modules, view.Each(in.Modules, view.Module))
	})
}

func newModuleShow(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "show NAME", Short: "Show what a module brings, and what it does", Args: exactly(moduleName),
		Example: "afar module show mail",
	}
	return asking(a, c, wire.OpModule, "the module", named, renderModule)
}

func renderModule(p *terminal.Page, m wire.Module) {
	terminal.Thing(p, view.Module(m))
	var names []string
	for _, f := range m.Content {
		name := terminal.OneLine(f.Path, 100)
		if f.Program {
			name += " (program)"
		}
		names = append(names, name)
	}
	if len(names) > 0 {
		p.Line("Files: %s", text.Some(names, 12))
	}
}

func newModuleEnable(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "enable NAME", Short: "Enable a module with its folder as it is", Args: exactly(moduleName),
		Example: "afar module enable mail",
		Long: "Enables a module with its folder as it is now: its source is started, and runs get its tools. " +
			"Each change of a\n" +
			"file in the folder disables it again. With --hash, only the content that `afar module show` has shown " +
			"is enabled.",
	}
	hash := c.Flags().String("hash", "", "the `SHA256` that the folder must have")
	return asking(a, c, wire.OpModuleEnable, "the module", func(args []string) (wire.ModuleEnableRequest, error) {
		return wire.ModuleEnableRequest{ID: args[0], Hash: *hash}, nil
	}, renderModule)
}

func newModuleDisable(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "disable NAME",
		Example: "afar module disable mail",
		Short:   "Disable a module: its source ends, and runs get none of its tools",
		Args:    exactly(moduleName),
	}
	return asking(a, c, wire.OpModuleDisable, "the module", named, func(p *terminal.Page, m wire.Module) {
		p.Say("Module %s is disabled. Enable it: afar module enable %s", m.ID, m.ID)
	})
}

func newModuleRestart(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "restart NAME", Short: "End the source of a module, and start it again at once", Args: exactly(moduleName),
		Example: "afar module restart mail",
	}
	return asking(a, c, wire.OpModuleRestart, "the module", named, func(p *terminal.Page, m wire.Module) {
		p.Say("The source of module %s is started again.", m.ID)
	})
}
