package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"
)

// mostCalls is how much of a transcript one call of Calls reads, in bytes.
const mostCalls = 4 << 20

// A Call is a tool call as a transcript shows it: that it was made, with its
// tool, or that it ran, with its session.
type Call struct {
	ID      string
	Tool    string
	Ran     bool
	Session string
	At      time.Time
}

// Calls reads the tool calls of a transcript behind the byte from, at most some
// megabytes of them, and returns where to go on. A negative from begins at most
// that many bytes before the end. A line that is still being written is left for
// the next look.
func Calls(path string, from int64) (calls []Call, next int64) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, from
	}
	if from < 0 {
		from = max(0, info.Size()+from)
	}
	if info.Size() <= from {
		return nil, min(from, info.Size())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, from
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return nil, from
	}
	return readCalls(bufio.NewReaderSize(io.LimitReader(f, mostCalls), 256<<10), from, info.Size())
}

// readCalls reads whole lines. It skips a line that is longer than mostCalls.
func readCalls(r *bufio.Reader, at, size int64) (calls []Call, next int64) {
	for begin := at; ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			if at == begin && int64(len(line)) == mostCalls {
				at = min(begin+mostCalls, size)
			}
			if !errors.Is(err, io.EOF) {
				return calls, begin
			}
			return calls, at
		}
		at += int64(len(line))
		calls = append(calls, callsOf(line)...)
	}
}

// A callRow is what is read of a transcript's line.
type callRow struct {
	Side     bool      `json:"isSidechain"`
	Session  string    `json:"sessionId"`
	At       time.Time `json:"timestamp"`
	Decision *struct {
		Decision string `json:"decision"`
	} `json:"permissionDecision"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

func callsOf(line []byte) (calls []Call) {
	if !bytes.Contains(line, []byte(`"tool_use`)) && !bytes.Contains(line, []byte(`"tool_result"`)) {
		return nil
	}
	var r callRow
	var blocks []struct {
		Type, ID, Name string
		Of             string `json:"tool_use_id"`
		IsError        bool   `json:"is_error"`
	}
	if json.Unmarshal(line, &r) != nil || r.Side || json.Unmarshal(r.Message.Content, &blocks) != nil {
		return nil
	}
	for _, b := range blocks {
		switch b.Type {
		case "tool_use":
			calls = append(calls, Call{ID: b.ID, Tool: b.Name})
		case "tool_result":
			calls = append(calls, Call{ID: b.Of, Ran: r.ran(b.IsError), Session: r.Session, At: r.At})
		}
	}
	return calls
}

// ran reports whether a call ran: the client says that it was accepted, or it has
// a result without an error, if the client says nothing.
func (r callRow) ran(isError bool) bool {
	if r.Decision == nil {
		return !isError
	}
	return r.Decision.Decision == "accept"
}
