package transcript

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
)

// saidIn is how much of the end of a transcript is searched for the model's last
// text, in bytes.
const saidIn = 256 << 10

// The host may write down a call after it has asked about it: 2.1.197 does.
const (
	saidTries = 12
	saidPause = 80 * time.Millisecond
)

// Said returns the last text that the model wrote in a transcript since the person's
// last prompt; "" if there is none, or if it is too far from the end. A missing file
// has no text.
func Said(path string) string {
	text, _ := lastText(ending(path))
	return text
}

// SaidBeforeCall is Said for a call that the host asks about right now. It waits up to a
// second until the call is in the transcript. If the transcript then still ends with a
// text, SaidBeforeCall returns "": that text may be the end of an earlier turn.
func SaidBeforeCall(path string) string {
	for try := 1; ; try++ {
		text, at := lastText(ending(path))
		switch {
		case at == atCall || at == atNothing:
			return text
		case try < saidTries:
			time.Sleep(saidPause)
		case at == atText:
			return ""
		default:
			return text
		}
	}
}

// ending returns the lines at the end of a transcript, nil for none.
func ending(path string) []byte {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	from := max(0, info.Size()-saidIn)
	tail, err := io.ReadAll(io.NewSectionReader(f, from, saidIn))
	if err != nil {
		return nil
	}
	if from > 0 {
		_, tail, _ = bytes.Cut(tail, []byte("\n")) // the rest of a line
	}
	return tail
}

// A position says what a transcript ends with.
type position int

const (
	atNothing position = iota // no message
	atTold                    // what the model was told: a prompt, or results of all its calls
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

// position returns what a transcript ends with whose last message is the row.
func (r row) position() position {
	switch {
	case r.Type == "user" && !r.Meta:
		return atTold
	case r.Type == "assistant":
		return atText
	}
	return atNothing
}

// calls reports whether the row has a call without a result. answered are the calls whose
// results follow the row; calls adds those whose results are in the row.
func (r row) calls(answered map[string]bool) bool {
	for _, b := range r.blocks() {
		switch {
		case b.Type == "tool_result":
			answered[b.Result] = true
		case b.Type == "tool_use" && !answered[b.ID]:
			return true
		}
	}
	return false
}

// A row is one line of a transcript, as far as it says who wrote what.
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
	Type   string `json:"type"`
	Text   string `json:"text"`
	ID     string `json:"id"`          // of a tool_use
	Result string `json:"tool_use_id"` // of a tool_result: the call it answers
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

// text returns the last text of what the model wrote, "" for any other row.
func (r row) text() (last string) {
	if r.Type != "assistant" {
		return ""
	}
	for _, b := range r.blocks() {
		if b.Type == "text" && strings.TrimSpace(b.Text) != "" {
			last = b.Text
		}
	}
	return last
}

// prompt reports whether a row is what a person asked, and no result of a tool.
func (r row) prompt() bool {
	if r.Type != "user" || r.Meta {
		return false
	}
	for _, b := range r.blocks() {
		if b.Type == "text" {
			return true
		}
	}
	return false
}
