package appserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

const (
	conversation = "0a1b2c3d-0000-4000-8000-000000000001"
	thread       = "01a20759-7746-7903-88d7-4e72b7186931"
)

var first = host.Turn{Conversation: conversation, Mode: run.Manual, Dir: "/work", Program: Name, Model: "gpt-5"}

// What codex 0.169.0 answers, shortened.
const (
	hello  = `{"id":1,"result":{"userAgent":"afar/0.169.0 (Debian 12.0.0; x86_64) unknown (afar; 1)"}}`
	opened = `{"id":2,"result":{"thread":{"id":"` + thread + `"},"model":"gpt-5","approvalPolicy":"untrusted",` +
		`"approvalsReviewer":"user","sandbox":{"type":"readOnly","networkAccess":false}}}`
	begun = `{"id":3,"result":{"turn":{"id":"t1","status":"inProgress"}}}`
)

// about returns a notification about the conversation.
func about(method, params string) string {
	return `{"method":"` + method + `","params":{"threadId":"` + thread + `","turnId":"t1",` + params + `}}`
}

func item(state, fields string) string { return about("item/"+state, `"item":{`+fields+`}`) }

func request(method, params string) string {
	return `{"method":"` + method + `","id":7,"params":{"threadId":"` + thread + `","itemId":"c1",` + params + `}}`
}

// read gives a talk lines, and returns all that follows.
func read(talk host.Talk, lines ...string) (s host.Step) {
	for _, line := range lines {
		s = s.And(talk.Read(line))
	}
	return s
}

// working returns a talk in its first turn.
func working(t *testing.T, turn host.Turn) host.Talk {
	t.Helper()
	talk := Agent{}.Talk(turn, "do it")
	talk.Begin()
	s := read(talk, hello, opened, begun)
	if s.Refuse != "" || len(s.Events) != 1 || s.Events[0].Kind != run.Init {
		t.Fatalf("the turn does not begin: %+v", s)
	}
	return talk
}

// TestStart: the arguments hold no prompt and nothing that switches questions or the sandbox off.
func TestStart(t *testing.T) {
	for _, mode := range (Agent{}).Abilities(Name).Modes {
		turn := first
		turn.Mode = mode
		start, err := Agent{}.Start(turn)
		if err != nil || !slices.Equal(start.Args, []string{"app-server"}) || start.Env != nil {
			t.Errorf("%s: %+v, %v", mode, start, err)
		}
	}
	for name, change := range map[string]func(*host.Turn){
		"no mode":           func(t *host.Turn) { t.Mode = "" },
		"auto":              func(t *host.Turn) { t.Mode = run.Auto },
		"never":             func(t *host.Turn) { t.Mode = "never" },
		"a path as thread":  func(t *host.Turn) { t.Thread = "../../etc/passwd" },
		"option as thread":  func(t *host.Turn) { t.Thread = "--dangerously-bypass-approvals-and-sandbox" },
		"option as model":   func(t *host.Turn) { t.Model = "-c" },
		"lines as a thread": func(t *host.Turn) { t.Thread = thread + "\n{}" },
	} {
		turn := first
		change(&turn)
		if start, err := (Agent{}).Start(turn); err == nil {
			t.Errorf("%s: %+v", name, start)
		}
	}
}

// sent is the part of a message that the tests look at.
type sent struct {
	ID     json.RawMessage
	Method string
	Params map[string]any
	Result json.RawMessage
	Error  any
}

func messages(t *testing.T, s host.Step) (all []sent) {
	t.Helper()
	for _, line := range s.Send {
		var m sent
		if err := json.Unmarshal([]byte(line), &m); err != nil || strings.Contains(line, "\n") {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, m)
	}
	return all
}

