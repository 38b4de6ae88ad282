package headless

import "github.com/afar-sh/afar/coordinator/host"

// atTerminal are the settings of a client that a person uses. Whether texts of other sessions come
// in stays the person's decision.
var atTerminal = `{` + protected + `}`

// Interactive returns the arguments of the client at a terminal.
func (Agent) Interactive(t host.Turn) (start host.Start, err error) {
	mode, err := modeOf(t)
	if err != nil {
		return start, err
	}
	start.Args = []string{"--permission-mode", mode, "--settings", atTerminal, "--resume", t.Conversation}
	if t.Model != "" {
		start.Args = append(start.Args, "--model", t.Model)
	}
	return start, nil
}
