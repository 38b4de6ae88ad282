//go:build unix

package server_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestStopSettlesDialogs checks that no dialog is left open at the end of a turn, whatever the
// person answered there. A subagent's ask stays open.
func TestStopSettlesDialogs(t *testing.T) {
	r := newRig(t)
	open := func(id, more string) {
		r.hook(wire.OpAskOpen, bash+more, func(h *hookRequest) { h.Ask, h.Kind, h.Attended = id, "permission", true })
	}
	open("main", "")
	open("sub", `,"agent_id":"7","agent_type":"Explore"`)
	r.hook(wire.OpStop, "", nil)
	if a := r.askState("main"); a.State != ask.Withdrawn || a.Ending() != "answered at the terminal" {
		t.Errorf("the dialog is %s: %s", a.State, a.Ending())
	}
	if a := r.askState("sub"); a.State != ask.Open {
		t.Errorf("the subagent's ask is %s", a.State)
	}
}

// TestLook checks what a card says about a call in addition to its input.
func TestLook(t *testing.T) {
	r := newRig(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put := func(dir, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(dir, "notes.md", "one\ntwo\n")
	put(dir, ".env", "KEY=hidden-away\n")
	put(dir, "binary", "a\x00hidden-away")
	put(dir, "huge", strings.Repeat("hidden-away\n", 10_000))
	put(outside, "far", "hidden-away\n")
	for _, err := range []error{
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
		os.Symlink(filepath.Join(outside, "far"), filepath.Join(dir, "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name string) map[string]any {
		return map[string]any{"file_path": filepath.Join(dir, name), "content": "one\n2\n"}
	}
	run := func(command string) map[string]any {
		return map[string]any{"command": command, "description": "run\n" + command + " --token hidden-away1"}
	}
	var said []string
	for i, c := range []struct {
		tool       string
		input      map[string]any
		does, text string // text is a part of what is shown
	}{
		{"Bash", run("rm -rf build && echo x > out.txt"), "delete tree build · write file out.txt", "rm -rf build"},
		{"Bash", run("cat a b c d e"), "read file a, b, c and 2 more", ""},
		{"Bash", run("rm $X"), "perhaps delete file", ""},
		{"Bash", run("ssh host rm -rf /srv/x && touch a"), "delete tree (remote) /srv/x · write file a", ""},
		{"Bash", run("npm test"), "", "npm test"},
		{"Bash", run("if then fi ("), "", ""},
		{"Write", write("new.md"), "make a new file", "+ one\n+ 2"},
		{"Write", write("notes.md"), "replace a file of 8 bytes", "  one\n- two\n+ 2"},
		{"Write", write(".env"), "replace a file of 16 bytes", "+ one\n+ 2"},
		{"Write", write("binary"), "replace a file of 13 bytes", "+ one\n+ 2"},
		{"Write", write("huge"), "replace a file of 120000 bytes", "+ one\n+ 2"},
		{"Write", write("link"), "replace a file of 12 bytes", "+ one\n+ 2"},
		{"Write", write("pipe"), "write over something that is not a plain file", "+ one\n+ 2"},
		{"Write", map[string]any{"file_path": "relative", "content": "x"}, "", "+ x"},
		{"Write", map[string]any{"file_path": 7}, "", "7"},
		{"Read", map[string]any{"file_path": filepath.Join(dir, "notes.md")}, "", "notes.md"},
	} {
		in, err := json.Marshal(c.input)
		if err != nil {
			t.Fatal(err)
		}
		id := string(rune('a' + i))
		payload, err := json.Marshal(map[string]any{
			"session_id": "s", "cwd": dir, "tool_name": c.tool, "tool_input": json.RawMessage(in),
		})
		if err != nil {
			t.Fatal(err)
		}
		want[wire.AskState](t, r.hook(wire.OpAskOpen, "", func(h *hookRequest) {
			h.Ask, h.Kind, h.Project, h.Payload = id, "permission", dir, wire.Raw(payload)
		}), wire.CodeOK)
		a := r.askState(id)
		if !strings.HasPrefix(a.Does, c.does) || c.does == "" && a.Does != "" || !strings.Contains(a.Text, c.text) ||
			strings.Contains(a.Text, "hidden-away") {
			t.Errorf("%s %s: does %q, want %q; it shows\n%s", c.tool, in, a.Does, c.does, a.Text)
		}
		said = append(said, a.Says)
	}
	if said[4] != "run npm test --token •••" || said[6] != "" {
		t.Errorf("the session says %q", said)
	}
}

// TestLookSandboxed: the card of a command says that it would run in the host's sandbox, where the
// settings switch that on and the call does not leave it.
func TestLookSandboxed(t *testing.T) {
	r := newRig(t)
	dir := t.TempDir()
	settings := filepath.Join(dir, ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	const in = "run in Claude Code's sandbox, as its settings say"
	for i, c := range []struct{ settings, tool, input, does string }{
		{`{"sandbox":{"enabled":true}}`, "Bash", `{"command":"npm test"}`, in},
		{`{"sandbox":{"enabled":true}}`, "Bash", `{"command":"cat a"}`, "read file a · " + in},
		{`{"sandbox":{"enabled":true}}`, "Bash", `{"command":"cat a","dangerouslyDisableSandbox":true}`, "run with more rights · read file a"},
		{`{"sandbox":{"enabled":true}}`, "Read", `{"file_path":"a"}`, ""},
		{`{"sandbox":{"enabled":false}}`, "Bash", `{"command":"cat a"}`, "read file a"},
		{`{`, "Bash", `{"command":"cat a"}`, "read file a"},
	} {
		if err := os.WriteFile(settings, []byte(c.settings), 0o600); err != nil {
			t.Fatal(err)
		}
		id := string(rune('a' + i))
		payload := `{"session_id":"s","cwd":"` + dir + `","tool_name":"` + c.tool + `","tool_input":` + c.input + `}`
		want[wire.AskState](t, r.hook(wire.OpAskOpen, "", func(h *hookRequest) {
			h.Ask, h.Kind, h.Project, h.Payload = id, "permission", dir, wire.Raw(payload)
		}), wire.CodeOK)
		if got := r.askState(id).Does; got != c.does {
			t.Errorf("%s with %s: does %q, want %q", c.input, c.settings, got, c.does)
		}
	}
}
