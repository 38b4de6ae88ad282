// Command picture draws docs/afar.svg, the picture of the README: a terminal asks, the phone rings, a tap answers, and the
// terminal goes on.
//
//	go run .ci/picture.go
//	go run .ci/picture.go FILE.svg    draws instead what a locked phone shows of each kind of card
//
// The cards are those that the tests of package telegram take, word for word. The picture needs no script: it moves by
// CSS, follows the reader's colour scheme, and shows its end where the reader wants no movement.
package main

import (
	"fmt"
	"html"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	cards  = "coordinator/internal/channel/telegram/testdata/cards/"
	target = "docs/afar.svg"
	length = 14.0 // seconds of one round
)

// The times of what happens, in seconds from the beginning.
const (
	prompted = 0.4
	worked   = 1.4
	asked    = 2.6
	rang     = 3.6
	tapped   = 6.6
	answered = 7.1
	finished = 8.6
)

// never is the end of what stays until the round is over.
const never = length

// A picture collects the drawing and the moves that it needs.
type picture struct {
	body, style strings.Builder
	moves       int
}

func main() {
	log.SetFlags(0)
	if len(os.Args) > 1 {
		lockScreens(os.Args[1])
		return
	}
	var p picture
	p.terminal()
	p.phone()
	svg := fmt.Sprintf(frame, p.style.String(), p.body.String())
	if err := os.WriteFile(target, []byte(svg), 0o644); err != nil {
		log.Fatal(err)
	}
}

// during returns the class of what is seen from one time to another.
func (p *picture) during(from, to float64) string {
	p.moves++
	name := fmt.Sprintf("m%d", p.moves)
	percent := func(t float64) float64 { return t / length * 100 }
	fmt.Fprintf(&p.style, "@keyframes %s{0%%,%.1f%%{opacity:0}%.1f%%", name, percent(from), percent(from)+0.8)
	if to < never {
		fmt.Fprintf(&p.style, ",%.1f%%{opacity:1}%.1f%%,100%%{opacity:0}}", percent(to), percent(to)+0.8)
	} else {
		p.style.WriteString(",100%{opacity:1}}")
	}
	still := 1
	if to < never {
		still = 0
	}
	fmt.Fprintf(&p.style, ".%s{opacity:%d;animation:%s %vs linear infinite}\n", name, still, name, length)
	return name
}

// group draws what is seen from one time to another.
func (p *picture) group(from, to float64, draw func()) {
	fmt.Fprintf(&p.body, `<g class="%s">`+"\n", p.during(from, to))
	draw()
	p.body.WriteString("</g>\n")
}

// text writes one line.
func (p *picture) text(x, y int, class, line string) {
	fmt.Fprintf(&p.body, `<text x="%d" y="%d" class="%s">%s</text>`+"\n", x, y, class, html.EscapeString(line))
}

func (p *picture) box(x, y, w, h, round int, class string) {
	fmt.Fprintf(&p.body, `<rect x="%d" y="%d" width="%d" height="%d" rx="%d" class="%s"/>`+"\n", x, y, w, h, round, class)
}

// terminal draws what Claude Code shows.
func (p *picture) terminal() {
	p.box(16, 16, 570, 388, 10, "window")
	for i, class := range []string{"red", "amber", "green"} {
		fmt.Fprintf(&p.body, `<circle cx="%d" cy="38" r="6" class="%s"/>`+"\n", 40+20*i, class)
	}
	p.text(250, 43, "mono dim", "claude · ~/shop")
	p.group(prompted, never, func() { p.text(40, 88, "mono", "> release 2.0 to npm") })
	p.group(worked, never, func() {
		p.text(40, 124, "mono", "● All 214 tests are green and the changelog is written.")
		p.text(40, 160, "mono", "● Bash(npm ci && npm test && npm publish --access public)")
	})
	p.group(asked, answered, func() {
		p.box(40, 184, 522, 128, 6, "dialog")
		p.text(58, 212, "mono", "Do you want to proceed?")
		p.text(58, 240, "mono accent", "❯ 1. Yes")
		p.text(58, 264, "mono", "  2. No, and tell Claude what to do differently (esc)")
		p.text(58, 294, "mono dim", "nobody is at the terminal")
	})
	p.group(answered, never, func() { p.text(40, 184, "mono dim", "  ⎿  + shop@2.0.0") })
	p.group(finished, never, func() { p.text(40, 220, "mono", "● Version 2.0 is published. I go on with the docs.") })
}

// phone draws the phone with the card before and after the answer.
func (p *picture) phone() {
	fmt.Fprintf(&p.body, `<g class="ring">`+"\n")
	p.box(618, 16, 366, 388, 34, "case")
	p.box(628, 26, 346, 368, 26, "screen")
	p.text(746, 54, "chat", "Afar on Telegram")
	p.group(rang, answered, func() {
		p.card("guard-deep.txt")
	})
	p.group(answered, never, func() { p.card("guard-deep-ran.txt") })
	p.group(tapped, answered, func() { p.body.WriteString(`<circle cx="718" cy="333" r="24" class="finger"/>` + "\n") })
	p.body.WriteString("</g>\n")
}

