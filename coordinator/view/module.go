package view

import (
	"fmt"
	"slices"
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
		Columns: []Line{said(brings(m))},
		Notes:   facts(Row{"", Bad, said(m.Fault)}, Row{"held", Ask, said(m.Held)}),
		Details: []Row{{"folder", Plain, path(m.Folder)}},
	}
	if m.Hash != "" {
		content := text.Count(m.Files, "file") + ", sha256 " + m.Hash
		out.Details = append(out.Details, Row{"content", Plain, said(content)})
	}
	for _, s := range m.Servers {
		words := s.Command
		if s.URL != "" {
			words = []string{s.URL}
		}
		line := append(said(s.Name+":"), command(words, s.EnvFile)...)
		out.Details = append(out.Details, Row{"tools", Plain, line})
		out.Notes = append(out.Notes, facts(Row{"", Ask, said(s.Fault)})...)
	}
	enable := Deed{Key: "enable", Label: "Enable", Sign: "▶️", First: "Look, then enable"}
	nothing := append(said("Nothing of it runs. Enable it as it is:"), code("afar module enable "+m.ID)...)
	switch {
	case m.State == wire.ModuleEnabled:
		out.Mark, out.Deeds = Mark{Plain, "🔌"}, []Deed{{Key: "disable", Label: "Disable", Sign: "⏸"}}
	case m.State == wire.ModuleDisabled:
		out.Foot, out.Deeds = nothing, []Deed{enable}
	case m.State == wire.ModuleProposed:
		out.State, out.Mark = "disabled: its folder was changed", Mark{Ask, "💡"}
		if m.By == "" {
			out.State = "proposed: nobody has enabled it"
		}
		enable.Look, enable.Command = "Look at it", "afar module enable "+m.ID
		out.Foot, out.Deeds = nothing, []Deed{enable}
	case m.Held != "":
		out.State, out.Mark = "disabled: it cannot be used", Mark{Bad, "⚠️"}
	default:
		out.State, out.Mark = "cannot be used", Mark{Bad, "⚠️"}
	}
	if m.Source != nil {
		out.source(*m.Source, m.State == wire.ModuleEnabled)
	}
	return out
}

// source adds what the source of a module is and does.
func (t *Thing) source(s wire.ModuleSource, enabled bool) {
	t.Details = append(t.Details, Row{"source", Plain, command(s.Command, s.EnvFile)})
	if s.Events > 0 {
		t.Details = append(t.Details, Row{"events", Plain, when(fmt.Sprintf("%d, last", s.Events), s.Last)})
	}
	if s.Bad > 0 {
		bad := fmt.Sprintf("%d, last: %s", s.Bad, s.BadLine)
		t.Details = append(t.Details, Row{"bad lines", Plain, said(bad)})
	}
	switch {
	case !enabled:
		return
	case s.PID != 0:
		now := append(when("runs since", s.Since), said(fmt.Sprintf("(process %d)", s.PID))...)
		t.Notes = append(t.Notes, Row{"source", Plain, now})
	case s.Next != 0:
		ended := fmt.Sprintf("; it has ended %s in a row: %s", text.Count(s.Ends, "time"), s.Why)
		t.Notes = append(t.Notes, Row{"source", Ask, append(when("starts again at", s.Next), said(ended)...)})
	default:
		t.Notes = append(t.Notes, Row{"source", Plain, said("is being started")})
	}
	t.Deeds = append(t.Deeds, Deed{Key: "restart", Label: "Restart the source", Alone: true})
}

// brings says in a few words what a module brings.
func brings(m wire.Module) string {
	var parts []string
	if m.Source != nil {
		parts = append(parts, "a source of events")
	}
	if n := len(m.Servers); n > 0 {
		parts = append(parts, text.Count(n, "server")+" of tools")
	}
	return strings.Join(parts, ", ")
}

// command returns a command of a module as a person would type it.
func command(words []string, envFile string) Line {
	shown := slices.Clone(words)
	for i, word := range shown {
		if word == "" || strings.ContainsAny(word, " \t\r\n'\"\\") {
			shown[i] = text.ShellQuote(word)
		}
	}
	line := code(strings.Join(shown, " "))
	if envFile != "" {
		line = append(line, said(", with the variables in "+envFile)...)
	}
	return line
}
