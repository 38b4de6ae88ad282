package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

const (
	lookFor = time.Second            // how long a look waits for a change
	restFor = 500 * time.Millisecond // no key answers so soon after the chosen question has changed by itself
	keptFor = time.Minute            // how long a question that has ended keeps its place
	isWide  = 110                    // columns from which the chosen question stands beside the list
)

func newWatch(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "watch", Short: "Answer questions on a screen that stays current", Args: exactly(),
		Long: "Shows the open questions, the runs and the sessions on the whole terminal, and keeps them current.\n" +
			"The keys are those of the page; ? shows them. Whatever arrives or goes, the chosen question stays chosen.\n" +
			"After it has changed by itself, no key answers it for half a second.",
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		if !isTerminal(a.stdin) || !isTerminal(a.stdout) {
			return usageError{errors.New("afar watch needs a terminal; for programs there is afar asks --json")}
		}
		w := newWatcher(c.Context(), a)
		first := w.look()().(looked)
		if first.err != nil {
			return first.err
		}
		w.take(first)
		_, err := tea.NewProgram(w, tea.WithContext(c.Context()), tea.WithOutput(a.stdout), tea.WithInput(a.stdin)).Run()
		if errors.Is(err, tea.ErrProgramKilled) || errors.Is(err, tea.ErrInterrupted) {
			return nil // the way to end it
		}
		return err
	}
	return c
}

// A watcher is the inbox on a terminal.
type watcher struct {
	app    *app
	ctx    context.Context
	do     view.Caller // answers a question
	seen   int64       // the newest entry of the journal that is shown
	looked bool        // it has looked once

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
	away           error     // why the coordinator does not answer
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
		status wire.StatusReply
		runs   []wire.Run
		gone   map[string]wire.AskReply // questions that were shown and wait no longer
		seen   int64
		err    error
	}
	answered struct {
		view.Done
		err error
	}
	rested struct{}
)

func newWatcher(ctx context.Context, a *app) *watcher {
	w := &watcher{app: a, ctx: ctx, columns: 80, lines: 24}
	w.do = func(op string, in any) (any, error) {
		var q wire.Ask
		err := call(ctx, a, wire.Op[any, wire.Ask](op), in, &q, running)
		return q, err
	}
	return w
}

func (w *watcher) Init() tea.Cmd { return w.look() }

// look returns the command that reads what there is: at once the first time, later after a change or a second.
func (w *watcher) look() tea.Cmd {
	how, q := starting, wire.LogRequest{Limit: 1, Last: true}
	if w.looked {
		how, q = patient(lookFor), wire.LogRequest{After: w.seen, Limit: mostEntries, WaitMS: lookFor.Milliseconds()}
	}
	shown := slices.Clone(w.questions)
	return func() tea.Msg {
		m, log, runs := looked{gone: map[string]wire.AskReply{}}, wire.LogReply{}, wire.RunsReply{}
		if m.err = call(w.ctx, w.app, wire.OpLog, q, &log, how); m.err != nil {
			_ = pause(w.ctx, comesBack)
			return m
		}
		m.err = errors.Join(call(w.ctx, w.app, wire.OpStatus, wire.StatusRequest{}, &m.status, running),
			call(w.ctx, w.app, wire.OpRuns, wire.RunsRequest{}, &runs, running))
		m.runs, m.seen = runs.Runs, end(log, q.After)
		for _, c := range shown {
			var gone wire.AskReply
			if c.ended.IsZero() && !isAmong(m.status.Asks, c) &&
				call(w.ctx, w.app, wire.OpAsk, wire.Named{ID: c.ID}, &gone, running) == nil {
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
	before, at, now := w.at(w.chosen).Seen+w.at(w.chosen).State, w.place(), w.app.now()
	cards := view.Cards(m.status.Asks)
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
	w.questions, w.others, w.seen, w.looked = all, nil, m.seen, true
	for _, r := range m.runs {
		w.others = append(w.others, view.Run(r))
	}
	for _, s := range m.status.Sessions {
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
	if w.app.now().Before(w.rests) {
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
		done, err := view.Questions.Does[key](w.do, card.ID, in)
		return answered{done, err}
	}
}

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
	p, open := w.page(nil), 0
	for _, q := range w.questions {
		if q.ended.IsZero() {
			open++
		}
	}
	head := p.paint(bold, fmt.Sprintf("Waiting for you %d", open))
	switch {
	case errors.Is(w.away, client.ErrUnreachable):
		head += "  " + p.paint(red, "the coordinator does not answer; a session or afar start brings it back")
	case w.away != nil:
		head += "  " + p.paint(red, oneLine(w.away.Error(), 200))
	case w.app.now().Before(w.rests):
		head += "  " + p.paint(yellow, "it has just changed: keys rest")
	}
	return ansi.Truncate(head, w.columns, "…")
}

// foot shows what is being written, what the last key led to, or the keys.
func (w *watcher) foot() string {
	p := w.page(nil)
	switch {
	case w.typed != nil:
		return ansi.TruncateLeft(w.about.Say.Words+": "+visible(*w.typed)+"▏",
			max(0, ansi.StringWidth(w.about.Say.Words+visible(*w.typed))+3-w.columns), "…")
	case w.help:
		return ansi.Truncate("j k next, previous · space further · 1-9 an option · / words · a d s w e the answers · q quit", w.columns, "…")
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
		ways = append([]string{p.paint(bold, oneLine(w.said, 100))}, ways...)
	}
	return ansi.Truncate(strings.Join(ways, " · "), w.columns, "…")
}

// list returns the lines of the list, and the place of the chosen one.
func (w *watcher) list() (lines []string, chosen int) {
	p, width := w.page(nil), w.columns
	if w.columns >= isWide {
		width = w.columns * 2 / 5
	}
	add := func(name, sign, title, end string, c ink) {
		mark := "  "
		if name == w.chosen {
			mark, chosen = "▸ ", len(lines)
		}
		room := width - ansi.StringWidth(mark+sign+end) - 2
		lines = append(lines, mark+sign+" "+p.paint(c, fill(oneLine(title, 200), room))+" "+end)
	}
	for _, q := range w.questions {
		c, end := ink(""), oneLine(q.Who, 24)+" "+wording.Span(p.now.Sub(milli(q.Asks[0].OpenedAt)))
		if !q.ended.IsZero() {
			c, end = dim, oneLine(q.State, 24)
		}
		add(nameOf(q.Asks[0]), q.Mark.Sign, q.Title+wording.Times(q.Asks), end, c)
	}
	if len(w.questions) == 0 {
		lines = append(lines, "  "+view.Questions.Empty)
	}
	for i, t := range w.others {
		if i == 0 {
			lines = append(lines, "", p.paint(bold, "Runs and sessions"))
		}
		add("other "+t.ID, t.Mark.Sign, t.Title, oneLine(t.State, 24), inks[t.Mark.Tone])
	}
	return lines, chosen
}

// card returns what is chosen, whole.
func (w *watcher) card() string {
	var out bytes.Buffer
	p := w.page(&out)
	if c := w.at(w.chosen); len(c.Asks) > 0 {
		renderAsk(p, c)
		if len(w.picked) > 0 {
			p.line("  picked  %v; Enter sends them", w.picked)
		}
	}
	for _, t := range w.others {
		if "other "+t.ID == w.chosen {
			p.thing(t)
		}
	}
	return out.String()
}

func (w *watcher) page(out *bytes.Buffer) *page {
	p := w.app.page()
	p.w = out
	return p
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
