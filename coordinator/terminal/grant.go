package terminal

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/wire"
)

// Grants shows the standing permissions.
func Grants(p *Page, in wire.GrantsReply) {
	if len(in.Grants) == 0 {
		p.Line("No standing permissions.")
		return
	}
	for _, g := range in.Grants {
		ends := "ends " + p.left(g.ExpiresAt)
		if len(g.Files) > 0 {
			ends = "always: kept by Claude Code in " + p.Path(strings.Join(g.Files, ", "))
		}
		p.Line("%s  %s  by %s, %s", p.Paint(Bold, OneLine(g.ID, 80)), OneLine(g.Token, 40), OneLine(g.By, 60), ends)
		for _, text := range g.Permits {
			p.Line("    %s", OneLine(text, 200))
		}
	}
	p.Line("Take one back: afar revoke ID")
}
