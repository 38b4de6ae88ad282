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
		parts = append(parts, Line(s.Mode, 30))
	}
	switch {
	case s.Background:
		parts = append(parts, "in the background (claude --bg)")
	case !s.Attended:
		parts = append(parts, "unattended")
	}
	if s.Away != "" {
		parts = append(parts, "away "+Line(s.Away, 10))
	}
	if s.Review != "" {
		parts = append(parts, Line(s.Review, 60))
	}
	note := strings.Join(parts, ", ")
	if s.State == "unprotected" {
		note += ": " + Unprotected
	}
	return note
}

// Unprotected says what is wrong with a session in that state.
const Unprotected = "no hook of ours ran; `afar doctor` says why"

// SessionLoad says what model a session uses, how full its context is, and how far its own
// list of steps is, as far as the host tells.
func SessionLoad(s wire.Session) string {
	model, context, todos := "model unknown", "context unknown", "todos unknown"
	if s.Model != "" {
		model = Line(s.Model, 40)
	}
	if s.Context > 0 {
		context = "context " + Tokens(s.Context)
	}
	if s.Todos != nil {
		todos = Todos(*s.Todos)
	}
	return model + " · " + context + " · " + todos
}

// Todos says how far a session's own list of steps is.
func Todos(t wire.Todos) string { return fmt.Sprintf("%d of %d todos done", t.Done, t.Total) }

// NoSessions is shown where there is none.
const NoSessions = "No sessions yet. Start `claude` in a project; it appears here by itself."
