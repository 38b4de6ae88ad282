// Package watch is the screen of `afar watch`: the questions, runs and sessions on a whole terminal, kept current. It
// owns which line is chosen, what a key does now, and what is drawn where. It is given what there is and a way to
// answer: it knows no command, no socket and no home, and answers a question only as it was shown.
package watch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

const (
	restFor = 500 * time.Millisecond // no key answers so soon after the chosen question has changed by itself
	keptFor = time.Minute            // how long a question that has ended keeps its place
	isWide  = 110                    // columns from which the chosen question stands beside the list
)

// A Source is where a screen gets what it shows.
type Source struct {
	// Look returns what there is: at once for a negative after, else after the journal has gone on from that entry, or
	// a while.
	Look func(after int64) (Found, error)
	Do   view.Caller                        // reads and answers questions
	Page func(out io.Writer) *terminal.Page // of now
}

// Found is what there is.
type Found struct {
	Status wire.StatusReply
	Runs   []wire.Run
	Seen   int64 // the newest entry of the journal
}

// Run shows the screen until the person ends it, or ctx ends. It returns the error of its first look.
func Run(ctx context.Context, in io.Reader, out io.Writer, s Source) error {
	w := newWatcher(s)
	first := w.look()().(looked)
	if first.err != nil {
		return first.err
	}
	w.take(first)
	_, err := tea.NewProgram(w, tea.WithContext(ctx), tea.WithOutput(out), tea.WithInput(in)).Run()
	if errors.Is(err, tea.ErrProgramKilled) || errors.Is(err, tea.ErrInterrupted) {
		return nil // the way to end it
	}
	return err
}

// A watcher is the inbox on a terminal.
type watcher struct {
	Source
	seen int64 // the newest entry of the journal that is shown, -1 before the first look

	questions []question // in their places, the oldest first
	others    []view.Thing
	chosen    string    // names the line that keys are about
	moved     bool      // the person chose it
	rests     time.Time // until then no key answers

	typed          *string   // the words that are being written, nil while none are
	about          view.Card // the question that they answer, as it was when the writing began
	picked         []int     // of a question that takes several options
	said           string    // what the last key led to
	help           bool      // the keys are shown
	from           int       // how many lines of the chosen question are above the screen
	away           error     // why nothing was found
	columns, lines int       // of the terminal
}

// A question is a card in its place.
type question struct {
	view.Card
	ended time.Time // zero while it waits
}

// What happens to a watcher besides keys.
type (
	looked struct {
		Found
		gone map[string]wire.AskReply // questions that were shown and wait no longer
		err  error
	}
	answered struct {
		view.Done
		err error
	}
	rested struct{}
)

func newWatcher(s Source) *watcher { return &watcher{Source: s, seen: -1, columns: 80, lines: 24} }

// Init looks on.
func (w *watcher) Init() tea.Cmd { return w.look() }

// look returns the command that reads what there is, and what became of the questions that were there.
func (w *watcher) look() tea.Cmd {
	shown, after := slices.Clone(w.questions), w.seen
	return func() tea.Msg {
		m := looked{gone: map[string]wire.AskReply{}}
		if m.Found, m.err = w.Look(after); m.err != nil {
			return m
		}
		for _, c := range shown {
			if !c.ended.IsZero() || isAmong(m.Status.Asks, c) {
				continue
			}
			if gone, err := wire.OpAsk.With(wire.Named{ID: c.ID}).Through(w.Do); err == nil {
				m.gone[c.ID] = gone
			}
		}
		return m
	}
}

func isAmong(asks []wire.Ask, c question) bool {
	return slices.ContainsFunc(asks, func(q wire.Ask) bool { return nameOf(q) == nameOf(c.Asks[0]) })
}

// nameOf names the card of a question.
func nameOf(q wire.Ask) string { return cmp.Or(q.Card, q.ID) }

