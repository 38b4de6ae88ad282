package acp

import (
	"encoding/json"
	"strings"
)

// A server is one server of tools in the protocol's form. One with a command has no type.
type server struct {
	Type    string     `json:"type,omitempty"`
	Name    string     `json:"name"`
	Command string     `json:"command,omitempty"`
	Args    []string   `json:"args,omitzero"`
	Env     []variable `json:"env,omitzero"`
	URL     string     `json:"url,omitempty"`
	Headers []variable `json:"headers,omitzero"`
}

type variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// servers returns the servers of tools for the session. Every agent can start a command; one at an
// address is only for an agent that says so.
func (t *talk) servers() ([]byte, error) {
	list := []server{}
	for _, s := range t.turn.Servers {
		switch {
		case s.URL == "":
			env := []variable{}
			for _, entry := range s.Env {
				name, value, _ := strings.Cut(entry, "=")
				env = append(env, variable{name, value})
			}
			list = append(list, server{Name: s.Name, Command: s.Command[0], Args: s.Command[1:], Env: env})
		case t.can.Get("mcpCapabilities.http").Bool():
			list = append(list, server{Type: "http", Name: s.Name, URL: s.URL, Headers: []variable{}})
		}
	}
	return json.Marshal(list)
}
