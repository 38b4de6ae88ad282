package main

import "github.com/afar-sh/afar/coordinator/wire"

// renderCheckIn shows a session that stopped, and the command that makes it continue.
func renderCheckIn(p *page, q wire.Ask, id string) {
	p.line("%s  %s stopped and says, %s", p.paint(bold, id), oneLine(q.Token, 40), p.ago(q.OpenedAt))
	p.block(q.Input)
	p.line("  in      %s", p.path(q.Project))
	switch {
	case q.State == "open":
		p.line("  go on   %s", ways(q, id))
	case q.By != "":
		p.line("  answered by %s: %s", oneLine(q.By, 60), oneLine(q.Outcome, 100))
	}
}