// Update takes a key, or what a look has found.
func (w *watcher) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		w.columns, w.lines = m.Width, m.Height
	case looked:
		return w, tea.Batch(w.take(m), w.look())
	case answered:
		if w.said = m.Said; m.err != nil {
			w.said = m.err.Error()
		}
	case tea.PasteMsg:
		if w.typed != nil {
			*w.typed += strings.Join(strings.Fields(m.Content), " ")
		}
	case tea.KeyPressMsg:
		if w.typed != nil {
			return w, w.write(m)
		}
		return w, w.press(m.String())
	}
	return w, nil
}

// take shows what a look has found. Whatever was shown keeps its place, and what is new comes below.
func (w *watcher) take(m looked) tea.Cmd {
	if w.away = m.err; m.err != nil {
		return nil
	}
	before, at, now := w.at(w.chosen).Seen+w.at(w.chosen).State, w.place(), w.Page(nil).Now
	cards := view.Cards(m.Status.Asks)
	var all []question
	for _, old := range w.questions {
		i := slices.IndexFunc(cards, func(c view.Card) bool { return nameOf(c.Asks[0]) == nameOf(old.Asks[0]) })
		switch gone, isGone := m.gone[old.ID]; {
		case i >= 0:
			all = append(all, question{Card: cards[i]})
			cards = slices.Delete(cards, i, i+1)
		case isGone:
			c := view.Question([]wire.Ask{gone.Ask})
			all = append(all, question{c, now})
		case now.Sub(old.ended) < keptFor:
			all = append(all, old)
		}
	}
	for _, c := range cards {
		all = append(all, question{Card: c})
	}
	w.questions, w.others, w.seen = all, nil, m.Seen
	for _, r := range m.Runs {
		w.others = append(w.others, view.Run(r))
	}
	for _, s := range m.Status.Sessions {
		w.others = append(w.others, view.Session(s))
	}
	names := w.names()
	if !w.moved && len(w.at(w.chosen).Asks) == 0 && len(w.questions) > 0 {
		w.chosen, w.from = names[0], 0 // the session that asks is often there before its question
	}
	if w.place() < 0 && len(names) > 0 {
		w.chosen, w.from = names[min(max(at, 0), len(names)-1)], 0
	}
	if before == w.at(w.chosen).Seen+w.at(w.chosen).State {
		return nil
	}
	w.picked, w.rests = nil, now.Add(restFor)
	return tea.Tick(restFor, func(time.Time) tea.Msg { return rested{} })
}

// names returns the names of the lines, in their order.
func (w *watcher) names() (all []string) {
	for _, q := range w.questions {
		all = append(all, nameOf(q.Asks[0]))
	}
	for _, t := range w.others {
		all = append(all, "other "+t.ID)
	}
	return all
}

// place returns the place of the chosen line, -1 for none.
func (w *watcher) place() int { return slices.Index(w.names(), w.chosen) }

// at returns the question with a name, an empty one if the line shows something else.
func (w *watcher) at(name string) view.Card {
	for _, q := range w.questions {
		if nameOf(q.Asks[0]) == name {
			return q.Card
		}
	}
	return view.Card{}
}

// keys are the deeds of keys, by their keys in view.Questions.
var keys = map[string]string{"a": "allow", "d": "deny", "s": "session", "w": "always", "e": "approve-edits"}

// press does what a key says.
func (w *watcher) press(key string) tea.Cmd {
	names, card := w.names(), w.at(w.chosen)
	w.help = key == "?" && !w.help
	switch key {
	case "q", "ctrl+c":
		return tea.Quit
	case "j", "k", "down", "up":
		by := map[bool]int{true: 1, false: -1}[key == "j" || key == "down"]
		if len(names) > 0 {
			w.moved = true
			w.chosen, w.from, w.picked = names[min(max(w.place()+by, 0), len(names)-1)], 0, nil
		}
	case "pgdown", "space":
		w.from += w.lines / 2
	case "pgup":
		w.from = max(0, w.from-w.lines/2)
	case "/":
		if card.Say.Key != "" {
			w.typed, w.about = new(string), card
		}
	}
	if w.Page(nil).Now.Before(w.rests) {
		return nil // the chosen question has just changed by itself
	}
	switch key {
	case "enter":
		if card.Now != nil && card.Now.Multi {
			return w.answer(card, "submit", view.Input{Options: w.picked})
		}
	default:
		if n, err := strconv.Atoi(key); err == nil {
			return w.pick(card, n)
		}
		if card.Deed(keys[key]).Key != "" {
			return w.answer(card, keys[key], view.Input{})
		}
	}
	return nil
}

