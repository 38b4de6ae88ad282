package telegram

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/wire"
)

// saidGrants shows the standing permissions.
func (l *link) saidGrants(string, wire.GrantsReply) (said, error) {
	list := l.grantList()
	return said{show: &list}, nil
}

// grantList shows the standing permissions, each with the button that ends it.
func (l *link) grantList() rendered {
	return renderGrants(l.cfg.Core.Grants(), func(g grant.Grant) string {
		v, _ := l.cfg.Core.Session(string(g.Session)) // an unknown session has an empty token
		return v.Token
	})
}

// grants carries out a core.GrantList.
func (l *link) grants(ctx context.Context, raw string) error {
	var list core.GrantList
	if err := json.Unmarshal([]byte(raw), &list); err != nil {
		return core.GiveUp(err)
	}
	return l.edit(ctx, list.Message, l.grantList())
}

// maxGrants is how many permissions one message shows. The oldest come first, because
// people are most likely to have forgotten them.
const maxGrants = 15

// renderGrants shows the standing permissions, each with the button that ends it.
func renderGrants(all []grant.Grant, token func(grant.Grant) string) rendered {
	if len(all) == 0 {
		return rendered{html: "🔑 No standing permissions."}
	}
	var b strings.Builder
	b.WriteString("🔑 Allowed without asking:\n")
	var rows [][]button
	for i, g := range all[:min(len(all), maxGrants)] {
		fmt.Fprintf(&b, "\n%d. <b>%s</b> · until %s\n<code>%s</code>\nby %s at %s\n",
			i+1, line(token(g), maxWord), g.ExpiresAt.Format("15:04"),
			line(g.Text(), maxPath), line(g.By, maxWord), g.At.Format("15:04"))
		if g.Nonce != "" {
			label := fmt.Sprintf("Revoke %d · %s", i+1, shorten(oneLine(g.Text()), maxLabel))
			rows = append(rows, []button{{label, callback{revokeGrant, g.Nonce, "r"}.String()}})
		}
	}
	if more := len(all) - maxGrants; more > 0 {
		fmt.Fprintf(&b, "\nand %d more: <code>afar grants</code> lists them all.", more)
	}
	return rendered{html: b.String(), rows: rows}
}
