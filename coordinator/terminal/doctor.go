package terminal

import "github.com/afar-sh/afar/coordinator/wire"

// Checks shows what was checked, with what mends it.
func Checks(p *Page, found wire.DoctorReply) {
	var rows [][]string
	for _, f := range found.Checks {
		rows = append(rows, []string{p.Mark(f.State), OneLine(f.ID, 40), OneLine(f.Text, 500)})
		if f.Fix != "" && f.State != "ok" {
			rows = append(rows, []string{"", "", p.Paint(Dim, "→ "+OneLine(f.Fix, 300))})
		}
	}
	p.Table(rows)
}
