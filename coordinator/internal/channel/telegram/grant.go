package telegram

import (
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/wire"
)

// revoke ends the permission of a button. For one that has ended, the list that has the button is shown anew.
func (l *link) revoke(p core.Press) error {
	p.As = string(p.Message)
	if g, _ := l.cfg.Core.GrantByNonce(p.Nonce); g.Active(l.cfg.Now()) {
		return order(l, p.Act, wire.OpRevoke, wire.Named{ID: string(g.ID)})
	}
	p.As += " " + p.Nonce
	return order(l, p.Act, wire.OpGrants, wire.None{})
}

// saidGrants shows the standing permissions: in a new message, or in that with the button of one that has ended.
func (l *link) saidGrants(as string, _ wire.GrantsReply) (out said, err error) {
	list := l.grantList()
	message, nonce, tapped := strings.Cut(as, " ")
	if out.show = &list; !tapped {
		return out, nil
	}
	out.text, out.edit = "This permission has ended already.", channel.MessageID(message)
	if g, known := l.cfg.Core.GrantByNonce(nonce); known && g.How != "" {
		out.text = "Too late: " + g.How + "."
	}
	return out, nil
}

// saidRevoked says that a permission has ended, and shows those that are left in place of the list with its button.
func (l *link) saidRevoked(list string, g wire.Grant) (said, error) {
	left := l.grantList()
	text := "Revoked. " + g.Token + " asks again: " + strings.Join(g.Permits, ", ")
	return said{text: text, show: &left, edit: channel.MessageID(list)}, nil
}

// grantList shows the standing permissions, each with the button that ends it.
func (l *link) grantList() rendered {
	return renderGrants(l.cfg.Core.Grants(), func(g grant.Grant) string {
		v, _ := l.cfg.Core.Session(string(g.Session)) // an unknown session has an empty token
		return v.Token
	})
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
