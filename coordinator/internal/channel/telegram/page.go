package telegram

import "html"

// linkTo returns a line that leads to a path of the local page, "" if it is not served.
func (l *link) linkTo(path string) string {
	if l.cfg.Link == nil {
		return ""
	}
	address, where := l.cfg.Link(path)
	if address == "" {
		return ""
	}
	return "🔗 <a href=\"" + html.EscapeString(address) + "\">on the page</a>, " + escape(where)
}
