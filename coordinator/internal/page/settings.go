package page

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/qrcode"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Link opens the bot on a phone with the code in it, "" without a code that waits.
func (s Settings) Link() string {
	if s.Pairing == nil || s.Pairing.Bot == "" {
		return ""
	}
	return "https://t.me/" + url(s.Pairing.Bot) + "?start=" + url(s.Pairing.Code)
}

// QR draws the link as a QR code, "" without one and for one that is too long.
func (s Settings) QR() template.HTML {
	if s.Link() == "" {
		return ""
	}
	code, err := qrcode.Encode(s.Link())
	if err != nil {
		return "" // the code itself stands beside it
	}
	const border = qrcode.QuietZone
	var path strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+border, y+border)
			}
		}
	}
	side := code.Size + 2*border
	return template.HTML(fmt.Sprintf(`<svg class="qr" viewBox="0 0 %d %d" width="%d" height="%d" role="img" `+
		`aria-label="QR code that opens the bot" shape-rendering="crispEdges"><rect width="%d" height="%d" `+
		`fill="#fff"/>`+
		`<path d="%s" fill="#000"/></svg>`, side, side, side*5, side*5, side, side, path.String()))
}

// browsers and systems are the parts of what a browser says of itself, each with its name. The first
// that fits counts: most browsers also say the names of those that they descend from.
var (
	browsers = [][2]string{
		{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = [][2]string{
		{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Mac OS X", "macOS"}, {"Windows", "Windows"},
		{"Linux", "Linux"},
	}
)

// browserName returns what people call the browser that sends agent as its User-Agent, such as
// "Chrome on Linux". It returns agent where it knows no name.
func browserName(agent string) string {
	browser := slices.IndexFunc(browsers, func(row [2]string) bool { return strings.Contains(agent, row[0]) })
	if browser < 0 {
		return agent
	}
	name := browsers[browser][1]
	for _, row := range systems {
		if strings.Contains(agent, row[0]) {
			return name + " on " + row[1]
		}
	}
	return name
}

// Health sums the findings of the doctor up in one line.
func (s Settings) Health() string {
	n := map[string]int{}
	for _, c := range s.Checks {
		n[c.State]++
	}
	parts := []string{fmt.Sprintf("%d fine", n["ok"])}
	if n["bad"] > 0 {
		parts = slices.Insert(parts, 0, fmt.Sprintf("%d to mend", n["bad"]))
	}
	if n["off"] > 0 {
		parts = append(parts, fmt.Sprintf("%d not set up", n["off"]))
	}
	return strings.Join(parts, ", ")
}

// Broken reports whether the doctor has found anything that must be mended.
func (s Settings) Broken() bool {
	return slices.ContainsFunc(s.Checks, func(c wire.Check) bool { return c.State == "bad" })
}

// markOf is the sign before a finding or a channel.
func markOf(state string) string {
	switch state {
	case "ok", "ready":
		return "✔"
	case "bad", "failing":
		return "✖"
	}
	return "○"
}

// moodOf is the colour of a finding or a channel.
func moodOf(state string) string {
	switch state {
	case "ok", "ready":
		return "ok"
	case "bad", "failing":
		return "bad"
	}
	return "muted"
}
