package page

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wording"
)

// A sheet is what a template gets: a value, and the means to show times and paths.
type sheet struct {
	V    any
	Now  time.Time
	Home string
	Back string // where a form on the page comes back to
	// Whole has a card show all of its question. Beside says that a line of a list leads to it, which keys mark.
	Whole, Beside bool
}

// With returns the sheet for a template that shows v.
func (s sheet) With(v any) sheet {
	s.V = v
	return s
}

// Alone returns the sheet for a card that has a page of its own.
func (s sheet) Alone(v any) sheet {
	s.V, s.Whole = v, true
	return s
}

// Chosen returns the sheet for a card that is shown beside a list.
func (s sheet) Chosen(v any) sheet {
	s.V, s.Beside = v, true
	return s
}

// Ago shows how long ago a time was.
func (s sheet) Ago(ms int64) template.HTML {
	return s.counting("since", ms, wording.Ago(s.Now.Sub(time.UnixMilli(ms))))
}

// Age shows how long something has lasted.
func (s sheet) Age(ms int64) template.HTML {
	return s.counting("age", ms, wording.Span(s.Now.Sub(time.UnixMilli(ms))))
}

// Left shows how long it is until a time.
func (s sheet) Left(ms int64) template.HTML {
	return s.counting("until", ms, wording.Left(time.UnixMilli(ms).Sub(s.Now)))
}

// Clock shows the local time of day, with the day if that is another one.
func (s sheet) Clock(ms int64) template.HTML {
	return stamp(time.UnixMilli(ms).In(s.Now.Location()), "", s.clock(ms))
}

func (s sheet) clock(ms int64) string {
	t := time.UnixMilli(ms).In(s.Now.Location())
	if t.Format(time.DateOnly) == s.Now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("Jan 2 15:04")
}

// Day shows a day.
func (s sheet) Day(ms int64) template.HTML {
	t := time.UnixMilli(ms).In(s.Now.Location())
	return stamp(t, "", t.Format(time.DateOnly))
}

// counting is a time whose text the page's script keeps current.
func (s sheet) counting(how string, ms int64, text string) template.HTML {
	if ms == 0 {
		return ""
	}
	return stamp(time.UnixMilli(ms).In(s.Now.Location()), fmt.Sprintf(` data-%s="%d"`, how, ms), text)
}

func stamp(t time.Time, attribute, text string) template.HTML {
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s"%s>%s</time>`, t.Format(time.RFC3339),
		t.Format("Mon Jan 2 15:04:05 2006"), attribute, text))
}

// span is a number of milliseconds in words.
func span(ms int64) string { return wording.Span(time.Duration(ms) * time.Millisecond) }

// Took is how long a tool took.
func (s sheet) Took(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%dms", ms)
	}
	if ms < 60_000 {
		return fmt.Sprintf("%.1fs", float64(ms)/1000)
	}
	return span(ms)
}

// Path shortens the person's home directory.
func (s sheet) Path(path string) string {
	path = line(200, path)
	rest, below := strings.CutPrefix(path, s.Home)
	if s.Home == "" || !below || rest != "" && rest[0] != '/' {
		return path
	}
	return "~" + rest
}

// line folds a text into one line of at most most characters.
func line(most int, s string) string { return text.Clip(text.Fold(s), most) }

// maxName bounds ids, tokens and the like in addresses, in bytes. All that are real are shorter.
const maxName = 300

// url escapes one segment of a path, or one value of a query.
func url(s string) string {
	var b strings.Builder
	for _, c := range []byte(s[:min(maxName, len(s))]) {
		plain := unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) || strings.IndexByte("-_.~", c) >= 0
		if c < utf8.RuneSelf && plain {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// visible shows what a browser would hide or obey instead of show: control characters and
// those that reorder text. It works on the whole HTML, so that no field can be forgotten;
// the templates themselves have none of these. An emoji keeps its variation selector.
func visible(html []byte) []byte {
	const selector = "\ufe0f"
	parts := strings.Split(string(html), selector)
	var b strings.Builder
	for i, part := range parts {
		b.WriteString(redact.Visible(part))
		if i == len(parts)-1 {
			break
		}
		if last, _ := utf8.DecodeLastRuneInString(part); unicode.Is(unicode.So, last) {
			b.WriteString(selector)
			continue
		}
		b.WriteString(redact.Visible(selector))
	}
	return []byte(b.String())
}

// versions returns the address of each file in Static, with a hash of its content.
func versions() map[string]string {
	out := map[string]string{}
	err := fs.WalkDir(Static, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(Static, name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		out[name] = "/static/" + name + "?v=" + hex.EncodeToString(sum[:6])
		return nil
	})
	if err != nil {
		panic(err) // the files are part of the program
	}
	return out
}

// Modes are the away modes.
func (s sheet) Modes() []string { return []string{"off", "on", "auto"} }
