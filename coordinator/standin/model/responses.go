package model

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// This file speaks the Responses API, for clients of OpenAI's models. The scripts and the
// requests are the same as those of the Messages API.

// respond answers one request on the Responses API.
func (s *Server) respond(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") == "" {
		refuseResponse(w, Fail(http.StatusUnauthorized, "you didn't provide an API key"))
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return // the client left
	}
	req, err := parseResponses(r.URL.RequestURI(), body)
	if err != nil {
		refuseResponse(w, Fail(http.StatusBadRequest, err.Error()))
		return
	}
	t := s.answer(s.record(req))
	switch {
	case !pause(r.Context(), t):
	case t.Status > 0:
		refuseResponse(w, t)
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		streamResponse(w, t)
	}
}

// The types below are those of the API, with the fields that the stand-in needs.
type responsesRequest struct {
	Model        string          `json:"model"`
	Instructions string          `json:"instructions"`
	Input        []responsesItem `json:"input"`
	Tools        []struct {
		Name string `json:"name"`
	} `json:"tools"`
	Stream bool `json:"stream"`
}

type responsesItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Output    json.RawMessage `json:"output"`
}

// parseResponses reads a request body. Each call must have its output, as the real API wants.
func parseResponses(path string, body []byte) (Request, error) {
	var raw responsesRequest
	if err := json.Unmarshal(body, &raw); err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	r := Request{Path: path, Model: raw.Model, Stream: raw.Stream, Raw: body, System: []string{raw.Instructions}}
	for _, t := range raw.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	open := map[string]bool{}
	for i, item := range raw.Input {
		role, b, err := item.block()
		if err != nil {
			return Request{}, fmt.Errorf("read input.%d: %w", i, err)
		}
		switch b.Type {
		case "":
			continue
		case "tool_use":
			open[b.ID] = true
		case "tool_result":
			if !open[b.ID] {
				return Request{}, fmt.Errorf("input.%d: no call with call_id %s", i, b.ID)
			}
			delete(open, b.ID)
		}
		r.add(role, b)
	}
	for id := range open {
		return Request{}, fmt.Errorf("no tool output found for call %s", id)
	}
	return r, nil
}

// add adds a block to the conversation. Blocks of one answer are one message.
func (r *Request) add(role string, b Block) {
	if last := len(r.Messages) - 1; last >= 0 && role == "assistant" && r.Messages[last].Role == role {
		r.Messages[last].Blocks = append(r.Messages[last].Blocks, b)
		return
	}
	r.Messages = append(r.Messages, Message{Role: role, Blocks: []Block{b}})
}

// block returns an item of the conversation as the Messages API has it. What the model did not
// say or see, such as its reasoning, is a block without a type.
func (item responsesItem) block() (role string, b Block, err error) {
	switch item.Type {
	case "message", "":
		text, err := responseText(item.Content)
		return item.Role, Block{Type: "text", Text: text}, err
	case "function_call":
		return "assistant", Block{
			Type: "tool_use", ID: item.CallID, Name: item.Name, Input: json.RawMessage(item.Arguments),
		}, nil
	case "custom_tool_call":
		return "assistant", Block{Type: "tool_use", ID: item.CallID, Name: item.Name, Input: encode(item.Input)}, nil
	case "function_call_output", "custom_tool_call_output":
		text, err := responseText(item.Output)
		return "user", Block{Type: "tool_result", ID: item.CallID, Text: text}, err
	}
	return "", Block{}, nil
}

// responseText reads a text in either of its forms: a string, or a list of parts.
func responseText(raw json.RawMessage) (string, error) {
	var text string
	if !present(raw) || json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	err := json.Unmarshal(raw, &parts)
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n"), err
}

// streamResponse writes an answer as the API streams it. It ignores write errors: the client
// may leave early.
func streamResponse(w http.ResponseWriter, t Turn) {
	id := "resp_" + rand.Text()
	event(w, "response.created", map[string]any{"response": map[string]any{"id": id}})
	for i, item := range responseItems(t) {
		event(w, "response.output_item.added", map[string]any{"item": item, "output_index": i})
		event(w, "response.output_item.done", map[string]any{"item": item, "output_index": i})
	}
	in, out := max(t.InputTokens, 10), 20
	event(w, "response.completed", map[string]any{"response": map[string]any{
		"id": id,
		"usage": map[string]any{
			"input_tokens": in, "input_tokens_details": map[string]any{"cached_tokens": 0},
			"output_tokens": out, "output_tokens_details": map[string]any{"reasoning_tokens": 0},
			"total_tokens": in + out,
		},
	}})
}

// responseItems returns the items of an answer. A tool whose only input is Freeform is a
// custom tool.
func responseItems(t Turn) (items []map[string]any) {
	if t.Text == "" && len(t.Tools) == 0 {
		t.Text = "done"
	}
	if t.Text != "" {
		items = append(items, map[string]any{
			"type": "message", "role": "assistant", "id": "msg_" + rand.Text(),
			"content": []any{map[string]any{"type": "output_text", "text": t.Text}},
		})
	}
	for _, tool := range t.Tools {
		item := map[string]any{"id": "item_" + rand.Text(), "call_id": "call_" + rand.Text(), "name": tool.Name}
		if space, name, found := strings.Cut(tool.Name, "/"); found {
			item["namespace"], item["name"] = space, name
		}
		if text, free := tool.Input[Freeform]; free {
			item["type"], item["input"] = "custom_tool_call", text
		} else {
			item["type"], item["arguments"] = "function_call", string(encode(tool.Input))
		}
		items = append(items, item)
	}
	return items
}

// Freeform is the name of the input of a tool that takes a text and not JSON, on the
// Responses API.
const Freeform = "(text)"

func refuseResponse(w http.ResponseWriter, t Turn) {
	reply(w, t.Status, map[string]any{"error": map[string]any{"type": errorType(t.Status), "message": t.Message}})
}
