package acp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

var turn = host.Turn{
	Conversation: "0a1b2c3d-0000-4000-8000-000000000001",
	Mode:         run.Manual,
	Dir:          "/w",
	Program:      "gemini",
}

// TestStart: each program is started in its asking mode, and nothing switches questions off.
func TestStart(t *testing.T) {
	for _, program := range []string{"gemini", "opencode", "other"} {
		for _, mode := range (Agent{}).Abilities(program).Modes {
			about := turn
			about.Program, about.Mode = program, mode
			start, err := Agent{}.Start(about)
			if err != nil {
				t.Fatal(err)
			}
			line := strings.Join(append(start.Args, start.Env...), " ")
			for _, bad := range []string{"yolo", "skip", "bypass", "auto", "dangerous", "allow", "trust"} {
				if strings.Contains(strings.ToLower(line), bad) {
					t.Errorf("%s in mode %s: %s in %s", program, mode, bad, line)
				}
			}
		}
	}
	gemini, _ := Agent{}.Start(turn)
	opencode := turn
	opencode.Program = "opencode"
	other, _ := Agent{}.Start(opencode)
	if fmt.Sprint(gemini.Args) != "[--approval-mode default]" ||
		!slices.Contains(other.Env, `OPENCODE_PERMISSION={"*":"ask"}`) {
		t.Errorf("gemini %v, opencode %v", gemini, other)
	}
}

// TestStartRefuses: nothing from outside reaches an agent unchecked.
func TestStartRefuses(t *testing.T) {
	for name, f := range map[string]func(*host.Turn){
		"auto":              func(t *host.Turn) { t.Mode = run.Auto },
		"no mode":           func(t *host.Turn) { t.Mode = "" },
		"yolo":              func(t *host.Turn) { t.Mode = "yolo" },
		"a bad id":          func(t *host.Turn) { t.Conversation = "--yolo" },
		"an option as id":   func(t *host.Turn) { t.Thread = "--yolo" },
		"a path as id":      func(t *host.Turn) { t.Thread = "../x" },
		"an option, model":  func(t *host.Turn) { t.Model = "--yolo" },
		"plans without one": func(t *host.Turn) { t.Program, t.Mode = "other", run.Plan },
	} {
		bad := turn
		f(&bad)
		if start, err := (Agent{}).Start(bad); err == nil {
			t.Errorf("%s: %v", name, start)
		}
	}
}

// TestStartWaits: gemini spoils a conversation that it continues in the minute in which it began
// it, so it waits for the next one.
func TestStartWaits(t *testing.T) {
	next := time.Date(2026, 11, 23, 11, 43, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		change func(*host.Turn)
		want   time.Time
	}{
		"in the minute":    {func(*host.Turn) {}, next},
		"at its beginning": {func(t *host.Turn) { t.ThreadAt = next.Add(-time.Minute) }, next},
		"elsewhere on earth": {func(t *host.Turn) { t.ThreadAt = t.ThreadAt.In(time.FixedZone("", 5*3600+1800)) },
			next},
		"a new one":          {func(t *host.Turn) { t.Resumes = false }, time.Time{}},
		"at an unknown time": {func(t *host.Turn) { t.ThreadAt = time.Time{} }, time.Time{}},
		"another program":    {func(t *host.Turn) { t.Program = "opencode" }, time.Time{}},
	} {
		about := turn
		about.Resumes, about.Thread, about.ThreadAt = true, "x", next.Add(-17*time.Second)
		tt.change(&about)
		start, err := Agent{}.Start(about)
		if err != nil || !start.NotBefore.Equal(tt.want) {
			t.Errorf("%s: not before %s, %v; want %s", name, start.NotBefore, err, tt.want)
		}
		resumes := strings.Contains(strings.Join(start.Args, " "), "--resume x")
		if want := about.Resumes && about.Program == "gemini"; resumes != want {
			t.Errorf("%s: it resumes: %t, want %t: %q", name, resumes, want, start.Args)
		}
	}
}

// A scene plays a talk with lines of an agent.
type scene struct {
	t     *testing.T
	talk  host.Talk
	sent  []string
	asked []host.Ask
	said  []run.Event
	why   string
}

func (s *scene) take(step host.Step) {
	s.sent = append(s.sent, step.Send...)
	s.asked = append(s.asked, step.Asks...)
	s.said = append(s.said, step.Events...)
	s.why += step.Refuse
}

