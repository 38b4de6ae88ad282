// Package memory reads and changes what agents and the person keep for later: facts, one
// markdown file each, and the journal of each day. It ranks the lines of documents for a
// question. What it does not know of a file stays byte for byte. The package does no I/O.
package memory

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
	"github.com/afar-sh/afar/coordinator/text"
)

// The form of a fact, which a person edits by hand:
//
//	# Deploys go through staging
//
//	- type: decision
//	- tags: deploy, servers
//	- from: 2026-11-23
//	- until: 2027-03-01
//	- source: run:deps
//
//	Ann decided it after the outage of Monday.
//
// Only the title is required. Below a heading Earlier stands what was true before, the newest
// first.

// The names of the fields.
const (
	fieldType   = "type"
	fieldTags   = "tags"
	fieldFrom   = "from"
	fieldUntil  = "until"
	fieldSource = "source"
)

var form = markdown.Form{
	Noun:     "a fact",
	Fields:   []string{fieldType, fieldTags, fieldFrom, fieldUntil, fieldSource},
	MaxBytes: MaxFact,
}

// Bounds of a fact, in bytes.
const (
	MaxFact  = 256 << 10 // of its file
	maxTitle = 200
	maxText  = 16 << 10 // of a text that is added
	maxName  = 100
)

// earlier is the heading above what was true before.
const earlier = "Earlier"

// A Name names a fact; its file is NAME.md.
type Name string

// CheckName returns an error if no fact can have this name. A name is safe as that of a file.
func CheckName(name string) error {
	odd := func(r rune) bool { return r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) || r == utf8.RuneError }
	switch {
	case name == "", len(name) > maxName, name[0] == '.', strings.ContainsFunc(name, odd):
		return fmt.Errorf("unknown form of fact %.60q; want the name of a file without its .md, at most %d bytes", name,
			maxName)
	case strings.EqualFold(name, "index"):
		return fmt.Errorf("no fact is named %s: INDEX.md is the list of all", name)
	}
	return nil
}

// A Fact is what one file says.
type Fact struct {
	Name   Name
	Title  string
	Type   string
	Tags   []string
	From   time.Time // the day since when it is true, zero where the file does not say
	Until  time.Time // the last day on which it is true, zero for no end
	Source string    // who said it
	Text   string    // without what was true before
	Line   int       // of the file at which Text begins, counted from 1

	former string // the text below the heading Earlier
	doc    markdown.Document
	keys   keys // of what was parsed
}

// Parse reads the file of a fact. An error names its line; the fact then holds what was read
// before it.
func Parse(name Name, raw string) (f Fact, err error) {
	f = Fact{Name: name}
	if f.doc, err = form.Parse(raw); err != nil {
		return f, err
	}
	f.Title = f.doc.Title
	for _, field := range f.doc.Fields {
		if err := f.set(field); err != nil {
			return f, err
		}
	}
	f.Text, f.former = cutEarlier(f.doc.Body())
	f.Line = f.doc.BodyLine()
	f.keys = f.keysNow()
	return f, nil
}

// keys are what a fact is compared by. To make them takes longer than to read the file.
type keys struct {
	content, subject string
	seen             []string
}

func (f Fact) keysNow() keys {
	return keys{
		content: digest(sorted(stem, f.Title+"\n"+f.Text)),
		subject: sorted(stem, f.Title),
		seen:    append(f.seenBy(stem), f.seenBy(plain)...),
	}
}

// seenBy returns digests of what f says and said, and of its subject, by the stems of a stemmer.
func (f Fact) seenBy(stem func(string) string) (seen []string) {
	for _, text := range append([]string{f.Text}, f.formerTexts()...) {
		seen = append(seen, "content:"+digest(sorted(stem, f.Title+"\n"+text)))
	}
	if subject := sorted(stem, f.Title); subject != "" {
		seen = append(seen, "subject:"+digest(subject))
	}
	return seen
}

// keysOf returns the keys of f. Those that Parse has made are taken from there.
func (f Fact) keysOf() keys {
	if f.keys.content != "" {
		return f.keys
	}
	return f.keysNow()
}

// earlierLine is the heading above what was true before, and formerLine the heading of each
// text below it.
var (
	earlierLine = regexp.MustCompile(`(?m)^## Earlier[ \t]*$`)
	formerLine  = regexp.MustCompile(`(?m)^### `)
)

// cutEarlier cuts a body at its heading Earlier.
func cutEarlier(body string) (now, before string) {
	at := earlierLine.FindStringIndex(body)
	if at == nil {
		return body, ""
	}
	return strings.TrimRight(body[:at[0]], "\n"), strings.Trim(body[at[1]:], "\n")
}

func (f *Fact) set(field markdown.Field) (err error) {
	switch field.Name {
	case fieldType:
		f.Type = field.Value
	case fieldTags:
		f.Tags = tagsOf(field.Value)
	case fieldSource:
		f.Source = field.Value
	case fieldFrom:
		f.From, err = dayOf(field)
	case fieldUntil:
		f.Until, err = dayOf(field)
	}
	return err
}

