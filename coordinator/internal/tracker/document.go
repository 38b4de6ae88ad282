package tracker

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The form of an issue's file, which a person edits by hand:
//
//	# Sessions die after a minute
//
//	- status: open
//	- priority: 2
//	- needs: k3fzbd
//	- created: 2026-11-21 22:43:05.120 UTC
//
//	What is wrong, and what must hold.
//
//	## 2026-11-22 08:10 UTC: paused
//
//	A comment.
//
// The title is all that must be there. The list below it, as a whole or field by
// field, may be left out. What a person wrote stays byte for byte, but for the
// value that is changed.

// largest is how many bytes a file may have.
const largest = 1 << 20

// The names of the fields.
const (
	fieldStatus   = "status"
	fieldPriority = "priority"
	fieldNeeds    = "needs"
	fieldCreated  = "created"
)

var fieldNames = []string{fieldStatus, fieldPriority, fieldNeeds, fieldCreated}

// timeForm is how a moment is written; those after it are understood too.
const timeForm = "2006-01-02 15:04:05.000 MST"

var timeForms = []string{timeForm, "2006-01-02 15:04:05 MST", "2006-01-02 15:04 MST", time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly}

// A lineError says what is wrong in which line, counted from 1.
type lineError struct {
	line int
	text string
}

func (e lineError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.text) }

func wrong(line int, format string, args ...any) error {
	return lineError{line, fmt.Sprintf(format, args...)}
}

// A document is an issue's file, understood.
type document struct {
	text   string
	title  string
	fields map[string]span
	list   int // where the next field is inserted: the end of the last one's line, or of the title's
	body   int // where the body begins

	status   Status
	priority int
	needs    []string
	created  time.Time
}

// A span is where a field's value stands in the text.
type span struct{ from, to, line int }

// A reader hands out the lines of a text.
type reader struct {
	text string
	at   int // where the next line begins
	line int // the number of the last line read
}

// next returns the next line without its end, and where it begins.
func (r *reader) next() (text string, from int, ok bool) {
	if r.at >= len(r.text) {
		return "", r.at, false
	}
	from, r.line = r.at, r.line+1
	text, _, found := strings.Cut(r.text[from:], "\n")
	r.at += len(text)
	if found {
		r.at++
		text = strings.TrimSuffix(text, "\r")
	}
	return text, from, true
}

// parse understands a file. Its errors name a line.
func parse(text string) (document, error) {
	d := document{text: text, fields: map[string]span{}, status: StatusOpen, priority: DefaultPriority}
	if err := sound(text); err != nil {
		return d, err
	}
	r := &reader{text: text}
	if err := d.readTitle(r); err != nil {
		return d, err
	}
	if err := d.readFields(r); err != nil {
		return d, err
	}
	return d, d.understand()
}

// sound refuses what is no text, and a text that git left half merged.
func sound(text string) error {
	if len(text) > largest {
		return wrong(1, "the file has %d bytes; an issue has at most %d", len(text), largest)
	}
	conflict := 0
	for r := (&reader{text: text}); ; {
		line, _, ok := r.next()
		switch {
		case !ok:
			return nil
		case !utf8.ValidString(line):
			return wrong(r.line, "this is not UTF-8; save the file as UTF-8")
		case strings.ContainsAny(line, "\x00\r"):
			return wrong(r.line, "there is a NUL or a carriage return within the line; this is no markdown")
		case strings.HasPrefix(line, "<<<<<<< "):
			conflict = r.line
		case strings.HasPrefix(line, ">>>>>>> ") && conflict > 0:
			return wrong(conflict, "a merge was left unfinished here")
		}
	}
}

const byteOrderMark = "\ufeff"