// card draws a card: its head, what would run, why, and its buttons. The lines at its end, which the phone folds, are left out.
func (p *picture) card(file string) {
	raw, err := os.ReadFile(cards + file)
	if err != nil {
		log.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	buttons := ""
	if last := lines[len(lines)-1]; strings.HasPrefix(last, "[") {
		buttons, lines = last, lines[:len(lines)-1]
	}
	folded := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "📁") })
	if folded < 0 {
		log.Fatalf("%s has no line that begins with 📁, where the folded part begins", file)
	}
	code := slices.Index(lines, "set -e")
	if code < 0 {
		log.Fatalf("%s has no line \"set -e\", where its code begins", file)
	}
	height := 20
	for _, l := range lines[:folded] {
		height += 20 * len(wrapped(l))
	}
	p.box(640, 68, 322, height, 12, "card")
	y := 90
	for i, l := range lines[:folded] {
		for n, part := range wrapped(l) {
			class := "said"
			switch {
			case i == 0 && n == 0:
				class = "said strong"
			case i >= code && i < code+4:
				class = "code"
			}
			p.text(652, y, class, part)
			y += 20
		}
	}
	for i, b := range strings.Split(strings.Trim(buttons, "[] "), " ] [ ") {
		if b != "" {
			p.box(640+164*i, 76+height, 158, 34, 8, "button")
			p.text(640+164*i+50, 98+height, "said", b)
		}
	}
}

// lockScreen is how many characters of a message a locked phone shows. A test of package telegram wants the request in them.
const lockScreen = 110

// lockScreens draws each card of the tests as a locked phone shows it.
func lockScreens(file string) {
	all, err := filepath.Glob(cards + "*.txt")
	if err != nil || len(all) == 0 {
		log.Fatalf("no cards in %s: %v", cards, err)
	}
	const width, height, across = 380, 128, 4
	var p picture
	for i, path := range all {
		raw, err := os.ReadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		x, y := 10+i%across*width, 10+i/across*height
		p.box(x, y, width-12, height-12, 16, "card")
		p.text(x+14, y+22, "chat", "Afar · now")
		p.text(x+110, y+22, "chat", strings.TrimSuffix(filepath.Base(path), ".txt"))
		shown := []rune(string(raw))
		lines := strings.Split(string(shown[:min(len(shown), lockScreen)]), "\n")
		for n, line := 0, 0; line < len(lines) && n < 4; line++ {
			for _, part := range wrapped(lines[line]) {
				cut := []rune(part)
				p.text(x+14, y+44+20*n, "said", string(cut[:min(len(cut), 48)]))
				n++
			}
		}
	}
	svg := fmt.Sprintf(strings.Replace(frame, "0 0 1000 420", fmt.Sprintf("0 0 %d %d", 20+width*across,
		20+height*((len(all)+across-1)/across)), 1), "svg{background:#4a6572}", p.body.String())
	if err := os.WriteFile(file, []byte(svg), 0o644); err != nil {
		log.Fatal(err)
	}
}

// wrapped returns a line in parts that fit into the card.
func wrapped(line string) (parts []string) {
	const most = 45
	part := ""
	for _, word := range strings.Fields(line) {
		if len([]rune(part+" "+word)) > most && part != "" {
			parts, part = append(parts, part), ""
		}
		part = strings.TrimSpace(part + " " + word)
	}
	return append(parts, part)
}

const frame = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 420" role="img" aria-labelledby="t">
<title id="t">A terminal asks whether it may publish. The phone shows the question, a tap on Allow answers it, and the terminal goes on.</title>
<style>
text{font-family:system-ui,-apple-system,"Segoe UI",sans-serif;font-size:14px;fill:#1f2328}
.mono,.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}
.mono{font-size:14.5px;fill:#e6edf3}.code{font-size:13px}.dim{fill:#8b949e}.accent{fill:#79c0ff}
.window{fill:#0d1117;stroke:#30363d}.dialog{fill:none;stroke:#6e7681}
.red{fill:#ff5f57}.amber{fill:#febc2e}.green{fill:#28c840}
.case{fill:#24292f;stroke:#57606a}.screen{fill:#dfe9f2}.card{fill:#fff}.strong{font-weight:600;font-size:13.5px}
.chat{fill:#57606a;font-size:13px}.button{fill:#fff;stroke:#b6c4d2}.finger{fill:#0969da;fill-opacity:.35}
@media (prefers-color-scheme:dark){.screen{fill:#17212b}.card,.button{fill:#212d3b}.button{stroke:#3d4f61}.said,.code{fill:#e6edf3}.chat{fill:#8b949e}}
@keyframes ring{0%%,25.6%%{transform:none}26%%,27%%,28%%{transform:rotate(1.2deg)}26.5%%,27.5%%,28.5%%{transform:rotate(-1.2deg)}29%%,100%%{transform:none}}
.ring{transform-origin:801px 210px;animation:ring 14s linear infinite}
%s@media (prefers-reduced-motion:reduce){*{animation:none!important}}
</style>
%s</svg>
`
