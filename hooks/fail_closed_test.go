//go:build linux || darwin

package hooks_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
)

// answering returns the handler of a coordinator that answers each operation with a fixed
// reply. It sends the requests to asked.
func answering(asked chan<- string, replies map[string]string) func(net.Conn) {
	return func(c net.Conn) {
		defer c.Close()
		line, err := bufio.NewReader(c).ReadString('\n')
		if err != nil {
			return
		}
		asked <- line
		for op, reply := range replies {
			if strings.Contains(line, `"`+op+`"`) {
				_, _ = io.WriteString(c, `{"v":1,"code":"","body":`+reply+"}\n")
				return
			}
		}
		_, _ = io.WriteString(c, `{"v":1,"code":"","body":{}}`+"\n")
	}
}

// TestGuardWaitsInEachMode: if the client stops a call whose guard fails, and hooks.json
// has the key for that, the guard waits for the person in every mode, and refuses the call
// when the time is over. Without the key it parks the call at once, except in default mode.
func TestGuardWaitsInEachMode(t *testing.T) {
	if testing.Short() {
		t.Skip("drives binaries of their own, which the race detector does not see")
	}
	t.Parallel()
	replies := map[string]string{
		"hook.ask.open": `{"id":"a","state":"open","deadline_ms":60000}`,
		"hook.ask.wait": `{"id":"a","state":"expired","message":"nobody answered in time"}`,
	}
	for _, mode := range []string{
		"default", "acceptEdits", "auto", "plan", "dontAsk", "bypassPermissions", "newMode", "",
	} {
		for _, key := range []bool{true, false} {
			name := mode
			if key {
				name += ", with the key"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				root, asked := homeDir(t), make(chan string, 20)
				impostor(t, root, answering(asked, replies))
				cmd := guardProcess(root, risky)
				cmd.Stdin = strings.NewReader(payload("PreToolUse", risky+`,"permission_mode":"`+mode+`"`))
				if key {
					cmd.Args = append(cmd.Args, "--on-failure=block")
				}
				var out bytes.Buffer
				cmd.Stdout = &out
				if err := cmd.Run(); err != nil {
					t.Fatal(err)
				}
				waited, parked := false, false
				for len(asked) > 0 { // a late note may still come, so the channel is not closed
					line := <-asked
					waited = waited || strings.Contains(line, "hook.ask.wait")
					parked = parked || strings.Contains(line, `"park":true`)
				}
				if want := key || mode == "default"; waited != want || parked == want {
					t.Errorf("waited %v, parked at once %v; want waited %v", waited, parked, want)
				}
				if !strings.Contains(out.String(), `"permissionDecision":"deny"`) {
					t.Errorf("it prints %q, want a refusal", out.String())
				}
				if waited && !strings.Contains(out.String(), "nobody answered in time. Park this step") {
					t.Errorf("it prints %q, want what to do now", out.String())
				}
				if strings.Contains(out.String(), "defer") {
					t.Errorf("it prints %q, which would end the session", out.String())
				}
			})
		}
	}
}
