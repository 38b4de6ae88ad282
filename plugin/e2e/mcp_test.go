//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// asServer is the variable that makes this test binary an MCP server. Its value is the file
// that the server creates when the client has asked for its tools.
const asServer = "AFAR_TEST_MCP"

// serveMCP is a real MCP server on stdio with the tool ask, which makes the elicitation in
// its argument and returns the client's answer as text.
func serveMCP() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	var asked json.RawMessage // the call that waits for the elicitation's end
	say := func(m map[string]any) {
		m["jsonrpc"] = "2.0"
		line, _ := json.Marshal(m) // plain maps
		fmt.Printf("%s\n", line)
	}
	for in.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Params struct {
				Version   string                     `json:"protocolVersion"`
				Arguments map[string]json.RawMessage `json:"arguments"`
			} `json:"params"`
		}
		if json.Unmarshal(in.Bytes(), &m) != nil {
			continue
		}
		switch {
		case m.Method == "initialize":
			say(map[string]any{"id": m.ID, "result": map[string]any{"protocolVersion": m.Params.Version,
				"capabilities": map[string]any{"tools": map[string]any{}},
				"serverInfo":   map[string]any{"name": "lab", "version": "1"}}})
		case m.Method == "tools/list":
			say(map[string]any{"id": m.ID, "result": map[string]any{"tools": []any{map[string]any{"name": "ask",
				"description": "asks",
				"inputSchema": map[string]any{"type": "object",
					"properties": map[string]any{"params": map[string]any{"type": "object"}}}}}}})
			_ = os.WriteFile(os.Getenv(asServer), nil, 0o600) // without it the test says so
		case m.Method == "tools/call":
			asked = m.ID
			say(map[string]any{"id": "elicit", "method": "elicitation/create", "params": m.Params.Arguments["params"]})
		case m.Method == "" && string(m.ID) == `"elicit"`:
			text := map[string]any{"type": "text", "text": "the person: " + string(m.Result)}
			say(map[string]any{"id": asked, "result": map[string]any{"content": []any{text}}})
		case m.Method != "" && len(m.ID) > 0:
			say(map[string]any{"id": m.ID, "result": map[string]any{}})
		}
	}
}

// withServer returns the arguments that give a client the server.
func withServer(t *testing.T, r *rig) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"lab": map[string]any{"command": self, "args": []string{},
			"env": map[string]string{asServer: r.lab.Temp + "/listed"}}}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, r.lab.Temp, "mcp.json", string(config))
	return []string{"--mcp-config=" + r.lab.Temp + "/mcp.json"}
}

// served waits until the client has the server's tools. A terminal shows its prompt before
// that.
func (r *rig) served() {
	r.t.Helper()
	awaitOutput(r.t, func() (string, bool) {
		_, err := os.Stat(r.lab.Temp + "/listed")
		return "the client does not ask the MCP server for its tools", err == nil
	})
}
