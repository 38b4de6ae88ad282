package model

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// isGemini reports whether a path is of the Gemini API: …/models/NAME:METHOD.
func isGemini(path string) bool {
	return strings.Contains(path, "/models/") && strings.Contains(path, ":")
}

// The types below are those of the API, with the fields that the stand-in needs.
type geminiRequest struct {
	System   geminiContent   `json:"systemInstruction"`
	Contents []geminiContent `json:"contents"`
	Tools    []struct {
		Functions []struct {
			Name string `json:"name"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
	Config struct {
		Type string `json:"responseMimeType"`
	} `json:"generationConfig"`
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text     string `json:"text"`
	Thought  bool   `json:"thought"`
	Function *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

// block returns a part in the form of the Messages API.
func (p geminiPart) block() Block {
	switch {
	case p.Function != nil:
		return Block{Type: "tool_use", ID: p.Function.ID, Name: p.Function.Name, Input: p.Function.Args}
	case p.Response != nil:
		return Block{Type: "tool_result", ID: p.Response.ID, Name: p.Response.Name, Text: string(p.Response.Response)}
	}
	return Block{Type: "text", Text: p.Text}
}

// gemini answers a request of the Gemini API.
func (s *Server) gemini(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return // the client left
	}
	req, err := parseGemini(r.URL.RequestURI(), body)
	if err != nil {
		refuse(w, Fail(http.StatusBadRequest, err.Error()))
		return
	}
	req = s.record(req)
	if strings.Contains(req.Path, ":countTokens") {
		reply(w, http.StatusOK, map[string]any{"totalTokens": 10})
		return
	}
	t := s.answer(req)
	if !pause(r.Context(), t) {
		return
	}
	sendGemini(w, req, t)
}

func parseGemini(path string, body []byte) (Request, error) {
	var raw geminiRequest
	if err := json.Unmarshal(body, &raw); err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	_, name, _ := strings.Cut(path, "/models/")
	name, method, _ := strings.Cut(name, ":")
	r := Request{Path: path, Model: name, Stream: strings.HasPrefix(method, "stream"), Raw: body}
	r.Formatted = raw.Config.Type == "application/json"
	for _, t := range raw.Tools {
		for _, f := range t.Functions {
			r.Tools = append(r.Tools, f.Name)
		}
	}
	for _, p := range raw.System.Parts {
		r.System = append(r.System, p.Text)
	}
	for _, c := range raw.Contents {
		m := Message{Role: map[string]string{"model": "assistant"}[c.Role]}
		if m.Role == "" {
			m.Role = "user"
		}
		for _, p := range c.Parts {
			m.Blocks = append(m.Blocks, p.block())
		}
		r.Messages = append(r.Messages, m)
	}
	return r, nil
}

func sendGemini(w http.ResponseWriter, r Request, t Turn) {
	if t.Status > 0 {
		reply(w, t.Status, map[string]any{"error": map[string]any{"code": t.Status, "message": t.Message}})
		return
	}
	var parts []any
	if t.Text != "" || len(t.Tools) == 0 {
		text := t.Text
		if text == "" {
			text = "done"
		}
		parts = append(parts, map[string]any{"text": text})
	}
	for _, tool := range t.Tools {
		parts = append(parts, map[string]any{"functionCall": map[string]any{
			"id": rand.Text(), "name": tool.Name, "args": tool.Input,
		}})
	}
	answer := map[string]any{
		"candidates": []any{map[string]any{
			"content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0,
		}},
		"usageMetadata": map[string]any{
			"promptTokenCount": max(t.InputTokens, 10), "candidatesTokenCount": 20,
			"totalTokenCount": max(t.InputTokens, 10) + 20,
		},
		"modelVersion": r.Model,
	}
	if !r.Stream {
		reply(w, http.StatusOK, answer)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: %s\n\n", encode(answer))
}
