package telegram

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// maxText is how much text a message may have after its markup is read, in
// UTF-16 units.
const maxText = 4096

// The bounds of a card's parts, in UTF-16 units. The input gets the remaining room.
const (
	maxWord = 80
	maxPath = 200
	maxWhy  = 500

	maxReason = 140

	maxShort = 16 // of labels that share a row

	// maxRequest leaves the request and the name before it on a lock screen, which shows about 110 characters.
	maxRequest = 78
)

// maxEndings bounds the lines that say how the asks of one card ended.
const maxEndings = 4

// A rendered message is its text in Telegram's HTML, and its buttons.
type rendered struct {
	html string
	rows [][]button
	cut  bool // the text is shortened, and the whole input is sent as a file

	silent bool // the phone does not ring
}

type button struct{ label, data string }

// A place says whose card it is: what the person calls the session, its token and project, the machine, and
// the person's home there.
type place struct {
	name, token, project, machine, home string
	link                                string // a line that leads to the page, "" for none
}

// path shows a path with ~ for the person's home.
func (at place) path(path string) string { return line(at.short(path), maxPath) }

// short returns a path with ~ for the person's home.
func (at place) short(path string) string { return text.Near(path, "", at.home) }

// near returns a path as it is from the project, else as short does.
func (at place) near(path string) string { return text.Near(path, at.project, at.home) }

// render shows the current state of a card's asks. Telegram accepts the result for any
// content of their fields, and no content can look like a line that Afar wrote.
func render(card ask.Card, at place) rendered {
	a := card.Face()
	if a.Kind == ask.CheckIn {
		return renderCheckIn(a, at)
	}
	if a.Kind == ask.Suggestion && a.Suggested != nil {
		return renderSuggestion(a, at)
	}
	if a.Kind == ask.Missed {
		return renderMissed(a, at)
	}
	text := redact.Visible(a.Text)
	head, foot, room := frameInput(card, at, text)
	if path, change, ok := strings.Cut(text, "\n"); ok && languages[a.Tool] == "diff" {
		text = at.near(path) + "\n" + change
	}
	if a.Kind == ask.Questions && a.Form != nil {
		return rendered{html: head + questionText(a, room) + foot, rows: questionRows(a)}
	}
	if a.Kind == ask.Elicitation {
		return renderElicitation(a, head, foot, room)
	}
	if a.Kind == ask.Checkpoint && a.Form != nil {
		return renderCheckpoint(a, head, foot, room)
	}
	if a.Kind == ask.Plan {
		shown, cut := quotedIn(strings.TrimSpace(text), room)
		return rendered{html: head + shown + foot, rows: rows(card), cut: cut}
	}
	return rendered{html: head + block(a.Tool, elide(text, room)) + foot, rows: rows(card), cut: units(text) > room}
}

// frameInput returns the text above and below the input of a card, and how much room they
// leave for the input.
func frameInput(card ask.Card, at place, text string) (head, foot string, room int) {
	a := card.Face()
	head = heading(card, at)
	form := a.Form != nil || a.Kind == ask.Elicitation // shown field by field
	whole := form || text == a.Text && !strings.Contains(text, redact.Hidden)
	foot = footing(card, at, whole)
	room = maxText - units(plain(head)) - units(plain(foot))
	if !form && whole && units(text) > room {
		foot = footing(card, at, false)
		room = maxText - units(plain(head)) - units(plain(foot))
	}
	return head, foot, room
}

// viewOf returns what people see of the ask that stands for a card.
func viewOf(a ask.Ask) view.Card { return view.Question([]wire.Ask{channel.Asked(a)}) }

// rows returns the buttons of a card. A settled card has at most Undo.
func rows(card ask.Card) (rows [][]button) {
	a := card.Face()
	if !a.Waiting() {
		return undoRows(card)
	}
	for _, d := range viewOf(a).Deeds {
		b := button{d.Label + " " + d.Sign, deedData(card.Nonce(), d.Key)}
		if d.Reach != "" {
			b.label = widerLabel(a, d)
		}
		if n := len(rows); n > 0 && units(b.label) <= maxShort && units(rows[n-1][0].label) <= maxShort {
			rows[n-1] = append(rows[n-1], b)
			continue
		}
		rows = append(rows, []button{b})
	}
	return rows
}

