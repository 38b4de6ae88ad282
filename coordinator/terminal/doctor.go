package terminal

import "github.com/afar-sh/afar/coordinator/wire"

// Checks shows what was checked, with what mends it.
func Checks(p *Page, found wire.DoctorReply) {
	checks(p, found.Checks, true)
}

// checks prints findings, each with its id where that says more than the heading.
func checks(p *Page, all []wire.Check, isNamed bool) {
	var rows [][]string
	for _, f := range all {
		row, fix := []string{p.Mark(f.State)}, []string{""}
		if isNamed {
			row, fix = append(row, OneLine(f.ID, 40)), append(fix, "")
		}
		rows = append(rows, append(row, OneLine(f.Text, 500)))
		if f.Fix != "" && f.State != "ok" {
			rows = append(rows, append(fix, p.Paint(Dim, "→ "+OneLine(f.Fix, 300))))
		}
	}
	p.Table(rows)
}
