package hooks_test

import (
	"bufio"
	"encoding/json"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/afar-sh/afar/coordinator/wire"
)

// TestStopDecidedAnew: if the texts that a stop is to bring are gone, because an earlier hook
// has just reported that it printed them, the hook asks for another decision. The session would
// otherwise stop although its loop goes on.
func TestStopDecidedAnew(t *testing.T) {
	if testing.Short() {
		t.Skip("drives a binary of its own, which the race detector does not see")
	}
	t.Parallel()
	root := homeDir(t)
	var mu sync.Mutex
	asked := map[string]int{}
	impostor(t, root, func(c net.Conn) {
		defer c.Close()
		var in struct{ Op string }
		line, _ := bufio.NewReader(c).ReadBytes('\n')
		if json.Unmarshal(line, &in) != nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		asked[in.Op]++
		body := `{}`
		switch {
		case in.Op == string(wire.OpStop) && asked[in.Op] == 1:
			body = `{"texts":1}`
		case in.Op == string(wire.OpStop):
			body = `{"block":true,"reason":"go on with the loop"}`
		}
		_, _ = c.Write(wire.Reply{V: wire.Version, Body: wire.Raw(body)}.Line())
	})
	got := runHook(t, "hook-stop", root, nil,
		payload("Stop", `,"stop_hook_active":false,"last_assistant_message":"fin"`))
	if !strings.Contains(got.stdout, "go on with the loop") {
		t.Errorf("it printed %q", got.stdout)
	}
	mu.Lock()
	defer mu.Unlock()
	if asked[string(wire.OpStop)] != 2 || asked[string(wire.OpMessageTake)] != 1 {
		t.Errorf("asked for %v", asked)
	}
}