// widerLabel says on a button what it permits beyond this call.
func widerLabel(a ask.Ask, d view.Deed) string {
	reach := oneLine(strings.ReplaceAll(d.Reach, "`", ""))
	switch {
	case d.Key == "session":
		return d.Label + " (" + lasts(a) + "): " + shorten(reach, maxLabel)
	case a.Beyond():
		return text.Capital(shorten(reach, maxWord))
	}
	return shorten(d.Label+": "+reach, maxWord)
}

// languages lists the languages in which Telegram colours the input of a tool.
var languages = map[string]string{
	"Bash": "bash", "Edit": "diff", "MultiEdit": "diff", "Write": "diff", "NotebookEdit": "diff",
}

// block shows the input of a tool unchanged.
func block(tool, text string) string {
	if language := languages[tool]; language != "" && text != "" {
		return `<pre><code class="language-` + language + `">` + escape(text) + "</code></pre>"
	}
	return "<pre>" + escape(text) + "</pre>"
}

// lasts says how long an Allow for session lasts, if its session lasts as long.
func lasts(a ask.Ask) string { return text.Length(a.Times.GrantFor()) }

// offered says what the buttons that reach farther would permit.
func offered(card ask.Card) (lines []string) {
	a := card.Face()
	for _, d := range viewOf(a).Wider() {
		switch {
		case d.Key == "session":
			lines = append(lines, d.Sign+" "+d.Label+", "+lasts(a)+": "+line(d.Reach, maxPath))
		case a.Beyond():
			lines = append(lines, d.Sign+" "+text.Capital(line(d.Reach, maxWhy)))
		default:
			lines = append(lines, d.Sign+" "+d.Label+": "+ticks(visible(d.Reach, maxWhy)))
		}
	}
	return lines
}

// headline is the first line of a card: whose it is, and what is wanted. Its sign says how a settled card ended, so
// that a list of chats tells the truth. Sign and name come first: no text of a session can look like a settled card.
func headline(card ask.Card, at place) string {
	a := card.Face()
	sign := viewOf(a).Mark.Sign
	if ends := card.Endings(); len(card.Waiting()) == 0 && len(ends) > 0 {
		sign, _, _ = strings.Cut(ending(ends[len(ends)-1].Asks), " ")
		if strings.Contains(card.Outcome(), "failed") {
			sign = "⚠️"
		}
	}
	times := ""
	if n := len(askers(card)); n > 1 {
		times = fmt.Sprintf(" <b>×%d</b>", n)
	}
	return sign + " <b>" + line(at.name, maxWord) + "</b>: " + escape(beginning(oneLine(a.Request(at.near)))) +
		times + "\n"
}

// beginning returns as much of a text as a line about a request has room for, and says how much is left.
func beginning(text string) string {
	if units(text) <= maxRequest {
		return text
	}
	head, _ := edges(text, maxRequest-12, 0)
	return fmt.Sprintf("%s… %d more", head, utf8.RuneCountInString(text)-utf8.RuneCountInString(head))
}

// heading is what a card says before its input: who wants what, how it ended, the risk, and what an answer may cover.
func heading(card ask.Card, at place) string {
	a := card.Face()
	lines := endings(card)
	switch {
	case a.Kind == ask.Denied && a.Why != "":
		lines = append(lines, "⚠️ auto mode refused it: "+line(a.Why, maxWhy))
	case a.Why != "":
		lines = append(lines, "⚠️ <b>"+line(a.Why, maxWhy)+"</b>")
	}
	if a.Does != "" {
		lines = append(lines, "⚙️ would "+line(a.Does, maxWhy))
	}
	if a.Waiting() {
		lines = append(lines, offered(card)...)
	}
	return headline(card, at) + strings.Join(append(lines, ""), "\n")
}

// reasons says what led to a question: what the person asked last, and what the
// session said last.
func reasons(a ask.Ask) (lines string) {
	if a.Asked != "" {
		lines += "🗣 You: <i>" + line(a.Asked, maxReason) + "</i>\n"
	}
	if a.Said != "" {
		lines += "💭 It: <i>" + line(a.Said, maxReason) + "</i>\n"
	}
	return lines
}

