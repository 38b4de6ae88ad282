package transcript

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The rows of a transcript, as far as they say who wrote what.
const (
	prompted = `{"type":"user","message":{"role":"user","content":"fix the tests"}}` + "\n"
	parts    = `{"type":"user","message":{"role":"user","content":[{"type":"text","text":"fix the tests"}]}}` + "\n"
	hostText = `{"type":"user","isMeta":true,"message":{"role":"user","content":[{"type":"text","text":"a skill's text"}]}}` + "\n"
	result   = `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}` + "\n"
	answer   = `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I look first."}]}}` + "\n"
	call     = `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}` + "\n"
	both     = `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Now the rest."},{"type":"tool_use","id":"u"}]}}` + "\n"
	other    = `{"type":"system","subtype":"informational","content":"x"}` + "\n"
)

func TestSaid(t *testing.T) {
	long := `{"type":"user","message":{"content":[{"type":"tool_result","content":"` + strings.Repeat("x", saidIn) + `"}]}}` + "\n"
	for name, tc := range map[string]struct{ rows, want string }{
		"nothing":                          {"", ""},
		"before its call":                  {prompted + answer + call, "I look first."},
		"beside its call":                  {prompted + answer + call + result + both, "Now the rest."},
		"not of the turn before":           {prompted + answer + prompted + call, ""},
		"not of the turn before, in parts": {prompted + answer + parts + call, ""},
		"behind the host's own text":       {prompted + answer + hostText + call, "I look first."},
		"behind results":                   {prompted + answer + call + result + call + other, "I look first."},
		"a row that is being written":      {prompted + answer + call[:40], "I look first."},
		"broken rows":                      {prompted + answer + "{\n[]\n7\n\"x\"\nnull\n", "I look first."},
		"too far from the end":             {prompted + answer + long + call, ""},
		"behind a long row":                {long + answer + call, "I look first."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Said(transcript(t, tc.rows)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	for _, path := range []string{"", "/none/at/all", t.TempDir(), "/dev/null"} {
		if got := Said(path); got != "" {
			t.Errorf("of %s it said %q", path, got)
		}
	}
}

// TestSaidBeforeCall: a text counts only if it belongs to the turn that makes the call.
func TestSaidBeforeCall(t *testing.T) {
	for name, tc := range map[string]struct{ rows, want string }{
		"nothing":                            {"", ""},
		"the call is there":                  {prompted + answer + call, "I look first."},
		"the call has no text":               {prompted + answer + prompted + call, ""},
		"one of two calls has its result":    {prompted + answer + call + both + result, "Now the rest."},
		"only the turn before is there":      {prompted + answer, ""},
		"the results are there, no new call": {prompted + answer + call + result, "I look first."},
		"the prompt is there, no call":       {prompted + answer + prompted, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := transcript(t, tc.rows)
			if got := SaidBeforeCall(path); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestSaidLate: the host may write its call down a moment after it asked about it. Until
// then the transcript ends with the turn before.
func TestSaidLate(t *testing.T) {
	for name, before := range map[string]string{"a prompt": prompted, "an earlier turn": prompted + both + result + answer} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := transcript(t, before)
			written := make(chan error, 1)
			go func() {
				time.Sleep(2 * saidPause)
				written <- appendTo(path, prompted+strings.Replace(answer, "I look first.", "I know it.", 1)+call)
			}()
			if got := SaidBeforeCall(path); got != "I know it." {
				t.Errorf("got %q", got)
			}
			if err := <-written; err != nil {
				t.Fatal(err)
			}
		})
	}
}

// transcript writes the rows of a transcript to a new file.
func transcript(t *testing.T, rows string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "t.jsonl")
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// appendTo adds text at the end of a file, as the host writes its transcript.
func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func FuzzSaid(f *testing.F) {
	f.Add([]byte(prompted + answer + call))
	f.Add([]byte("\n\n{}\n"))
	f.Fuzz(func(t *testing.T, rows []byte) { lastText(rows) })
}
