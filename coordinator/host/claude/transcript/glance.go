package transcript

import (
	"bytes"
	"encoding/json"
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
	mostTodos  = 500
	maxTodo    = 64 << 10
)

// Glance returns what the host's files now say about a session: its transcript and its
// todos. What they do not say stays unknown.
func Glance(transcript string) (g usage.Glance) {
	head, tail := ends(transcript)
	var l look
	for len(tail) > 0 {
		i := bytes.LastIndexByte(bytes.TrimRight(tail, "\n"), '\n') + 1
		l.back(tail[i:])
		tail = tail[:i]
	}
	g = l.glance()
	g.First, g.Todos = firstPrompt(head), todos(transcript)
	return g
}

// ends returns the whole lines at the beginning and at the end of a file. It returns none
// if the file is missing or not a regular file.
func ends(path string) (head, tail []byte) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	head, _ = io.ReadAll(io.NewSectionReader(f, 0, glanceHead)) // what cannot be read says nothing
	from := max(0, info.Size()-glanceTail)
	tail, _ = io.ReadAll(io.NewSectionReader(f, from, glanceTail))
	if from > 0 {
		_, tail, _ = bytes.Cut(tail, []byte("\n")) // the rest of a line
	}
	return head, tail
}

// firstPrompt returns the first prompt of a person that is not a command of the host.
func firstPrompt(lines []byte) string {
	for line := range bytes.Lines(lines) {
		r := readRow(line)
		if !r.prompt() {
			continue
		}
		for _, b := range r.blocks() {
			if text := strings.TrimSpace(b.Text); b.Type == "text" && text != "" && text[0] != '<' {
				return text
			}
		}
	}
	return ""
}

// todos counts the steps that the host keeps for a session: one file each, in a
// folder with the session's id, next to the folder of all transcripts.
func todos(transcript string) *usage.Todos {
	id, ok := strings.CutSuffix(filepath.Base(transcript), ".jsonl")
	host := filepath.Dir(filepath.Dir(filepath.Dir(transcript)))
	entries, err := os.ReadDir(filepath.Join(host, "tasks", id))
	if !ok || id == "" || err != nil {
		return nil
	}
	var t usage.Todos
	for _, e := range entries[:min(len(entries), mostTodos)] {
		var step struct {
			Status string `json:"status"`
		}
		raw, err := disk.Head(filepath.Join(host, "tasks", id, e.Name()), maxTodo)
		if err != nil || json.Unmarshal(raw, &step) != nil || step.Status == "" {
			continue
		}
		t.Total++
		if step.Status == "completed" {
			t.Done++
		}
	}
	if t.Total == 0 {
		return nil
	}
	return &t
}
