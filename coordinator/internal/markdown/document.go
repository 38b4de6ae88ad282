// Package markdown reads and changes the files that a person edits by hand:
//
//	# Sessions die after a minute
//
//	- status: open
//	- needs: k3fzbd
//
//	What is wrong, and what must hold.
//
//	## Waiting For
//
//	A reply.
//
// The title is required. The list of fields below it is optional. Everything
// that a change does not name stays byte for byte: unknown sections, spaces,
// line endings. Every error names its line. The package does no I/O.
package markdown

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/text"
)

// A Form describes the files of one kind.
type Form struct {
	Noun     string   // what one file describes, with its article: "an issue"
	Fields   []string // names of the fields, in lower case
	MaxBytes int      // the largest text that Parse accepts
}

// An Error reports the first fault of a text. Line counts from 1.
type Error struct {
	Line int
	Text string
}

func (e Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// Errorf returns an Error in a line.
func Errorf(line int, format string, args ...any) error {
	return Error{Line: line, Text: fmt.Sprintf(format, args...)}
}

// A Field is one line "- name: value" of the list below the title.
type Field struct {
	Name  string // in lower case
	Value string // without the spaces around it
	Line  int    // counted from 1

	from, to int // the bytes of the value in the text
}

// A Document is a parsed text. Its methods that begin with With return a changed
// text and leave the document as it is.
type Document struct {
	Text   string
	Title  string
	Fields []Field

	list int // offset at which the next field is inserted
	body int // offset at which the body begins
}

// Parse reads a text of the form f. On an error the document holds what was read
// before it.
func (f Form) Parse(text string) (Document, error) {
	d := Document{Text: text}
	if err := f.checkText(text); err != nil {
		return d, err
	}
	lines := &lineReader{text: text}
	title, err := f.readTitle(lines)
	d.Title, d.list, d.body = title, lines.offset, lines.offset
	if err != nil {
		return d, err
	}
	return d, d.readFields(lines, f)
}

// Field returns the field with a name, if the document has it.
func (d Document) Field(name string) (Field, bool) {
	i := slices.IndexFunc(d.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return d.Fields[i], true
}

// Body returns the text below the title and the fields, with \n line endings and
// without the blank lines around it.
func (d Document) Body() string {
	return strings.Trim(strings.ReplaceAll(d.Text[d.body:], "\r\n", "\n"), "\n")
}

// BodyLine returns the line at which the body begins, counted from 1. Without a body it is that
// behind the end.
func (d Document) BodyLine() int {
	below := d.Text[d.body:]
	blank := len(below) - len(strings.TrimLeft(below, "\r\n"))
	return 1 + strings.Count(d.Text[:d.body+blank], "\n")
}

// WithBody returns the text with another body, which gets the document's line endings.
func (d Document) WithBody(body string) string {
	eol := LineEnding(d.Text)
	head := strings.TrimRight(d.Text[:d.body], "\r\n")
	return head + eol + eol + strings.ReplaceAll(body+"\n", "\n", eol)
}

// WithField returns the text with a field's value replaced. A missing field is
// added at the end of the list; a missing list is added below the title.
func (d Document) WithField(name, value string) string {
	f, ok := d.Field(name)
	if !ok {
		return d.insert("- " + name + ": " + value)
	}
	if f.from == f.to && d.Text[f.from-1] == ':' {
		value = " " + value
	}
	return d.Text[:f.from] + value + d.Text[f.to:]
}

func (d Document) insert(item string) string {
	eol := LineEnding(d.Text)
	before, after := d.Text[:d.list], d.Text[d.list:]
	if !strings.HasSuffix(before, "\n") {
		before += eol
	}
	if len(d.Fields) > 0 {
		return before + item + eol + after
	}
	startsBlank := strings.HasPrefix(strings.TrimLeft(after, " \t\r"), "\n")
	if after != "" && !startsBlank {
		after = eol + after
	}
	return before + eol + item + eol + after
}

// WithParagraph returns the text with a paragraph added at the end, behind one
// blank line. The paragraph gets the document's line endings.
func (d Document) WithParagraph(paragraph string) string {
	eol := LineEnding(d.Text)
	text := d.Text
	switch {
	case !strings.HasSuffix(text, "\n"):
		text += eol + eol
	case !strings.HasSuffix(text, eol+eol):
		text += eol
	}
	return text + strings.ReplaceAll(paragraph+"\n", "\n", eol)
}

// LineEnding returns how the first line of a text ends: \r\n or \n.
func LineEnding(text string) string {
	if line, _, _ := strings.Cut(text, "\n"); strings.HasSuffix(line, "\r") {
		return "\r\n"
	}
	return "\n"
}

// checkText refuses a text that is too large, is not UTF-8 text, or holds an
// unfinished git merge.
func (f Form) checkText(text string) error {
	if len(text) > f.MaxBytes {
		return Errorf(1, "the file has %d bytes; %s has at most %d", len(text), f.Noun, f.MaxBytes)
	}
	conflict := 0
	for lines := (&lineReader{text: text}); ; {
		line, ok := lines.next()
		switch {
		case !ok:
			return nil
		case !utf8.ValidString(line.text):
			return Errorf(line.number, "this is not UTF-8; save the file as UTF-8")
		case strings.ContainsAny(line.text, "\x00\r"):
			return Errorf(line.number, "the line holds a NUL or a carriage return; want plain text")
		case strings.HasPrefix(line.text, "<<<<<<< "):
			conflict = line.number
		case strings.HasPrefix(line.text, ">>>>>>> ") && conflict > 0:
			return Errorf(conflict, "an unfinished merge starts here; resolve it")
		}
	}
}

const byteOrderMark = "\ufeff"

// Title returns the title of any text, which is its first line that is not blank.
func (f Form) Title(text string) (string, error) { return f.readTitle(&lineReader{text: text}) }

func (f Form) readTitle(lines *lineReader) (string, error) {
	line, ok := lines.nextFilled()
	if !ok {
		return "", Errorf(max(lines.number, 1), "the file is empty; %s begins with a title: # TITLE", f.Noun)
	}
	title, isHeading := strings.CutPrefix(line.text, "# ")
	title = strings.TrimSpace(title)
	if !isHeading || title == "" {
		return title, Errorf(line.number, "the first line must be the title: # TITLE")
	}
	return title, nil
}

// readFields reads the list below the title if it holds at least one field of the
// form. Any other list belongs to the body.
func (d *Document) readFields(lines *lineReader, f Form) error {
	begin := lines.offset
	block := lines.block()
	if !slices.ContainsFunc(block, f.isField) {
		d.body = begin
		return nil
	}
	for _, l := range block {
		field, err := d.newField(l, f)
		if err != nil {
			return err
		}
		d.Fields = append(d.Fields, field)
	}
	d.list, d.body = lines.offset, lines.offset
	return d.checkNextBlock(*lines, f)
}

func (d *Document) newField(l line, f Form) (Field, error) {
	field, ok := l.field()
	if !ok {
		return field, Errorf(l.number, "want a field, %s; end the list with a blank line", orList(f.Fields))
	}
	if !slices.Contains(f.Fields, field.Name) {
		return field, Errorf(l.number, "unknown field %q; want %s", Shorten(field.Name), orList(f.Fields))
	}
	if first, again := d.Field(field.Name); again {
		return field, Errorf(l.number, "duplicate field %s; line %d has it already", field.Name, first.Line)
	}
	return field, nil
}

// checkNextBlock refuses a field that a blank line separates from the list: it
// would be read as body text, and its value would be ignored.
func (d *Document) checkNextBlock(lines lineReader, f Form) error {
	block := lines.block()
	if len(block) == 0 || !f.isField(block[0]) {
		return nil
	}
	field, _ := block[0].field()
	return Errorf(field.Line, "field %s is separated from the list; move it into the list above", field.Name)
}

func (f Form) isField(l line) bool {
	field, _ := l.field()
	return slices.Contains(f.Fields, field.Name)
}

// orList joins names as "a, b or c".
func orList(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Shorten returns at most 41 characters of a text, for error messages. One that is cut ends with "…".
func Shorten(s string) string {
	return text.Clip(s, 41)
}