// TestHandshake: codex gets its strictest mode before it gets the prompt.
func TestHandshake(t *testing.T) {
	talk := Agent{}.Talk(first, "line one\nline \"two\"")
	said := messages(t, talk.Begin())
	if len(said) != 1 || said[0].Method != "initialize" {
		t.Fatalf("it begins with %+v", said)
	}
	said = messages(t, read(talk, hello))
	if len(said) != 2 || said[0].Method != "initialized" || said[1].Method != "thread/start" {
		t.Fatalf("then it says %+v", said)
	}
	want := "map[approvalPolicy:untrusted approvalsReviewer:user cwd:/work model:gpt-5 sandbox:read-only]"
	if got := fmt.Sprint(said[1].Params); got != want {
		t.Errorf("the conversation is opened with %s, want %s", got, want)
	}
	said = messages(t, read(talk, opened))
	want = "map[approvalPolicy:untrusted input:[map[text:line one\nline \"two\" type:text]] " +
		"sandboxPolicy:map[networkAccess:false type:workspaceWrite] threadId:" + thread + "]"
	if len(said) != 1 || said[0].Method != "turn/start" || fmt.Sprint(said[0].Params) != want {
		t.Errorf("the prompt is given as %+v, want %s", said, want)
	}
	s := read(talk, begun, about("turn/started", `"turn":{"id":"t1"}`))
	if len(s.Events) != 1 || s.Events[0].Thread != thread || s.Events[0].Text != "gpt-5, codex 0.169.0" {
		t.Errorf("it began with %+v", s.Events)
	}
}

func TestResume(t *testing.T) {
	turn := first
	turn.Resumes, turn.Thread, turn.Model = true, thread, ""
	talk := Agent{}.Talk(turn, "go on")
	talk.Begin()
	said := messages(t, read(talk, hello))
	want := "map[approvalPolicy:untrusted approvalsReviewer:user cwd:/work sandbox:read-only threadId:" + thread + "]"
	if said[1].Method != "thread/resume" || fmt.Sprint(said[1].Params) != want {
		t.Errorf("it is resumed with %+v, want %s", said[1], want)
	}
	if s := read(talk, opened); len(s.Send) != 1 || s.Refuse != "" {
		t.Errorf("then: %+v", s)
	}
}

