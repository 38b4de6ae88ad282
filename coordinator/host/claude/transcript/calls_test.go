package transcript_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/host/claude/transcript"
)

func used(id, tool string) string {
	return fmt.Sprintf(
		`{"type":"assistant","message":{"content":[`+
			`{"type":"text","text":"x"},{"type":"tool_use","id":%q,"name":%q,"input":{}}]}}`+"\n",
		id, tool,
	)
}

func result(id string, isError bool, decision string) string {
	return fmt.Sprintf(
		`{"type":"user","isSidechain":false,"sessionId":"s","timestamp":"2026-01-02T03:04:05Z"%s,`+
			`"message":{"content":[{"type":"tool_result","tool_use_id":%q,"is_error":%v,"content":"x"}]}}`+"\n",
		decision, id, isError,
	)
}

// TestCalls checks which calls ran: those that the client accepted, and those with a
// result without an error where the client records no decision.
func TestCalls(t *testing.T) {
	const (
		accepted = `,"permissionDecision":{"decision":"accept","source":"hook"}`
		rejected = `,"permissionDecision":{"decision":"reject"}`
	)
	path := filepath.Join(t.TempDir(), "s.jsonl")
	text := used("a", "Bash") +
		result("a", false, accepted) +
		result("b", true, accepted) +
		result("c", false, rejected) +
		result("d", false, "") +
		result("e", true, "") +
		"not JSON with \"tool_use\n" +
		`{"message":{"content":"tool_result \"tool_result\""}}` + "\n" +
		strings.Replace(result("f", false, accepted), `"isSidechain":false`, `"isSidechain":true`, 1)
	write(t, path, text+`{"cut":"tool_use`)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	want := []transcript.Call{
		{ID: "a", Tool: "Bash"},
		{ID: "a", Ran: true, Session: "s", At: at},
		{ID: "b", Ran: true, Session: "s", At: at},
		{ID: "c", Session: "s", At: at},
		{ID: "d", Ran: true, Session: "s", At: at},
		{ID: "e", Session: "s", At: at},
	}
	calls, next := transcript.Calls(path, 0)
	if diff := cmp.Diff(want, calls); diff != "" || next != int64(len(text)) {
		t.Errorf("read up to %d of %d: %s", next, len(text), diff)
	}
	write(t, path, text+used("g", "Read"))
	if calls, _ := transcript.Calls(path, next); len(calls) != 1 || calls[0].ID != "g" {
		t.Errorf("the next read finds %+v", calls)
	}
	if calls, _ := transcript.Calls(path, -10); len(calls) != 0 {
		t.Errorf("from within a line: %+v", calls)
	}
}

// TestCallsBounded checks that a line that is longer than one read is skipped, and that
// a file that is not a transcript has no calls.
func TestCallsBounded(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	write(t, path, `{"x":"`+strings.Repeat("x", 9<<20)+"\"}\n"+used("z", "Bash"))
	found, next := 0, int64(0)
	for range 10 {
		var calls []transcript.Call
		calls, next = transcript.Calls(path, next)
		found += len(calls)
	}
	if found != 1 {
		t.Errorf("%d calls behind a long line", found)
	}
	write(t, path, "")
	if _, after := transcript.Calls(path, next); after != 0 {
		t.Errorf("a transcript that was cut is read from %d on", after)
	}
	for _, other := range []string{dir, filepath.Join(dir, "none")} {
		if calls, next := transcript.Calls(other, 7); calls != nil || next != 7 {
			t.Errorf("%s: %v %d", other, calls, next)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
