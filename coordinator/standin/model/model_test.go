package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T) *Server {
	t.Helper()
	s, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// do sends a request as the client does, and returns the status and the body.
func do(t *testing.T, method, url, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", "k")
	transport := &http.Transport{DisableKeepAlives: true}
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(b)
}

func conversation(prompt string, rest ...string) string {
	p, _ := json.Marshal(prompt)
	ms := append([]string{`{"role":"user","content":` + string(p) + `}`}, rest...)
	return `{"model":"m","max_tokens":9,"tools":[{"name":"Bash"}],"messages":[` + strings.Join(ms, ",") + `]}`
}

const (
	used   = `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}`
	result = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1",` +
		`"content":[{"type":"text","text":"out"}]}]}`
	said   = `{"role":"assistant","content":"hm"}`
	hooked = `{"role":"user","content":[{"type":"text","text":"Stop hook feedback:\ngo on"}]}`
	aside  = `{"role":"system","content":"Stop hook blocking error"}`
)

func TestScriptFollowsTheConversation(t *testing.T) {
	p := "go " + Play(Bash("ls"), Say("two"), Say("three"))
	other := conversation("x")
	tests := []struct{ name, body, want string }{
		{"first turn", conversation(p), `"name":"Bash"`},
		{"after a tool call", conversation(p, used, result), `"text":"two"`},
		{
			"a stop hook's feedback does not restart it",
			conversation(p, used, result, said, aside, hooked),
			`"text":"three"`,
		},
		{
			"a reminder does not restart it",
			conversation(p, said, `{"role":"user","content":"<system-reminder>`+Play(Say("no"))+`</system-reminder>"}`),
			`"text":"two"`,
		},
		{"past the end", conversation(p, said, hooked, said, hooked, said, hooked), `"text":"done"`},
		{"the last script of a prompt wins", conversation(Play(Say("old")) + Play(Say("new"))), `"text":"new"`},
		{"no script", other, `"text":"done"`},
		{
			"a later prompt wins",
			conversation(p, said, `{"role":"user","content":"`+Play(Say("new"))+`"}`),
			`"text":"new"`,
		},
		{
			"a later prompt without a script leaves it",
			conversation(p, said, `{"role":"user","content":"hello"}`),
			`"text":"two"`,
		},
		{"broken script", conversation("%%" + "AAAA" + "%%"), `invalid_request_error`},
		{
			"title",
			strings.Replace(other, `"max_tokens"`, `"output_config":{"format":{"type":"json_schema"}},"max_tokens"`, 1),
			`\"title\"`,
		},
		{
			"compaction",
			conversation(p, said, `{"role":"user","content":"Your task is to create a detailed summary of"}`),
			Summary,
		},
	}
	s := start(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := do(t, "POST", s.URL()+"/v1/messages?beta=true", tt.body)
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want in it %s", got, tt.want)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	s := start(t)
	tests := []struct {
		name, method, path, body string
		status                   int
		want                     string
	}{
		{"empty", "POST", "/v1/messages", "", 400, "read request"},
		{"truncated", "POST", "/v1/messages", `{"model":`, 400, "read request"},
		{
			"wrong type",
			"POST",
			"/v1/messages",
			`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":7}]}`,
			400,
			"read messages.0",
		},
		{"no model", "POST", "/v1/messages", `{}`, 400, "model"},
		{"no messages", "POST", "/v1/messages", `{"model":"m"}`, 400, "messages"},
		{
			"no max_tokens",
			"POST",
			"/v1/messages",
			`{"model":"m","messages":[{"role":"user","content":"x"}]}`,
			400,
			"max_tokens",
		},
		{"open tool call", "POST", "/v1/messages", conversation("x", used, hooked), 400, "without tool_result"},
		{"result of nothing", "POST", "/v1/messages", conversation("x", said, result), 400, "unexpected tool_use_id"},
		{"method", "PUT", "/v1/messages", "", 405, "method"},
		{
			"scripted",
			"POST",
			"/v1/messages",
			conversation(Play(Turn{Status: 529, Message: "boom", RetryAfter: "3"})),
			529,
			"overloaded_error",
		},
		{"too large", "POST", "/v1/messages", strings.Repeat("x", maxBody+1), 413, "request_too_large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, got := do(t, tt.method, s.URL()+tt.path, tt.body)
			if res.StatusCode != tt.status || !strings.Contains(got, tt.want) {
				t.Errorf("got %d %s, want %d %s", res.StatusCode, got, tt.status, tt.want)
			}
			if tt.name == "scripted" && res.Header.Get("Retry-After") != "3" {
				t.Error("no Retry-After")
			}
		})
	}
	if n := len(s.Requests()); n != 1 {
		t.Errorf("%d requests recorded, want only the good one", n)
	}
}

func TestKeyIsDemanded(t *testing.T) {
	s := start(t)
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Post(
		s.URL()+"/v1/messages", "application/json", strings.NewReader(conversation("x")),
	)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 401 {
		t.Errorf("got %d, want 401", res.StatusCode)
	}
}

func TestSideDoors(t *testing.T) {
	s := start(t)
	tests := []struct{ method, path, body, want string }{
		{
			"POST",
			"/v1/messages/count_tokens",
			`{"model":"m","messages":[{"role":"user","content":"x"}]}`,
			`"input_tokens":10`,
		},
		{"GET", "/v1/models", "", `"data"`},
		{"HEAD", "/", "", ""},
		{"POST", "/api/event_logging/batch", "anything", "{}"},
	}
	for _, tt := range tests {
		res, got := do(t, tt.method, s.URL()+tt.path, tt.body)
		if res.StatusCode != 200 || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, res.StatusCode, got)
		}
	}
	if len(s.Turns()) != 0 {
		t.Error("a token count is taken for a turn")
	}
}

