//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
	"github.com/afar-sh/afar/coordinator/standin/netproxy"
)

// TestRealTools: the client finds Afar's tools through its search, calls one without a
// question, and the model reads the result, also after the coordinator was restarted.
func TestRealTools(t *testing.T) {
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			client := host.Need(t, version)
			if version != host.Current {
				client = host.NeedLong(t, version)
			}
			addr := netproxy.FreeAddr(t)
			r := newRigAt(t, client, root, addr)
			r.configure("[web]\naddr = \"" + addr + "\"")
			const tool = "mcp__plugin_afar_afar__"
			r.model.Script(func(q model.Request) model.Turn {
				switch len(q.ToolResults()) {
				case 0:
					return model.Call("ToolSearch",
						map[string]any{"query": "select:" + tool + "post," + tool + "read_topic"})
				case 1:
					return model.Call(tool+"post", map[string]any{"topic": "project:lab", "text": "[lab] RED: main"})
				case 2:
					if pids := r.processes("afar"); len(pids) > 1 {
						t.Errorf("the processes of afar are %d, want the coordinator alone", pids)
					}
					if out, err := r.afar("restart"); err != nil {
						return model.Say("restart: " + out)
					}
					return model.Call(tool+"read_topic", map[string]any{"topic": "project:lab"})
				}
				return model.Say("it says " + q.ToolResults()[2])
			})
			res := r.print("tell the others that main is red", "--permission-mode", "manual")
			if !strings.Contains(res.Text, "[lab] RED: main") {
				t.Errorf("the turn ended with %q\n%s\n%s", res.Text, r.refusal(), r.trail())
			}
			posts := r.must("read", "project:lab")
			if !strings.Contains(posts, "[lab] RED: main") || strings.Contains(posts, "person") {
				t.Errorf("the topic says %s", posts)
			}
		})
	}
}
