package telegram

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/secret"
)

// maxText is how much text a message may have after its markup is read, in
// UTF-16 units.
const maxText = 4096

// The bounds of a card's parts, in UTF-16 units. What they leave is the input's.
const (
	maxWord = 80
	maxPath = 200
	maxWhy  = 500
)

// A rendered message is its text in Telegram's HTML, and its buttons.
type rendered struct {
	html string
	rows [][]button
	cut  bool // the whole goes as a file
}

type button struct{ label, data string }

// render shows an ask as it stands. Whatever its fields hold, Telegram takes
// the result, and nothing in them can pass for a line of ours.
func render(a ask.Ask, token, project, machine string) rendered {
	if a.Kind == ask.CheckIn {
		return renderCheckIn(a, token, project, machine)
	}
	head := heading(a, token, machine)
	foot := footing(a, project)
	room := maxText - units(plain(head)) - units(plain(foot))
	if a.Kind == ask.Questions && a.Form != nil {
		return rendered{html: head + questionText(a, room) + foot, rows: questionRows(a)}
	}
	r := rendered{html: head + "<pre>" + escape(elide(secret.Visible(a.Text), room)) + "</pre>" + foot}
	if a.Kind == ask.Plan {
		r.cut, r.rows = units(secret.Visible(a.Text)) > room, planRows(a)
		return r
	}
	if a.State == ask.Open || a.Parked {
		r.rows = buttons(a)
	}
	return r
}

// buttons are a question's. What reaches farther than the call has a row of its
// own, and the card says what it permits.
func buttons(a ask.Ask) [][]button {
	rows := [][]button{{{"Allow ✅", data(a.Nonce, allow)}, {"Deny ⛔", data(a.Nonce, deny)}}}
	var more []button
	if a.ForSession() != "" {
		more = append(more, button{"Allow for session", data(a.Nonce, forSession)})
	}
	if a.ForAlways() != "" {
		more = append(more, button{"Always", data(a.Nonce, always)})
	}
	if len(more) > 0 {
		rows = append(rows, more)
	}
	return rows
}

// offered says what the buttons that reach farther would permit.
func offered(a ask.Ask) (lines []string) {
	if text := a.ForSession(); text != "" {
		lines = append(lines, "for this session: "+line(text, maxPath))
	}
	if text := a.ForAlways(); text != "" {
		lines = append(lines, "always: "+line(text, maxWhy))
	}
	return lines
}

func heading(a ask.Ask, token, machine string) string {
	who := fmt.Sprintf("<b>%s</b> · %s\n", line(token, maxWord), line(machine, maxWord))
	tool := "<b>" + line(a.Tool, maxWord) + "</b>\n"
	switch a.Kind {
	case ask.Questions:
		return "💬 " + who + "asks you\n"
	case ask.Plan:
		return "📋 " + who + "has a plan\n"
	case ask.Guard:
		return "🛡 " + who + "Afar's guard asks before " + tool
	}
	return "❓ " + who + "wants " + tool
}

func footing(a ask.Ask, project string) string {
	lines := []string{"", "📁 " + line(project, maxPath)}
	if a.Cwd != project {
		lines = append(lines, "in "+line(a.Cwd, maxPath))
	}
	lines = append(lines, "asked by "+asker(a))
	if a.Why != "" {
		lines = append(lines, "why: "+line(a.Why, maxWhy))
	}
	if a.State == ask.Open || a.Parked {
		lines = append(lines, offered(a)...)
	}
	bound := "sha256 <code>" + line(a.Hash[:min(8, len(a.Hash))], maxWord) + "</code>"
	if a.State == ask.Open {
		bound += " · open until " + clock(a.ExpiresAt)
	}
	lines = append(lines, bound)
	switch {
	case a.Parked:
		lines = append(lines, "⏸ "+line(a.Note, maxPath)+". Allow lets the exact call run once, when the session tries it again.")
	case a.State != ask.Open:
		lines = append(lines, ending(a))
	case a.Attended && a.Agent != "":
		lines = append(lines, fmt.Sprintf("After %.0f s it is handed to the terminal.", ask.SubagentFor.Seconds()))
	}
	return strings.Join(lines, "\n")
}

