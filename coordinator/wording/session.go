package wording

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// SessionNote returns what is unusual about a session.
func SessionNote(s wire.Session) string {
	where := text.Only(!s.Attended, "unattended")
	if s.Background {
		where = "in the background (claude --bg)"
	}
	away := text.Only(s.Away != "", "away "+line(s.Away, 10))
	note := text.Series(", ", Mode(s.Mode), where, text.Only(s.Sandbox, "sandbox on"), away, line(s.Review, 60))
	return note + text.Only(s.State == "unprotected", ": "+Unprotected)
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
	todos, way := "", "your texts come through a hook"
	if s.Todos != nil {
		todos = Todos(*s.Todos)
	}
	if s.Words == wire.WordsPrompt {
		way = "your texts come as your prompts"
	}
	context := text.Only(s.Context > 0, "context "+Tokens(s.Context))
	return text.Series(" · ", line(s.Model, 40), context, todos, text.Only(s.Protected, way))
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
