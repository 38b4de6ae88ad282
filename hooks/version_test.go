package hooks_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
)

// replying returns the handler of a coordinator that answers each operation with a fixed
// reply, and any other one with unknown.
func replying(replies map[string]string, unknown string) func(net.Conn) {
	return func(c net.Conn) {
		defer c.Close()
		line, err := bufio.NewReader(c).ReadBytes('\n')
		var req struct{ Op string }
		if err != nil || json.Unmarshal(line, &req) != nil {
			return
		}
		reply, ok := replies[req.Op]
		if !ok {
			reply = unknown
		}
		fmt.Fprintln(c, reply)
	}
}

// TestNewerCoordinator: the hooks ignore unknown fields in the replies of a newer
// coordinator.
func TestNewerCoordinator(t *testing.T) {
	root := homeDir(t)
	impostor(t, root, replying(map[string]string{
		"hook.stop":      `{"v":9,"code":"","new":[1],"body":{"block":true,"reason":"go on","colour":"blue"}}`,
		"hook.ask.open":  `{"v":9,"code":"","body":{"id":"a","state":"open","deadline_ms":60000,"new":{}}}`,
		"hook.ask.wait":  `{"v":9,"code":"","body":{"id":"a","state":"answered","allow":true}}`,
		"hook.ask.claim": `{"v":9,"code":"","body":{"id":"a","state":"delivered","allow":true,"new":null}}`,
	}, `{"v":9,"code":"unknown_op","error":"?"}`))
	r := runHook(t, "hook-stop", root, unattended, payload("Stop", stopped))
	if r.code != 0 || !strings.Contains(r.stdout, `"decision":"block"`) || !strings.Contains(r.stdout, "go on") {
		t.Errorf("stop: %+v", r)
	}
	r = runHook(t, "hook-permission-request", root, unattended, payload("PermissionRequest", bash("touch f")))
	if r.code != 0 || !strings.Contains(r.stdout, `"behavior":"allow"`) {
		t.Errorf("permission: %+v", r)
	}
}

// TestOtherCoordinator: the fail policy applies if the coordinator does not know the
// operation, or answers with an unknown code.
func TestOtherCoordinator(t *testing.T) {
	for _, code := range []string{"unknown_op", "code_of_2031"} {
		t.Run(code, func(t *testing.T) {
			root := homeDir(t)
			impostor(t, root, replying(nil, `{"v":0,"code":"`+code+`","error":"not today"}`))
			run := func(event, rest string, who []string) result {
				return runHook(t, binary(event), root, who, payload(event, rest))
			}
			nothing.check(t, run("Stop", `,"last_assistant_message":"fin"`, attended))
			nothing.check(t, run("PermissionRequest", bash("touch f"), attended))
			r := run("PermissionRequest", bash("touch f"), unattended)
			denied.check(t, r)
			if !strings.Contains(r.stdout, "not today") {
				t.Errorf("the refusal does not say why: %s", r.stdout)
			}
		})
	}
}
