package wording

import (
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// ModuleState returns the words for the state of a module.
func ModuleState(m wire.Module) string {
	switch {
	case m.State == wire.ModuleProposed && m.By == "":
		return "proposed: nobody has enabled it"
	case m.State == wire.ModuleProposed:
		return "disabled: its folder was changed"
	case m.State == wire.ModuleBroken && m.Held != "":
		return "disabled: it cannot be used"
	case m.State == wire.ModuleBroken:
		return "cannot be used"
	}
	return m.State
}

// ModuleBrings says in a few words what a module brings.
func ModuleBrings(m wire.Module) string {
	var parts []string
	if m.Source != nil {
		parts = append(parts, "a source of events")
	}
	if n := len(m.Servers); n > 0 {
		parts = append(parts, text.Count(n, "server")+" of tools")
	}
	return strings.Join(parts, ", ")
}

// ModuleCommand returns a command of a module as a person would type it.
func ModuleCommand(words []string) string {
	shown := slices.Clone(words)
	for i, word := range shown {
		if word == "" || strings.ContainsAny(word, " \t\r\n'\"\\") {
			shown[i] = text.ShellQuote(word)
		}
	}
	return strings.Join(shown, " ")
}

// ModuleSource says what the source of an enabled module does. moment is how times are written.
func ModuleSource(s wire.ModuleSource, moment func(ms int64) string) string {
	switch {
	case s.PID != 0:
		return fmt.Sprintf("runs since %s (process %d)", moment(s.Since), s.PID)
	case s.Next != 0:
		return fmt.Sprintf("starts again at %s; it has ended %s: %s", moment(s.Next), times(s.Ends), s.Why)
	}
	return "is being started"
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times in a row", n)
}
