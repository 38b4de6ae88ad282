package suggestion

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// The suggestions as the clients 2.1.197, 2.1.329 and 2.1.330 send them.
const (
	goTest = `{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"go test *"}],"behavior":"allow",` +
		`"destination":"localSettings"}`
	teeOut = `{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"tee /tmp/out.txt"}],` +
		`"behavior":"allow","destination":"localSettings"}`
	useTmp    = `{"type":"addDirectories","directories":["/tmp"],"destination":"session"}`
	useOwn    = `{"type":"addDirectories","directories":["/home/ann/other"],"destination":"session"}`
	editsMode = `{"type":"setMode","mode":"acceptEdits","destination":"session"}`
	readEtc   = `{"type":"addRules","rules":[{"toolName":"Read","ruleContent":"//etc/**"}],"behavior":"allow",` +
		`"destination":"session"}`
	fetch = `{"type":"addRules","destination":"localSettings","rules":[{"toolName":"WebFetch",` +
		`"ruleContent":"domain:127.0.0.1"}],"behavior":"allow"}`
	echoTool = `{"type":"addRules","behavior":"allow","destination":"localSettings",` +
		`"rules":[{"toolName":"mcp__lab__echo"}]}`
	twoRules = `{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"rm a.txt"},{"toolName":"Bash",` +
		`"ruleContent":"python3 -c 'x'"}],"behavior":"allow","destination":"localSettings"}`
)

// TestAlways: rules for the call come alone; a mode or a directory is offered only
// where there is no rule, in words, and as more than the call.
func TestAlways(t *testing.T) {
	type offer struct {
		words  string
		echo   []int
		beyond bool
	}
	for _, tc := range []struct {
		name, tool, list string
		want             offer
	}{
		{"rule, directory and mode", "Bash", goTest + "," + useTmp + "," + editsMode,
			offer{"stop asking for `go test …` in this project", []int{0}, false}},
		{"two rules", "Bash", goTest + "," + teeOut,
			offer{"stop asking for `go test …` and for `tee /tmp/out.txt` in this project", []int{0, 1}, false}},
		{"rule behind a mode", "Bash", editsMode + "," + goTest,
			offer{"stop asking for `go test …` in this project", []int{1}, false}},
		{"one suggestion of two rules", "Bash", twoRules,
			offer{"stop asking for `rm a.txt` and for `python3 -c 'x'` in this project", []int{0}, false}},
		{"mode alone", "Edit", editsMode, offer{"stop asking for edits in this session", []int{0}, true}},
		{"directory alone", "Write", useOwn, offer{"let it use ~/other in this session", []int{0}, true}},
		{"mode and directory", "Write", editsMode + "," + useTmp,
			offer{"stop asking for edits and let it use /tmp in this session", []int{0, 1}, true}},
		{"directory and mode", "Bash", useTmp + "," + editsMode,
			offer{"stop asking for edits and let it use /tmp in this session", []int{0, 1}, true}},
		{"read", "Read", readEtc, offer{"stop asking to read `/etc/**` in this session", []int{0}, false}},
		{"fetch", "WebFetch", fetch, offer{"stop asking to fetch from 127.0.0.1 in this project", []int{0}, false}},
		{"tool of a server", "mcp__lab__echo", echoTool,
			offer{"stop asking for mcp__lab__echo in this project", []int{0}, false}},
		{"rule of another tool", "Bash", readEtc, offer{}},
		{"rule of another tool beside one", "Bash", readEtc + "," + goTest,
			offer{"stop asking for `go test …` in this project", []int{1}, false}},
		{"all of a tool", "Bash",
			`{"type":"addRules","behavior":"allow","destination":"session","rules":[{"toolName":"Bash"}]}`, offer{}},
		{"all of a tool by a star", "Bash",
			`{"type":"addRules","behavior":"allow","destination":"session","rules":[{"toolName":"Bash",` +
				`"ruleContent":":*"}]}`, offer{}},
		{"bypass", "Bash", `{"type":"setMode","mode":"bypassPermissions","destination":"session"}`, offer{}},
		{"a mode for ever", "Edit", `{"type":"setMode","mode":"acceptEdits","destination":"elsewhere"}`, offer{}},
		{"a refusal", "Bash",
			`{"type":"addRules","behavior":"deny","destination":"session","rules":[{"toolName":"Bash",` +
				`"ruleContent":"x"}]}`, offer{}},
		{"no rules", "Bash", `{"type":"addRules","behavior":"allow","destination":"session","rules":[]}`, offer{}},
		{"more than a button holds", "Bash",
			`{"type":"addRules","behavior":"allow","destination":"session","rules":[{"toolName":"Bash",` +
				`"ruleContent":"` + strings.Repeat("x", 300) + `"}]}`, offer{}},
		{"nothing", "Bash", ``, offer{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got offer
			got.words, got.echo, got.beyond = Always(tc.tool, json.RawMessage("["+tc.list+"]"), "/home/ann")
			if !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
	for _, broken := range []string{``, `{}`, `"x"`, `[1]`, `[{"type":7}]`} {
		if words, echo, _ := Always("Bash", json.RawMessage(broken), ""); words != "" || len(echo) != 0 {
			t.Errorf("of %s it offers %q %v", broken, words, echo)
		}
	}
}
