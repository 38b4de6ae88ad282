package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// How much of a transcript Glance reads at its end and at its beginning, and how
// many todos of a session it counts.
const (
	glanceTail = 512 << 10
	glanceHead = 128 << 10
	maxTodos   = 500
	maxTodo    = 64 << 10
)

// Glance returns what the transcript and the todos of a session say about it now. What
// they do not say stays unknown.
func Glance(transcript string) usage.Glance {
	head, tail := headAndTail(transcript)
	var r reverseReader
	for len(tail) > 0 {
		i := bytes.LastIndexByte(bytes.TrimRight(tail, "\n"), '\n') + 1
		r.add(tail[i:])
		tail = tail[:i]
	}
	g := r.glance()
	g.First, g.Todos = firstPrompt(head), todos(transcript)
	return g
}

// headAndTail returns the beginning and the end of a transcript, nothing of a file that
// is missing or not regular. The end begins with a whole line.
func headAndTail(path string) (head, tail []byte) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	return readAt(f, 0, glanceHead), readTail(f, size, glanceTail)
}

// firstPrompt returns the first prompt of a person that is not a command of the host.
func firstPrompt(lines []byte) string {
	for line := range bytes.Lines(lines) {
		r := readRow(line)
		if !r.prompt() {
			continue
		}
		for _, text := range r.texts() {
			text = strings.TrimSpace(text)
			if text != "" && text[0] != '<' {
				return text
			}
		}
	}
	return ""
}

// todos counts the todos that the host keeps for a session: one file each, in a folder
// with the session's id, next to the folder of all transcripts.
func todos(transcript string) *usage.Todos {
	host := filepath.Dir(filepath.Dir(filepath.Dir(transcript)))
	dir := filepath.Join(host, "tasks", strings.TrimSuffix(filepath.Base(transcript), ".jsonl"))
	entries, _ := os.ReadDir(dir) // a session without todos has no folder
	var t usage.Todos
	for _, e := range entries[:min(len(entries), maxTodos)] {
		switch todoStatus(filepath.Join(dir, e.Name())) {
		case "":
			continue
		case "completed":
			t.Done++
		}
		t.Total++
	}
	if t.Total == 0 {
		return nil
	}
	return &t
}

// todoStatus returns the status in the file of a todo, "" for any other file.
func todoStatus(path string) string {
	var todo struct {
		Status string `json:"status"`
	}
	raw, _ := disk.Head(path, maxTodo) // nothing is no JSON
	if json.Unmarshal(raw, &todo) != nil {
		return ""
	}
	return todo.Status
}

// openRegular opens a regular file and returns its size. It does not wait for the writer
// of a pipe, which it refuses.
func openRegular(path string) (*os.File, int64, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: want a regular file", path)
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// readTail returns the last n bytes of a file of the given size, without the line that
// they begin in.
func readTail(f *os.File, size, n int64) []byte {
	from := max(0, size-n)
	tail := readAt(f, from, n)
	if from > 0 {
		_, tail, _ = bytes.Cut(tail, []byte("\n"))
	}
	return tail
}

// readAt returns at most n bytes of a file, nil if it cannot be read.
func readAt(f *os.File, from, n int64) []byte {
	raw, err := io.ReadAll(io.NewSectionReader(f, from, n))
	if err != nil {
		return nil
	}
	return raw
}
