package sessions

import (
	"encoding/json"
	"fmt"
	"net"
	"time"
)

// inboxFor bounds what a client may take to accept a text.
const inboxFor = 2 * time.Second

// Tell sends a text to the socket at which a client of the host takes texts. It comes
// before all else that the session does.
func Tell(inbox, text string) error {
	var m struct {
		Type     string            `json:"type"`
		Priority string            `json:"priority"`
		Message  map[string]string `json:"message"`
	}
	m.Type, m.Priority, m.Message = "user", "now", map[string]string{"role": "user", "content": text}
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("tell a session: %w", err)
	}
	conn, err := net.DialTimeout("unix", inbox, inboxFor)
	if err != nil {
		return fmt.Errorf("tell a session: %w", err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(inboxFor)); err != nil {
		return fmt.Errorf("tell a session: %w", err)
	}
	if _, err := conn.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("tell a session: %w", err)
	}
	return nil
}
