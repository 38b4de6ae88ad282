package headless

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

const conversation = "0a1b2c3d-0000-4000-8000-000000000001"

// TestArgs: the mode and the settings are always passed, and nothing switches questions off.
func TestArgs(t *testing.T) {
	for _, mode := range run.Modes() {
		for _, resumes := range []bool{false, true} {
			start, err := Agent{}.Start(host.Turn{
				Conversation: conversation, Resumes: resumes, Mode: mode, Model: "opus[1m]",
			})
			if err != nil {
				t.Fatal(err)
			}
			args, line := start.Args, strings.Join(append(start.Args, start.Env...), " ")
			for _, want := range []string{"-p ", "--permission-mode ", `"disableAllHooks":false`, conversation,
				"--model opus[1m]"} {
				if !strings.Contains(line, want) {
					t.Errorf("%s: no %s in %s", mode, want, line)
				}
			}
			for _, bad := range []string{"skip", "bypass", "dontAsk", "allowed"} {
				if strings.Contains(line, bad) {
					t.Errorf("%s: %s in %s", mode, bad, line)
				}
			}
			if slices.Contains(args, "--resume") != resumes || slices.Contains(args, "--session-id") == resumes {
				t.Errorf("resumes %t: %s", resumes, line)
			}
		}
	}
	var set map[string]any
	if err := json.Unmarshal([]byte(settings), &set); err != nil {
		t.Error(err)
	}
}

// TestServers: the client gets the servers of tools in a file, which is none of its arguments.
func TestServers(t *testing.T) {
	about := host.Turn{Conversation: conversation, Mode: run.Auto, ServersFile: "/runs/1.mcp"}
	if start, err := (Agent{}).Start(about); err != nil || start.Servers != nil ||
		slices.Contains(start.Args, "--mcp-config") {
		t.Errorf("without servers: %+v, %v", start, err)
	}
	about.Servers = []host.Server{
		{Name: "mail_imap", Command: []string{"/m/imap", "-v"}, Env: []string{"KEY=a=b"}},
		{Name: "web_find", URL: "https://mcp.example.com/"},
	}
	start, err := Agent{}.Start(about)
	if err != nil || !strings.Contains(strings.Join(start.Args, " "), "--mcp-config /runs/1.mcp --settings") {
		t.Errorf("%q, %v", start.Args, err)
	}
	const want = `{"mcpServers":{"mail_imap":{"type":"stdio","command":"/m/imap","args":["-v"],"env":{"KEY":"a=b"}},` +
		`"web_find":{"type":"http","url":"https://mcp.example.com/"}}}`
	if string(start.Servers) != want {
		t.Errorf("have %s\nwant %s", start.Servers, want)
	}
}

// TestArgsRefuses: nothing from outside becomes another argument.
// TestInteractive: a person's client continues the conversation in its mode, with the hooks on.
func TestInteractive(t *testing.T) {
	var agent host.Interactive = Agent{}
	for _, mode := range run.Modes() {
		start, err := agent.Interactive(host.Turn{Conversation: conversation, Resumes: true, Mode: mode, Model: "opus"})
		line := strings.Join(start.Args, " ")
		want := "--permission-mode " + modes[mode] + " --settings " + atTerminal + " --resume " + conversation +
			" --model opus"
		if err != nil || line != want {
			t.Errorf("%s: %q, %v, want %q", mode, line, err, want)
		}
	}
	if !json.Valid([]byte(atTerminal)) {
		t.Error("the settings are not JSON")
	}
	if start, err := agent.Interactive(host.Turn{Conversation: "--dangerous", Mode: run.Auto}); err == nil {
		t.Errorf("a conversation that is no UUID: %q", start.Args)
	}
}

func TestArgsRefuses(t *testing.T) {
	good := host.Turn{Conversation: conversation, Mode: run.Auto}
	for name, f := range map[string]func(*host.Turn){
		"no id":           func(t *host.Turn) { t.Conversation = "" },
		"an option as id": func(t *host.Turn) { t.Conversation = "--dangerously-skip-permissions" },
		"a title as id":   func(t *host.Turn) { t.Conversation = "my session" },
		"a line behind":   func(t *host.Turn) { t.Conversation += "\n" },
		"upper case":      func(t *host.Turn) { t.Conversation = strings.ToUpper(conversation) },
		"no mode":         func(t *host.Turn) { t.Mode = "" },
		"bypass":          func(t *host.Turn) { t.Mode = "bypassPermissions" },
		"dontAsk":         func(t *host.Turn) { t.Mode = "dontAsk" },
		"option as model": func(t *host.Turn) { t.Model = "--add-dir=/" },
		"model of words":  func(t *host.Turn) { t.Model = "opus --add-dir /" },
	} {
		bad := good
		f(&bad)
		if start, err := (Agent{}).Start(bad); err == nil {
			t.Errorf("%s: %q", name, start.Args)
		}
	}
}

