//go:build unix

package host_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

var update = flag.Bool("update", false, "write the contract anew; read the diff before you keep it")

// noEvent is a name that no client knows: a client that reads it in its settings lists the names that it knows.
const noEvent = "NoEvent"

// events are the events whose payloads are recorded, where the session of this test has them.
var events = strings.Fields(`SessionStart SessionEnd UserPromptSubmit UserPromptExpansion PreToolUse PermissionRequest
	PermissionDenied Elicitation ElicitationResult PostToolUse PostToolUseFailure PostToolBatch Stop StopFailure PreCompact
	PostCompact SubagentStart SubagentStop ConfigChange Notification PreSkillShellCommand InstructionsLoaded CwdChanged
	FileChanged DirectoryAdded MessageDisplay TaskCreated TaskCompleted TeammateIdle PreModelSwitch PostModelSwitch`)

// TestRealContract: what the newest tested client sends to hooks, to the model, to the readers of
// its stream and into its files has the fields that testdata/contract.txt names, and no others: a
// field that went is told with "-", a new one with "+". `.ci/run --newest` runs it with a newer
// client, and so prints what has changed.
func TestRealContract(t *testing.T) {
	c := newContract(t, host.Need(t, host.Current))
	c.print()
	c.terminal()
	c.readPayloads()
	c.readRequests()
	c.readFiles()
	const golden = "testdata/contract.txt"
	if *update {
		c.must(os.WriteFile(golden, []byte(strings.Join(slices.Sorted(maps.Keys(c.lines)), "\n")+"\n"), 0o644))
	}
	recorded, err := os.ReadFile(golden)
	c.must(err)
	want := map[string]bool{}
	for line := range strings.Lines(string(recorded)) {
		want[strings.TrimSuffix(line, "\n")] = true
	}
	for _, line := range missing(want, c.lines) {
		t.Errorf("- %s", line)
	}
	for _, line := range missing(c.lines, want) {
		t.Errorf("+ %s", line)
	}
}

// missing returns the lines of a that b does not have, sorted.
func missing(a, b map[string]bool) []string {
	only := maps.Clone(a)
	maps.DeleteFunc(only, func(line string, _ bool) bool { return b[line] })
	return slices.Sorted(maps.Keys(only))
}

// A contract collects lines such as "PreToolUse(Bash).tool_input.command string".
type contract struct {
	t      *testing.T
	model  *model.Server
	lab    *host.Lab
	record string // where the hook writes each payload
	lines  map[string]bool
}

func newContract(t *testing.T, client string) *contract {
	t.Helper()
	m, err := model.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	c := &contract{t: t, model: m, record: t.TempDir(), lines: map[string]bool{}}
	hook := filepath.Join(t.TempDir(), "hook")
	// By rename, so that a payload that is there is whole.
	c.must(os.WriteFile(hook, []byte(`#!/bin/sh
file=$(mktemp "$RECORD/XXXXXXXXXX")
{ cat; env | sed -n 's/^\(CLAUDE[A-Z0-9_]*\)=.*/\1/p' | sort | tr '\n' ' '; } >"$file" && mv "$file" "$file.json"
`), 0o700))
	hooks := map[string]any{}
	for _, event := range append(events, noEvent) {
		hooks[event] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": hook}}}}
	}
	c.lab = host.NewLab(t, client, m.URL(), host.Opts{
		Env:      map[string]string{"RECORD": c.record},
		Settings: map[string]any{"hooks": hooks, "prefersReducedMotion": true, "spinnerTipsEnabled": false},
	})
	c.write(".claude/skills/look/SKILL.md", "---\nname: look\ndescription: Looks.\n---\nIt is !`echo here`.\n")
	c.write("CLAUDE.md", "Be brief.\n")
	return c
}

// print drives `claude -p` through calls that run, fail, delegate and load a skill.
func (c *contract) print() {
	c.t.Helper()
	prompt := "go " + model.Play(
		model.Bash("echo one"), model.Bash("exit 3"),
		model.Call("Write", map[string]any{"file_path": filepath.Join(c.lab.Project, "a.txt"), "content": "a\n"}),
		model.Call("Read", map[string]any{"file_path": filepath.Join(c.lab.Project, "a.txt")}),
		model.Call("Edit", map[string]any{"file_path": filepath.Join(c.lab.Project, "a.txt"),
			"old_string": "a", "new_string": "b"}),
		model.Call("Skill", map[string]any{"skill": "look"}),
		model.Call("Agent", map[string]any{"description": "d", "subagent_type": "general-purpose",
			"prompt": "sub " + model.Play(model.Bash("echo two"), model.Say("sub done"))}),
		model.Say("fin"))
	res, err := c.lab.Print(c.t.Context(), prompt, "--permission-mode", "bypassPermissions")
	c.must(err)
	for _, e := range res.Events {
		kind := "stream " + e.Type
		if e.Subtype != "" {
			kind += "/" + e.Subtype
		}
		c.keys(kind, e.Raw)
	}
}

