package wording

import (
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/wire"
)

// SessionNote returns what is unusual about a session.
func SessionNote(s wire.Session) string {
	var parts []string
	if s.Mode != "" {
		parts = append(parts, Mode(s.Mode))
	}
	switch {
	case s.Background:
		parts = append(parts, "in the background (claude --bg)")
	case !s.Attended:
		parts = append(parts, "unattended")
	}
	if s.Sandbox {
		parts = append(parts, "sandbox on")
	}
	if s.Away != "" {
		parts = append(parts, "away "+line(s.Away, 10))
	}
	if s.Review != "" {
		parts = append(parts, line(s.Review, 60))
	}
	note := strings.Join(parts, ", ")
	if s.State == "unprotected" {
		note += ": " + Unprotected
	}
	return note
}

// Unprotected says what is wrong with a session in that state.
const Unprotected = "no hook of ours ran; `afar doctor` says why"

// Mode returns the permission mode of a session as its client calls it.
func Mode(host string) string {
	if host == "default" {
		return "manual"
	}
	return line(host, 30)
}

// SessionLoad says what model a session uses, how full its context is, how far its own list of steps
// is, and how a text of the person reaches it when it stops. It leaves out what the host does not tell.
func SessionLoad(s wire.Session) string {
	var parts []string
	if s.Model != "" {
		parts = append(parts, line(s.Model, 40))
	}
	if s.Context > 0 {
		parts = append(parts, "context "+Tokens(s.Context))
	}
	if s.Todos != nil {
		parts = append(parts, Todos(*s.Todos))
	}
	switch {
	case !s.Protected:
	case s.Words == wire.WordsPrompt:
		parts = append(parts, "your texts come as your prompts")
	default:
		parts = append(parts, "your texts come through a hook")
	}
	return strings.Join(parts, " · ")
}

// Todos says how far a session's own list of steps is.
func Todos(t wire.Todos) string { return fmt.Sprintf("%d of %d todos done", t.Done, t.Total) }

// Grade says how hard it is to get past the guard.
func Grade(grade string) string {
	switch grade {
	case "plain":
		return "on (grade plain: another plugin can overrule it)"
	case "held":
		return "on (grade held: no other plugin overrules it)"
	case "locked":
		return "on (grade locked: only root can switch it off)"
	}
	return line(grade, 20)
}
