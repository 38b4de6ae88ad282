package probe

import (
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

// A model is a Messages API on loopback that plays a fixed list of turns. It
// finds its place by the answers that the conversation holds already, so a
// request that the client repeats gets the same turn again.
type model struct {
	server *http.Server
	url    string
	turns  []turn

	mu    sync.Mutex
	heard []message // of the longest conversation so far
}

// A turn is what the model answers: a command for the shell, or else a text.
type turn struct{ command, text string }

// A message is one entry of a conversation. The model reads only its
// text; result is true for a tool's result.
type message struct {
	role, text string
	result     bool
}

// startModel listens on a free port of loopback. The caller closes the model.
func startModel(turns []turn) (*model, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the model: %w", err)
	}
	m := &model{url: "http://" + listener.Addr().String(), turns: turns}
	m.server = &http.Server{Handler: http.HandlerFunc(m.serve), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = m.server.Serve(listener) }() // it ends with close
	return m, nil
}

func (m *model) close() { _ = m.server.Close() }

// results returns the texts of the tools' results so far, in order.
func (m *model) results() (texts []string) {
	for _, said := range m.conversation() {
		if said.result {
			texts = append(texts, said.text)
		}
	}
	return texts
}

// after returns what the model read after its n-th answer, "" for nothing yet.
func (m *model) after(n int) string {
	var b strings.Builder
	for _, said := range m.conversation() {
		if said.role == "assistant" {
			n--
		} else if n <= 0 {
			b.WriteString(said.text + "\n")
		}
	}
	return b.String()
}

func (m *model) conversation() []message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heard
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
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
	q.reply(w, m.next(q))
}

// next returns the turn that answers a request. A request that offers no shell is not
// part of the conversation: the client may ask for a title. It gets a text.
func (m *model) next(q request) turn {
	if !q.offers("Bash") {
		return turn{text: "ok"}
	}
	said := q.conversation()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(said) >= len(m.heard) {
		m.heard = said
	}
	answered := 0
	for _, s := range said {
		if s.role == "assistant" {
			answered++
		}
	}
	if answered < len(m.turns) {
		return m.turns[answered]
	}
	return turn{text: "ok"}
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

func (q request) conversation() (all []message) {
	for _, m := range q.Messages {
		for _, b := range blocks(m.Content) {
			said := message{role: m.Role, text: b.Text, result: b.Type == "tool_result"}
			if said.result {
				said.text = texts(b.Content)
			}
			if m.Role == "assistant" && len(all) > 0 && all[len(all)-1].role == m.Role {
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
func (q request) reply(w http.ResponseWriter, t turn) {
	content, stop := t.block()
	usage := map[string]any{"input_tokens": 1, "output_tokens": 1}
	whole := map[string]any{
		"id":            "msg_" + mark(),
		"type":          "message",
		"role":          "assistant",
		"model":         q.Model,
		"content":       []any{content},
		"stop_reason":   stop,
		"stop_sequence": nil,
		"usage":         usage,
	}
	if !q.Stream {
		answer(w, whole)
		return
	}
	start, delta := t.pieces(content)
	whole["content"], whole["stop_reason"] = []any{}, nil
	w.Header().Set("Content-Type", "text/event-stream")
	event(w, "message_start", map[string]any{"message": whole})
	event(w, "content_block_start", map[string]any{"index": 0, "content_block": start})
	event(w, "content_block_delta", map[string]any{"index": 0, "delta": delta})
	event(w, "content_block_stop", map[string]any{"index": 0})
	end := map[string]any{"stop_reason": stop, "stop_sequence": nil}
	event(w, "message_delta", map[string]any{"delta": end, "usage": usage})
	event(w, "message_stop", map[string]any{})
}

func (t turn) block() (content map[string]any, stop string) {
	if t.command == "" {
		return map[string]any{"type": "text", "text": t.text}, "end_turn"
	}
	input := map[string]any{"command": t.command, "description": "a test of Afar"}
	return map[string]any{"type": "tool_use", "id": "toolu_" + mark(), "name": "Bash", "input": input}, "tool_use"
}

func (t turn) pieces(content map[string]any) (start, delta map[string]any) {
	if t.command == "" {
		return map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": t.text}
	}
	start = map[string]any{"type": "tool_use", "id": content["id"], "name": content["name"], "input": map[string]any{}}
	return start, map[string]any{"type": "input_json_delta", "partial_json": string(encode(content["input"]))}
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
		panic("probe: an answer of our own does not encode: " + err.Error())
	}
	return raw
}