// terminal drives the client through a slash command, a permission dialog and an exit.
func (c *contract) terminal() {
	c.t.Helper()
	x := c.lab.Terminal("--permission-mode", "manual")
	_, known, found := strings.Cut(x.Await("were skipped", time.Minute), "Valid events:")
	known, _, ends := strings.Cut(known, "Learn more")
	known, _, _ = strings.Cut(known, "hooks.") // another warning
	if !found || !ends {
		c.t.Fatalf("the client does not list the events that it knows:\n%s", x.Screen())
	}
	for _, event := range regexp.MustCompile(`[A-Z]\w+`).FindAllString(known, -1) {
		c.lines["event "+event] = true
	}
	x.Settle("Settings Warning", "Enter")
	x.Await("manual mode on", time.Minute)
	x.Submit("go " + model.Play(model.Bash("touch asked"), model.Say("first done")))
	x.Await("Do you want to proceed", time.Minute)
	x.Settle(`Do you want to proceed`, "Enter")
	x.Await("first done", time.Minute)
	c.session()
	x.Submit("/look")
	c.await("UserPromptExpansion")
	x.Submit("/exit")
	c.await(`prompt_input_exit`)
}

// await waits until a payload with this text was recorded.
func (c *contract) await(text string) {
	c.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		for _, payload := range c.payloads() {
			if strings.Contains(payload, text) {
				return
			}
		}
	}
	c.t.Fatalf("no hook was told of %s within a minute", text)
}

func (c *contract) payloads() (out []string) {
	files, _ := filepath.Glob(filepath.Join(c.record, "*.json"))
	for _, file := range files {
		b, err := os.ReadFile(file)
		c.must(err)
		out = append(out, string(b))
	}
	return out
}

func (c *contract) readPayloads() {
	for _, text := range c.payloads() {
		payload, env, _ := strings.Cut(text, "\n")
		var v map[string]any
		c.must(json.Unmarshal([]byte(payload), &v))
		name := fmt.Sprint(v["hook_event_name"])
		if tool, ok := v["tool_name"].(string); ok {
			name += "(" + tool + ")"
		}
		c.shape(name, v)
		for variable := range strings.FieldsSeq(env) {
			c.lines["hook environment "+variable] = true
		}
	}
}

func (c *contract) readRequests() {
	for _, q := range c.model.Turns() {
		c.keys("request", q.Raw)
		var body struct {
			Tools []struct {
				Name   string
				Schema struct{ Properties map[string]any } `json:"input_schema"`
			}
		}
		c.must(json.Unmarshal(q.Raw, &body))
		for _, tool := range body.Tools {
			c.lines["tool "+tool.Name+": "+strings.Join(slices.Sorted(maps.Keys(tool.Schema.Properties)), " ")] = true
		}
	}
}

// session reads the file in which a session in a terminal says what it does.
func (c *contract) session() {
	files, _ := filepath.Glob(filepath.Join(c.lab.Home, ".claude", "sessions", "*.json"))
	for _, file := range files {
		b, err := os.ReadFile(file)
		c.must(err)
		c.keys("session file", b)
	}
}

// readFiles reads the transcripts.
func (c *contract) readFiles() {
	files, _ := filepath.Glob(filepath.Join(c.lab.Home, ".claude", "projects", "*", "*.jsonl"))
	for _, file := range files {
		b, err := os.ReadFile(file)
		c.must(err)
		for line := range strings.Lines(string(b)) {
			var row struct{ Type string }
			c.must(json.Unmarshal([]byte(line), &row))
			c.keys("transcript "+row.Type, []byte(line))
		}
	}
}

// keys records the top-level fields of a value.
func (c *contract) keys(name string, raw []byte) {
	var v map[string]any
	c.must(json.Unmarshal(raw, &v))
	for key := range v {
		c.lines[name+"."+key] = true
	}
}

// shape records the fields of a value at every depth, with their types.
func (c *contract) shape(name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			c.shape(name+"."+key, value)
		}
	case []any:
		for _, value := range v {
			c.shape(name+"[]", value)
		}
	case nil:
		c.lines[name+" null"] = true
	default:
		c.lines[fmt.Sprintf("%s %T", name, v)] = true
	}
}

func (c *contract) write(name, text string) {
	path := filepath.Join(c.lab.Project, name)
	c.must(os.MkdirAll(filepath.Dir(path), 0o700))
	c.must(os.WriteFile(path, []byte(text), 0o600))
}

func (c *contract) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}
