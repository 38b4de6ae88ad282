package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const answerRow = `{"type":"assistant","message":` +
	`{"id":"ID","model":"claude-opus-5-5","usage":{"input_tokens":10}}}` + "\n"

func TestUsage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	add := func(text string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	at := int64(-1)
	read := func(want int64) {
		t.Helper()
		sum, end := Usage(path, at)
		if sum.Tokens != want {
			t.Errorf("%d tokens after byte %d, want %d", sum.Tokens, at, want)
		}
		at = end
	}
	add(strings.Replace(answerRow, "ID", "before", 1))
	read(0) // the first read only finds the end
	read(0)
	add(strings.Replace(answerRow, "ID", "a", 1) + strings.Replace(answerRow, "ID", "b", 1))
	read(20)
	half := strings.Replace(answerRow, "ID", "c", 1)
	add(half[:40])
	read(0)
	add(half[40:])
	read(10)
	add(strings.Repeat("x", 2*longestLine) + "\n" + strings.Replace(answerRow, "ID", "d", 1))
	read(10)
	if err := os.Truncate(path, 5); err != nil {
		t.Fatal(err)
	}
	read(0)
	if at != 5 {
		t.Errorf("after the file was cut, the end is %d, want 5", at)
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "none"), t.TempDir(), "/dev/zero", ""} {
		if sum, end := Usage(path, 7); sum.Tokens != 0 || end != 7 {
			t.Errorf("%q: %+v, %d", path, sum, end)
		}
	}
}
