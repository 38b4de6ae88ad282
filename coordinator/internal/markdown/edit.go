package markdown

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/afar-sh/afar/coordinator/redact"
)

// MaxEdit is the longest text that can be edited in a form, in bytes.
const MaxEdit = 64 << 10

// Digest names a text: two texts with the same digest are the same.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// Restore returns what a person made of the text was in a form. A form shows other line
// endings than the file has, and shows hidden characters in words. Restore keeps the bytes
// of each line that the person did not change.
func Restore(was, edited string) string {
	old, end := cutLines(was), LineEnding(was)
	edited = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(edited)
	left := map[string][]fileLine{}
	for _, l := range old {
		key := asShown(l.text)
		left[key] = append(left[key], l)
	}
	var b strings.Builder
	for {
		text, rest, more := strings.Cut(edited, "\n")
		l := fileLine{text: text}
		if same := left[asShown(text)]; len(same) > 0 {
			l, left[asShown(text)] = same[0], same[1:]
		}
		b.WriteString(l.text)
		if !more {
			return b.String()
		}
		if l.end == "" {
			l.end = end
		}
		b.WriteString(l.end)
		edited = rest
	}
}

// A fileLine is a line of a file and how it ends, "" at the end of the file.
type fileLine struct{ text, end string }

// cutLines cuts a text into lines as a browser does: a lone \r ends a line too. The last
// line, which may be empty, has no ending.
func cutLines(text string) (lines []fileLine) {
	for {
		i := strings.IndexAny(text, "\r\n")
		if i < 0 {
			return append(lines, fileLine{text: text})
		}
		end := text[i : i+1]
		if strings.HasPrefix(text[i:], "\r\n") {
			end = "\r\n"
		}
		lines = append(lines, fileLine{text[:i], end})
		text = text[i+len(end):]
	}
}

// asShown returns a line as a form shows it and sends it back.
func asShown(line string) string { return redact.Visible(strings.ReplaceAll(line, "\x00", "\ufffd")) }
