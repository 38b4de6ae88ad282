package view

import "github.com/afar-sh/afar/coordinator/wire"

// Loop returns how the state of a loop looks.
func Loop(l wire.Loop) Mark {
	switch {
	case l.Active, l.Verdict == "done" && l.Proven:
		return Mark{Tone: Good}
	case l.Verdict == "", l.Verdict == "done":
		return Mark{Tone: Muted}
	}
	return Mark{Tone: Ask}
}
