//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealModule: a run of the real client calls a tool that an enabled module brings, after its
// person has allowed it. The server of the module is the program afar itself.
func TestRealModule(t *testing.T) {
	host.NeedLong(t, host.Current)
	r := newRunRig(t, host.Current)
	r.enableModule()
	const tool = "mcp__lab_hub__post"
	r.startRun("tooled", play(
		model.Call("ToolSearch", map[string]any{"query": "select:" + tool}),
		model.Call(tool, map[string]any{"topic": "project:lab", "text": "[lab] GREEN: by a module"}),
		model.Say("fin"),
	), "--mode", "manual")
	r.tap(r.card("by a module"), "Allow")
	if end := r.becameRun("tooled", "idle"); end.Result != "fin" {
		t.Errorf("at the end: %+v\n%s", end, r.must("run", "log", "tooled"))
	}
	if posts := r.must("read", "project:lab"); !strings.Contains(posts, "by a module") {
		t.Errorf("the topic says %q", posts)
	}
}

// enableModule enables the module lab. Its one server of tools, hub, is the program afar itself.
func (r *rig) enableModule() {
	r.t.Helper()
	dir := filepath.Join(r.home, "workspace", "modules", "lab")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		r.t.Fatal(err)
	}
	write(r.t, dir, "module.toml",
		fmt.Sprintf("[mcp.hub]\ncommand = [%q, \"mcp\"]\n", filepath.Join(root, "bin", "afar")))
	r.must("module", "enable", "lab")
}

// TestRealCodexModule: the real codex calls tools that an enabled module brings, each only after its
// person has allowed it, also in a conversation that goes on.
func TestRealCodexModule(t *testing.T) {
	long.Only(t)
	r := newCodexRig(t)
	r.enableModule()
	post := model.Call("mcp__lab_hub/post", map[string]any{"topic": "project:lab", "text": "[lab] GREEN: by a module"})
	r.startRun("tooled", "go "+play(post, model.Say("fin")), "--agent", "codex", "--mode", "manual")
	r.tap(r.card("by a module"), "Allow")
	if end := r.becameRun("tooled", "idle"); end.Result != "fin" {
		t.Errorf("at the end: %+v\n%s", end, r.must("run", "log", "tooled"))
	}
	if posts := r.must("read", "project:lab"); !strings.Contains(posts, "by a module") {
		t.Errorf("the topic says %q", posts)
	}
	read := model.Call("mcp__lab_hub/read_topic", map[string]any{"topic": "project:lab"})
	r.must("run", "send", "tooled", "more "+play(read, model.Say("over")))
	r.tap(r.card("read_topic"), "Deny")
	if end := r.becameRun("tooled", "idle"); end.Result != "over" {
		t.Errorf("at the end: %+v\n%s", end, r.must("run", "log", "tooled"))
	}
}