const (
	started = `{"type":"system","subtype":"hook_started","hook_event":"SessionStart","uuid":"1"}`
	begins  = `{"type":"system","subtype":"init","model":"m","permissionMode":"auto","claude_code_version":"2.1.330",` +
		`"plugins":[{"name":"afar","path":"/p"}],"uuid":"2"}`
)

// show returns events in short.
func show(events []run.Event) string {
	var out []string
	for _, e := range events {
		s := string(e.Kind)
		for name, v := range map[string]string{"tool": e.Tool, "of": e.Of} {
			if v != "" {
				s += " " + name + "=" + v
			}
		}
		if e.Failed {
			s += " failed"
		}
		if e.Final {
			s += " final"
		}
		if e.Background != nil {
			s += fmt.Sprintf(" background=%d", *e.Background)
		}
		if e.Text != "" && e.Kind != run.Raw {
			s += " " + e.Text
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"nothing", "  ", ""},
		{"init", begins, "init m, mode auto, Claude Code 2.1.330"},
		{"init in a sandbox", strings.Replace(begins, `"model"`, `"sandbox_enabled":true,"model"`, 1),
			"init m, mode auto, Claude Code 2.1.330, sandbox on"},
		{"a hook", started, ""},
		{
			"text and a call", `{"type":"assistant","message":{"content":[{"type":"text","text":"hi"},` +
				`{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}`,
			`text hi; tool_start tool=Bash {"command":"ls"}`,
		},
		{
			"a subagent",
			`{"type":"assistant","parent_tool_use_id":"t1","message":{"content":[{"type":"thinking",` +
				`"thinking":"hm"}]}}`,
			"thinking of=t1 hm",
		},
		{
			"a tool's result",
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,` +
				`"content":[{"type":"text","text":"no"},{"type":"image"}]}]}}`,
			"tool_result failed no\n[image]",
		},
		{"the prompt", `{"type":"user","message":{"content":"do it"}}`, ""},
		{
			"a good end",
			`{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","result":"done"}`,
			"result final done",
		},
		{
			"an end that lies",
			`{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","result":"400"}`,
			"result failed 400",
		},
		{
			"a spent budget",
			`{"type":"result","is_error":true,"terminal_reason":"budget_exhausted","errors":["too much"]}`,
			"result failed final too much",
		},
		{
			"work behind",
			`{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"a"},{"task_id":"b"}]}`,
			"context background=2",
		},
		{"a retry", `{"type":"system","subtype":"api_retry","error_status":401}`,
			"error the provider refused and is asked again: 401"},
		{"garbage", `{"type":"assist`, "raw failed"},
		{"no object", `[1]`, "raw failed"},
		{"an unknown type", `{"type":"new_thing","x":1}`, "raw"},
		{"an unknown subtype", `{"type":"system","subtype":"new_thing"}`, "raw"},
		{"a block of a new kind", `{"type":"assistant","message":{"content":[{"type":"hologram"}]}}`, "raw"},
		{"no type", `{}`, "raw"},
	} {
		if got := show(newStream().Read(c.line)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestBackground: the two ways in which clients report what runs behind a turn.
func TestBackground(t *testing.T) {
	s := newStream()
	for _, c := range []struct {
		line string
		want string
	}{
		{`{"type":"system","subtype":"task_started","task_id":"a"}`, "context background=1"},
		{`{"type":"system","subtype":"task_updated","task_id":"a","patch":{"status":"running"}}`, ""},
		{`{"type":"system","subtype":"task_updated","task_id":"a","patch":{"status":"completed"}}`,
			"context background=0"},
		{`{"type":"system","subtype":"task_notification","task_id":"a"}`, "context background=0"},
		{`{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"b"}]}`, "context background=1"},
		{`{"type":"system","subtype":"background_tasks_changed","tasks":[]}`, "context background=0"},
	} {
		if got := show(s.Read(c.line)); got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}

// TestOnce: a line with a known id is read once, and only the first init begins the turn.
func TestOnce(t *testing.T) {
	s := newStream()
	line := `{"type":"assistant","uuid":"u","message":{"content":[{"type":"text","text":"hi"}]}}`
	if a, b := show(s.Read(line)), show(s.Read(line)); a != "text hi" || b != "" {
		t.Errorf("first %q, then %q", a, b)
	}
	if a, b := s.Read(begins), s.Read(strings.Replace(begins, `"2"`, `"3"`, 1)); len(a) != 1 || len(b) != 0 {
		t.Errorf("first %v, then %v", a, b)
	}
}

// TestRefused: a turn without a hook at its start, or without our plugin, must be ended.
func TestRefused(t *testing.T) {
	other := strings.Replace(begins, `"afar"`, `"other"`, 1)
	for name, c := range map[string]struct {
		lines []string
		want  bool
	}{
		"nothing yet":  {nil, false},
		"hooks only":   {[]string{started}, false},
		"guarded":      {[]string{started, begins}, false},
		"no hook":      {[]string{begins}, true},
		"no plugin":    {[]string{started, other}, true},
		"another hook": {[]string{strings.Replace(started, "SessionStart", "Stop", 1), begins}, true},
	} {
		s := newStream()
		for _, line := range c.lines {
			s.Read(line)
		}
		if (s.Refused() != "") != c.want {
			t.Errorf("%s: %t", name, !c.want)
		}
	}
}

func TestTotals(t *testing.T) {
	line := `{"type":"result","total_cost_usd":0.5,"modelUsage":{"a":{"inputTokens":1,"outputTokens":2,` +
		`"cacheReadInputTokens":3,"cacheCreationInputTokens":4,"costUSD":9},"b":{"inputTokens":10,"outputTokens":-5}}}`
	for version, whole := range map[string]bool{"2.1.330": true, "2.1.197": false} {
		s := newStream()
		s.Read(strings.Replace(begins, "2.1.330", version, 1))
		e := s.Read(line)[0]
		if e.Total != (run.Cost{USD: 0.5, Tokens: 20}) || e.Whole != whole {
			t.Errorf("%s: %+v", version, e)
		}
	}
	for _, bad := range []string{`"1"`, "-1", "1e999", "null", "{}"} {
		e := newStream().Read(`{"type":"result","total_cost_usd":` + bad + `,"modelUsage":{"a":{"inputTokens":` +
			bad + `}}}`)[0]
		if e.Kind == run.Result && (e.Total.USD < 0 || e.Total.USD > 1e15 || e.Total.Tokens < 0) {
			t.Errorf("%s: %+v", bad, e)
		}
	}
}

func TestLimit(t *testing.T) {
	for input, want := range map[string]time.Duration{
		`{}`: 10 * time.Minute, `{"timeout":5000}`: 5 * time.Second, `{"timeout":-1}`: 0,
		`{"timeout":1e30}`:     10 * time.Minute,
		`{"timeout":99999999}`: 10 * time.Minute, `{"timeout":"x"}`: 10 * time.Minute,
	} {
		line := `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":` +
			input + `}]}}`
		if got := newStream().Read(line)[0].Limit; got != want {
			t.Errorf("%s: %s, want %s", input, got, want)
		}
	}
}

// FuzzRead: no line makes the stream panic, and the same lines always make the same events of
// bounded size.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{begins, started, `{"type":"result"}`, `{"type":"user","message":{"content":[{}]}}`,
		"{", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		a, b := newStream(), newStream()
		for line := range strings.Lines(lines) {
			first, second := a.Read(line), b.Read(line)
			if show(first) != show(second) {
				t.Fatalf("%q: %q and %q", line, show(first), show(second))
			}
			for _, e := range first {
				if len(e.Text) > 4*host.MaxText+8 || e.Kind == "" || e.Total.Tokens < 0 {
					t.Fatalf("%q: %+v", line, e)
				}
			}
		}
	})
}