func TestStream(t *testing.T) {
	s := start(t)
	s.Script(func(Request) Turn {
		return Turn{
			Text:        "hi",
			Tools:       []Tool{{Name: "Bash", Input: map[string]any{"command": "echo 'é'"}}},
			InputTokens: 500,
		}
	})
	body := strings.Replace(conversation("x"), `"max_tokens"`, `"stream":true,"max_tokens"`, 1)
	res, got := do(t, "POST", s.URL()+"/v1/messages", body)
	if ct := res.Header.Get("Content-Type"); ct != "text/event-stream" {
		t.Errorf("content type %q", ct)
	}
	var names []string
	var text, input string
	sc := bufio.NewScanner(strings.NewReader(got))
	for sc.Scan() {
		data, ok := bytes.CutPrefix(sc.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		var e struct {
			Type  string
			Delta struct {
				Text        string
				PartialJSON string `json:"partial_json"`
				StopReason  string `json:"stop_reason"`
			}
		}
		if err := json.Unmarshal(data, &e); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		names = append(names, e.Type+e.Delta.StopReason)
		text += e.Delta.Text
		input += e.Delta.PartialJSON
	}
	want := []string{
		"message_start",
		"content_block_start", "content_block_delta", "content_block_stop",
		"content_block_start", "content_block_delta", "content_block_stop",
		"message_deltatool_use", "message_stop",
	}
	if d := cmp.Diff(want, names); d != "" {
		t.Error(d)
	}
	if text != "hi" || input != `{"command":"echo 'é'"}` {
		t.Errorf("got %q %q", text, input)
	}
	if !strings.Contains(got, `"input_tokens":500`) {
		t.Error("usage is not reported")
	}
}

func TestScriptFunctionSeesTurns(t *testing.T) {
	s := start(t)
	var turns []int
	var prompts []string
	s.Script(func(r Request) Turn {
		turns = append(turns, r.Turns())
		prompts = append(prompts, r.Prompt())
		return r.Scripted()
	})
	p := "start " + Play(Say("a"))
	for _, b := range []string{
		conversation(p),
		conversation(p, said, aside, hooked),
		conversation(p, used, result, said, aside, hooked),
		conversation(p, said, `{"role":"user","content":"again"}`),
		conversation(
			"This session is being continued from a previous conversation that",
			`{"role":"user","content":[{"type":"text","text":"<local-command-stdout>x"},{"type":"text","text":"now"}]}`,
		),
	} {
		do(t, "POST", s.URL()+"/v1/messages", b)
	}
	if d := cmp.Diff([]int{0, 1, 2, 0, 0}, turns); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{p, p, p, "again", "now"}, prompts); d != "" {
		t.Error(d)
	}
}

