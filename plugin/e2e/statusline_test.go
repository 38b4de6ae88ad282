//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// TestRealStatusLine: the client shows the person's own status line as it was, and Afar's part behind it. The
// settings are as before when Afar's part is taken away.
func TestRealStatusLine(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current))
	path := filepath.Join(r.lab.Home, ".claude", "settings.json")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]any{}
	if err := json.Unmarshal(raw, &set); err != nil {
		t.Fatal(err)
	}
	set["statusLine"] = map[string]any{"type": "command", "command": "echo 'my own'"}
	before, err := json.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	r.settings(path, string(before))
	r.must("statusline", "on")
	r.must("away", "on")
	r.term = r.lab.Terminal()
	// On a busy machine Afar's part may not be there in time; then the client's next line has it.
	turns := 0
	shows := func(line string) {
		t.Helper()
		for range 12 {
			turns++
			r.ask(fmt.Sprint("turn ", turns))
			r.did(fmt.Sprint("turn ", turns))
			if regexp.MustCompile(line).MatchString(r.term.Screen()) {
				return
			}
		}
		t.Fatalf("the client never shows %s:\n%s", line, r.term.Screen())
	}
	r.term.Await("my own", within)
	shows(`my own  afar · away`)
	r.must("away", "off")
	shows(`my own  afar *\n`)
	r.must("statusline", "off")
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]any{}
	if err := json.Unmarshal(after, &left); err != nil {
		t.Fatal(err)
	}
	if own, _ := json.Marshal(left["statusLine"]); string(own) != `{"command":"echo 'my own'","type":"command"}` {
		t.Errorf("left is %s", own)
	}
}