// TestRefuse: no prompt reaches a codex that would not ask, or that opened something else.
func TestRefuse(t *testing.T) {
	other := first
	other.Resumes, other.Thread = true, "01a20759-0000-7903-88d7-4e72b7186931"
	for name, c := range map[string]struct {
		turn  host.Turn
		reply string
		says  string
	}{
		"asks less":         {first, strings.Replace(opened, "untrusted", "on-request", 1), "on-request"},
		"never asks":        {first, strings.Replace(opened, "untrusted", "never", 1), "never"},
		"asks finely":       {first, strings.Replace(opened, `"untrusted"`, `{"granular":{}}`, 1), "strictest"},
		"open sandbox":      {first, strings.Replace(opened, "readOnly", "dangerFullAccess", 1), "dangerFullAccess"},
		"trusts the folder": {first, strings.Replace(opened, "readOnly", "workspaceWrite", 1), "workspaceWrite"},
		"asks a model":      {first, strings.Replace(opened, `"user"`, `"auto_review"`, 1), "auto_review"},
		"no thread":         {first, `{"id":2,"result":{}}`, "opened no conversation"},
		"strange thread":    {first, strings.Replace(opened, thread, "../x", 1), "opened no conversation"},
		"other thread":      {other, opened, "another conversation"},
		"an error": {first, `{"id":2,"error":{"code":-32600,"message":"no rollout found"}}`,
			"no rollout found"},
	} {
		talk := Agent{}.Talk(c.turn, "do it")
		talk.Begin()
		read(talk, hello)
		if s := read(talk, c.reply); !strings.Contains(s.Refuse, c.says) || len(s.Send) > 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// wants returns what a question is about, as one line for each call.
func wants(s host.Step) string {
	var all []string
	for _, a := range s.Asks {
		for _, c := range a.Calls {
			all = append(all, c.Tool+string(c.Input))
		}
	}
	return strings.Join(all, "\n")
}

const (
	commandAsked = "item/commandExecution/requestApproval"
	changeAsked  = "item/fileChange/requestApproval"
)

func TestQuestions(t *testing.T) {
	patch := item("started", `"type":"fileChange","id":"c1","status":"inProgress","changes":[`+
		`{"path":"/work/a","kind":{"type":"update","move_path":"/work/it's"},`+
		`"diff":"@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n"},`+
		`{"path":"/work/b","kind":{"type":"add"},"diff":"hello\n"},{"path":"/work/c","kind":{"type":"delete"},`+
		`"diff":"x\n"}]`)
	tool := item("started", `"type":"mcpToolCall","id":"m1","server":"x","tool":"plain","arguments":{"a":1}`)
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"a command": {
			[]string{request(commandAsked,
				`"kind":"command","command":"/bin/bash -lc 'touch a'","cwd":"/work","reason":"why"`)},
			`Bash{"command":"touch a","description":"why"}`,
		},
		"a command elsewhere": {
			[]string{request(commandAsked, `"command":"/bin/bash -lc 'rm -rf x'","cwd":"/it's"`)},
			`Bash{"command":"cd '/it'\\''s' && rm -rf x"}`,
		},
		"network": {
			[]string{request(commandAsked, `"networkApprovalContext":{"host":"example.com","protocol":"socks5Tcp"}`)},
			`WebFetch{"url":"https://example.com/","prompt":""}`,
		},
		"a command and network": {
			[]string{
				request(commandAsked, `"command":"curl x","networkApprovalContext":{"host":"h","protocol":"http"}`),
			},
			"Bash{\"command\":\"curl x\"}\nWebFetch{\"url\":\"http://h/\",\"prompt\":\"\"}",
		},
		"input for a terminal": {
			[]string{request(commandAsked,
				`"kind":"writeStdin","command":"write_stdin --session-id 43 'rm -rf ~\n'","reason":"why"`)},
			`Bash{"command":"rm -rf ~\u000a","description":"why"}`,
		},
		"changes": {
			[]string{patch, request(changeAsked, `"reason":null`)},
			`Edit{"file_path":"/work/a","old_string":"one\u000atwo\u000a","new_string":"one\u000azwei\u000a"}` + "\n" +
				`Bash{"command":"mv -- '/work/a' '/work/it'\\''s'"}` + "\n" +
				`Write{"file_path":"/work/b","content":"hello\u000a"}` + "\n" +
				`Bash{"command":"rm -- '/work/c'"}`,
		},
		"a tool": {
			[]string{tool, request("mcpServer/elicitation/request",
				`"serverName":"x","_meta":{"codex_approval_kind":"mcp_tool_call","tool_name":"plain",`+
					`"tool_params":{"a":1}}`)},
			`mcp__x__plain{"a":1}`,
		},
	} {
		s := read(working(t, first), c.lines...)
		if got := wants(s); got != c.want || len(s.Send) > 0 {
			t.Errorf("%s: it asks for\n%s\nand sends %q, want\n%s", name, got, s.Send, c.want)
		}
		if name == "a tool" && s.Asks[0].Call != "m1" {
			t.Errorf("%s: the call is %q", name, s.Asks[0].Call)
		}
	}
}

func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer host.Answer
		want   string
	}{
		"yes":       {host.Answer{Allow: true}, `{"decision":"accept"}`},
		"no":        {host.Answer{}, `{"decision":"decline"}`},
		"interrupt": {host.Answer{Allow: true, Interrupt: true}, `{"decision":"cancel"}`},
		"why":       {host.Answer{Why: "too late"}, `{"decision":"decline"}`},
	} {
		talk := working(t, first)
		s := read(talk, request(commandAsked, `"command":"x"`))
		said := messages(t, talk.Answer(s.Asks[0].ID, c.answer))
		if string(said[0].ID) != "7" || string(said[0].Result) != c.want {
			t.Errorf("%s: %+v", name, said)
		}
		if again := talk.Answer(s.Asks[0].ID, host.Answer{Allow: true}); len(again.Send) > 0 {
			t.Errorf("%s: a second answer sends %q", name, again.Send)
		}
		steered := len(said) == 2 && said[1].Method == "turn/steer" &&
			strings.Contains(fmt.Sprint(said[1].Params), "too late")
		if steered != (name == "why") {
			t.Errorf("%s: the model is told %+v", name, said[1:])
		}
	}
}