func asker(a ask.Ask) string {
	switch {
	case a.Agent == "":
		return "the main agent"
	case a.AgentType == "":
		return "a subagent"
	}
	return "subagent " + line(a.AgentType, maxWord)
}

// atTerminal is ask's note of an ask that its person settled there.
const atTerminal = "answered at the terminal"

// ending says in one line who settled an ask, when, and how it turned out.
func ending(a ask.Ask) string {
	note := line(a.Note, maxPath)
	outcome := ""
	if text := a.Outcome(); text != "" {
		outcome = " · " + text
	}
	if d := a.Decision; d != nil {
		return how(a) + " by " + line(d.By, maxWord) + " at " + clock(d.At) + outcome
	}
	if l := a.Lease; l != nil {
		return map[bool]string{true: "✅ ", false: "⛔ "}[l.Decision.Allow] + line(a.How(), maxPath) + outcome
	}
	outcome += " · " + clock(a.SettledAt)
	switch {
	case a.State == ask.Expired:
		return "⌛ Expired: " + note + outcome
	case a.State == ask.Cancelled:
		return "✖️ Cancelled: " + note + outcome
	case a.Note == atTerminal:
		return "🖥 Answered at the terminal" + outcome
	}
	return "💤 Withdrawn: " + note + outcome
}

// reach says how far an allow went.
func reach(a ask.Ask) string {
	switch a.Decision.Scope {
	case ask.Session:
		return " for the session (" + line(a.ForSession(), maxPath) + ")"
	case ask.Always:
		return " always (" + line(a.ForAlways(), maxPath) + ")"
	}
	return ""
}

// line makes text harmless in one line of HTML: nothing hidden, nothing of its
// own line, at most max units.
func line(text string, max int) string {
	text = secret.Visible(strings.Join(strings.Fields(text), " "))
	return escape(shorten(text, max))
}

// escape makes text mean itself in Telegram's HTML.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(strings.ToValidUTF8(text, "\ufffd"))
}

// ticks makes HTML of a text in which `code` stands between backticks.
func ticks(text string) string {
	part := strings.Split(text, "`")
	if len(part)%2 == 0 {
		return escape(text)
	}
	for i := range part {
		part[i] = escape(part[i])
		if i%2 == 1 {
			part[i] = "<code>" + part[i] + "</code>"
		}
	}
	return strings.Join(part, "")
}

// tag matches our own markup: in what escape made, no other < is left.
var tag = regexp.MustCompile(`<[^>]*>`)

// plain is what Telegram shows of HTML that we made.
func plain(text string) string { return html.UnescapeString(tag.ReplaceAllString(text, "")) }

// elide leaves out the middle of text that has more than max units, and says
// how long the whole is.
func elide(text string, max int) string {
	if units(text) <= max {
		return text
	}
	room := max - 80 // for the line that says so
	head, tail := ends(text, room*2/3, room/3)
	all := utf8.RuneCountInString(text)
	left := all - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	return fmt.Sprintf("%s\n… %d of %d characters left out …\n%s", head, left, all, tail)
}

// shorten leaves out the middle of a word or a line.
func shorten(text string, max int) string {
	if units(text) <= max {
		return text
	}
	head, tail := ends(text, max*2/3, max/3-1)
	return head + "…" + tail
}

// ends returns the start and the end of text, of at most so many units each.
func ends(text string, head, tail int) (start, end string) {
	i, j := 0, len(text)
	for n := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if n += unitsOf(r); n > head {
			break
		}
		i += size
	}
	for n := 0; j > i; {
		r, size := utf8.DecodeLastRuneInString(text[:j])
		if n += unitsOf(r); n > tail {
			break
		}
		j -= size
	}
	return text[:i], text[j:]
}

// units counts UTF-16 code units, as Telegram does.
func units(text string) int {
	n := 0
	for _, r := range text {
		n += unitsOf(r)
	}
	return n
}

func unitsOf(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}
