package terminal

import (
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Firings lists what was due, what fired and what was missed.
func Firings(p *Page, in wire.TriggerLogReply) {
	if len(in.Firings) == 0 {
		p.Line("Nothing has been due yet.")
		return
	}
	var rows [][]string
	for _, f := range in.Firings {
		t := view.Firing(f)
		rows = append(rows, []string{
			p.Paint(Dim, moment(f.At)), p.Paint(Bold, OneLine(f.Trigger, 40)),
			p.Tone(t.Mark.Tone, OneLine(f.State, 10)), p.said(t.Columns[0], 120),
		})
	}
	p.Table(rows)
}

// TriggerTest shows what a trigger would send.
func TriggerTest(p *Page, t wire.TriggerTestReply) {
	if t.Fires {
		p.Line("%s to %s:", p.Paint(Green, "Would send"), OneLine(t.To, 80))
	} else {
		p.Line("%s: %s. The text would go to %s:", p.Paint(Yellow, "Would send nothing"), OneLine(t.Why, 200),
			OneLine(t.To, 80))
	}
	p.Line("")
	p.Block(t.Text)
}
