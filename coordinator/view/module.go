package view

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Modules are the folders that bring events for triage, and tools for runs.
var Modules = add(Noun{
	Name: "module",
	Page: true, About: "folders that bring events and tools, and disable them", Phone: []string{"enable", "disable"},
	Empty: "No modules. A module is a folder with a file `module.toml`: it brings events for triage, and tools for runs. " +
		"Nothing of it runs before you enable it. `afar module list` says where it is put.",
	List: list(wire.OpModules, wire.None{}, func(r wire.ModulesReply) []Thing { return Each(r.Modules, Module) }),
	Read: one(wire.OpModule, Module),
	Does: map[string]Act{
		"enable": seen(says(wire.OpModuleEnable, func(id string, in Input) wire.ModuleEnableRequest {
			return wire.ModuleEnableRequest{ID: id, Hash: in.Seen}
		}, "Module %s is enabled.")),
		"disable": says(wire.OpModuleDisable, named, "Module %s is disabled."),
		"restart": says(wire.OpModuleRestart, named, "The source of module %s is started again."),
	},
})

// Module shows a module.
func Module(m wire.Module) Thing {
	out := Thing{
		ID: m.ID, Title: m.Title, State: m.State, Mark: Mark{Muted, "⏸"}, Seen: m.Hash,
		Columns: []Line{said(text.Series(", ", text.Only(m.Source != nil, "a source of events"),
			text.Only(len(m.Servers) > 0, text.Count(len(m.Servers), "server")+" of tools")))},
		Notes: facts(Row{"", Bad, said(m.Fault)}, Row{"held", Ask, said(m.Held)}),
		Details: facts(Row{"folder", Plain, path(m.Folder)},
			Row{"content", Plain, said(text.Only(m.Hash != "", text.Count(m.Files, "file")+", sha256 "+m.Hash))}),
	}
	for _, s := range m.Servers {
		words := s.Command
		if s.URL != "" {
			words = []string{s.URL}
		}
		out.Details = append(out.Details, Row{"tools", Plain, append(said(s.Name+":"), command(words, s.EnvFile)...)})
		out.Notes = append(out.Notes, facts(Row{"", Ask, said(s.Fault)})...)
	}
	switch m.State {
	case wire.ModuleEnabled:
		out.Mark, out.Deeds = Mark{Plain, "🔌"}, []Deed{{Key: "disable", Label: "Disable", Sign: "⏸"}}
	case wire.ModuleDisabled, wire.ModuleProposed:
		enable := Deed{Key: "enable", Label: "Enable", Sign: "▶️", First: "Look, then enable"}
		if m.State == wire.ModuleProposed {
			out.State = cmp.Or(text.Only(m.By == "", "proposed: nobody has enabled it"), "disabled: its folder was changed")
			out.Mark, enable.Look, enable.Command = Mark{Ask, "💡"}, "Look at it", "afar module enable "+m.ID
		}
		out.Deeds = []Deed{enable}
		out.Foot = append(said("Nothing of it runs. Enable it as it is:"), code("afar module enable "+m.ID)...)
	default:
		out.State, out.Mark = text.Only(m.Held != "", "disabled: it ")+"cannot be used", Mark{Bad, "⚠️"}
	}
	if s := m.Source; s != nil {
		out.Details = append(out.Details, facts(
			Row{"source", Plain, command(s.Command, s.EnvFile)},
			Row{"events", Plain, when(fmt.Sprintf("%d, last", s.Events), s.Last)},
			Row{"bad lines", Plain, said(text.Only(s.Bad > 0, fmt.Sprintf("%d, last: %s", s.Bad, s.BadLine)))},
		)...)
	}
	if m.Source != nil && m.State == wire.ModuleEnabled {
		out.Notes = append(out.Notes, sourceNow(*m.Source))
		out.Deeds = append(out.Deeds, Deed{Key: "restart", Label: "Restart the source", Alone: true})
	}
	return out
}

// sourceNow says what the source of a module does.
func sourceNow(s wire.ModuleSource) Row {
	switch {
	case s.PID != 0:
		return Row{"source", Plain, append(when("runs since", s.Since), said(fmt.Sprintf("(process %d)", s.PID))...)}
	case s.Next != 0:
		ended := fmt.Sprintf("; it has ended %s in a row: %s", text.Count(s.Ends, "time"), s.Why)
		return Row{"source", Ask, append(when("starts again at", s.Next), said(ended)...)}
	}
	return Row{"source", Plain, said("is being started")}
}

// command returns a command of a module as a person would type it.
func command(words []string, envFile string) Line {
	shown := Each(words, func(word string) string {
		if word == "" || strings.ContainsAny(word, " \t\r\n'\"\\") {
			return text.ShellQuote(word)
		}
		return word
	})
	return append(code(strings.Join(shown, " ")), said(text.Only(envFile != "", ", with the variables in "+envFile))...)
}
