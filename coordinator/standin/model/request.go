package model

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Request is one call that the client made on the Messages API.
type Request struct {
	N        int    // order of arrival, from 1
	Path     string // with query
	Key      string // the API key, or the token of a sign-in; "" where a stand-in does not keep it
	Model    string
	Stream   bool
	System   []string // texts of the system parameter
	Messages []Message
	Tools    []string // names of the tools on offer
	// Formatted says that the client wants an answer of a certain schema. It does so
	// only for its own errands (a title, a verdict), never for a turn.
	Formatted bool
	Raw       json.RawMessage
}

// A Message is one entry of the conversation. Role is user, assistant or system.
type Message struct {
	Role   string
	Blocks []Block
}

// A Block is one part of a Message. For a tool_result, Text is its text, and ID is the id of
// the tool_use that it answers.
type Block struct {
	Type  string
	Text  string
	ID    string
	Name  string
	Input json.RawMessage
	Error bool
}

// Turns returns the number of answers since the current prompt: 0 if this request wants the
// first one. Continuations by a Stop hook belong to the prompt before them, so the number
// grows during a loop.
func (r Request) Turns() int {
	return r.turnsAfter(r.promptAt())
}

// Prompt returns the text of the last message of a person or a parent agent, without the
// additions of the client. It returns "" if there is none.
func (r Request) Prompt() string {
	at := r.promptAt()
	if at < 0 {
		return ""
	}
	return strings.Join(written(r.Messages[at]), "\n")
}

// Compaction reports whether the client asks for a summary of the conversation.
func (r Request) Compaction() bool {
	if len(r.Messages) == 0 {
		return false
	}
	for _, b := range r.Messages[len(r.Messages)-1].Blocks {
		if b.Type == "text" && strings.Contains(b.Text, "create a detailed summary") {
			return true
		}
	}
	return false
}

// Errand reports whether the request is not a turn of the conversation, but a token
// count, a title, a summary or a verdict of auto mode.
func (r Request) Errand() bool {
	return r.counts() || r.Formatted || r.Compaction() || r.Judges()
}

// ToolResults returns the texts of all tool results, in order.
func (r Request) ToolResults() []string {
	var out []string
	r.each(func(_ Message, b Block) {
		if b.Type == "tool_result" {
			out = append(out, b.Text)
		}
	})
	return out
}

// Texts returns all texts that the model can read: those of the system parameter, then those
// of all messages and tool results, in order.
func (r Request) Texts() []string {
	out := append([]string(nil), r.System...)
	r.each(func(_ Message, b Block) {
		if b.Text != "" {
			out = append(out, b.Text)
		}
	})
	return out
}

// From returns the texts of the messages with this role, without tool results.
func (r Request) From(role string) []string {
	var out []string
	r.each(func(m Message, b Block) {
		if m.Role == role && b.Type == "text" {
			out = append(out, b.Text)
		}
	})
	return out
}

// Has reports whether the request contains a text that the model can read.
func (r Request) Has(text string) bool {
	for _, t := range r.Texts() {
		if strings.Contains(t, text) {
			return true
		}
	}
	return false
}

// Offers reports whether the request has a tool with this name.
func (r Request) Offers(tool string) bool {
	for _, t := range r.Tools {
		if t == tool {
			return true
		}
	}
	return false
}

// Scripted returns the turn that the directive in the conversation asks for (see Play): the
// one after the answers since the directive. Without a directive, or past its end, it
// returns the zero Turn.
func (r Request) Scripted() Turn {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role != "user" {
			continue
		}
		turns, found, err := script(strings.Join(written(r.Messages[i]), "\n"))
		if err != nil {
			return Fail(400, err.Error())
		}
		if found {
			return nth(turns, r.turnsAfter(i))
		}
	}
	return Turn{}
}

func nth(turns []Turn, n int) Turn {
	if n >= len(turns) {
		return Turn{}
	}
	return turns[n]
}

func (r Request) counts() bool { return strings.Contains(r.Path, "/count_tokens") }

func (r Request) each(f func(Message, Block)) {
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			f(m, b)
		}
	}
}

func (r Request) turnsAfter(at int) int {
	n := 0
	for _, m := range r.Messages[at+1:] {
		if m.Role == "assistant" {
			n++
		}
	}
	return n
}

func (r Request) promptAt() int {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "user" && len(written(r.Messages[i])) > 0 {
			return i
		}
	}
	return -1
}

