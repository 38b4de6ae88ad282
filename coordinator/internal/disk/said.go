package disk

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
	saidTries = 4
	saidPause = 80 * time.Millisecond
)

// Said returns the last text that the model wrote in a transcript since its person's
// last prompt; "" where it wrote none, or where that stands too far from the end. A
// file that is gone or no file says nothing. It waits a moment for a transcript in
// which the model's turn is not written yet.
func Said(path string) string {
	for try := 1; ; try++ {
		text, late := lastText(ending(path))
		if !late || try == saidTries {
			return text
		}
		time.Sleep(saidPause)
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

// lastText searches the lines of a transcript from their end. late reports that they
// end with what the model was told: what it made of that is not there yet.
func lastText(lines []byte) (text string, late bool) {
	seen := false
	for len(lines) > 0 {
		i := bytes.LastIndexByte(bytes.TrimRight(lines, "\n"), '\n') + 1
		r := readRow(lines[i:])
		if !seen && (r.Type == "user" || r.Type == "assistant") {
			seen, late = true, r.Type == "user"
		}
		if text = r.text(); text != "" || r.prompt() {
			return text, late
		}
		lines = lines[:i]
	}
	return "", late
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
	Type string `json:"type"`
	Text string `json:"text"`
}

// blocks returns the parts of a message; a bare text is one part.
func (r row) blocks() (parts []block) {
	var text string
	if json.Unmarshal(r.Message.Content, &text) == nil {
		return []block{{"text", text}}
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
