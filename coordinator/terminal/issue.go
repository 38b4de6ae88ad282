package terminal

import (
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Issues lists issues. Where there is none, it says so with the words in none.
func Issues(p *Page, all []wire.Issue, none string) {
	if len(all) == 0 {
		p.Line("%s", none)
	}
	p.Table(view.Each(all, p.issueRow))
}

// issueRow returns one line of a list: priority, id, title, and what is unusual about
// the issue.
func (p *Page) issueRow(one wire.Issue) []string {
	priority := fmt.Sprintf("P%d", one.Priority)
	if one.Priority == 1 {
		priority = p.Paint(Red, priority)
	}
	row := []string{priority, p.Paint(Bold, OneLine(one.ID, 40)), OneLine(one.Title, 70)}
	switch {
	case one.Broken != "":
		return append(row, p.Paint(Red, OneLine(one.Broken, 300)))
	case one.Status != "open":
		row = append(row, p.Paint(Yellow, statusWords(one.Status)))
	case len(one.Waits) > 0:
		row = append(row, p.Paint(Dim, "waits for "+OneLine(strings.Join(one.Waits, ", "), 120)))
	}
	return row
}

func statusWords(status string) string { return strings.ReplaceAll(OneLine(status, 40), "_", " ") }

// IssueLine names an issue after what was done with it, and below that its file.
func IssueLine(p *Page, done string, one wire.Issue) {
	p.Line("%s%s  %s", done, p.Paint(Bold, OneLine(one.ID, 80)), OneLine(one.Title, 200))
	if one.Path != "" {
		p.Line("%s", p.Paint(Dim, OneLine(one.Path, 200)))
	}
}

// Issue shows an issue whole.
func Issue(p *Page, one wire.Issue) {
	p.Line("%s  %s", p.Paint(Bold, OneLine(one.ID, 80)), p.Paint(Bold, OneLine(one.Title, 300)))
	facts := text.Series(" · ", fmt.Sprintf("P%d", one.Priority), statusWords(one.Status),
		text.Only(one.CreatedAt != 0, "made "+p.ago(one.CreatedAt)), OneLine(one.Path, 200))
	p.Line("%s", p.Paint(Dim, facts))
	if len(one.Needs) > 0 {
		p.Line("needs %s%s", OneLine(strings.Join(one.Needs, ", "), 500), waiting(one))
	}
	if one.Broken != "" {
		p.Line("%s", p.Paint(Red, OneLine(one.Broken, 500)))
	}
	if one.Body != "" {
		p.Line("")
		p.Whole(one.Body)
	}
}

func waiting(one wire.Issue) string {
	switch len(one.Waits) {
	case 0:
		return " (all over)"
	case len(one.Needs):
		return ""
	}
	return "; waits for " + OneLine(strings.Join(one.Waits, ", "), 500)
}
