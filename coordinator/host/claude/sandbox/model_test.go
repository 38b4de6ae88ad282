package sandbox

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// say sends the model a request, and returns the status and what it answers.
func say(t *testing.T, m *Model, path, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(m.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(said)
}

func started(t *testing.T, turns ...Turn) *Model {
	t.Helper()
	m, err := StartModel(Play(turns...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// offering is a request that offers the shell.
func offering(messages string) string {
	return `{"model":"m","tools":[{"name":"Read"},{"name":"Bash"}],"messages":[` + messages + `]}`
}

const (
	prompt   = `{"role":"user","content":"go"}`
	firstUse = `{"role":"assistant","content":[{"type":"text","text":""},` +
		`{"type":"tool_use","id":"t","name":"Bash","input":{}}]}`
	result = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[` +
		`{"type":"text","text":"re"},{"type":"text","text":"fused"}]}]}`
)

// TestModelPlaysItsTurns checks that the number of answers in the conversation chooses
// the turn. Repeated and other requests of the client do not change it.
func TestModelPlaysItsTurns(t *testing.T) {
	m := started(t, Bash("touch one", ""), Say("two"))
	second := prompt + "," + firstUse + "," + result
	for _, c := range []struct{ name, body, want string }{
		{"first", offering(prompt), "touch one"},
		{"repeated", offering(prompt), "touch one"},
		{"a title", `{"model":"m","messages":[` + prompt + `]}`, `"text":"ok"`},
		{"second", offering(second), `"text":"two"`},
		{"past the end", offering(second + `,{"role":"assistant","content":"two"},` + prompt), `"text":"ok"`},
	} {
		code, said := say(t, m, "/v1/messages?beta=true", c.body)
		if code != http.StatusOK || !strings.Contains(said, c.want) {
			t.Errorf("%s: status %d, %s; want %q", c.name, code, said, c.want)
		}
	}
	if got := m.Results(); len(got) != 1 || got[0] != "refused" {
		t.Errorf("the tools' results are %q", got)
	}
	if got := m.After(2); strings.TrimSpace(got) != "go" {
		t.Errorf("after its second answer the model read %q", got)
	}
}

// TestModelStreams checks that each event names its kind, that the pieces make up the
// call, and that each message has an id of its own. The client takes messages with the
// same id for one message.
func TestModelStreams(t *testing.T) {
	m := started(t, Bash("touch one", ""))
	streamed := strings.Replace(offering(prompt), "{", `{"stream":true,`, 1)
	ids := map[string]bool{}
	for range 3 {
		_, said := say(t, m, "/v1/messages", streamed)
		for _, id := range regexp.MustCompile(`msg_\w+`).FindAllString(said, -1) {
			ids[id] = true
		}
		for _, kind := range []string{
			"message_start",
			"content_block_start",
			"content_block_delta",
			"message_delta",
			"message_stop",
		} {
			if !strings.Contains(said, "event: "+kind+"\n") {
				t.Errorf("no event %s in %s", kind, said)
			}
		}
		if !strings.Contains(said, `\"command\":\"touch one\"`) {
			t.Errorf("the call is not in %s", said)
		}
	}
	if len(ids) != 3 {
		t.Errorf("three answers have the ids %v", ids)
	}
}

// TestModelSaysAndCalls checks that a text comes before the call of the same turn.
func TestModelSaysAndCalls(t *testing.T) {
	turn := Bash("touch one", "")
	turn.Text = "I touch it."
	m := started(t, turn)
	_, said := say(t, m, "/v1/messages", strings.Replace(offering(prompt), "{", `{"stream":true,`, 1))
	text, call := strings.Index(said, "I touch it."), strings.Index(said, "touch one")
	if text < 0 || call < text || !strings.Contains(said, `"index":1`) {
		t.Errorf("want the text and then the call, have %s", said)
	}
}

// TestModelTakesAnything sends requests that no client sends.
func TestModelTakesAnything(t *testing.T) {
	m := started(t, Bash("touch one", ""))
	for body, want := range map[string]int{
		"":               http.StatusBadRequest,
		"[":              http.StatusBadRequest,
		`{"messages":7}`: http.StatusBadRequest,
		"null":           http.StatusOK,
		`{"messages":[{"role":"user","content":7}],"tools":[{"name":"Bash"}]}`: http.StatusOK,
		`{"messages":[{"content":[{"type":[]}]}],"tools":[{"name":"Bash"}]}`:   http.StatusOK,
	} {
		code, said := say(t, m, "/v1/messages", body)
		if code != want || code == http.StatusOK && !json.Valid([]byte(said)) {
			t.Errorf("%q: status %d, %s; want %d", body, code, said, want)
		}
	}
	if code, said := say(t, m, "/v1/messages/count_tokens", "{}"); code != http.StatusOK || !json.Valid([]byte(said)) {
		t.Errorf("count_tokens: status %d, %s", code, said)
	}
}

// TestModelIsNoProxy checks that a client that takes the model for its proxy reaches no
// other host.
func TestModelIsNoProxy(t *testing.T) {
	m := started(t, Say("hello"))
	proxy, err := url.Parse(m.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}
	if resp, err := c.Get("https://example.invalid/"); err == nil {
		resp.Body.Close()
		t.Errorf("https: status %d, want an error", resp.StatusCode)
	}
	resp, err := c.Get("http://example.invalid/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("http: status %d, want %d", resp.StatusCode, http.StatusForbidden)
	}
}
