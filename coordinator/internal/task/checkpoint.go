package task

import (
	"fmt"
	"regexp"
	"strings"
)

// A Checkpoint is a task's question to the person: a checkpoint.md.
type Checkpoint struct {
	Title   string // without the word Checkpoint
	Did     string
	Need    string
	Details string
	Options []Option // in the order of the file
}

// An Option is one answer that a checkpoint offers.
type Option struct {
	Label  string
	Effect string // what the task then does, as it announces it
}

// maxOptions is how many answers a checkpoint may offer; a question has no room for more.
const maxOptions = 8

// option is a line `1. [Label] → effect`. The brackets and the effect may be absent.
var option = regexp.MustCompile(`^\s*\d{1,2}[.)]\s+(?:\[([^\]]+)\]|(.+?))\s*(?:(?:→|->|=>)\s*(.*))?$`)

// ParseCheckpoint reads a checkpoint.md. A file that is no complete checkpoint gives one
// without a Need; it is then shown as it is.
func ParseCheckpoint(text string) (c Checkpoint) {
	if len(text) > MaxState {
		return c
	}
	first, _, _ := strings.Cut(trim(strings.TrimPrefix(text, "\ufeff")), "\n")
	title, _ := strings.CutPrefix(first, "# ")
	c.Title = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(title), "Checkpoint:"))
	c.Did, c.Need = below(text, "What I Did"), below(text, "What I Need From You")
	c.Details = below(text, "Details")
	c.Options = optionsOf(below(text, "Options"))
	return c
}

// Complete reports whether the checkpoint says what it needs.
func (c Checkpoint) Complete() bool { return c.Need != "" }

// below returns the text below a heading.
func below(text, heading string) string {
	section, ok := find(text, []string{heading})
	if !ok {
		return ""
	}
	return trim(section.Text)
}

func optionsOf(text string) (options []Option) {
	for line := range strings.Lines(text) {
		m := option.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil || len(options) == maxOptions {
			continue
		}
		options = append(options, Option{Label: strings.TrimSpace(m[1] + m[2]), Effect: strings.TrimSpace(m[3])})
	}
	return options
}

// An Asked is the question about a checkpoint.md.
type Asked struct {
	Hash string `json:"hash"` // of the file
	Ask  string `json:"ask"`
	Used bool   `json:"used,omitempty"` // it was answered, and the file is to be removed
	// Reminded says that the person was reminded of the file, see Overdue.
	Reminded bool `json:"reminded,omitempty"`
}

// Asks reports whether a checkpoint of t is open, or its file is not removed yet.
func (t Task) Asks() bool { return t.Asked.Hash != "" }

// Ask returns t after a look at its checkpoint.md, which has a hash, "" without a file. open
// reports whether the question about the last one is open. changed is false if nothing is to be
// asked or withdrawn: a file is asked about once, and one that was used is to be removed first.
func (t Task) Ask(hash string, open bool) (_ Task, changed bool) {
	same := hash == t.Asked.Hash
	if same && (hash == "" || open || t.Asked.Used) {
		return t, false
	}
	t.Asked = Asked{Hash: hash, Reminded: same && t.Asked.Reminded}
	return t, true
}

// Use returns t after the answer to its checkpoint.
func (t Task) Use() Task {
	t.Asked.Used = true
	return t
}

// mostRefusals is how many refusals in a row a run of a task gets before it is told to give up.
const mostRefusals = 3

// GiveUp returns what the run of a task is told after so many refusals in a row, "" for nothing.
func GiveUp(refusals int) string {
	if refusals < mostRefusals {
		return ""
	}
	return fmt.Sprintf("This is refusal number %d in a row in this turn, so stop trying. "+
		"Write checkpoint.md with what you did, what you need and the options, and end your turn.", refusals)
}
