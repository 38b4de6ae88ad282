package view

// Run returns how the state of a run looks.
func Run(state string) Mark {
	switch state {
	case "starting", "working":
		return Mark{Good, "⚙️"}
	case "queued":
		return Mark{Plain, "⏳"}
	case "waiting":
		return Mark{Ask, "❓"}
	case "failed":
		return Mark{Bad, "⚠️"}
	case "stopped":
		return Mark{Plain, "⏹"}
	case "taken":
		return Mark{Plain, "⌨️"}
	}
	return Mark{Plain, "💤"}
}
