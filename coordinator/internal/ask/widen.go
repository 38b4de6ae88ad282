package ask

import (
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// Widen is the kind of ask in which a run behind a wall wants to write one more path. With an allow it can, from its
// next turn on.
const Widen Kind = "widen"

// NewWiden returns the ask in which a run wants to write a path. The same run is asked about a path once.
func NewWiden(r run.Run, path string) Ask {
	key := string(r.ID) + "\x00" + path
	return Ask{
		ID:       idOf("ask_d", key),
		Kind:     Widen,
		Session:  session.ID(r.Conversation),
		Tool:     "wall",
		Text:     keep(path),
		Hash:     hashOf(key),
		Cwd:      r.Dir,
		Does:     "let run " + r.Name + ", and all that it starts, write there, from its next turn on",
		Proposed: &Proposed{Run: run.Run{ID: r.ID, Name: r.Name}, Prompt: path},
	}
}
