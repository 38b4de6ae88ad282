package appserver

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/host"
)

// TestServers: a conversation names the servers of tools, each beside those of the person, and each
// with a question before every call. No server means no settings.
func TestServers(t *testing.T) {
	open := func(resumes bool, servers ...host.Server) string {
		turn := host.Turn{Dir: "/w", Servers: servers, Resumes: resumes, Thread: "t1"}
		return strings.Join(newTalk(turn, "go").openThread().Send, "")
	}
	if got := open(false); strings.Contains(got, "config") {
		t.Errorf("without servers: %s", got)
	}
	command := host.Server{Name: "mail_files", Command: []string{"/bin/sh", "-c", "x \"$0\""}, Env: []string{"A=b=c"}}
	const want = `"config":{"mcp_servers.mail_files":{"command":"/bin/sh","args":["-c","x \"$0\""],"env":{"A":"b=c"},` +
		`"default_tools_approval_mode":"prompt"},"mcp_servers.mail_web":{"url":"https://x.example/mcp",` +
		`"default_tools_approval_mode":"prompt"}}`
	for _, resumes := range []bool{false, true} {
		got := open(resumes, command, host.Server{Name: "mail_web", URL: "https://x.example/mcp"})
		if !strings.Contains(got, want) {
			t.Errorf("resumes %t: %s", resumes, got)
		}
	}
}