// pick picks an option of the question that is asked now.
func (w *watcher) pick(card view.Card, n int) tea.Cmd {
	switch {
	case card.Now == nil || n < 1 || n > len(card.Now.Options):
	case !card.Now.Multi:
		return w.answer(card, "submit", view.Input{Options: []int{n}})
	case slices.Contains(w.picked, n):
		w.picked = slices.DeleteFunc(w.picked, func(p int) bool { return p == n })
	default:
		w.picked = append(w.picked, n)
	}
	return nil
}

// write takes a key for the words that are being written.
func (w *watcher) write(key tea.KeyPressMsg) tea.Cmd {
	switch s := key.String(); {
	case s == "esc", s == "ctrl+c":
		w.typed = nil
	case s == "enter":
		words := strings.TrimSpace(*w.typed)
		if w.typed = nil; words != "" {
			return w.answer(w.about, w.about.Say.Key, view.Input{Words: words})
		}
	case s == "backspace":
		r := []rune(*w.typed)
		*w.typed = string(r[:max(0, len(r)-1)])
	default:
		*w.typed += key.Text
	}
	return nil
}

// answer answers a question just as it was shown.
func (w *watcher) answer(card view.Card, key string, in view.Input) tea.Cmd {
	in.Seen = card.Seen
	return func() tea.Msg {
		done, err := view.Questions.Does[key](w.Do, card.ID, in)
		return answered{done, err}
	}
}

// View returns the screen.
func (w *watcher) View() tea.View {
	list, at := w.list()
	var screen []string
	switch room := w.lines - 2; {
	case w.columns >= isWide:
		left := w.columns * 2 / 5
		list = window(list, at, room)
		card := from(wrap(w.card(), w.columns-left-2), &w.from, room)
		for i := range max(len(list), len(card)) {
			screen = append(screen, fill(line(list, i), left)+"  "+line(card, i))
		}
	default:
		list = window(list, at, max(3, room/2))
		screen = append(list, append([]string{""}, from(wrap(w.card(), w.columns), &w.from, room-len(list)-1)...)...)
	}
	for i := range screen {
		screen[i] = ansi.Truncate(screen[i], w.columns, "…")
	}
	for len(screen) < w.lines-2 {
		screen = append(screen, "")
	}
	v := tea.NewView(w.head() + "\n" + strings.Join(screen, "\n") + "\n" + w.foot())
	v.AltScreen = true
	return v
}

// head says how many questions wait, and whether keys answer.
func (w *watcher) head() string {
	p, open := w.Page(nil), 0
	for _, q := range w.questions {
		if q.ended.IsZero() {
			open++
		}
	}
	head := p.Paint(terminal.Bold, fmt.Sprintf("Waiting for you %d", open))
	switch {
	case w.away != nil:
		head += "  " + p.Paint(terminal.Red, terminal.OneLine(w.away.Error(), 200))
	case p.Now.Before(w.rests):
		head += "  " + p.Paint(terminal.Yellow, "it has just changed: keys rest")
	}
	return ansi.Truncate(head, w.columns, "…")
}

// foot shows what is being written, what the last key led to, or the keys.
func (w *watcher) foot() string {
	p := w.Page(nil)
	switch {
	case w.typed != nil:
		return ansi.TruncateLeft(w.about.Say.Words+": "+terminal.Visible(*w.typed)+"▏",
			max(0, ansi.StringWidth(w.about.Say.Words+terminal.Visible(*w.typed))+3-w.columns), "…")
	case w.help:
		const keys = "j k next, previous · space further · 1-9 an option · / words · a d s w e the answers · q quit"
		return ansi.Truncate(keys, w.columns, "…")
	}
	var ways []string
	card := w.at(w.chosen)
	for _, key := range []string{"a", "d", "s", "w", "e"} {
		if d := card.Deed(keys[key]); d.Key != "" {
			ways = append(ways, key+" "+d.Label)
		}
	}
	if card.Say.Key != "" {
		ways = append(ways, "/ "+card.Say.Words)
	}
	if card.Now != nil && len(card.Now.Options) > 0 {
		ways = append(ways, fmt.Sprintf("1-%d an option", len(card.Now.Options)))
	}
	ways = append(ways, "? keys")
	if w.said != "" {
		ways = append([]string{p.Paint(terminal.Bold, terminal.OneLine(w.said, 100))}, ways...)
	}
	return ansi.Truncate(strings.Join(ways, " · "), w.columns, "…")
}