// TestRefusals: what is about more than one call is refused without a person.
func TestRefusals(t *testing.T) {
	for line, want := range map[string]string{
		request("item/permissions/requestApproval", `"permissions":{"network":{"enabled":true}}`): `"permissions":{}`,
		request("item/tool/requestUserInput", `"questions":[]`):                                   `"answers":{}`,
		request("item/tool/call", `"tool":"x"`):                                                   `"success":false`,
		request("mcpServer/elicitation/request", `"mode":"url"`):                                  `"action":"decline"`,

		request("execCommandApproval", `"command":["x"]`):     `"decision":"denied"`,
		request("applyPatchApproval", `"x":1`):                `"decision":"denied"`,
		request("account/chatgptAuthTokens/refresh", `"x":1`): `"code":-32601`,
		request("a/new/one", `"x":1`):                         `"code":-32601`,
		request(changeAsked, `"x":1`):                         `"decision":"decline"`,
		request(commandAsked, `"x":1`):                        `"decision":"decline"`,
	} {
		s := read(working(t, first), line)
		if len(s.Send) != 1 || !strings.Contains(s.Send[0], want) || len(s.Asks) > 0 || len(s.Events) != 1 {
			t.Errorf("%s: %+v, want %s", line, s, want)
		}
	}
}

func TestPlan(t *testing.T) {
	turn := first
	turn.Mode = run.Plan
	talk := working(t, turn)
	if said := messages(t, talk.Prompt("more")); said[0].Params["sandboxPolicy"] != nil {
		t.Errorf("in plan mode the sandbox is %v", said[0].Params)
	}
	behind := turn
	behind.Walled = true
	said := messages(t, working(t, behind).Prompt("more"))
	if policy := fmt.Sprint(said[0].Params["sandboxPolicy"]); policy != "map[networkAccess:enabled type:externalSandbox]" {
		t.Errorf("behind a wall the sandbox is %v", policy)
	}
	s := read(talk, request(commandAsked, `"command":"x"`))
	if len(s.Asks) > 0 || len(s.Send) != 2 || !strings.Contains(s.Send[0], "decline") ||
		!strings.Contains(s.Send[1], "plan mode") {
		t.Errorf("in plan mode: %+v", s)
	}
}

