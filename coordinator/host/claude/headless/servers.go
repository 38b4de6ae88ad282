package headless

import (
	"encoding/json"
	"strings"

	"github.com/afar-sh/afar/coordinator/host"
)

// A server is one server of tools in the client's form.
type server struct {
	Type    string            `json:"type"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
}

// serversFile returns the file that names servers of tools to the client.
func serversFile(all []host.Server) ([]byte, error) {
	named := map[string]server{}
	for _, s := range all {
		if s.URL != "" {
			named[s.Name] = server{Type: "http", URL: s.URL}
			continue
		}
		env := map[string]string{}
		for _, entry := range s.Env {
			name, value, _ := strings.Cut(entry, "=")
			env[name] = value
		}
		named[s.Name] = server{Type: "stdio", Command: s.Command[0], Args: s.Command[1:], Env: env}
	}
	return json.Marshal(map[string]any{"mcpServers": named})
}
