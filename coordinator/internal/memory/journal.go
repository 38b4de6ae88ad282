package memory

import (
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
	"github.com/afar-sh/afar/coordinator/text"
)

// A Day is the journal of one day: a file YYYY-MM-DD.md with a section for each entry. A person
// may write what they want into it.
type Day struct {
	Date    string // YYYY-MM-DD
	Text    string // the whole file
	Entries []Entry
}

// An Entry is something that happened on a day.
type Entry struct {
	Heading string // begins with the time, if Afar wrote it
	Text    string
	Source  string // who said it; "" if the file does not say
}

// MaxDay bounds the journal of a day, in bytes.
const MaxDay = 1 << 20

// CheckDate returns an error if date is no day.
func CheckDate(date string) error {
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return fmt.Errorf("unknown date %.40q; want YYYY-MM-DD", date)
	}
	return nil
}

// sourceLine begins the line that says who told an entry.
const sourceLine = "Source: "

// ParseDay reads the journal of a day. Any text can be read.
func ParseDay(date, raw string) Day {
	d := Day{Date: date, Text: raw}
	for _, s := range markdown.Sections(raw) {
		if s.Heading == "" {
			continue
		}
		e := Entry{Heading: s.Heading, Text: strings.TrimSpace(strings.ReplaceAll(s.Text, "\r\n", "\n"))}
		before, last := "", e.Text
		if i := strings.LastIndexByte(e.Text, '\n'); i >= 0 {
			before, last = e.Text[:i], e.Text[i+1:]
		}
		if source, ok := strings.CutPrefix(last, sourceLine); ok {
			e.Source, e.Text = strings.TrimSpace(source), strings.TrimSpace(before)
		}
		d.Entries = append(d.Entries, e)
	}
	return d
}

// With returns the file of d with an entry at its end, unless it is there already. All that the
// file had stays as it is. The texts of the entry cannot be taken for another entry.
func (d Day) With(e Entry, at time.Time) string {
	raw := d.Text
	if raw == "" {
		raw = "# " + d.Date + "\n"
	}
	eol := markdown.LineEnding(raw)
	if !strings.HasSuffix(raw, "\n") {
		raw += eol
	}
	parts := []string{"", "## " + at.Format("15:04") + " " + text.Clip(tidyTitle(e.Heading), maxTitle)}
	if said := plainText(e.Text); said != "" {
		parts = append(parts, "", text.Clip(said, maxText))
	}
	if e.Source != "" {
		parts = append(parts, "", sourceLine+text.Fold(e.Source))
	}
	added := strings.Join(parts, eol) + eol
	if strings.Contains(d.Text, added) {
		return d.Text
	}
	return raw + added
}