func TestEvents(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		want  []run.Event
	}{
		"text": {
			[]string{item("started", `"type":"agentMessage","id":"a","text":""`),
				item("completed", `"type":"agentMessage","id":"a","text":"hi"`)},
			[]run.Event{{Kind: run.Text, Text: "hi"}},
		},
		"thinking": {
			[]string{item("completed", `"type":"reasoning","id":"a","summary":["one"],"content":["two"]`)},
			[]run.Event{{Kind: run.Thinking, Text: "one\ntwo"}},
		},
		"a command that failed, twice": {
			[]string{
				item("started", `"type":"commandExecution","id":"a","command":"/bin/bash -lc ls","cwd":"/work"`),
				item("completed", `"type":"commandExecution","id":"a","status":"failed","aggregatedOutput":"none"`),
				item("completed", `"type":"commandExecution","id":"a","status":"failed","aggregatedOutput":"none"`),
			},
			[]run.Event{
				{Kind: run.ToolStart, Tool: "Bash", Call: "a", Text: `{"command":"ls"}`, Limit: maxCommand},
				{Kind: run.ToolResult, Call: "a", Failed: true, Text: "none"},
			},
		},
		"a tool without a start": {
			[]string{item("completed", `"type":"webSearch","id":"a","query":"q"`)},
			[]run.Event{{Kind: run.ToolStart, Tool: "WebSearch", Call: "a", Text: `{"query":"q"}`},
				{Kind: run.ToolResult, Call: "a"}},
		},
		"usage": {
			[]string{about("thread/tokenUsage/updated",
				`"tokenUsage":{"total":{"totalTokens":60},"last":{"totalTokens":30},"modelContextWindow":60}`)},
			[]run.Event{{Kind: run.Usage, Total: run.Cost{Tokens: 60}, Whole: true},
				{Kind: run.Context, Text: "50% full"}},
		},
		"a subagent": {
			[]string{`{"method":"item/completed","params":{"threadId":"sub","item":{"type":"agentMessage","id":"a",` +
				`"text":"hi"}}}`},
			[]run.Event{{Kind: run.Text, Of: "sub", Text: "hi"}},
		},
		"a subagent's end": {
			[]string{`{"method":"turn/completed","params":{"threadId":"sub","turn":{"status":"completed"}}}`},
			nil,
		},
		"compacting": {
			[]string{item("completed", `"type":"contextCompaction","id":"a"`)},
			[]run.Event{{Kind: run.Compacting, Text: "the conversation was shortened"}},
		},
		"an error": {
			[]string{
				about("error", `"error":{"message":"Reconnecting... 1/5","additionalDetails":"401"},"willRetry":true`),
			},
			[]run.Event{{Kind: run.Error, Text: "Reconnecting... 1/5 401"}},
		},
		"quiet": {[]string{about("thread/status/changed", `"status":{"type":"idle"}`),
			item("completed", `"type":"userMessage","id":"u"`)}, nil},
		"unknown notice": {[]string{`{"method":"hologram","params":{}}`},
			[]run.Event{{Kind: run.Raw, Text: `{"method":"hologram","params":{}}`}}},
		"unknown item": {[]string{item("completed", `"type":"hologram","id":"h"`)},
			[]run.Event{{Kind: run.Raw, Text: `{"type":"hologram","id":"h"}`}}},
		"unknown answer": {[]string{`{"id":99,"result":{}}`},
			[]run.Event{{Kind: run.Raw, Text: `{"id":99,"result":{}}`}}},
		"not JSON": {[]string{"garbage \xff"},
			[]run.Event{{Kind: run.Raw, Text: "garbage \uFFFD", Failed: true}}},
		"negative tokens": {[]string{about("thread/tokenUsage/updated", `"tokenUsage":{"total":{"totalTokens":-5}}`)},
			[]run.Event{{Kind: run.Usage, Whole: true}}},
	} {
		s := read(working(t, first), c.lines...)
		if fmt.Sprint(s.Events) != fmt.Sprint(c.want) || len(s.Send) > 0 {
			t.Errorf("%s: %+v, want %+v", name, s.Events, c.want)
		}
	}
}

func TestResults(t *testing.T) {
	failed := func(info string) string {
		return `"turn":{"id":"t1","status":"failed","error":{"message":"boom","codexErrorInfo":` + info + `}}`
	}
	for name, c := range map[string]struct {
		turn string
		want run.Event
	}{
		"done":        {`"turn":{"id":"t1","status":"completed"}`, run.Event{Text: "the end"}},
		"interrupted": {`"turn":{"id":"t1","status":"interrupted"}`, run.Event{Text: "interrupted", Failed: true}},
		"overloaded":  {failed(`"serverOverloaded"`), run.Event{Text: "boom", Failed: true}},
		"limit":       {failed(`"usageLimitExceeded"`), run.Event{Text: "boom", Failed: true, Final: true}},
		"no key": {failed(`{"httpConnectionFailed":{"httpStatusCode":401}}`),
			run.Event{Text: "boom", Failed: true, Final: true}},
		"too many": {failed(`{"responseTooManyFailedAttempts":{"httpStatusCode":429}}`),
			run.Event{Text: "boom", Failed: true}},
		"strange": {`"turn":{"id":"t1","status":"gone"}`,
			run.Event{Text: `codex ended the turn as "gone"`, Failed: true}},
	} {
		talk := working(t, first)
		s := read(talk, item("completed", `"type":"agentMessage","id":"a","text":"the end"`),
			about("turn/completed", c.turn))
		c.want.Kind = run.Result
		if got := s.Events[len(s.Events)-1]; fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		next := messages(t, talk.Prompt("more"))
		if len(next) != 1 || next[0].Method != "turn/start" {
			t.Errorf("%s: another prompt sends %+v", name, next)
		}
	}
}

