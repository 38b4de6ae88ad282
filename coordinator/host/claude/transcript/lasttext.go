package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

// saidTail is how much of the end of a transcript is searched for the model's last
// text, in bytes.
const saidTail = 256 << 10

// How often and how long LastTextBeforeCall waits for the call. The host may write a call
// down after it has asked about it: 2.1.197 does.
const (
	saidTries = 12
	saidPause = 80 * time.Millisecond
)

// LastText returns the last text that the model wrote in a transcript since the person's
// last prompt; "" if there is none, or if it is too far from the end. A missing file
// has no text.
func LastText(path string) string {
	text, _ := lastText(tailOf(path))
	return text
}

// LastTextBeforeCall is LastText for a call that the host asks about right now. It waits up to a
// second until the call is in the transcript. If the transcript then still ends with a
// text, LastTextBeforeCall returns "": that text may be the end of an earlier turn.
func LastTextBeforeCall(path string) string {
	for range saidTries - 1 {
		text, at := lastText(tailOf(path))
		switch at {
		case atCall, atNothing:
			return text
		}
		time.Sleep(saidPause)
	}
	text, at := lastText(tailOf(path))
	if at == atText {
		return ""
	}
	return text
}

// tailOf returns the lines at the end of a transcript. It returns none if the file is
// missing or not regular.
func tailOf(path string) []byte {
	f, size, err := openRegular(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	return readTail(f, size, saidTail)
}

// A position says what a transcript ends with.
type position int

const (
	atNothing position = iota // no message
	atInput                   // a prompt, or the results of all calls
	atText                    // a text of the model, without a call
	atCall                    // a call without a result
)

// lastText searches the lines of a transcript from their end. It returns the last text
// since the last prompt, and what the lines end with.
func lastText(lines []byte) (text string, at position) {
	answered := map[string]bool{}
	for len(lines) > 0 {
		i := bytes.LastIndexByte(bytes.TrimRight(lines, "\n"), '\n') + 1
		r := readRow(lines[i:])
		if at == atNothing {
			at = r.position()
		}
		if r.calls(answered) {
			at = atCall
		}
		if text = r.text(); text != "" || r.prompt() {
			return text, at
		}
		lines = lines[:i]
	}
	return "", at
}

// position returns what the transcript ends with if the row is its last message.
func (r row) position() position {
	switch {
	case r.isInput():
		return atInput
	case r.Type == "assistant":
		return atText
	}
	return atNothing
}

// calls reports whether the row has a call without a result. answered are the calls whose
// results follow the row; calls adds those whose results are in the row.
func (r row) calls(answered map[string]bool) bool {
	for _, b := range r.blocks() {
		switch b.Type {
		case "tool_result":
			answered[b.Result] = true
		case "tool_use":
			if !answered[b.ID] {
				return true
			}
		}
	}
	return false
}

// A row holds the fields of a line that say who wrote what.
type row struct {
	Type    string `json:"type"`
	Meta    bool   `json:"isMeta"` // the host wrote it
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// readRow returns the zero row for a line that is broken or still being written.
func readRow(line []byte) (r row) {
	if json.Unmarshal(line, &r) != nil {
		return row{}
	}
	return r
}

type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"` // of a tool_use
	Name    string          `json:"name"`
	Result  string          `json:"tool_use_id"` // of a tool_result: the call it answers
	IsError bool            `json:"is_error"`
	Input   json.RawMessage `json:"input"` // of a tool_use
}

// blocks returns the parts of a message; a bare text is one part.
func (r row) blocks() (parts []block) {
	var text string
	if json.Unmarshal(r.Message.Content, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	if json.Unmarshal(r.Message.Content, &parts) != nil {
		return nil
	}
	return parts
}

// texts returns the texts of a message.
func (r row) texts() (texts []string) {
	for _, b := range r.blocks() {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return texts
}

// text returns the last text of a message of the model, "" for any other row.
func (r row) text() (last string) {
	if r.Type != "assistant" {
		return ""
	}
	for _, text := range r.texts() {
		if strings.TrimSpace(text) != "" {
			last = text
		}
	}
	return last
}

// prompt reports whether a row is a prompt of a person. A result of a tool is none.
func (r row) prompt() bool { return r.isInput() && len(r.texts()) > 0 }

// isInput reports whether a row is a message to the model that the host did not add.
func (r row) isInput() bool { return r.Type == "user" && !r.Meta }