func TestReading(t *testing.T) {
	s := start(t)
	body := strings.Replace(
		conversation("ask", used, result, aside), `"tools"`, `"system":[{"type":"text","text":"sys"}],"tools"`, 1,
	)
	do(t, "POST", s.URL()+"/v1/messages", body)
	r := s.Turns()[0]
	for _, c := range []struct {
		name      string
		got, want []string
	}{
		{"all", r.Texts(), []string{"sys", "ask", "out", "Stop hook blocking error"}},
		{"user", r.From("user"), []string{"ask"}},
		{"system role", r.From("system"), []string{"Stop hook blocking error"}},
		{"results", r.ToolResults(), []string{"out"}},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	if !r.Has("ou") || r.Has("absent") || !r.Offers("Bash") || r.Offers("Ba") {
		t.Error("Has or Offers is wrong")
	}
}

func TestAwait(t *testing.T) {
	s := start(t)
	url := s.URL() + "/v1/messages"
	has := func(text string) func(Request) bool {
		return func(r Request) bool { return r.Has(text) }
	}
	do(t, "POST", url, conversation("past"))
	if r, err := s.Await(t.Context(), has("past")); err != nil || r.N != 1 {
		t.Fatalf("past request: %v %v", r.N, err)
	}
	got := make(chan []int)
	first := make(chan struct{})
	go func() {
		var asked []int
		s.Await(t.Context(), func(r Request) bool {
			if asked = append(asked, r.N); r.N == 1 {
				close(first)
			}
			return r.Has("coming")
		})
		got <- asked
	}()
	<-first
	do(t, "POST", url, conversation("other"))
	do(t, "POST", url, conversation("coming"))
	if d := cmp.Diff([]int{1, 2, 3}, <-got); d != "" {
		t.Errorf("each request is to be asked about once: %s", d)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Await(ctx, has("never")); err == nil || !strings.Contains(err.Error(), "3 seen") {
		t.Errorf("ended wait says %v", err)
	}
}

func TestHoldKeepsTheAnswerBack(t *testing.T) {
	s := start(t)
	hold := make(chan struct{})
	s.Script(func(Request) Turn { return Turn{Text: "late", Hold: hold} })
	answered := make(chan string, 1)
	go func() {
		_, b := do(t, "POST", s.URL()+"/v1/messages", conversation("x"))
		answered <- b
	}()
	if _, err := s.Await(t.Context(), func(Request) bool { return true }); err != nil {
		t.Fatal(err)
	}
	select {
	case b := <-answered:
		t.Fatalf("answered before the hold ended: %s", b)
	case <-time.After(20 * time.Millisecond): // an answer that is not held comes in far less
	}
	close(hold)
	if b := <-answered; !strings.Contains(b, "late") {
		t.Error(b)
	}
}

func TestCloseEndsAHeldAnswer(t *testing.T) {
	s, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	s.Script(func(Request) Turn { return Turn{Delay: time.Hour} })
	req, _ := http.NewRequest("POST", s.URL()+"/v1/messages", strings.NewReader(conversation("x")))
	req.Header.Set("Authorization", "Bearer k")
	failed := make(chan error, 1)
	go func() {
		_, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		failed <- err
	}()
	if _, err := s.Await(t.Context(), func(Request) bool { return true }); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := <-failed; err == nil {
		t.Error("a request outlived Close")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(conversation("x", used, result)))
	f.Add([]byte(`{"model":"m","max_tokens":1,"messages":[
		{"role":"user","content":[{"type":"tool_result","content":"s"}]}]}`))
	f.Add([]byte(`{"messages":[null],"system":""}`))
	f.Add([]byte(conversation("%%W3t9XQ==%%")))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := parse("/v1/messages", body)
		if err != nil {
			return
		}
		if r.Turns() > len(r.Messages) {
			t.Errorf("%d turns in %d messages", r.Turns(), len(r.Messages))
		}
		r.Scripted()
		r.Texts()
	})
}
