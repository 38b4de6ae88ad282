package terminal

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/wire"
)

// Wall shows what a wall allows. Of its paths it lists those that are there.
func Wall(p *Page, w wire.Wall, isThere func(path string) bool) {
	rows := func(title string, all []wire.WallRow) { wallRows(p, title, all, isThere) }
	if w.Missing != "" {
		p.Line("%s", p.Paint(Yellow, w.Missing))
		return
	}
	p.Line("%s, Landlock ABI %d", p.Paint(Bold, "wall "+w.Mode), w.ABI)
	rows("may write:", w.Write)
	title, isStrict := "can read although it is hidden:", w.Mode == "strict"
	if isStrict {
		title = "can read, and nothing else:"
	}
	rows(title, w.Read)
	rows("cannot read:", w.Hidden)
	rows("cannot write, wherever it works:", w.Closed)
	p.Line("")
	for _, gap := range w.Gaps {
		p.Line("%s", OneLine(gap, 200))
	}
	if !isStrict {
		p.Line("ls ~ fails, new entries of the home are not seen until the next turn, names and sizes stay visible,")
		p.Line("secrets inside the project are not hidden")
	}
}

func wallRows(p *Page, title string, rows []wire.WallRow, isThere func(path string) bool) {
	if len(rows) == 0 {
		return
	}
	p.Line("")
	p.Line("%s", p.Paint(Bold, title))
	var shown [][]string
	for _, r := range rows {
		if isThere(r.Path) {
			shown = append(shown, []string{p.Path(r.Path), p.Paint(Dim, OneLine(r.Why, 80))})
		}
	}
	p.Table(shown)
	if left := len(rows) - len(shown); left > 0 {
		p.Line("%s", p.Paint(Dim, fmt.Sprintf("and %d more that are not on this machine", left)))
	}
}
