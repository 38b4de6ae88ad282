package terminal

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/view"
)

// inks are the colours of tones.
var inks = map[view.Tone]Ink{view.Muted: Dim, view.Good: Green, view.Ask: Yellow, view.Bad: Red}

// Tone returns a text in the colour of a tone.
func (p *Page) Tone(t view.Tone, s string) string { return p.Paint(inks[t], s) }

// List lists the things of a noun: the name, the state and what each is, then the title, and below that what else
// is to know. Where there is none, it says what one is.
func List(p *Page, n view.Noun, all []view.Thing) {
	if len(all) == 0 {
		p.Line("%s", strings.ReplaceAll(n.Empty, "`", ""))
		return
	}
	var rows [][]string
	for _, t := range all {
		var row []string
		if t.ID != "" {
			row = []string{p.Paint(Bold, strings.Repeat("  ", t.Level)+p.link(t.URL, OneLine(t.ID, 40)))}
		}
		row = append(row, p.Tone(t.Mark.Tone, OneLine(t.State, 60)))
		for _, column := range t.Columns {
			row = append(row, p.said(column, 80))
		}
		switch {
		case n.Inner:
			rows = append(rows, append(row, OneLine(t.Title, 80)))
		case t.Title == t.ID:
			rows = append(rows, row)
		default:
			rows = append(rows, row, []string{OneLine(t.Title, 120)})
		}
		for _, more := range p.beneath(n, t) {
			rows = append(rows, []string{more})
		}
	}
	p.Table(rows)
}

// beneath returns the lines below a thing in a list.
func (p *Page) beneath(n view.Noun, t view.Thing) (lines []string) {
	if t.About != "" {
		lines = append(lines, p.Paint(Dim, OneLine(t.About, 120)))
	}
	for _, note := range t.Notes {
		ink := Dim
		if note.Tone == view.Bad {
			ink = Red
		}
		lines = append(lines, p.Paint(ink, strings.TrimPrefix(note.Name+": ", ": ")+p.said(note.Line, 160)))
	}
	for _, d := range t.Deeds {
		if d.Look != "" {
			show := "afar " + n.Name + " show " + OneLine(t.ID, 40)
			lines = append(lines, p.Paint(Dim, d.Look+": "+show+", then: "+OneLine(d.Command, 160)))
		}
	}
	return lines
}

// Thing shows one thing whole.
func Thing(p *Page, t view.Thing) {
	p.Line("%s  %s", p.Paint(Bold, OneLine(t.ID, 100)), p.Tone(t.Mark.Tone, OneLine(t.State, 60)))
	var rows [][]string
	if t.Title != t.ID {
		rows = append(rows, []string{OneLine(t.Title, 200)})
	}
	for _, r := range append(t.Details, t.Notes...) {
		rows = append(rows, []string{r.Name, p.Tone(r.Tone, p.said(r.Line, 300))})
	}
	p.Table(rows)
	for _, text := range append([]view.Text{{Body: t.About}}, t.Texts...) {
		if text.Body != "" {
			p.Line("%s", p.Paint(Bold, text.Title))
			p.Block(text.Body)
		}
	}
	if len(t.Foot) > 0 {
		p.Line("%s", p.said(t.Foot, 300))
	}
}

// said returns a line in at most most characters.
func (p *Page) said(l view.Line, most int) string {
	var words []string
	for _, s := range l {
		switch {
		case s.Day:
			words = append(words, day(s.At))
		case s.Ago:
			words = append(words, p.ago(s.At))
		case s.Left:
			words = append(words, p.left(s.At))
		case s.At != 0:
			words = append(words, moment(s.At))
		case s.Path:
			words = append(words, p.Path(s.Text))
		default:
			words = append(words, OneLine(s.Text, most))
		}
	}
	return OneLine(view.Join(words), most)
}

// rows shows rows, their names in one column.
func (p *Page) rows(rows []view.Row) {
	for _, r := range rows {
		p.Line("  %-7s %s", r.Name, p.Tone(r.Tone, p.said(r.Line, 300)))
	}
}
