package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// A reverseReader reads a transcript from its end. The zero value has read nothing.
type reverseReader struct {
	seen      usage.Glance
	aiTitle   string // the title that the host made
	compacted bool
}

// glance returns what the lines say.
func (r *reverseReader) glance() usage.Glance {
	g := r.seen
	g.Title = cmp.Or(g.Title, r.aiTitle)
	return g
}

// entry holds the fields of a line that a reverseReader reads.
type entry struct {
	record
	Subtype     string `json:"subtype"`
	Sidechain   bool   `json:"isSidechain"`
	CustomTitle string `json:"customTitle"`
	AITitle     string `json:"aiTitle"`
}

// titleMark occurs in each line that names the conversation.
var titleMark = []byte(`-title"`)

// add takes the line before those that were added. It ignores a broken line.
func (r *reverseReader) add(line []byte) {
	if r.seen.Model != "" && !bytes.Contains(line, titleMark) {
		return
	}
	var e entry
	if json.Unmarshal(line, &e) != nil {
		return
	}
	switch e.Type {
	case "custom-title":
		r.seen.Title = cmp.Or(r.seen.Title, e.CustomTitle)
	case "ai-title":
		r.aiTitle = cmp.Or(r.aiTitle, e.AITitle)
	case "system":
		r.compacted = r.compacted || e.Subtype == "compact_boundary"
	default:
		r.addAnswer(e)
	}
}

// addAnswer takes the newest answer of the model in the main conversation.
func (r *reverseReader) addAnswer(e entry) {
	isNewest := r.seen.Model == "" && e.isAnswer() && !e.Sidechain
	if !isNewest || e.Message.Model == synthetic {
		return
	}
	r.seen.Model = e.Message.Model
	if !r.compacted {
		r.seen.Context = e.cost().Tokens
	}
}

// synthetic is the model that the host names for an answer of its own.
const synthetic = "<synthetic>"