func tagsOf(list string) (tags []string) {
	for tag := range strings.SplitSeq(list, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// dayOf reads the date of a field. An empty one is no date.
func dayOf(field markdown.Field) (time.Time, error) {
	if field.Value == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, field.Value)
	if err != nil {
		return day, markdown.Errorf(field.Line, "unknown date %q; want YYYY-MM-DD", markdown.Shorten(field.Value))
	}
	return day, nil
}

// Over reports whether f was true until a day before today.
func (f Fact) Over(today time.Time) bool {
	return !f.Until.IsZero() && today.After(f.Until.Add(24*time.Hour-1))
}

// first returns the first line of the text that says something.
func (f Fact) first() string {
	for line := range strings.Lines(f.Text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// content returns a digest of what f says. It stays the same when only the order of words,
// their endings or the signs between them change.
func (f Fact) content() string { return f.keysOf().content }

// sorted returns the terms of a text in order of the alphabet, each once.
func sorted(stem func(string) string, text string) string {
	terms := termsBy(stem, text)
	slices.Sort(terms)
	return strings.Join(slices.Compact(terms), " ")
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// subject returns what f is about: facts with the same subject that are true at the same time
// and say different things contradict each other.
func (f Fact) subject() string { return f.keysOf().subject }

// Searched returns what a search looks at, line by line as in the file, without the title, the
// fields, and what was true before.
func (f Fact) Searched() string { return strings.Repeat("\n", f.Line-1) + f.Text }

// Words returns further words by which f is found.
func (f Fact) Words() string { return f.Type + " " + strings.Join(f.Tags, " ") }

// File returns the whole text of the file that f was read from.
func (f Fact) File() string { return f.doc.Text }

// WasChanged reports whether f said something else before.
func (f Fact) WasChanged() bool { return f.former != "" }

// markdown returns the file of a new fact. It refuses texts that could not be read back.
func (f Fact) markdown() (string, error) {
	f.Title, f.Text = tidyTitle(f.Title), plainText(f.Text)
	if err := f.Check(); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# " + f.Title + "\n\n")
	for _, field := range f.fields() {
		if value := text.Fold(field[1]); value != "" {
			b.WriteString("- " + field[0] + ": " + value + "\n")
		}
	}
	if f.Text != "" {
		b.WriteString("\n" + f.Text + "\n")
	}
	if _, err := Parse(f.Name, b.String()); err != nil {
		return "", fmt.Errorf("the text cannot be kept as a fact: %w", err)
	}
	return b.String(), nil
}

// Check returns an error if f is no fact to add.
func (f Fact) Check() error {
	switch {
	case f.Title == "":
		return fmt.Errorf("a fact needs a title")
	case len(f.Title) > maxTitle:
		return fmt.Errorf("a title has at most %d bytes, not %d; write the rest into the text", maxTitle, len(f.Title))
	case len(f.Text) > maxText:
		return fmt.Errorf("the text of a fact has at most %d bytes, not %d", maxText, len(f.Text))
	}
	return nil
}

func (f Fact) fields() [][2]string {
	return [][2]string{
		{fieldType, f.Type},
		{fieldTags, strings.Join(f.Tags, ", ")},
		{fieldFrom, date(f.From)},
		{fieldUntil, date(f.Until)},
		{fieldSource, f.Source},
	}
}

func date(day time.Time) string {
	if day.IsZero() {
		return ""
	}
	return day.Format(time.DateOnly)
}

// visible returns a text without the signs that no file of text has.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
}

// plainText returns a text without a heading that Afar reads.
func plainText(s string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(visible(s)), "\n") {
		line = strings.TrimRight(line, " \t")
		if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "### ") {
			line = `\` + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// changed returns the file of f with the text, the day and the source of a newer fact about the
// same subject. The former text stays below the heading Earlier.
func (f Fact) changed(newer Fact) (string, error) {
	if newer.Text = plainText(newer.Text); len(newer.Text) > maxText {
		return "", fmt.Errorf("the text of a fact has at most %d bytes, not %d", maxText, len(newer.Text))
	}
	heading := "### Until " + cmp.Or(date(newer.From), "a change")
	if f.Source != "" {
		heading += " (" + f.Source + ")"
	}
	body := []string{newer.Text, "## " + earlier, heading, f.Text, f.former}
	body = slices.DeleteFunc(body, func(part string) bool { return part == "" })
	raw := f.doc.WithBody(strings.Join(body, "\n\n"))
	for _, field := range newer.fields() {
		next, err := form.Parse(raw)
		if err != nil {
			return "", fmt.Errorf("change %s: %w", f.Name, err)
		}
		if value := text.Fold(field[1]); value != "" {
			raw = next.WithField(field[0], value)
		}
	}
	_, err := Parse(f.Name, raw)
	return raw, err
}

// formerTexts returns what f said before, the newest first.
func (f Fact) formerTexts() (texts []string) {
	for _, part := range formerLine.Split(f.former, -1) {
		if _, said, ok := strings.Cut(part, "\n"); ok {
			texts = append(texts, strings.TrimSpace(said))
		}
	}
	return texts
}

// tidyTitle returns a title in one line.
func tidyTitle(title string) string { return text.Fold(strings.TrimLeft(visible(title), "# ")) }
