package sessions

import (
	"encoding/json"
	"fmt"
	"net"
	"time"
)

// inboxFor bounds what a client may take to accept a text.
const inboxFor = 2 * time.Second

// Tell sends a text to the socket at which a client of the host takes texts. The session
// handles it before anything else.
func Tell(inbox, text string) error {
	line, err := json.Marshal(map[string]any{
		"type":     "user",
		"priority": "now",
		"message":  map[string]string{"role": "user", "content": text},
	})
	if err == nil {
		err = send(inbox, append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("tell a session: %w", err)
	}
	return nil
}

func send(socket string, line []byte) error {
	conn, err := net.DialTimeout("unix", socket, inboxFor)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(inboxFor)); err != nil {
		return err
	}
	_, err = conn.Write(line)
	return err
}
