package transcript

import (
	"bytes"
	"encoding/json"

	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// A look reads a transcript from its end. The zero look has seen nothing.
type look struct {
	seen      usage.Glance
	named     string // the title that the host made
	compacted bool
}

// glance returns what the lines say.
func (l *look) glance() usage.Glance {
	g := l.seen
	if g.Title == "" {
		g.Title = l.named
	}
	return g
}

// entry is one line of a transcript, as far as a look reads it.
type entry struct {
	record
	Subtype     string `json:"subtype"`
	Sidechain   bool   `json:"isSidechain"`
	CustomTitle string `json:"customTitle"`
	AITitle     string `json:"aiTitle"`
}

// titled occurs in each line that names the conversation.
var titled = []byte(`-title"`)

// back takes the line before those that were taken. It ignores a broken line.
func (l *look) back(line []byte) {
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
func (l *look) answer(e entry) {
	if e.Message.Model == synthetic {
		return
	}
	l.seen.Model = e.Message.Model
	if !l.compacted {
		l.seen.Context = e.cost().Tokens
	}
}

// synthetic is the model that the host names for an answer of its own.
const synthetic = "<synthetic>"