// list returns the lines of the list, and the place of the chosen one.
func (w *watcher) list() (lines []string, chosen int) {
	p, width := w.Page(nil), w.columns
	if w.columns >= isWide {
		width = w.columns * 2 / 5
	}
	add := func(name, sign, title, end string, tone view.Tone) {
		mark := "  "
		if name == w.chosen {
			mark, chosen = "▸ ", len(lines)
		}
		room := width - ansi.StringWidth(mark+sign+end) - 2
		lines = append(lines, mark+sign+" "+p.Tone(tone, fill(terminal.OneLine(title, 200), room))+" "+end)
	}
	for _, q := range w.questions {
		tone, end := view.Plain, terminal.OneLine(q.Who, 24)+" "+wording.Span(p.Now.Sub(time.UnixMilli(q.Asks[0].OpenedAt)))
		if !q.ended.IsZero() {
			tone, end = view.Muted, terminal.OneLine(q.State, 24)
		}
		add(nameOf(q.Asks[0]), q.Mark.Sign, q.Title+wording.Times(q.Asks), end, tone)
	}
	if len(w.questions) == 0 {
		lines = append(lines, "  "+view.Questions.Empty)
	}
	for i, t := range w.others {
		if i == 0 {
			lines = append(lines, "", p.Paint(terminal.Bold, "Runs and sessions"))
		}
		add("other "+t.ID, t.Mark.Sign, t.Title, terminal.OneLine(t.State, 24), t.Mark.Tone)
	}
	return lines, chosen
}

// card returns what is chosen, whole.
func (w *watcher) card() string {
	var out bytes.Buffer
	p := w.Page(&out)
	if c := w.at(w.chosen); len(c.Asks) > 0 {
		terminal.Ask(p, c)
		if len(w.picked) > 0 {
			p.Line("  picked  %v; Enter sends them", w.picked)
		}
	}
	for _, t := range w.others {
		if "other "+t.ID == w.chosen {
			terminal.Thing(p, t)
		}
	}
	return out.String()
}

// colour matches the beginning and the end of a colour.
var colour = regexp.MustCompile(`\x1b\[\d*m`)

// wrap breaks lines that are too long. A colour goes on in the next line.
func wrap(s string, width int) []string {
	lines := strings.Split(ansi.Wrap(strings.TrimRight(s, "\n"), width, ""), "\n")
	now := ""
	for i, l := range lines {
		lines[i] = now + l + "\x1b[0m"
		if all := colour.FindAllString(l, -1); len(all) > 0 {
			now = all[len(all)-1]
		}
	}
	return lines
}

// fill cuts or fills a line to a width.
func fill(s string, width int) string {
	s = ansi.Truncate(s, max(0, width), "…")
	return s + strings.Repeat(" ", max(0, width-ansi.StringWidth(s)))
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// window returns the lines of a list that have room, with the one at a place among them.
func window(lines []string, at, room int) []string {
	first := max(0, min(at-room/2, len(lines)-room))
	return lines[first:min(len(lines), first+room)]
}

// from returns the lines from a place on that have room. The place is at most that of the last screen.
func from(lines []string, place *int, room int) []string {
	room = max(room, 1)
	*place = max(0, min(*place, len(lines)-room))
	lines = lines[*place:]
	if len(lines) > room {
		return append(slices.Clone(lines[:room-1]), fmt.Sprintf("… %d more lines: space", len(lines)-room+1))
	}
	return lines
}
