package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// maxCalls is how much of a transcript one call of Calls reads, in bytes.
const maxCalls = 4 << 20

// A Call is what one entry of a transcript says about a tool call. The entry that makes
// the call names its Tool. The entry with its result has the other fields.
type Call struct {
	ID      string
	Tool    string
	Ran     bool
	Session string
	At      time.Time
}

// Calls reads the tool calls of a transcript after the byte from, at most some
// megabytes of the file. It returns the from of the next read. A negative from begins at
// most that many bytes before the end. A line that is still being written is left for
// the next read.
func Calls(path string, from int64) (calls []Call, next int64) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, from
	}
	defer f.Close()
	if from < 0 {
		from = max(0, size+from)
	}
	from = min(from, size)
	return readCalls(bufio.NewReaderSize(io.NewSectionReader(f, from, maxCalls), 256<<10), from, size)
}

// readCalls reads whole lines. It skips a line that is longer than maxCalls.
func readCalls(r *bufio.Reader, from, size int64) (calls []Call, next int64) {
	for next = from; ; {
		line, err := r.ReadBytes('\n')
		switch {
		case err == nil:
			next += int64(len(line))
			calls = append(calls, callsOf(line)...)
		case !errors.Is(err, io.EOF):
			return calls, from
		case len(line) == maxCalls:
			return calls, min(from+maxCalls, size)
		default:
			return calls, next
		}
	}
}

// A callRow is a row with what it says about a tool call.
type callRow struct {
	row
	Sidechain bool      `json:"isSidechain"`
	Session   string    `json:"sessionId"`
	At        time.Time `json:"timestamp"`
	Decision  *struct {
		Decision string `json:"decision"`
	} `json:"permissionDecision"`
}

// toolBlock occurs in each line that makes a tool call or has a result.
var toolBlock = []byte(`"tool_`)

// readCallRow reads a line of the main conversation with a tool call or a result. It
// returns false for any other line.
func readCallRow(line []byte) (r callRow, ok bool) {
	if !bytes.Contains(line, toolBlock) || json.Unmarshal(line, &r) != nil {
		return r, false
	}
	return r, !r.Sidechain
}

func callsOf(line []byte) (calls []Call) {
	r, ok := readCallRow(line)
	if !ok {
		return nil
	}
	for _, b := range r.blocks() {
		switch b.Type {
		case "tool_use":
			calls = append(calls, Call{ID: b.ID, Tool: b.Name})
		case "tool_result":
			calls = append(calls, Call{ID: b.Result, Ran: r.ran(b.IsError), Session: r.Session, At: r.At})
		}
	}
	return calls
}

// ran reports whether the call of a result ran. A client that records its decision says
// so itself. Otherwise a call ran if its result is no error.
func (r callRow) ran(isError bool) bool {
	if r.Decision == nil {
		return !isError
	}
	return r.Decision.Decision == "accept"
}
