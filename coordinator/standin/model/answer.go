package model

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// maxBody is the real API's limit for one request.
const maxBody = 32 << 20

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		return
	}
	defer s.running.Done()
	switch {
	case r.Method == http.MethodHead:
		w.WriteHeader(http.StatusOK)
	case r.Method == http.MethodGet:
		reply(w, http.StatusOK, map[string]any{"data": []any{}})
	case r.Method != http.MethodPost:
		refuse(w, Fail(http.StatusMethodNotAllowed, "method not allowed"))
	case strings.HasPrefix(r.URL.Path, "/v1/messages"):
		s.messages(w, r)
	case isGemini(r.URL.Path):
		s.gemini(w, r)
	case strings.HasSuffix(r.URL.Path, "/responses"):
		s.respond(w, r)
	default: // the client's reports about itself are ignored
		io.Copy(io.Discard, io.LimitReader(r.Body, maxBody))
		reply(w, http.StatusOK, map[string]any{})
	}
}

func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	key := cmp.Or(r.Header.Get("X-Api-Key"), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	if key == "" {
		refuse(w, Fail(http.StatusUnauthorized, "x-api-key header is required"))
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return // the client left
	}
	if len(body) > maxBody {
		refuse(w, Fail(http.StatusRequestEntityTooLarge, "request exceeds the maximum size"))
		return
	}
	req, err := parse(r.URL.RequestURI(), body)
	if err != nil {
		refuse(w, Fail(http.StatusBadRequest, err.Error()))
		return
	}
	req.Key = key
	req = s.record(req)
	if req.counts() {
		reply(w, http.StatusOK, map[string]any{"input_tokens": 10})
		return
	}
	t := s.answer(req)
	if !pause(r.Context(), t) {
		return
	}
	send(w, req, t)
}

// pause waits as long as the turn wants. It returns false if the client left meanwhile.
func pause(ctx context.Context, t Turn) bool {
	if t.Hold != nil {
		select {
		case <-t.Hold:
		case <-ctx.Done():
			return false
		}
	}
	select {
	case <-time.After(t.Delay):
		return true
	case <-ctx.Done():
		return false
	}
}

func send(w http.ResponseWriter, r Request, t Turn) {
	if t.Status > 0 {
		refuse(w, t)
		return
	}
	content, stop := contents(t)
	usage := map[string]any{
		"input_tokens": max(t.InputTokens, 10), "output_tokens": 20,
		"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
	}
	message := map[string]any{
		"id": "msg_" + rand.Text(), "type": "message", "role": "assistant", "model": r.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
	if !r.Stream {
		reply(w, http.StatusOK, message)
		return
	}
	message["content"], message["stop_reason"] = []any{}, nil
	w.Header().Set("Content-Type", "text/event-stream")
	stream(w, message, content, stop)
}

// contents returns the blocks of a turn, and the reason why it ends.
func contents(t Turn) (blocks []map[string]any, stop string) {
	if t.Text == "" && len(t.Tools) == 0 {
		t.Text = "done"
	}
	if t.Text != "" {
		blocks = append(blocks, map[string]any{"type": "text", "text": t.Text})
	}
	for _, tool := range t.Tools {
		input := tool.Input
		if input == nil {
			input = map[string]any{}
		}
		blocks = append(blocks, map[string]any{
			"type":  "tool_use",
			"id":    "toolu_" + rand.Text(),
			"name":  tool.Name,
			"input": input,
		})
	}
	if len(t.Tools) > 0 {
		return blocks, "tool_use"
	}
	return blocks, "end_turn"
}

// stream writes the message as the API streams it. It ignores write errors: the client
// may leave early.
func stream(w http.ResponseWriter, message map[string]any, content []map[string]any, stop string) {
	event(w, "message_start", map[string]any{"message": message})
	for i, b := range content {
		start, delta := pieces(b)
		event(w, "content_block_start", map[string]any{"index": i, "content_block": start})
		event(w, "content_block_delta", map[string]any{"index": i, "delta": delta})
		event(w, "content_block_stop", map[string]any{"index": i})
	}
	event(w, "message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": message["usage"],
	})
	event(w, "message_stop", map[string]any{})
}

func pieces(b map[string]any) (start, delta map[string]any) {
	if b["type"] == "text" {
		return map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": b["text"]}
	}
	start = map[string]any{"type": "tool_use", "id": b["id"], "name": b["name"], "input": map[string]any{}}
	return start, map[string]any{"type": "input_json_delta", "partial_json": string(encode(b["input"]))}
}

func event(w http.ResponseWriter, name string, data map[string]any) {
	data["type"] = name
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, encode(data))
	http.NewResponseController(w).Flush()
}

func refuse(w http.ResponseWriter, t Turn) {
	kind := t.ErrorType
	if kind == "" {
		kind = errorType(t.Status)
	}
	if t.RetryAfter != "" {
		w.Header().Set("Retry-After", t.RetryAfter)
	}
	reply(w, t.Status, map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": t.Message}})
}

func reply(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(encode(body))
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("model: answer does not encode: %v", err)) // a tool input that is not JSON: the test is wrong
	}
	return b
}
