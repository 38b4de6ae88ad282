package terminal

import "github.com/afar-sh/afar/coordinator/wire"

// Undos shows the snapshots that can be brought back.
func Undos(p *Page, in wire.UndosReply) {
	if len(in.Undos) == 0 {
		p.Line("Nothing to undo: no snapshot of the last 24 hours.")
		return
	}
	for _, u := range in.Undos {
		p.Line("%s  %s  %s  %s", p.Paint(Bold, OneLine(u.ID, 80)), OneLine(u.Token, 40), p.ago(u.TakenAt),
			p.Paint(Dim, "until "+p.Clock(u.EndsAt)))
		p.Line("    %s %s", OneLine(u.Tool, 30), OneLine(u.Input, 160))
		p.Line("    keeps %s", OneLine(u.Holds, 200))
		for _, text := range u.Notes {
			p.Line("    %s", p.Paint(Yellow, OneLine(text, 400)))
		}
	}
	p.Line("Bring one back: afar undo ID")
}
