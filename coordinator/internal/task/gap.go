package task

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
	"github.com/afar-sh/afar/coordinator/text"
)

// A Gap is something that kept an agent from doing well: a section of gaps.md.
type Gap struct {
	N       int // its place in the file, from 1
	Date    string
	Title   string
	Status  GapStatus
	Problem string
	Impact  string
	Fix     string // what is suggested
	Source  string
}

// A GapStatus says whether the person has dealt with a gap.
type GapStatus string

// The statuses of a gap.
const (
	GapOpen     GapStatus = "open"
	GapResolved GapStatus = "resolved"
	GapIgnored  GapStatus = "ignored"
)

// maxGap bounds each part of a gap, in characters.
const maxGap = 500

// gapHeading is the heading of a gap: `DATE: title [RESOLVED]`. The date may be absent.
var gapHeading = regexp.MustCompile(`^(?:(\d{4}-\d{2}-\d{2}):\s*)?(.*?)\s*(?i:\[(RESOLVED|IGNORED)\])?$`)

// ParseGaps returns the gaps of a file, in its order. A section with no title is none.
func ParseGaps(file string) (gaps []Gap) {
	for _, section := range markdown.Sections(file) {
		if g, ok := gapOf(section); ok {
			g.N = len(gaps) + 1
			gaps = append(gaps, g)
		}
	}
	return gaps
}

func gapOf(section markdown.Section) (g Gap, ok bool) {
	m := gapHeading.FindStringSubmatch(strings.TrimSpace(section.Heading))
	if section.Heading == "" || m == nil || m[2] == "" {
		return g, false
	}
	g = Gap{Date: m[1], Title: m[2], Status: GapOpen}
	if m[3] != "" {
		g.Status = GapStatus(strings.ToLower(m[3]))
	}
	g.Problem, _ = lineOf(section.Text, "Problem")
	g.Impact, _ = lineOf(section.Text, "Impact")
	g.Fix, _ = lineOf(section.Text, "Suggestion")
	g.Source, _ = lineOf(section.Text, "Source")
	return g, true
}

// AddGap returns the file with one more gap at its end, and the number of that gap. A gap with
// the same title is not added again: the file stays as it is, and known is true.
func AddGap(file string, g Gap) (_ string, n int, known bool) {
	all := ParseGaps(file)
	for _, old := range all {
		if sameTitle(old.Title, g.Title) {
			return file, old.N, true
		}
	}
	out := ending(file)
	if out == "" {
		out = "# Gaps\n"
	}
	line := func(s string) string { return text.Clip(text.Fold(s), maxGap) }
	out += fmt.Sprintf("\n## %s: %s\n", g.Date, gapTitle(g.Title))
	for _, part := range []struct{ name, text string }{
		{"Problem", g.Problem}, {"Impact", g.Impact}, {"Suggestion", g.Fix}, {"Source", g.Source},
	} {
		if value := line(part.text); value != "" {
			out += "- " + part.name + ": " + value + "\n"
		}
	}
	return out, len(all) + 1, false
}

// gapTitle returns a title that cannot look like a tag.
func gapTitle(title string) string {
	title = text.Clip(text.Fold(title), maxSuggestionTitle)
	return strings.TrimSpace(strings.NewReplacer("[", "(", "]", ")").Replace(title))
}

// SetGap returns the file with another status of the gap n. ok is false if there is no such gap.
// Everything else stays byte for byte.
func SetGap(file string, n int, status GapStatus) (_ string, ok bool) {
	count := 0
	for _, section := range markdown.Sections(file) {
		if _, is := gapOf(section); !is {
			continue
		}
		if count++; count != n {
			continue
		}
		heading := gapTag.ReplaceAllString(section.Heading, "")
		if status != GapOpen {
			heading += " [" + strings.ToUpper(string(status)) + "]"
		}
		return section.WithHeading(file, heading), true
	}
	return file, false
}

// gapTag is the mark of a gap that the person has dealt with.
var gapTag = regexp.MustCompile(`(?i)\s*\[(RESOLVED|IGNORED)\]\s*$`)
