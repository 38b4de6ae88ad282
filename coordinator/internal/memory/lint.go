package memory

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
)

// A Finding is something in memory that a person should look at.
type Finding struct {
	File string // the file below memory/
	Line int
	Kind string // broken, contradiction, over, duplicate or link
	Text string
}

// Lint returns what is wrong with facts on a day, by file.
func Lint(facts []Fact, broken []Broken, today time.Time) (found []Finding) {
	for _, f := range broken {
		found = append(found, Finding{File: string(f.Name) + ".md", Line: faultLine(f.Err), Kind: "broken",
			Text: faultText(f.Err)})
	}
	rivals := Rivals(facts)
	first := map[string]Name{} // by content
	for _, f := range Newest(facts) {
		add := func(line int, kind, format string, args ...any) {
			found = append(found, Finding{File: string(f.Name) + ".md", Line: line, Kind: kind,
				Text: fmt.Sprintf(format, args...)})
		}
		if f.Over(today) {
			add(f.lineOf(fieldUntil), "over", "it was true until %s; change it, or move it to archive/", date(f.Until))
		}
		if by := rivals[f.Name]; by != "" {
			add(1, "contradiction", "%s.md has the same subject, is newer and says otherwise", by)
		}
		if same, ok := first[f.content()]; ok {
			add(1, "duplicate", "it says the same as %s.md", same)
		} else {
			first[f.content()] = f.Name
		}
		for _, l := range f.deadLinks(facts) {
			add(l.line, "link", "it refers to %s.md, which is not there", l.to)
		}
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return strings.Compare(a.File, b.File) })
	return found
}

// Fault returns what is wrong in the text of a fact, with its line; "" if err says something else.
func Fault(err error) string {
	var fault markdown.Error
	if errors.As(err, &fault) {
		return fault.Error()
	}
	return ""
}

func faultLine(err error) int {
	var fault markdown.Error
	if errors.As(err, &fault) {
		return fault.Line
	}
	return 1
}

func faultText(err error) string {
	var fault markdown.Error
	if errors.As(err, &fault) {
		return fault.Text
	}
	return err.Error()
}

func (f Fact) lineOf(field string) int {
	if found, ok := f.doc.Field(field); ok {
		return found.Line
	}
	return 1
}

// A reference is a mention of another fact.
type reference struct {
	to   string
	line int
}

// mention finds [[name]] and links to name.md in the same directory.
var mention = regexp.MustCompile(`\[\[([^\[\]|#]+)(?:[|#][^\[\]]*)?\]\]|\]\(([^()/:]+)\.md\)`)

func (f Fact) deadLinks(facts []Fact) (dead []reference) {
	for i, line := range strings.Split(f.Text, "\n") {
		for _, m := range mention.FindAllStringSubmatch(line, -1) {
			to := strings.ReplaceAll(strings.TrimSpace(m[1]+m[2]), "%20", " ")
			exists := func(other Fact) bool { return strings.EqualFold(string(other.Name), to) }
			if !slices.ContainsFunc(facts, exists) {
				dead = append(dead, reference{to: to, line: f.Line + i})
			}
		}
	}
	return dead
}