// written returns the texts of a user message without those that the client adds
// (reminders, hook feedback), which would restart a script.
func written(m Message) []string {
	var out []string
	for _, b := range m.Blocks {
		if b.Type == "text" && !added(b.Text) {
			out = append(out, b.Text)
		}
	}
	return out
}

// additions are the beginnings of the texts that the client adds.
var additions = []string{
	"Stop hook feedback", "<system-reminder>", "[SYSTEM NOTIFICATION",
	"<local-command-", "This session is being continued from a previous conversation",
	"<environment_context>", "<turn_aborted>", "<permissions instructions>",
}

func added(text string) bool {
	t := strings.TrimSpace(text)
	for _, p := range additions {
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	return t == ""
}

// The types below are those of the API, with the fields that the stand-in needs.
type rawRequest struct {
	Model        string          `json:"model"`
	MaxTokens    int             `json:"max_tokens"`
	Stream       bool            `json:"stream"`
	System       json.RawMessage `json:"system"`
	Messages     []rawMessage    `json:"messages"`
	OutputFormat json.RawMessage `json:"output_format"`
	OutputConfig struct {
		Format json.RawMessage `json:"format"`
	} `json:"output_config"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

type rawMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type rawBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	ToolUseID string          `json:"tool_use_id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// parse reads a request body. It is as strict as the real API about errors of a client that
// are easy to overlook: every tool_use must have its tool_result in the next message.
func parse(path string, body []byte) (Request, error) {
	var raw rawRequest
	if err := json.Unmarshal(body, &raw); err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	r := Request{Path: path, Model: raw.Model, Stream: raw.Stream, Raw: body}
	r.Formatted = present(raw.OutputFormat) || present(raw.OutputConfig.Format)
	for _, t := range raw.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	system, err := blocks(raw.System)
	if err != nil {
		return Request{}, fmt.Errorf("read system: %w", err)
	}
	for _, b := range system {
		r.System = append(r.System, b.Text)
	}
	for i, m := range raw.Messages {
		bs, err := blocks(m.Content)
		if err != nil {
			return Request{}, fmt.Errorf("read messages.%d: %w", i, err)
		}
		r.Messages = append(r.Messages, Message{Role: m.Role, Blocks: bs})
	}
	return r, r.check(raw.MaxTokens)
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func (r Request) check(maxTokens int) error {
	if r.Model == "" {
		return fmt.Errorf("model: field required")
	}
	if len(r.Messages) == 0 {
		return fmt.Errorf("messages: at least one message is required")
	}
	if maxTokens <= 0 && !r.counts() {
		return fmt.Errorf("max_tokens: field required")
	}
	return r.checkPairs()
}

func (r Request) checkPairs() error {
	open := map[string]bool{}
	for i, m := range r.Messages {
		if m.Role == "system" {
			continue // it belongs to the message it comments on
		}
		results := ids(m, "tool_result")
		for id := range results {
			if !open[id] {
				return fmt.Errorf("messages.%d: unexpected tool_use_id %s in tool_result", i, id)
			}
		}
		for id := range open {
			if !results[id] {
				return fmt.Errorf("messages.%d: tool_use %s without tool_result", i, id)
			}
		}
		open = ids(m, "tool_use")
	}
	return nil
}

func ids(m Message, kind string) map[string]bool {
	out := map[string]bool{}
	for _, b := range m.Blocks {
		if b.Type == kind {
			out[b.ID] = true
		}
	}
	return out
}

// blocks reads content in either of its forms: a string, or a list of blocks.
func blocks(raw json.RawMessage) ([]Block, error) {
	if !present(raw) {
		return nil, nil
	}
	if raw[0] == '"' {
		var s string
		err := json.Unmarshal(raw, &s)
		return []Block{{Type: "text", Text: s}}, err
	}
	var list []rawBlock
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	out := make([]Block, len(list))
	for i, b := range list {
		bl, err := block(b)
		if err != nil {
			return nil, err
		}
		out[i] = bl
	}
	return out, nil
}

func block(b rawBlock) (Block, error) {
	out := Block{Type: b.Type, Text: b.Text, ID: b.ID, Name: b.Name, Input: b.Input, Error: b.IsError}
	if b.Type != "tool_result" {
		return out, nil
	}
	out.ID = b.ToolUseID
	inner, err := blocks(b.Content)
	if err != nil {
		return Block{}, fmt.Errorf("read tool_result: %w", err)
	}
	var texts []string
	for _, in := range inner {
		texts = append(texts, in.Text)
	}
	out.Text = strings.Join(texts, "\n")
	return out, nil
}
