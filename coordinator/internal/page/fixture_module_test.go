package page_test

import (
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// modules are modules in all states.
func modules() []wire.Module {
	folder := func(name string) string { return home + "/afar/modules/" + name }
	return []wire.Module{
		{
			ID: "mail", Title: "Mail", State: "enabled", Folder: folder("mail"), Hash: strings.Repeat("3f9a", 16),
			Files: 3, By: "maria",
			Source: &wire.ModuleSource{
				Command: []string{"./bin/watch", "INBOX and more"}, EnvFile: "~/keys/mail", PID: 4711,
				Since:  ms(26 * time.Hour),
				Events: 132, Last: ms(4 * time.Minute), Bad: 2, BadLine: "it is no JSON object",
			},
			Servers: []wire.ModuleServer{
				{Name: "mail_files", Command: []string{"./bin/tools", "--read"}, EnvFile: "~/keys/mail",
					Fault: unreadable},
				{Name: "mail_search", URL: "https://search.example.org/mcp"},
			},
			Content: []wire.ModuleFile{
				{Path: "bin/tools", Size: 4711, Program: true},
				{Path: "bin/watch", Size: 312, Program: true},
				{Path: "bin/latest", Link: "watch"},
				{Path: "module.toml", Size: 180},
			},
		},
		{
			ID: "feeds", Title: "News of the projects we depend on", State: "proposed", Folder: folder("feeds"),
			Hash: strings.Repeat("77c0", 16), Files: 2, By: "maria", Held: "its folder was changed",
			Source:  &wire.ModuleSource{Command: []string{"python3", "-m", "feeds"}},
			Content: []wire.ModuleFile{{Path: "module.toml", Size: 90}, {Path: "feeds/__main__.py", Size: 22_000}},
		},
		{
			ID: "builds", Title: "Builds", State: "enabled", Folder: folder("builds"), Files: 2,
			Source: &wire.ModuleSource{
				Command: []string{"./watch"}, Next: ms(-3 * time.Minute), Ends: 6, Why: "exit status 3: no such host",
			},
		},
		{ID: "search", Title: "Search", State: "disabled", Folder: folder("search"), By: "maria",
			Servers: []wire.ModuleServer{{Name: "search_web"}}},
		{
			ID: "odd", Title: "odd", State: "broken", Folder: folder("odd"), Files: 1,
			Fault: `module.toml, line 2: unknown key "source.comand"; did you mean "source.command"?`,
		},
	}
}

const unreadable = "runs do not get the tools mail_files: read ~/keys/mail: its mode is 0644, want 0600"

func fullModules() page.List {
	return listOf(view.Modules, modules(), view.Module)
}

// fullModule is an enabled module, one of whose servers cannot be started.
func fullModule() page.Module { return moduleAlone(modules()[0]) }

// heldModule is a module whose folder was changed.
func heldModule() page.Module { return moduleAlone(modules()[1]) }

func moduleAlone(m wire.Module) page.Module {
	one := page.Alone{Noun: view.Modules, Thing: view.Module(m), Home: home}
	return page.Module{Alone: one, Content: m.Content}
}
