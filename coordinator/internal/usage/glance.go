package usage

import (
	"bytes"
	"encoding/json"
)

// A Glance is what the host's own files say of a session now. Zero fields are
// unknown.
type Glance struct {
	Model   string // of the newest answer
	Context int64  // tokens: what that answer read and wrote; unknown after a compaction
	Title   string // as the person or the host named the conversation
	First   string // the first prompt
	Todos   *Todos // nil where the host keeps none
}

// Todos counts the steps of a session's own list.
type Todos struct{ Done, Total int }

// A Look reads a transcript from its end. The zero Look has seen nothing.
type Look struct {
	seen      Glance
	named     string // the title that the host made
	compacted bool
}

// Seen is what the lines say.
func (l *Look) Seen() Glance {
	g := l.seen
	if g.Title == "" {
		g.Title = l.named
	}
	return g
}

// entry is one line of a transcript, as far as a Look reads it.
type entry struct {
	record
	Subtype     string `json:"subtype"`
	Sidechain   bool   `json:"isSidechain"`
	CustomTitle string `json:"customTitle"`
	AITitle     string `json:"aiTitle"`
}

// titled stands in each line that names the conversation.
var titled = []byte(`-title"`)

// Back takes the line before those that were taken. A line that is broken says
// nothing.
func (l *Look) Back(line []byte) {
	var e entry
	if l.seen.Model != "" && !bytes.Contains(line, titled) || json.Unmarshal(line, &e) != nil {
		return
	}
	switch {
	case e.Type == "custom-title" && l.seen.Title == "":
		l.seen.Title = e.CustomTitle
	case e.Type == "ai-title" && l.named == "":
		l.named = e.AITitle
	case e.Type == "system" && e.Subtype == "compact_boundary":
		l.compacted = true
	case e.Type == "assistant" && !e.Sidechain && l.seen.Model == "" && e.Message.Usage != nil:
		l.answer(e)
	}
}

// answer takes the newest answer of the model.
func (l *Look) answer(e entry) {
	if e.Message.Model == synthetic {
		return
	}
	l.seen.Model = e.Message.Model
	if !l.compacted {
		l.seen.Context = e.took().Tokens
	}
}

// synthetic is the model that the host names for an answer of its own.
const synthetic = "<synthetic>"
