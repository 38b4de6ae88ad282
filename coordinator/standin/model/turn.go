package model

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"time"
)

// A Turn is one answer of the model. The zero Turn says "done".
type Turn struct {
	Text  string `json:"text,omitempty"`
	Tools []Tool `json:"tools,omitempty"`
	// Delay delays the answer. It ends early if the client leaves.
	Delay time.Duration `json:"delay,omitempty"`
	// Hold delays the answer until it is closed. Only a script function can set it.
	Hold <-chan struct{} `json:"-"`
	// Status above zero answers with this HTTP status and an error body instead of a message.
	Status     int    `json:"status,omitempty"`
	ErrorType  string `json:"error_type,omitempty"` // default by status, as the real API names it
	Message    string `json:"message,omitempty"`    // the error's text
	RetryAfter string `json:"retry_after,omitempty"`
	// InputTokens is the usage that the answer reports. A large number makes the client compact.
	InputTokens int `json:"input_tokens,omitempty"`
}

// A Tool is one tool call of a Turn.
type Tool struct {
	Name  string         `json:"name"`
	Input map[string]any `json:"input"`
}

// Say returns a Turn of one text.
func Say(text string) Turn { return Turn{Text: text} }

// Call returns a Turn with one tool call.
func Call(name string, input map[string]any) Turn {
	return Turn{Tools: []Tool{{Name: name, Input: input}}}
}

// Bash returns a Turn that runs one command with the Bash tool.
func Bash(command string) Turn {
	return Call("Bash", map[string]any{"command": command, "description": "scripted step"})
}

// Fail returns a Turn that answers with an HTTP error.
func Fail(status int, message string) Turn { return Turn{Status: status, Message: message} }

// Play returns turns as a directive for a prompt: a stateless script that the stand-in plays
// for that prompt, also in a subagent that gets the prompt. It is one word of letters, digits
// and "+/=%", which is safe in any quoting.
func Play(turns ...Turn) string {
	b, err := json.Marshal(turns)
	if err != nil {
		panic(fmt.Sprintf("model: turns do not encode: %v", err)) // a tool input that is not JSON: the test is wrong
	}
	return "%%" + base64.StdEncoding.EncodeToString(b) + "%%"
}

var directive = regexp.MustCompile(`%%([A-Za-z0-9+/]+={0,2})%%`)

// script returns the turns of the last directive in text.
func script(text string) (turns []Turn, found bool, err error) {
	all := directive.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return nil, false, nil
	}
	b, err := base64.StdEncoding.DecodeString(all[len(all)-1][1])
	if err != nil {
		return nil, true, fmt.Errorf("decode script: %w", err)
	}
	if err := json.Unmarshal(b, &turns); err != nil {
		return nil, true, fmt.Errorf("decode script: %w", err)
	}
	return turns, true, nil
}

// errorType returns the name that the Messages API gives to a status.
func errorType(status int) string {
	switch status {
	case 401:
		return "authentication_error"
	case 403:
		return "permission_error"
	case 404:
		return "not_found_error"
	case 413:
		return "request_too_large"
	case 429:
		return "rate_limit_error"
	case 529:
		return "overloaded_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}