func (d *document) readTitle(r *reader) error {
	for {
		line, from, ok := r.next()
		if from == 0 {
			line = strings.TrimPrefix(line, byteOrderMark)
		}
		if !ok {
			return wrong(max(r.line, 1), "the file is empty; it begins with a title: # What is to be done")
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		title, heading := strings.CutPrefix(line, "# ")
		d.title, d.list, d.body = strings.TrimSpace(title), r.at, r.at
		if !heading || d.title == "" {
			return wrong(r.line, "the first line is the title: # What is to be done")
		}
		return nil
	}
}

// readFields reads the list below the title, if it has a field in it. A list of
// other things belongs to the body.
func (d *document) readFields(r *reader) error {
	block, begin := fieldLines(r)
	if !slices.ContainsFunc(block, func(l listLine) bool { return slices.Contains(fieldNames, l.name) }) {
		d.body = begin
		return nil
	}
	for _, l := range block {
		known := slices.Contains(fieldNames, l.name)
		twice, again := d.fields[l.name]
		switch {
		case l.name == "":
			return wrong(l.line, "this is no field; a blank line ends the list of %s", strings.Join(fieldNames, ", "))
		case !known:
			return wrong(l.line, "%q is no field; there are %s", shorten(l.name), strings.Join(fieldNames, ", "))
		case again:
			return wrong(l.line, "%s stands in line %d already", l.name, twice.line)
		}
		d.fields[l.name] = span{l.from, l.to, l.line}
	}
	d.list, d.body = r.at, r.at
	return d.stray(*r)
}

// stray refuses a field that a blank line has cut off from the list: it would be
// text, and the issue would not be what its file says.
func (d *document) stray(r reader) error {
	block, _ := fieldLines(&r)
	if len(block) > 0 && slices.Contains(fieldNames, block[0].name) {
		return wrong(block[0].line, "%s stands apart; put it into the list above", block[0].name)
	}
	return nil
}

// A listLine is "- name: value"; without a name it is another kind of line.
type listLine struct {
	name           string
	from, to, line int // where the value stands
}

// fieldLines reads the lines up to the next blank one, which it leaves, and
// returns where they begin. Blank lines before them are skipped.
func fieldLines(r *reader) (block []listLine, begin int) {
	begin = r.at
	for {
		before := *r
		line, from, ok := r.next()
		blank := strings.TrimSpace(line) == ""
		if !ok || blank && len(block) > 0 {
			*r = before
			return block, begin
		}
		if blank {
			continue
		}
		block = append(block, listLineOf(line, from, r.line))
	}
}

func listLineOf(line string, from, number int) listLine {
	item := strings.TrimLeft(line, " ")
	if len(item) < 2 || !strings.ContainsRune("-*+", rune(item[0])) || item[1] != ' ' {
		return listLine{line: number}
	}
	name, value, ok := strings.Cut(item[2:], ":")
	name = strings.ToLower(strings.TrimSpace(name))
	if !ok || name == "" || strings.ContainsAny(name, " \t") {
		return listLine{line: number}
	}
	end := from + len(line)
	to := end - (len(value) - len(strings.TrimRight(value, " \t")))
	return listLine{name: name, from: to - len(strings.TrimSpace(value)), to: to, line: number}
}

// understand reads the values of the fields.
func (d *document) understand() (err error) {
	value := func(name string) (string, int, bool) {
		at, ok := d.fields[name]
		return d.text[at.from:at.to], at.line, ok
	}
	if text, line, ok := value(fieldStatus); ok {
		if d.status, err = parseStatus(text); err != nil {
			return wrong(line, "%v", err)
		}
	}
	if text, line, ok := value(fieldPriority); ok {
		if d.priority, err = parsePriority(text); err != nil {
			return wrong(line, "%v", err)
		}
	}
	if text, line, ok := value(fieldCreated); ok {
		if d.created, err = parseTime(text); err != nil {
			return wrong(line, "%v", err)
		}
	}
	text, line, _ := value(fieldNeeds)
	d.needs, err = parseNeeds(text)
	if err != nil {
		return wrong(line, "%v", err)
	}
	return nil
}

func parseStatus(text string) (Status, error) {
	s := Status(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(text)))
	return s, s.check()
}

func parsePriority(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < FirstPriority || n > LastPriority {
		return DefaultPriority, fmt.Errorf("%q is no priority; it is a number from 1 (first) to 5", shorten(text))
	}
	return n, nil
}