// askers returns the asks that a card is about: those that wait, or all if none waits.
func askers(card ask.Card) ask.Card {
	if waiting := card.Waiting(); len(waiting) > 0 {
		return waiting
	}
	return card
}

// footing returns the text below the input: what led to it, who asks (unless it is the main agent), the state of the
// card, and last where it comes from. whole says whether the card shows all of the input.
func footing(card ask.Card, at place, whole bool) string {
	a := card.Face()
	lines := []string{strings.TrimSuffix("\n"+reasons(a), "\n")}
	if a.Says != "" {
		lines = append(lines, "📝 “"+line(a.Says, maxPath)+"”")
	}
	if asking := askers(card); a.Agent != "" || len(asking) > 1 {
		lines = append(lines, "👤 "+line(asking.Askers(), maxPath))
	}
	lines = append(lines, waits(card)...)
	if a.Twice {
		lines = append(lines, "↻ "+twiceText(a))
	}
	hash := "🔒 sha256 <code>" + line(a.Hash[:min(8, len(a.Hash))], maxWord) + "</code>"
	if !whole {
		hash += " of all of it"
	}
	return strings.Join(append(append(lines, undoLine(card)...), at.source(a.Cwd, hash)), "\n")
}

// source says where a card comes from, folded: the machine, the folder, the hash and the session's whole name.
func (at place) source(cwd, hash string) string {
	from := strings.TrimSuffix(line(at.machine, maxPath)+" · "+line(at.token, maxWord), " · ")
	lines := []string{strings.TrimSuffix("📁 "+at.where(cwd), "📁 "), hash, at.link, from}
	lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
	return "<blockquote expandable>" + strings.Join(lines, "\n") + "</blockquote>"
}

// twiceText says what to do about a second copy of a card.
func twiceText(a ask.Ask) string {
	if a.State == ask.Open {
		return "You may see this twice; either one counts."
	}
	return "You may see this twice; this copy is settled."
}

// where describes the directory of a call, relative to its project.
func (at place) where(cwd string) string {
	below, inside := strings.CutPrefix(cwd, strings.TrimSuffix(at.project, "/")+"/")
	switch {
	case cwd == at.project, cwd == "":
		return at.path(at.project)
	case inside && at.project != "":
		return at.path(at.project) + ", in " + line(below, maxPath)
	}
	return at.path(cwd) + ", outside " + at.path(at.project)
}

// firstExpiry returns when the first of the open asks of a card expires. The face of the
// card must be open.
func firstExpiry(card ask.Card) time.Time {
	at := card.Face().ExpiresAt
	for _, a := range card {
		if a.State == ask.Open && a.ExpiresAt.Before(at) {
			at = a.ExpiresAt
		}
	}
	return at
}

// untilText says when the first of the open asks of a card expires, with the day if it is another one than today, as
// far as the card knows.
func untilText(card ask.Card) string {
	return dayClock(firstExpiry(card), card.Face().OpenedAt)
}

// dayClock formats a time for cards, with its day if now is on another one.
func dayClock(at, now time.Time) string {
	if at.Format(time.DateOnly) == now.In(at.Location()).Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("Mon 2 Jan, 15:04")
}

// endings says how each ask of a card ended.
func endings(card ask.Card) (lines []string) {
	for i, e := range card.Endings() {
		if i == maxEndings {
			lines = append(lines, "… and others in other ways")
			break
		}
		count := ""
		if len(e.Asks) < e.Of {
			count = fmt.Sprintf("%d of %d: ", len(e.Asks), e.Of)
		}
		lines = append(lines, count+ending(e.Asks))
	}
	return lines
}