// TestNeedsPerson: an error that only a person can mend is final, and one that passes is not. A
// client that does not know the conversation says so before it begins.
func TestNeedsPerson(t *testing.T) {
	const failed = `{"type":"result","is_error":true,"terminal_reason":"api_error","result":"no"`
	for name, c := range map[string]struct {
		lines       []string
		final, lost bool
	}{
		"not signed in": {[]string{
			`{"type":"system","subtype":"init"}`,
			`{"type":"assistant","error":"authentication_failed","message":{"content":[]}}`, failed + `}`,
		}, true, false},
		"refused key": {[]string{failed + `,"api_error_status":401}`}, true, false},
		"overloaded":  {[]string{failed + `,"api_error_status":529}`}, false, false},
		"too many":    {[]string{failed + `,"api_error_status":429}`}, false, false},
		"unknown": {[]string{`{"type":"result","is_error":true,"errors":["No conversation found with session ID: x"]}`},
			false, true},
		"the model says so": {[]string{
			`{"type":"system","subtype":"init"}`,
			`{"type":"result","is_error":true,"result":"No conversation found"}`,
		}, false, false},
	} {
		s := newStream()
		var last run.Event
		for _, line := range c.lines {
			for _, e := range s.Read(line) {
				last = e
			}
		}
		if last.Final != c.final || last.Lost != c.lost {
			t.Errorf("%s: final %t, lost %t", name, last.Final, last.Lost)
		}
	}
}
