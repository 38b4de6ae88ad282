package terminal

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Results shows what a search of the memory found.
func Results(p *Page, results []wire.MemoryResult) {
	if len(results) == 0 {
		p.Line("Nothing found.")
		return
	}
	for _, r := range results {
		p.Line("%s  %s  %s", p.Paint(Bold, OneLine(r.Title, 80)), OneLine(wording.MemoryPlace(r), 120),
			p.Paint(Dim, day(r.At)))
		if r.Text != "" {
			p.Line("  %s", OneLine(r.Text, 160))
		}
	}
}

// Facts lists facts, and the files that cannot be read as one.
func Facts(p *Page, in wire.MemoryReply) {
	if len(in.Facts)+len(in.Broken) == 0 {
		p.Line("No facts. Add one: afar memory add TITLE -m TEXT")
		return
	}
	var rows [][]string
	for _, f := range in.Facts {
		rows = append(rows, []string{p.Paint(Bold, OneLine(f.ID, 60)), OneLine(f.Title, 80),
			p.Paint(Dim, OneLine(wording.FactNote(f), 100))})
	}
	p.Table(rows)
	for _, f := range in.Broken {
		p.Line("%s", p.Paint(Red, fmt.Sprintf("%s:%d: %s", OneLine(f.File, 100), f.Line, OneLine(f.Text, 200))))
	}
}

// Findings shows what is wrong with the memory.
func Findings(p *Page, all []wire.Finding) {
	if len(all) == 0 {
		p.Line("Memory is in order.")
	}
	for _, f := range all {
		p.Line("%s:%d: %s: %s", OneLine(f.File, 100), f.Line, p.Paint(Yellow, OneLine(f.Kind, 20)), OneLine(f.Text, 200))
	}
}

// Day shows what was written down on a day.
func Day(p *Page, in wire.MemoryDayReply) {
	if len(in.Entries) == 0 {
		p.Line("Nothing was written down on %s.", in.Date)
		if len(in.Days) > 0 {
			p.Line("The last day with entries: afar journal %s", in.Days[0])
		}
		return
	}
	p.Line("%s", p.Paint(Bold, in.Date))
	for _, e := range in.Entries {
		p.Line("")
		p.Line("%s  %s", p.Paint(Bold, OneLine(e.Heading, 200)), p.Paint(Dim, OneLine(e.Source, 80)))
		if e.Text != "" {
			p.Block(e.Text)
		}
	}
}
