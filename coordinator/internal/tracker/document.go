package tracker

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
	"github.com/afar-sh/afar/coordinator/text"
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
// Only the title is required. The list below it is optional, and so is each of its
// fields. A change replaces one value; all other bytes stay as the person wrote
// them.

// largest is the largest size of an issue's file in bytes.
const largest = 1 << 20

// The names of the fields.
const (
	fieldStatus   = "status"
	fieldPriority = "priority"
	fieldNeeds    = "needs"
	fieldCreated  = "created"
)

// form describes an issue's file.
var form = markdown.Form{
	Noun:     "an issue",
	Fields:   []string{fieldStatus, fieldPriority, fieldNeeds, fieldCreated},
	MaxBytes: largest,
}

// timeForm is how a time is written. timeForms are the forms that can be read.
const timeForm = "2006-01-02 15:04:05.000 MST"

var timeForms = []string{
	timeForm,
	"2006-01-02 15:04:05 MST",
	"2006-01-02 15:04 MST",
	time.RFC3339,
	"2006-01-02 15:04:05",
	"2006-01-02 15:04",
	time.DateOnly,
}

// A document is an issue's file and the values of its fields.
type document struct {
	markdown.Document

	status   Status
	priority int
	needs    []string
	created  time.Time
}

// parse reads an issue's file. Its errors name a line.
func parse(text string) (document, error) {
	d := document{status: StatusOpen, priority: defaultPriority}
	var err error
	if d.Document, err = form.Parse(text); err != nil {
		return d, err
	}
	for _, f := range d.Fields {
		if err := d.readValue(f); err != nil {
			return d, markdown.Errorf(f.Line, "%v", err)
		}
	}
	return d, nil
}

// readValue sets the value of a field that the form knows.
func (d *document) readValue(f markdown.Field) (err error) {
	switch f.Name {
	case fieldStatus:
		d.status, err = parseStatus(f.Value)
	case fieldPriority:
		d.priority, err = parsePriority(f.Value)
	case fieldCreated:
		d.created, err = parseTime(f.Value)
	case fieldNeeds:
		d.needs, err = parseNeeds(f.Value)
	}
	return err
}

func parseStatus(text string) (Status, error) {
	s := Status(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(text)))
	return s, s.check()
}

func parsePriority(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n != clampPriority(n) {
		return defaultPriority, fmt.Errorf(
			"unknown priority %q; want a number from 1 (first) to 5",
			markdown.Shorten(text),
		)
	}
	return n, nil
}

// clampPriority returns the priority nearest to n.
func clampPriority(n int) int { return min(max(n, firstPriority), lastPriority) }

func parseTime(text string) (time.Time, error) {
	for _, form := range timeForms {
		if t, err := time.Parse(form, text); err == nil && t.Year() > 0 {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("unknown time %q; want 2026-11-21 or 2026-11-21 22:43 UTC", markdown.Shorten(text))
}

// parseNeeds reads ids between commas or blanks, each once.
func parseNeeds(text string) (needs []string, err error) {
	for _, id := range fieldsOf(text) {
		if err := checkID(id); err != nil {
			return nil, err
		}
		if !slices.Contains(needs, id) {
			needs = append(needs, id)
		}
	}
	return needs, nil
}

// fieldsOf splits a text at commas and blanks.
func fieldsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t", r) })
}

// validID matches ids of at most 80 bytes. An id names a file, a directory and a branch.
// unusableID matches those that git refuses or that lead out of a directory.
var (
	validID    = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]{0,79}$`)
	unusableID = regexp.MustCompile(`(?i)\.\.|\.$|\.lock$`)
)

// checkID returns an error unless id can be the name of a file and of a git branch,
// and cannot lead out of a directory.
func checkID(id string) error {
	if !validID.MatchString(id) || unusableID.MatchString(id) {
		return fmt.Errorf("invalid id %q; want letters, digits, - and _", markdown.Shorten(id))
	}
	return nil
}

const idLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// withComment returns the text with a comment at its end.
func (d document) withComment(at time.Time, s Status, note string) string {
	return d.WithParagraph(heading(at, s) + "\n\n" + note)
}

// heading is the first line of a comment.
func heading(at time.Time, s Status) string {
	return fmt.Sprintf("## %s: %s", at.UTC().Format("2006-01-02 15:04 MST"), strings.ReplaceAll(string(s), "_", " "))
}

// endsWith reports whether the last comment is this note, or the note is empty.
func (d document) endsWith(note string) bool {
	if note == "" {
		return true
	}
	text, ok := strings.CutSuffix(d.Body(), "\n\n"+note)
	heading := text[strings.LastIndexByte(text, '\n')+1:]
	return ok && strings.HasPrefix(heading, "## ")
}

// asText returns s as text that a file can hold: valid UTF-8, \n line endings, no
// NUL.
func asText(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\r\n", "\n")
	return strings.TrimSpace(strings.NewReplacer("\x00", "\ufffd", "\r", "\n").Replace(s))
}

// maxNote is how many bytes of a comment are kept. A longer comment is cut, so
// that its writer does not fail.
const maxNote = 32 << 10

// asNote returns s as the text of a comment, cut to maxNote bytes.
func asNote(s string) string {
	if len(s) > maxNote {
		s = strings.ToValidUTF8(s[:maxNote], "") + "\n\n… (the rest was cut)"
	}
	return asText(s)
}

// maxTitle is how many characters a title may have.
const maxTitle = 250

// titleOf returns a draft's title in one line. An empty or too long title is an
// error.
func titleOf(draft string) (string, error) {
	title := text.Fold(asText(draft))
	if title == "" {
		return "", errors.New("an issue needs a title")
	}
	if n := utf8.RuneCountInString(title); n > maxTitle {
		return "", fmt.Errorf(
			"a title has at most %d characters, this one has %d; put the rest into the body", maxTitle, n,
		)
	}
	return title, nil
}

// compose writes the file of a new issue from a checked draft.
func compose(d Draft, at time.Time) (string, error) {
	if d.Priority == 0 {
		d.Priority = defaultPriority
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
		text = head + "\n## Description\n\n" + d.Body + "\n" // the body begins like a field
	}
	_, err := parse(text)
	return text, err
}
