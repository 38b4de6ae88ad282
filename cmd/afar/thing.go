package main

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/view"
)

// inks are the colours of tones.
var inks = map[view.Tone]ink{view.Muted: dim, view.Good: green, view.Ask: yellow, view.Bad: red}

// things lists the things of a noun: the name, the state and what each is, then the title, and below that what else
// is to know.
func things[T any](p *page, n view.Noun, all []T, thing func(T) view.Thing) {
	if len(all) == 0 {
		p.line("%s", strings.ReplaceAll(n.Empty, "`", ""))
		return
	}
	var rows [][]cell
	for _, one := range all {
		t := thing(one)
		var row []cell
		if t.ID != "" {
			row = []cell{{strings.Repeat("  ", t.Level) + p.link(t.URL, oneLine(t.ID, 40)), bold}}
		}
		row = append(row, cell{oneLine(t.State, 60), inks[t.Mark.Tone]})
		for _, column := range t.Columns {
			row = append(row, plain(p.said(column, 80)))
		}
		switch {
		case n.Inner:
			rows = append(rows, append(row, plain(oneLine(t.Title, 80))))
		case t.Title == t.ID:
			rows = append(rows, row)
		default:
			rows = append(rows, row, []cell{plain(oneLine(t.Title, 120))})
		}
		for _, more := range p.beneath(n, t) {
			rows = append(rows, []cell{more})
		}
	}
	p.table(rows)
}

// beneath returns the lines below a thing in a list.
func (p *page) beneath(n view.Noun, t view.Thing) (lines []cell) {
	if t.About != "" {
		lines = append(lines, cell{oneLine(t.About, 120), dim})
	}
	for _, note := range t.Notes {
		ink := dim
		if note.Tone == view.Bad {
			ink = red
		}
		lines = append(lines, cell{strings.TrimPrefix(note.Name+": ", ": ") + p.said(note.Line, 160), ink})
	}
	for _, d := range t.Deeds {
		if d.Look != "" {
			show := "afar " + n.Name + " show " + oneLine(t.ID, 40)
			lines = append(lines, cell{d.Look + ": " + show + ", then: " + oneLine(d.Command, 160), dim})
		}
	}
	return lines
}

// thing shows one thing whole.
func (p *page) thing(t view.Thing) {
	p.line("%s  %s", p.paint(bold, oneLine(t.ID, 100)), p.paint(inks[t.Mark.Tone], oneLine(t.State, 60)))
	var rows [][]cell
	if t.Title != t.ID {
		rows = append(rows, []cell{plain(oneLine(t.Title, 200))})
	}
	for _, r := range append(t.Details, t.Notes...) {
		rows = append(rows, []cell{plain(r.Name), {p.said(r.Line, 300), inks[r.Tone]}})
	}
	p.table(rows)
	for _, text := range append([]view.Text{{Body: t.About}}, t.Texts...) {
		if text.Body != "" {
			p.line("%s", p.paint(bold, text.Title))
			p.block(text.Body)
		}
	}
	if len(t.Foot) > 0 {
		p.line("%s", p.said(t.Foot, 300))
	}
}

// said returns a line in at most most characters.
func (p *page) said(l view.Line, most int) string {
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
			words = append(words, p.path(s.Text))
		default:
			words = append(words, oneLine(s.Text, most))
		}
	}
	return oneLine(view.Join(words), most)
}
