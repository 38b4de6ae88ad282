package view

// Message returns how the state of a text looks.
func Message(state string) Mark {
	tones := map[string]Tone{"pending": Ask, "unrouted": Ask, "done": Good}
	return Mark{Tone: tones[state]}
}