func (s *scene) hears(lines ...string) {
	for _, line := range lines {
		s.take(s.talk.Read(line))
	}
}

// last returns the method and the id of the last request that was sent.
func (s *scene) last() (method string, id int) {
	var m struct {
		ID     int    `json:"id"`
		Method string `json:"method"`
	}
	_ = json.Unmarshal([]byte(s.sent[len(s.sent)-1]), &m)
	return m.Method, m.ID
}

// wants checks what was sent last, and replies to it.
func (s *scene) wants(method, reply string) {
	s.t.Helper()
	got, id := s.last()
	if got != method {
		s.t.Fatalf("the last request is %s, want %s\n%s", got, method, strings.Join(s.sent, "\n"))
	}
	s.hears(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, id, reply))
}

func newScene(t *testing.T, about host.Turn) *scene {
	s := &scene{t: t, talk: Agent{}.Talk(about, "do it")}
	s.take(s.talk.Begin())
	return s
}

const (
	geminiHello = `"result":{"protocolVersion":1,"agentInfo":{"name":"gemini-cli","version":"0.61.0"},` +
		`"agentCapabilities":{"loadSession":true}}`
	opencodeHello = `"result":{"protocolVersion":1,"agentInfo":{"name":"OpenCode","version":"1.18.33"},` +
		`"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{}}}}`
	geminiOpened = `"result":{"sessionId":"s1","modes":{"availableModes":[{"id":"default"},{"id":"yolo"},` +
		`{"id":"plan"}],"currentModeId":"yolo"},"models":{"availableModels":[{"modelId":"m1"}]}}`
	opencodeOpen = `"result":{"sessionId":"s1","configOptions":[{"id":"model","category":"model",` +
		`"options":[{"value":"a/m1"}]},{"id":"mode","category":"mode","options":[{"value":"build"},{"value":"plan"}]}]}`
	asksForTouch = `{"jsonrpc":"2.0","id":0,"method":"session/request_permission",` +
		`"params":{"sessionId":"s1","options":[` +
		`{"optionId":"proceed_always","kind":"allow_always"},{"optionId":"proceed_once","kind":"allow_once"},` +
		`{"optionId":"cancel","kind":"reject_once"}],` +
		`"toolCall":{"toolCallId":"c1","status":"pending","title":"touch made","content":[{"type":"content",` +
		`"content":{"type":"text","text":"[current working directory /w] (make)"}}],"locations":[],"kind":"execute"}}}`
)

func updates(u string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` + u + `}}`
}

func says(text string) string {
	return updates(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + text + `"}}`)
}

// ready returns a scene whose prompt was sent.
func ready(t *testing.T) *scene {
	s := newScene(t, turn)
	s.wants("initialize", geminiHello)
	s.wants("session/new", geminiOpened)
	s.wants("session/set_mode", `"result":{}`)
	return s
}

// TestServers: an agent gets the servers of tools when its session opens; one at an address only if it
// can use that.
func TestServers(t *testing.T) {
	about := turn
	about.Servers = []host.Server{
		{Name: "mail_imap", Command: []string{"/m/imap", "-v"}, Env: []string{"KEY=a=b"}},
		{Name: "web_find", URL: "https://mcp.example.com/"},
	}
	const command = `{"name":"mail_imap","command":"/m/imap","args":["-v"],"env":[{"name":"KEY","value":"a=b"}]}`
	const address = `{"type":"http","name":"web_find","url":"https://mcp.example.com/","headers":[]}`
	http := strings.Replace(geminiHello, `"loadSession"`, `"mcpCapabilities":{"http":true},"loadSession"`, 1)
	for hello, want := range map[string]string{geminiHello: "[" + command + "]",
		http: "[" + command + "," + address + "]"} {
		s := newScene(t, about)
		s.wants("initialize", hello)
		if opens := s.sent[len(s.sent)-1]; !strings.Contains(opens, `"mcpServers":`+want) {
			t.Errorf("have %s\nwant %s", opens, want)
		}
	}
	if opens := ready(t).sent[1]; !strings.Contains(opens, `"mcpServers":[]`) {
		t.Errorf("without servers: %s", opens)
	}
}