// waits says what happens to the asks of a card that wait.
func waits(card ask.Card) (lines []string) {
	switch a := card.Face(); {
	case a.Parked:
		lines = append(lines, parked(a))
	case a.State != ask.Open:
	case a.Kind == ask.Terminal:
		lines = append(lines, "⌨️ Only the session's terminal can answer this dialog.")
	case a.Perhaps:
		lines = append(lines, "❔ Perhaps settled at the terminal already; this line goes when it is certain.")
	case a.Attended && a.Kind == ask.Elicitation:
		lines = append(lines, "⏳ The terminal waits until "+clock(firstExpiry(card))+"; then the form opens there.")
	case a.Attended && a.Agent != "":
		lines = append(lines, "⏳ Handed to the terminal at "+clock(firstExpiry(card))+".")
	case a.Kind == ask.Plan:
		until := untilText(card)
		lines = append(lines, "↩️ Reply to send it back with your words. Open until "+until+".")
	default:
		lines = append(lines, "⏳ open until "+untilText(card))
	}
	return lines
}

// atTerminal is the note that package ask writes for an ask settled at the terminal.
const atTerminal = "answered at the terminal"

// ending says in one line who settled the asks of one ending, when, and with what outcome.
func ending(card ask.Card) string {
	a, outcome := card[0], ""
	note := line(a.Note, maxPath)
	if text := card.Outcome(); text != "" {
		outcome = " · " + text
	}
	if d := a.Decision; d != nil {
		return decided(a) + " by " + line(d.By, maxWord) + " at " + clock(d.At) + refusalText(d) + outcome
	}
	if l := a.Lease; l != nil {
		return markOf(l.Decision.Allow) + " " + text.Capital(line(a.Ending(), maxPath)) + outcome
	}
	outcome += " · " + clock(a.SettledAt)
	switch {
	case a.State == ask.Expired:
		return "⌛ Expired: " + note + outcome
	case a.State == ask.Cancelled:
		return "✖️ Cancelled: " + note + outcome
	case strings.HasPrefix(a.Note, ask.EnteredNote):
		return "⚠️ " + text.Capital(note) + outcome
	case a.Note == atTerminal:
		return "🖥 Answered at the terminal" + outcome
	}
	return "💤 Withdrawn: " + note + outcome
}

// refusalText returns the person's text of a refusal, or "" for a refusal without one.
func refusalText(d *ask.Decision) string {
	switch {
	case d.Allow, d.Interrupt:
		return ""
	case d.Message == "", d.Message == deny.decision(d.By).Message:
		return ""
	}
	return ": “" + line(redact.Mask(d.Message), maxPath) + "”"
}

// markOf returns the sign of an allow or a deny.
func markOf(isAllowed bool) string {
	if isAllowed {
		return "✅"
	}
	return "⛔"
}

// reach says how much an allow covers.
func reach(a ask.Ask) string {
	switch a.Decision.Scope {
	case ask.Session:
		return " for the session (" + line(a.ForSession(), maxPath) + ")"
	case ask.Always:
		return " always (" + ticks(visible(a.ForAlways(), maxPath)) + ")"
	}
	return ""
}

// line makes text harmless in one line of HTML: nothing hidden, nothing of its
// own line, at most max units.
func line(text string, max int) string { return escape(visible(text, max)) }

// visible is a text in one line with nothing hidden in it, of at most max units.
func visible(s string, max int) string {
	return shorten(redact.Visible(text.Fold(s)), max)
}

// escape returns text escaped for Telegram's HTML.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(strings.ToValidUTF8(text, "\ufffd"))
}

// ticks returns the HTML of a text that has `code` between backticks.
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

// plain returns the text that Telegram shows for HTML made by this package.
func plain(text string) string { return html.UnescapeString(tag.ReplaceAllString(text, "")) }

// elide leaves out the middle of a text of more than max units, and says how long the
// whole text is.
func elide(text string, max int) string {
	if units(text) <= max {
		return text
	}
	room := max - 80 // for the line that says so
	head, tail := edges(text, room*2/3, room/3)
	all := utf8.RuneCountInString(text)
	left := all - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	return fmt.Sprintf("%s\n… %d of %d characters left out …\n%s", head, left, all, tail)
}

// shorten leaves out the middle of a word or a line.
func shorten(text string, max int) string {
	if units(text) <= max {
		return text
	}
	head, tail := edges(text, max*2/3, max/3-1)
	return head + "…" + tail
}

// edges returns the start and the end of text, of at most so many units each.
func edges(text string, head, tail int) (start, end string) {
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
