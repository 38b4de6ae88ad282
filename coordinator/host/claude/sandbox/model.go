package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxRequest bounds one request of the client.
const maxRequest = 32 << 20

// A Model is a Messages API on loopback. Its script says what it answers.
type Model struct {
	URL string // what goes into ANTHROPIC_BASE_URL

	server *http.Server
	script Script

	mu    sync.Mutex
	heard []Message // of the longest conversation so far
}

// A Script returns the answer to a conversation. It must give the same answer again for a
// request that the client repeats. It may wait; ctx ends when the client has gone.
type Script func(ctx context.Context, said []Message) Turn

// A Turn is one answer of the model: a text, a call of a tool, or a text and then a call.
type Turn struct {
	Text  string
	Tool  string
	Input map[string]any
}

// Say is a turn of text.
func Say(text string) Turn { return Turn{Text: text} }

// Bash is a turn that runs a command in the shell.
func Bash(command, description string) Turn {
	return Turn{Tool: "Bash", Input: map[string]any{"command": command, "description": description}}
}

// Play is a script that gives these answers in order, and "ok" after them.
func Play(turns ...Turn) Script {
	return func(_ context.Context, said []Message) Turn {
		if n := Answered(said); n < len(turns) {
			return turns[n]
		}
		return Say("ok")
	}
}

// Answered returns how many answers of the model a conversation holds.
func Answered(said []Message) (n int) {
	for _, s := range said {
		if s.Role == assistant {
			n++
		}
	}
	return n
}

const assistant = "assistant"

// A Message is one entry of a conversation, with its text. Result is true for a tool's
// result.
type Message struct {
	Role, Text string
	Result     bool
}

// StartModel listens on a free port of loopback. The caller closes the model.
func StartModel(script Script) (*Model, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the model: %w", err)
	}
	m := &Model{URL: "http://" + listener.Addr().String(), script: script}
	m.server = &http.Server{Handler: http.HandlerFunc(m.serve), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = m.server.Serve(listener) }() // it ends with Close
	return m, nil
}

// Close ends the model and breaks what it is answering.
func (m *Model) Close() { _ = m.server.Close() }

// Results returns the texts of the tools' results so far, in order.
func (m *Model) Results() (texts []string) {
	for _, said := range m.conversation() {
		if said.Result {
			texts = append(texts, said.Text)
		}
	}
	return texts
}

// After returns what the model read after its n-th answer, "" for nothing yet.
func (m *Model) After(n int) string {
	var b strings.Builder
	for _, said := range m.conversation() {
		if said.Role == assistant {
			n--
		} else if n <= 0 {
			b.WriteString(said.Text + "\n")
		}
	}
	return b.String()
}

func (m *Model) conversation() []Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heard
}

func (m *Model) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect || r.URL.IsAbs() { // the client takes the model for its proxy
		http.Error(w, "no request leaves this machine", http.StatusForbidden)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		return // the client has gone
	}
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/v1/messages") {
		answer(w, map[string]any{"data": []any{}, "input_tokens": 1})
		return
	}
	var q request
	if err := json.Unmarshal(body, &q); err != nil {
		http.Error(w, "want a request of the Messages API in JSON: "+err.Error(), http.StatusBadRequest)
		return
	}
	q.reply(w, m.next(r.Context(), q))
}

// next returns the turn that answers a request. A request that offers no shell is not
// part of the conversation: the client may ask for a title. It gets a text.
func (m *Model) next(ctx context.Context, q request) Turn {
	if !q.offers("Bash") {
		return Say("ok")
	}
	said := q.conversation()
	m.hear(said)
	return m.script(ctx, said)
}

func (m *Model) hear(said []Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(said) >= len(m.heard) {
		m.heard = said
	}
}

// A request is the part of the client's request that matters here.
type request struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

func (q request) offers(tool string) bool {
	for _, t := range q.Tools {
		if t.Name == tool {
			return true
		}
	}
	return false
}

func (q request) conversation() (all []Message) {
	for _, m := range q.Messages {
		for _, b := range blocks(m.Content) {
			said := Message{Role: m.Role, Text: b.Text, Result: b.Type == "tool_result"}
			if said.Result {
				said.Text = texts(b.Content)
			}
			if m.Role == assistant && len(all) > 0 && all[len(all)-1].Role == m.Role {
				continue // one answer of several parts
			}
			all = append(all, said)
		}
	}
	return all
}

// A block is one part of a message.
type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Content json.RawMessage `json:"content"`
}

// blocks reads a content, which is a text or a list of blocks.
func blocks(raw json.RawMessage) (all []block) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	_ = json.Unmarshal(raw, &all) // anything else holds nothing to read
	return all
}

func texts(raw json.RawMessage) string {
	var b strings.Builder
	for _, part := range blocks(raw) {
		b.WriteString(part.Text)
	}
	return b.String()
}

// reply answers with a turn, streamed where the client wants that.
func (q request) reply(w http.ResponseWriter, t Turn) {
	content, stop := t.blocks()
	usage := map[string]any{"input_tokens": 1, "output_tokens": 1}
	whole := map[string]any{
		"id":            "msg_" + rand.Text(),
		"type":          "message",
		"role":          assistant,
		"model":         q.Model,
		"content":       content,
		"stop_reason":   stop,
		"stop_sequence": nil,
		"usage":         usage,
	}
	if !q.Stream {
		answer(w, whole)
		return
	}
	whole["content"], whole["stop_reason"] = []any{}, nil
	w.Header().Set("Content-Type", "text/event-stream")
	event(w, "message_start", map[string]any{"message": whole})
	for i, one := range content {
		start, delta := pieces(one)
		event(w, "content_block_start", map[string]any{"index": i, "content_block": start})
		event(w, "content_block_delta", map[string]any{"index": i, "delta": delta})
		event(w, "content_block_stop", map[string]any{"index": i})
	}
	end := map[string]any{"stop_reason": stop, "stop_sequence": nil}
	event(w, "message_delta", map[string]any{"delta": end, "usage": usage})
	event(w, "message_stop", map[string]any{})
}

// blocks returns the parts of a turn, and why it ends.
func (t Turn) blocks() (content []map[string]any, stop string) {
	if t.Text != "" || t.Tool == "" {
		content = append(content, map[string]any{"type": "text", "text": t.Text})
	}
	if t.Tool == "" {
		return content, "end_turn"
	}
	use := map[string]any{"type": "tool_use", "id": "toolu_" + rand.Text(), "name": t.Tool, "input": t.Input}
	return append(content, use), "tool_use"
}

// pieces returns the beginning of a part and the rest of it, as the API streams them.
func pieces(part map[string]any) (start, delta map[string]any) {
	if part["type"] == "text" {
		return map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": part["text"]}
	}
	start = map[string]any{"type": "tool_use", "id": part["id"], "name": part["name"], "input": map[string]any{}}
	return start, map[string]any{"type": "input_json_delta", "partial_json": string(encode(part["input"]))}
}

func event(w http.ResponseWriter, name string, data map[string]any) {
	data["type"] = name
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, encode(data))
	_ = http.NewResponseController(w).Flush() // a client that left needs nothing
}

func answer(w http.ResponseWriter, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encode(body)) // a client that left needs nothing
}

func encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("sandbox: an answer of our own does not encode: " + err.Error())
	}
	return raw
}