// TestInterrupt: open questions are answered with no, and a turn that begins later is interrupted.
func TestInterrupt(t *testing.T) {
	talk := working(t, first)
	read(talk, request(commandAsked, `"command":"x"`),
		`{"method":"turn/started","params":{"threadId":"sub","turn":{"id":"t9"}}}`)
	said := messages(t, talk.Interrupt())
	if len(said) != 2 || string(said[0].Result) != `{"decision":"cancel"}` || said[1].Method != "turn/interrupt" ||
		said[1].Params["turnId"] != "t1" {
		t.Errorf("an open question: %+v", said)
	}
	s := read(talk, request(commandAsked, `"command":"y"`))
	if len(s.Asks) > 0 || !strings.Contains(s.Send[0], "cancel") {
		t.Errorf("a question after that: %+v", s)
	}
	early := Agent{}.Talk(first, "do it")
	early.Begin()
	if s := early.Interrupt(); len(s.Send) > 0 {
		t.Errorf("before the turn: %q", s.Send)
	}
	said = messages(t, read(early, hello, opened, begun))
	if last := said[len(said)-1]; last.Method != "turn/interrupt" {
		t.Errorf("the turn begins: %+v", said)
	}
	late := `{"id":4,"error":{"code":-32600,"message":"no active turn"}}`
	if s := read(early, late); len(s.Events) != 1 || s.Events[0].Kind != run.Error || s.Refuse != "" {
		t.Errorf("too late: %+v", s)
	}
}

func TestUnwrap(t *testing.T) {
	for text, want := range map[string]string{
		`/bin/bash -lc 'touch a'`:           "touch a",
		`bash -c ls`:                        "ls",
		`/usr/bin/sh -c 'a | b'`:            "a | b",
		`/bin/zsh -lc "it's \"x\" "'$HOME'`: `it's "x" $HOME`,
		`/bin/bash -lc "a \\\$b"`:           `a \$b`,
		`/bin/bash -lc "$(rm x)"`:           `/bin/bash -lc "$(rm x)"`,
		`/bin/bash -lc 'a' b`:               `/bin/bash -lc 'a' b`,
		`/bin/bash -lc 'a'; rm x`:           `/bin/bash -lc 'a'; rm x`,
		`/bin/bash -lc`:                     `/bin/bash -lc`,
		`/bin/bash -lc 'a`:                  `/bin/bash -lc 'a`,
		`/opt/evil/bash -lc 'a'`:            `/opt/evil/bash -lc 'a'`,
		"/bin/bash -lc 'a\nb'":              "a\nb",
		`touch a`:                           `touch a`,
		``:                                  ``,
	} {
		if got := unwrap(text); got != want {
			t.Errorf("unwrap(%q) = %q, want %q", text, got, want)
		}
	}
}

// FuzzTalk: whatever codex says, no question is answered with yes but by a person, all that is
// sent is one line of JSON, and nothing is allowed for longer than one call.
func FuzzTalk(f *testing.F) {
	f.Add(opened)
	f.Add(begun)
	f.Add(request(commandAsked, `"command":"/bin/bash -lc 'x'"`))
	f.Add(item("started", `"type":"fileChange","id":"c1","changes":[{"path":"a","diff":"@@\n-x\n\n+y"}]`))
	f.Add(request(changeAsked, `"x":null`))
	f.Add(about("turn/completed", `"turn":{"status":"failed","error":{"codexErrorInfo":{"x":{}}}}`))
	f.Fuzz(func(t *testing.T, line string) {
		for _, before := range [][]string{nil, {hello}, {hello, opened}, {hello, opened, begun}} {
			talk := Agent{}.Talk(first, "do it")
			talk.Begin()
			read(talk, before...)
			s := read(talk, line, line)
			for _, said := range messages(t, s) {
				answer := string(said.Result)
				if strings.Contains(answer, "accept") || strings.Contains(answer, "approved") {
					t.Fatalf("%q is answered with %s", line, answer)
				}
			}
			for _, a := range s.Asks {
				yes := messages(t, talk.Answer(a.ID, host.Answer{Allow: true}))
				if len(yes) != 1 || strings.Contains(string(yes[0].Result), "ession") {
					t.Fatalf("%q is allowed by %+v", line, yes)
				}
			}
		}
	})
}
