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
	return fmt.Sprintf(`{"type":"assistant","message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","id":%q,"name":%q,"input":{}}]}}`+"\n", id, tool)
}

func result(id string, isError bool, decision string) string {
	return fmt.Sprintf(`{"type":"user","isSidechain":false,"sessionId":"s","timestamp":"2026-01-02T03:04:05Z"%s,"message":{"content":[{"type":"tool_result","tool_use_id":%q,"is_error":%v,"content":"x"}]}}`+"\n", decision, id, isError)
}

// TestCalls: a call ran when the client says that it was accepted, or has a
// result without an error and says nothing.
func TestCalls(t *testing.T) {
	const accepted, rejected = `,"permissionDecision":{"decision":"accept","source":"hook"}`, `,"permissionDecision":{"decision":"reject"}`
	path := filepath.Join(t.TempDir(), "s.jsonl")
	text := used("a", "Bash") + result("a", false, accepted) + result("b", true, accepted) + result("c", false, rejected) +
		result("d", false, "") + result("e", true, "") + "not JSON with \"tool_use\n" + `{"message":{"content":"tool_result \"tool_result\""}}` + "\n" +
		strings.Replace(result("f", false, accepted), `"isSidechain":false`, `"isSidechain":true`, 1)
	put(t, path, text+`{"cut":"tool_use`)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	want := []transcript.Call{
		{ID: "a", Tool: "Bash"}, {ID: "a", Ran: true, Session: "s", At: at}, {ID: "b", Ran: true, Session: "s", At: at},
		{ID: "c", Session: "s", At: at}, {ID: "d", Ran: true, Session: "s", At: at}, {ID: "e", Session: "s", At: at},
	}
	calls, next := transcript.Calls(path, 0)
	if diff := cmp.Diff(want, calls); diff != "" || next != int64(len(text)) {
		t.Errorf("read up to %d of %d: %s", next, len(text), diff)
	}
	put(t, path, text+used("g", "Read"))
	if calls, _ := transcript.Calls(path, next); len(calls) != 1 || calls[0].ID != "g" {
		t.Errorf("the next look finds %+v", calls)
	}
	if calls, _ := transcript.Calls(path, -10); len(calls) != 0 {
		t.Errorf("from within a line: %+v", calls)
	}
}

// TestCallsBounded: a line that is longer than one look ends no reading, and what
// is no transcript says nothing.
func TestCallsBounded(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	put(t, path, `{"x":"`+strings.Repeat("x", 9<<20)+"\"}\n"+used("z", "Bash"))
	found, next := 0, int64(0)
	for range 10 {
		var calls []transcript.Call
		calls, next = transcript.Calls(path, next)
		found += len(calls)
	}
	if found != 1 {
		t.Errorf("%d calls behind a long line", found)
	}
	put(t, path, "")
	if _, after := transcript.Calls(path, next); after != 0 {
		t.Errorf("a transcript that was cut is read from %d on", after)
	}
	for _, other := range []string{dir, filepath.Join(dir, "none")} {
		if calls, next := transcript.Calls(other, 7); calls != nil || next != 7 {
			t.Errorf("%s: %v %d", other, calls, next)
		}
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
