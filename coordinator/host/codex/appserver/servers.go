package appserver

import (
	"encoding/json"
	"strings"

	"github.com/afar-sh/afar/coordinator/host"
)

// A server is one server of tools in the form of codex's settings.
type server struct {
	Command  string            `json:"command,omitempty"`
	Args     []string          `json:"args,omitempty"`
	Env      map[string]string `json:"env,omitempty"`
	URL      string            `json:"url,omitempty"`
	Approval string            `json:"default_tools_approval_mode"`
}

// prompted has codex ask before each call of a server's tools, also of those that the server says
// only read.
const prompted = "prompt"

// settings returns the settings of codex that name servers of tools, nil for none. Each stands beside
// the servers of the person's own settings.
func settings(servers []host.Server) ([]byte, error) {
	if len(servers) == 0 {
		return nil, nil
	}
	named := map[string]server{}
	for _, s := range servers {
		named["mcp_servers."+s.Name] = settingOf(s)
	}
	return json.Marshal(named)
}

func settingOf(s host.Server) server {
	if s.URL != "" {
		return server{URL: s.URL, Approval: prompted}
	}
	env := map[string]string{}
	for _, entry := range s.Env {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	return server{Command: s.Command[0], Args: s.Command[1:], Env: env, Approval: prompted}
}
