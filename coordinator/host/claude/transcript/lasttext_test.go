package transcript

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The rows of a transcript.
const (
	prompt      = `{"type":"user","message":{"content":"fix the tests"}}` + "\n"
	promptParts = `{"type":"user","message":{"content":[{"type":"text","text":"fix the tests"}]}}` + "\n"
	hostText    = `{"type":"user","isMeta":true,"message":{"content":[{"type":"text","text":"a skill"}]}}` + "\n"
	result      = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":""}]}}` + "\n"
	answer      = `{"type":"assistant","message":{"content":[{"type":"text","text":"I look first."}]}}` + "\n"
	call        = `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash"}]}}` + "\n"
	lastCall    = `{"type":"assistant","message":{"content":[{"type":"text","text":"Now the rest."},` +
		`{"type":"tool_use","id":"u"}]}}` + "\n"
	other = `{"type":"system","subtype":"informational","content":"x"}` + "\n"
)

func TestLastText(t *testing.T) {
	long := `{"type":"user","message":{"content":[{"type":"tool_result","content":"` +
		strings.Repeat("x", saidTail) + `"}]}}` + "\n"
	for name, tc := range map[string]struct{ rows, want string }{
		"nothing":                          {"", ""},
		"before its call":                  {prompt + answer + call, "I look first."},
		"in the row of its call":           {prompt + answer + call + result + lastCall, "Now the rest."},
		"not of the turn before":           {prompt + answer + prompt + call, ""},
		"not of the turn before, in parts": {prompt + answer + promptParts + call, ""},
		"before a text of the host":        {prompt + answer + hostText + call, "I look first."},
		"before results":                   {prompt + answer + call + result + call + other, "I look first."},
		"a row that is being written":      {prompt + answer + call[:40], "I look first."},
		"broken rows":                      {prompt + answer + "{\n[]\n7\n\"x\"\nnull\n", "I look first."},
		"too far from the end":             {prompt + answer + long + call, ""},
		"after a long row":                 {long + answer + call, "I look first."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := LastText(transcript(t, tc.rows)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	for _, path := range []string{"", "/none/at/all", t.TempDir(), "/dev/null"} {
		if got := LastText(path); got != "" {
			t.Errorf("%s has the text %q", path, got)
		}
	}
}

// TestLastTextBeforeCall checks that a text counts only if it belongs to the turn that makes
// the call.
func TestLastTextBeforeCall(t *testing.T) {
	for name, tc := range map[string]struct{ rows, want string }{
		"nothing":                            {"", ""},
		"the call is there":                  {prompt + answer + call, "I look first."},
		"the call has no text":               {prompt + answer + prompt + call, ""},
		"one of two calls has its result":    {prompt + answer + call + lastCall + result, "Now the rest."},
		"only the turn before is there":      {prompt + answer, ""},
		"the results are there, no new call": {prompt + answer + call + result, "I look first."},
		"the prompt is there, no call":       {prompt + answer + prompt, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := transcript(t, tc.rows)
			if got := LastTextBeforeCall(path); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestLastTextLate lets the host write its call down a moment after it asked about it. Until
// then the transcript ends with the turn before.
func TestLastTextLate(t *testing.T) {
	for name, before := range map[string]string{
		"a prompt":        prompt,
		"an earlier turn": prompt + lastCall + result + answer,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := transcript(t, before)
			written := make(chan error, 1)
			go func() {
				time.Sleep(2 * saidPause)
				written <- appendTo(path, prompt+strings.Replace(answer, "I look first.", "I know it.", 1)+call)
			}()
			if got := LastTextBeforeCall(path); got != "I know it." {
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

func FuzzLastText(f *testing.F) {
	f.Add([]byte(prompt + answer + call))
	f.Add([]byte("\n\n{}\n"))
	f.Fuzz(func(t *testing.T, rows []byte) { lastText(rows) })
}
