package hook

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/toolcall"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// reasons returns why a session wants something: its person's last prompt, and the last
// line that the model wrote since. Each is one line without secrets, "" if there is none.
// Both are texts from outside.
func (s *Server) reasons(p payload) (asked, said string) {
	v, err := s.cfg.Core.Session(string(p.Session))
	if err == nil {
		asked = v.Typed
	}
	return asked, lastLine(s.cfg.LastTextBeforeCall(p.CallerTranscript()))
}

// firstLine and lastLine return the first and the last line of a text that hold words,
// for a card.
func firstLine(text string) string {
	if lines := linesOf(text[:min(len(text), toolcall.MaxLine)]); len(lines) > 0 {
		return toolcall.Brief(lines[0])
	}
	return ""
}

func lastLine(text string) string {
	if lines := linesOf(text[max(0, len(text)-toolcall.MaxLine):]); len(lines) > 0 {
		return toolcall.Brief(lines[len(lines)-1])
	}
	return ""
}

// marks are what Markdown adds to a line.
var marks = strings.NewReplacer("**", "", "__", "", "`", "")

// linesOf returns the lines of a text that hold words, without the marks of Markdown and
// without secrets. It masks the whole text at once, because a key is recognized by its
// first line.
func linesOf(s string) (out []string) {
	for line := range strings.Lines(redact.Mask(strings.ToValidUTF8(s, ""))) {
		if line = strings.TrimLeft(text.Fold(marks.Replace(line)), "#*-> "); strings.Trim(line, "=|") != "" {
			out = append(out, line)
		}
	}
	return out
}
