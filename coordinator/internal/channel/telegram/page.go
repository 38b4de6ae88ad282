package telegram

import (
	"html"
	"net/netip"
	"net/url"
)

// linkTo returns a line that leads to a path of the page, "" if a phone cannot reach it.
func (l *link) linkTo(path string) string {
	if l.cfg.Link == nil {
		return ""
	}
	address, where := l.cfg.Link(path)
	if address == "" || onlyHere(address) {
		return ""
	}
	return "🔗 <a href=\"" + html.EscapeString(address) + "\">on the page</a>, " + escape(where)
}

// onlyHere reports whether an address leads nowhere from another machine.
func onlyHere(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}
