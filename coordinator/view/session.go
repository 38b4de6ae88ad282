package view

// Session returns how the state of a session looks.
func Session(state string) Mark {
	tones := map[string]Tone{"unprotected": Bad, "waiting": Ask, "working": Good}
	return Mark{Tone: tones[state]}
}
