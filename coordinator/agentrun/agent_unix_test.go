//go:build unix

package agentrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/wire"
)

// TestServers: an agent works without the server of tools whose variables cannot be read, and the
// end of the turn says so.
func TestServers(t *testing.T) {
	dir := t.TempDir()
	closed, open := filepath.Join(dir, "closed"), filepath.Join(dir, "open")
	for path, mode := range map[string]os.FileMode{closed: 0o600, open: 0o644} {
		if err := os.WriteFile(path, []byte("KEY=secret\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	d := &turn{spec: wire.RunTurnReply{Servers: []wire.RunServer{
		{Name: "plain", URL: "http://127.0.0.1:1"},
		{Name: "closed", EnvFile: closed, Env: []string{"A=1"}},
		{Name: "open", EnvFile: open},
		{Name: "none", EnvFile: filepath.Join(dir, "none")},
	}}}
	var names []string
	for _, s := range d.servers() {
		names = append(names, s.Name+" "+strings.Join(s.Env, ","))
	}
	if want := []string{"plain ", "closed A=1,KEY=secret"}; !slices.Equal(names, want) {
		t.Errorf("the agent gets %q, want %q", names, want)
	}
	lacks := d.result(exit{}).Lacks
	for _, want := range []string{"open: env_file " + open + " can be read by others: chmod 600",
		"; none: read env_file:"} {
		if !strings.Contains(lacks, want) {
			t.Errorf("the end says %q, want %q", lacks, want)
		}
	}
	if strings.Contains(lacks, "secret") {
		t.Errorf("the end shows a key: %q", lacks)
	}
}