func parseTime(text string) (time.Time, error) {
	for _, form := range timeForms {
		if t, err := time.Parse(form, text); err == nil && t.Year() > 0 {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no moment; write it as 2026-11-21 or 2026-11-21 22:43 UTC", shorten(text))
}

// parseNeeds reads ids between commas or blanks, each once.
func parseNeeds(text string) (needs []string, err error) {
	for _, id := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		if err := checkID(id); err != nil {
			return nil, err
		}
		if !slices.Contains(needs, id) {
			needs = append(needs, id)
		}
	}
	return needs, nil
}

// maxID is how long an id may be: it names a file, a directory and a branch.
const maxID = 80

// checkID accepts what can be the name of a file and of a git branch, and leads
// nowhere else.
func checkID(id string) error {
	if id == "" || len(id) > maxID || strings.Trim(id, idLetters+"-_.") != "" || !strings.ContainsAny(id[:1], idLetters) ||
		strings.Contains(id, "..") || strings.HasSuffix(id, ".") || strings.HasSuffix(strings.ToLower(id), ".lock") {
		return fmt.Errorf("%q is no id: it has letters, digits, - and _", shorten(id))
	}
	return nil
}

const idLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

func shorten(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}

// bodyText is what there is to read, without the blank lines around it.
func (d document) bodyText() string {
	return strings.Trim(strings.ReplaceAll(d.text[d.body:], "\r\n", "\n"), "\n")
}

// eol is how the file ends its lines.
func (d document) eol() string {
	if line, _, _ := strings.Cut(d.text, "\n"); strings.HasSuffix(line, "\r") { // sound: it ends the line
		return "\r\n"
	}
	return "\n"
}

// set returns the text with another value of a field.
func (d document) set(name, value string) string {
	if at, ok := d.fields[name]; ok {
		if at.from == at.to && d.text[at.from-1] == ':' {
			value = " " + value
		}
		return d.text[:at.from] + value + d.text[at.to:]
	}
	return d.insert("- " + name + ": " + value)
}

// insert adds a field below the last one, or below the title as a list of its own.
func (d document) insert(item string) string {
	eol := d.eol()
	before, after := d.text[:d.list], d.text[d.list:]
	if !strings.HasSuffix(before, "\n") {
		before += eol
	}
	if len(d.fields) > 0 {
		return before + item + eol + after
	}
	if after != "" && !strings.HasPrefix(strings.TrimLeft(after, " \t\r"), "\n") {
		after = eol + after
	}
	return before + eol + item + eol + after
}

// comment returns the text with a comment below everything else.
func (d document) comment(at time.Time, s Status, note string) string {
	eol := d.eol()
	text := d.text
	switch {
	case !strings.HasSuffix(text, "\n"):
		text += eol + eol
	case !strings.HasSuffix(text, eol+eol):
		text += eol
	}
	return text + strings.ReplaceAll(heading(at, s)+"\n\n"+note+"\n", "\n", eol)
}

// heading is the first line of a comment.
func heading(at time.Time, s Status) string {
	return fmt.Sprintf("## %s: %s", at.UTC().Format("2006-01-02 15:04 MST"), strings.ReplaceAll(string(s), "_", " "))
}

// said reports whether the last comment is this note.
func (d document) said(note string) bool {
	body := d.bodyText()
	return note != "" && strings.HasSuffix(body, "\n\n"+note) && strings.HasPrefix(lastHeading(strings.TrimSuffix(body, "\n\n"+note)), "## ")
}

func lastHeading(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// asText makes of any bytes what a file can hold.
func asText(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\r\n", "\n")
	return strings.TrimSpace(strings.NewReplacer("\x00", "\ufffd", "\r", "\n").Replace(s))
}

// maxNote is how much of a comment is kept; the rest is cut, for what writes
// comments must not fail over a long one.
const maxNote = 32 << 10

// asNote makes a comment of any bytes.
func asNote(s string) string {
	if len(s) > maxNote {
		s = strings.ToValidUTF8(s[:maxNote], "") + "\n\n… (the rest was cut)"
	}
	return asText(s)
}

// maxTitle is how many characters a title may have.
const maxTitle = 250

// titleOf makes one line of a draft's title.
func titleOf(text string) (string, error) {
	title := strings.Join(strings.Fields(asText(text)), " ")
	if title == "" {
		return "", errors.New("an issue needs a title")
	}
	if n := utf8.RuneCountInString(title); n > maxTitle {
		return "", fmt.Errorf("a title has at most %d characters, this one has %d; put the rest into the body", maxTitle, n)
	}
	return title, nil
}

// compose writes the file of a new issue from a checked draft.
func compose(d Draft, at time.Time) (string, error) {
	if d.Priority == 0 {
		d.Priority = DefaultPriority
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n- %s: %s\n- %s: %d\n", d.Title, fieldStatus, StatusOpen, fieldPriority, d.Priority)
	if len(d.Needs) > 0 {
		fmt.Fprintf(&b, "- %s: %s\n", fieldNeeds, strings.Join(d.Needs, ", "))
	}
	fmt.Fprintf(&b, "- %s: %s\n", fieldCreated, at.UTC().Format(timeForm))
	head := b.String()
	if d.Body == "" {
		return head, nil
	}
	text := head + "\n" + d.Body + "\n"
	if _, err := parse(text); err != nil {
		text = head + "\n## Description\n\n" + d.Body + "\n" // it began like a field
	}
	_, err := parse(text)
	return text, err
}