// TestTurn: a whole turn of gemini, with a call that was allowed.
func TestTurn(t *testing.T) {
	s := ready(t)
	s.hears(says("I "), says("try"), asksForTouch)
	if len(s.asked) != 1 || s.asked[0].Call != "c1" || string(s.asked[0].Calls[0].Input) != `{"command":"touch made"}` {
		t.Fatalf("asked %+v", s.asked)
	}
	s.take(s.talk.Answer(s.asked[0].ID, host.Answer{Allow: true}))
	const yes = `{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"proceed_once"}}}`
	if got := s.sent[len(s.sent)-1]; got != yes {
		t.Errorf("the answer is %s", got)
	}
	s.hears(updates(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed","content":[]}`),
		updates(`{"sessionUpdate":"hologram"}`), "{garb", says("fin"))
	s.hears(`{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn",` +
		`"_meta":{"quota":{"token_count":{"input_tokens":50,"output_tokens":100}}}}}`)
	var got []string
	for _, e := range s.said {
		got = append(got, fmt.Sprint(e.Kind, " ", e.Tool, e.Failed))
	}
	want := "init false, text false, tool_start Bashfalse, tool_result false, raw false, raw true, text false, " +
		"result false"
	if strings.Join(got, ", ") != want {
		t.Errorf("events %s\nwant   %s", strings.Join(got, ", "), want)
	}
	first, end := s.said[0], s.said[len(s.said)-1]
	if first.Thread != "s1" || first.Text != "gemini-cli 0.61.0" || s.said[1].Text != "I try" {
		t.Errorf("begins %+v, says %q", first, s.said[1].Text)
	}
	if end.Text != "fin" || !end.Final || end.Failed || end.Total.Tokens != 150 {
		t.Errorf("ends with %+v", end)
	}
}

// TestDenied: a no is never a lasting one, an answer counts once, and an agent that stops at a
// no is told why and goes on.
func TestDenied(t *testing.T) {
	s := ready(t)
	s.hears(asksForTouch)
	s.take(s.talk.Answer("0", host.Answer{Why: "It is not yours."}))
	if got := s.sent[len(s.sent)-1]; !strings.Contains(got, `"optionId":"cancel"`) {
		t.Errorf("the answer is %s", got)
	}
	before := len(s.sent)
	s.take(s.talk.Answer("0", host.Answer{Allow: true}))
	s.take(s.talk.Answer("99", host.Answer{Allow: true}))
	if len(s.sent) != before {
		t.Errorf("a second answer was sent: %s", s.sent[before])
	}
	s.wantsPromptAfter(`"result":{"stopReason":"end_turn"}`, "It is not yours.")
	_, id := s.last()
	s.hears(says("well"), fmt.Sprintf(`{"id":%d,"result":{"stopReason":"end_turn"}}`, id))
	if end := s.said[len(s.said)-1]; end.Kind != run.Result || end.Text != "well" {
		t.Errorf("ends with %+v", end)
	}
}

func (s *scene) wantsPromptAfter(reply, with string) {
	s.t.Helper()
	s.hears(`{"id":4,` + reply + `}`)
	if method, _ := s.last(); method != "session/prompt" || !strings.Contains(s.sent[len(s.sent)-1], with) {
		s.t.Fatalf("sent %s", s.sent[len(s.sent)-1])
	}
}

// TestAllowedButNotOffered: without a yes for this one call, the call does not run.
func TestAllowedButNotOffered(t *testing.T) {
	s := ready(t)
	s.hears(strings.Replace(asksForTouch, "allow_once", "allow_always", 1))
	s.take(s.talk.Answer("0", host.Answer{Allow: true}))
	if got := s.sent[len(s.sent)-1]; !strings.Contains(got, `"outcome":"cancelled"`) {
		t.Errorf("the answer is %s", got)
	}
}

// TestInterrupt: the open question is cancelled, the turn ends as interrupted, and no later
// question is asked.
func TestInterrupt(t *testing.T) {
	s := ready(t)
	s.hears(asksForTouch)
	s.take(s.talk.Interrupt())
	tail := strings.Join(s.sent[len(s.sent)-2:], "\n")
	if !strings.Contains(tail, `"outcome":"cancelled"`) || !strings.Contains(tail, `"method":"session/cancel"`) {
		t.Errorf("sent %s", tail)
	}
	s.hears(strings.Replace(asksForTouch, `"id":0`, `"id":1`, 1))
	s.take(s.talk.Answer("0", host.Answer{Allow: true}))
	if len(s.asked) != 1 || strings.Contains(s.sent[len(s.sent)-1], "proceed_once") {
		t.Errorf("asked %d times, sent %s", len(s.asked), s.sent[len(s.sent)-1])
	}
	s.hears(`{"id":4,"result":{"stopReason":"cancelled"}}`)
	if end := s.said[len(s.said)-1]; end.Kind != run.Result || !end.Failed || end.Final {
		t.Errorf("ends with %+v", end)
	}
}

// TestResume: a conversation is continued without its history, in the asking mode.
func TestResume(t *testing.T) {
	again := turn
	again.Resumes, again.Thread = true, "s1"
	s := newScene(t, again)
	s.wants("initialize", geminiHello)
	s.hears(says("an old message"))
	s.wants("session/load", strings.Replace(geminiOpened, `"sessionId":"s1",`, "", 1))
	s.hears(says("another one"))
	s.wants("session/set_mode", `"result":{}`)
	if method, _ := s.last(); method != "session/prompt" || len(s.said) != 0 {
		t.Errorf("sent %s, events %+v", method, s.said)
	}

	again.Program, again.Model = "opencode", "a/m1"
	s = newScene(t, again)
	s.wants("initialize", opencodeHello)
	s.wants("session/resume", opencodeOpen)
	s.wants("session/set_config_option", `"result":{}`)
	s.wants("session/set_config_option", `"result":{}`)
	if method, _ := s.last(); method != "session/prompt" || s.why != "" {
		t.Errorf("sent %s, refused %q", method, s.why)
	}
}

// TestRefuses: an agent that cannot ask, or is no such agent, gets no prompt.
func TestRefuses(t *testing.T) {
	resumes := turn
	resumes.Resumes, resumes.Thread = true, "s1"
	for name, c := range map[string]struct {
		about   host.Turn
		replies []string
		want    string
	}{
		"another version": {turn, []string{`"result":{"protocolVersion":2}`}, "version 2"},
		"no version":      {turn, []string{`"result":{}`}, "version"},
		"an error":        {turn, []string{`"error":{"code":-32603,"message":"broken"}`}, "broken"},
		"not signed in": {turn, []string{geminiHello, `"error":{"code":-32000,"message":"Login"}`},
			"not signed in"},
		"no session":        {turn, []string{geminiHello, `"result":{}`}, "no session"},
		"a hostile session": {turn, []string{geminiHello, `"result":{"sessionId":"--yolo"}`}, "no session"},
		"no asking mode":    {turn, []string{geminiHello, `"result":{"sessionId":"s"}`}, `mode "default"`},
		"a mode that fails": {turn, []string{geminiHello, geminiOpened, `"error":{"code":1,"message":"no"}`},
			"set_mode"},
		"no continuation": {
			resumes, []string{`"result":{"protocolVersion":1}`}, "cannot continue",
		},
	} {
		s := newScene(t, c.about)
		for i, reply := range c.replies {
			s.hears(fmt.Sprintf(`{"id":%d,%s}`, i+1, reply))
		}
		if method, _ := s.last(); method == "session/prompt" || !strings.Contains(s.why, c.want) {
			t.Errorf("%s: sent %s, refused %q", name, method, s.why)
		}
	}
	about := turn
	about.Model = "m2"
	s := newScene(t, about)
	s.wants("initialize", geminiHello)
	s.wants("session/new", geminiOpened)
	if !strings.Contains(s.why, `model "m2"`) {
		t.Errorf("an unknown model: %q", s.why)
	}
}

// TestTranslate: what an agent asks for reaches the guard in the form that it knows.
func TestTranslate(t *testing.T) {
	for _, c := range []struct{ name, call, want string }{
		{
			"a command of opencode",
			`{"kind":"execute","title":"touch x","rawInput":{"command":"touch x","workdir":"/w/a b"}}`,
			`Bash {"command":"cd '/w/a b' && touch x"}`,
		},
		{
			"a directory of gemini",
			`{"kind":"execute","title":"touch x","content":[{"type":"content","content":{"type":"text",` +
				`"text":"[in sub] (d)"}}]}`,
			`Bash {"command":"cd 'sub' && touch x"}`,
		},
		{
			"a command of words",
			`{"kind":"execute","rawInput":{"command":["sh","-c","echo 'a'"]}}`,
			`Bash {"command":"'sh' '-c' 'echo '\\''a'\\'''"}`,
		},
		{
			"a new file",
			`{"kind":"edit","content":[{"type":"diff","path":"/w/n","oldText":"","newText":"x"}]}`,
			`Write {"file_path":"/w/n","content":"x"}`,
		},
		{
			"two changes",
			`{"kind":"edit","content":[{"type":"diff","path":"/w/a","oldText":"1","newText":"2"},{"type":"diff",` +
				`"path":"/w/b","oldText":null,"newText":"x"}]}`,
			`Edit {"file_path":"/w/a","old_string":"1","new_string":"2"} Write {"file_path":"/w/b","content":"x"}`,
		},
		{
			"a change without a diff",
			`{"kind":"edit","rawInput":{"filePath":"/w/a","oldString":"1","newString":"2"}}`,
			`Edit {"file_path":"/w/a","old_string":"1","new_string":"2"}`,
		},
		{
			"a change of an unknown form",
			`{"kind":"edit","locations":[{"path":"/w/a"}],"rawInput":{"patch":"@@"}}`,
			`Edit {"file_path":"/w/a","input":{"patch":"@@"}}`,
		},
		{"a removal", `{"kind":"delete","locations":[{"path":"/w/a'b"}]}`, `Bash {"command":"rm -r -- '/w/a'\\''b'"}`},
		{"a file to read", `{"kind":"read","rawInput":{"filePath":"/w/a"}}`,
			`Read {"file_path":"/w/a","input":{"filePath":"/w/a"}}`},
		{"addresses", `{"kind":"fetch","title":"read \"http://a/x and https://b please\""}`,
			`WebFetch {"url":"http://a/x"} WebFetch {"url":"https://b"}`},
		{"something else", `{"kind":"other","title":"to do!","rawInput":{"a":1}}`,
			`mcp__gemini__to_do_ {"title":"to do!","input":{"a":1}}`},
		{"nothing", `{"x":1}`, `mcp__gemini__unknown {"title":""}`},
	} {
		s := ready(t)
		s.hears(`{"id":"q","method":"session/request_permission","params":{"sessionId":"s1","options":[],"toolCall":` +
			strings.Replace(c.call, "{", `{"toolCallId":"c",`, 1) + `}}`)
		var got []string
		for _, a := range s.asked {
			for _, call := range a.Calls {
				got = append(got, call.Tool+" "+string(call.Input))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, strings.Join(got, " "), c.want)
		}
	}
}

// FuzzTalk: no lines of an agent make a talk panic. Each question that it passes on has calls
// in JSON, no yes is sent without an answer, and each line that is sent is one line of JSON.
func FuzzTalk(f *testing.F) {
	for _, seed := range []string{
		asksForTouch, says("x"), `{"id":1,` + geminiHello + "}\n" + `{"id":2,` + opencodeOpen + "}",
		updates(`{"sessionUpdate":"tool_call","toolCallId":"c","kind":"edit","rawInput":[]}`), "{", "\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		s := ready(t)
		for line := range strings.Lines(lines) {
			before := len(s.sent)
			s.hears(line)
			for _, sent := range s.sent[before:] {
				if !json.Valid([]byte(sent)) || strings.ContainsAny(sent, "\r\n") ||
					strings.Contains(sent, `"selected"`) {
					t.Fatalf("%q: sent %q", line, sent)
				}
			}
		}
		for _, a := range s.asked {
			if len(a.Calls) == 0 {
				t.Fatalf("%q: no call in %+v", lines, a)
			}
			for _, c := range a.Calls {
				if c.Tool == "" || !json.Valid(c.Input) || c.Input[0] != '{' {
					t.Fatalf("%q: %s %s", lines, c.Tool, c.Input)
				}
			}
		}
	})
}

// TestOpencodeEnv: the instructions of the folder stay, whatever its name is.
func TestOpencodeEnv(t *testing.T) {
	dir := filepath.Join(os.TempDir(), `a"b`)
	for _, entry := range opencodeEnv(dir) {
		if value, ok := strings.CutPrefix(entry, "OPENCODE_CONFIG_CONTENT="); ok {
			var got struct{ Instructions []string }
			err := json.Unmarshal([]byte(value), &got)
			if err != nil || got.Instructions[0] != filepath.Join(dir, "AGENTS.md") {
				t.Errorf("%s: %v", value, err)
			}
			return
		}
	}
	t.Error("no instructions")
}
