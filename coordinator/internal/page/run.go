package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Runs shows all runs.
type Runs struct {
	List  []RunRow // in the order of the server: what needs a person first
	All   int      // how many there are, if List is only the first of them
	Start RunForm
	Home  string
}

// Count returns how many runs there are.
func (v Runs) Count() int { return max(v.All, len(v.List)) }

// A RunForm is the form that starts a run.
type RunForm struct {
	Closed string   // why no run can be started here, "" if it can
	Key    string   // is new after each start, so that a form that is sent twice starts one run
	Agent  string   // of a run that names none
	Agents []string // all that can be named
	Mode   string   // of a run that names none
	Modes  []string
	Dirs   []string // where work was done, the last first
}

// Dir returns the directory that the form proposes, "" for none.
func (f RunForm) Dir() string {
	if len(f.Dirs) == 0 {
		return ""
	}
	return f.Dirs[0]
}

// A RunRow is a run as a list shows it.
type RunRow struct {
	wire.Run
	Asks []wire.Ask // its open questions, oldest first
}

// Run shows one run.
type Run struct {
	Run     wire.Run
	Cards   []Card          // its open questions
	Events  []wire.RunEvent // oldest first
	Texts   []wire.Message  // that were sent to it in the time of Events, oldest first
	Further Further         // of Events
	Closed  string          // why this page cannot decide for it, "" if it can
	Home    string
}

// RunEvent shows one event of a run, whole.
type RunEvent struct {
	Name  string // of the run
	Event wire.RunEvent
	Home  string
}

func (r Runs) shape() shape {
	return shape{name: "runs", title: "Runs", path: "/runs", entry: "/runs", home: r.Home,
		parts: []string{"start", "runs"}}
}

func (r Run) shape() shape {
	return shape{
		name: "run", title: r.Run.Name, path: runPath(r.Run.Name), entry: "/runs", home: r.Home,
		parts: []string{"questions", "head", "log"},
	}
}

func (e RunEvent) shape() shape {
	what, _ := wording.RunEvent(e.Event)
	return shape{
		name: "event", title: e.Name + " " + line(60, what), path: e.Path(), entry: "/runs", home: e.Home,
		parts: []string{"event"},
	}
}

// Path returns the path of the page.
func (e RunEvent) Path() string { return eventPath(e.Name, e.Event.N) }

// Back returns the path of the run.
func (e RunEvent) Back() string { return runPath(e.Name) }

// Said returns what the event says.
func (e RunEvent) Said() string {
	_, said := wording.RunEvent(e.Event)
	return said
}

// Prose reports whether the event is a text that a model wrote in Markdown.
func (e RunEvent) Prose() bool { return isProse(e.Event) }

func runPath(name string) string { return "/run/" + url(name) }

func eventPath(run string, n int64) string {
	return runPath(run) + "/event/" + strconv.FormatInt(n, 10)
}

func isProse(e wire.RunEvent) bool {
	return e.Kind == "text" || e.Kind == "result" || e.Kind == "thinking"
}

// Waits says what a run waits for, "" for nothing.
func (r RunRow) Waits() string {
	switch {
	case len(r.Asks) > 0:
		return r.Asks[0].Request
	case r.State == "queued", r.State == "taken":
		return wording.RunState(r.State)
	}
	return ""
}

// Said returns what a run said last.
func (r RunRow) Said() string { return wording.RunLast(r.Run) }

// Had says how many turns a run had, and what waits.
func (r RunRow) Had() string { return wording.RunTurns(r.Run) }

// Busy reports whether the run has something that can be stopped.
func (r Run) Busy() bool { return !wording.RunOver(r.Run.State) && r.Run.State != "taken" }

// Over reports whether the run can be removed.
func (r Run) Over() bool { return wording.RunOver(r.Run.State) }

// Thing returns the run as every surface shows it.
func (r Run) Thing() view.Thing { return view.Run(r.Run) }

// The kinds of deeds.
const (
	deedProse = "prose" // the model wrote it
	deedCall  = "call"
	deedLine  = "line"
	deedText  = "text" // a person or a program wrote it
)

// A deed is one step of a run as its page shows it: a text, or a call with its outcome.
type deed struct {
	Kind  string
	At    int64
	Icon  string
	Mood  string // ok, bad, ask or ""
	What  string // in a few words
	Text  string // of a call, its input
	Tool  string
	Note  string // beside What
	Sub   bool   // a subagent did it
	Out   *wire.RunEvent
	Took  int64  // milliseconds
	Path  string // of the page with the whole text
	Whole string // of the page with the whole output
}

// Deeds returns what the run did, newest first.
func (r Run) Deeds() []deed {
	var out []deed
	calls := map[string]int{} // the place of a call in out
	said := ""                // the last text
	for i, e := range r.Events {
		at, known := calls[e.Call]
		switch {
		case e.Kind == "usage" || e.Kind == "context":
			continue
		case e.Kind == "tool_result" && known && e.Call != "":
			out[at].end(&r.Events[i], r.Run.Name)
			continue
		}
		if e.Kind == "tool_start" && e.Call != "" {
			calls[e.Call] = len(out)
		}
		out = append(out, deedOf(e, r.Run.Name, said))
		if e.Kind == "text" && e.Of == "" {
			said = e.Text
		}
	}
	for _, m := range r.Texts {
		out = append(out, deedOfText(m))
	}
	slices.SortStableFunc(out, func(a, b deed) int { return cmp.Compare(a.At, b.At) })
	slices.Reverse(out)
	return out
}

// deedLooks are the icons and moods of the kinds of events.
var deedLooks = map[string]struct{ kind, icon, mood string }{
	"text": {deedProse, "chat", ""}, "result": {deedProse, "check", "ok"}, "thinking": {deedProse, "dot", ""},
	"tool_start": {deedCall, "tool", ""}, "tool_result": {deedLine, "tool", ""}, "init": {deedLine, "run", ""},
	"error": {deedLine, "warn", "bad"}, "compacting": {deedLine, "dot", ""}, "raw": {deedLine, "dot", ""},
}

// deedOf shows an event. A result that repeats what was said last shows no text.
func deedOf(e wire.RunEvent, run, said string) deed {
	look := deedLooks[e.Kind]
	what, text := wording.RunEvent(e)
	d := deed{
		Kind: cmp.Or(look.kind, deedLine), At: e.At, Icon: cmp.Or(look.icon, "dot"), Mood: look.mood,
		What: what, Text: text, Tool: e.Tool, Sub: e.Of != "", Path: eventPath(run, e.N),
	}
	switch {
	case e.Failed:
		d.Mood = "bad"
	case e.Kind == "init":
		d.What, d.Note, d.Text = "turn "+strconv.FormatInt(e.Turn, 10)+" begins", text, ""
	case e.Kind == "result":
		d.What = "turn " + strconv.FormatInt(e.Turn, 10) + " is over"
		if strings.TrimSpace(said) == text {
			d.Kind, d.Text = deedLine, ""
		}
	}
	return d
}

// end notes the outcome of a call.
func (d *deed) end(e *wire.RunEvent, run string) {
	d.Out, d.Took, d.Whole = e, max(0, e.At-d.At), eventPath(run, e.N)
	if e.Failed {
		d.Mood = "bad"
	}
}

func deedOfText(m wire.Message) deed {
	d := deed{Kind: deedText, At: m.At, Icon: "chat", Mood: "ask", What: m.By, Text: m.Text}
	if !m.Words {
		d.Note = "data"
	}
	if m.State == "pending" {
		d.Note = strings.TrimPrefix(d.Note+", waits for its next turn", ", ")
	}
	return d
}

// Outcome says in a word how a call ended.
func (d deed) Outcome() string {
	switch {
	case d.Out == nil:
		return "running"
	case d.Out.Failed:
		return "failed"
	}
	return "ok"
}

// Output returns the output of a call, "" for none.
func (d deed) Output() string {
	if d.Out == nil {
		return ""
	}
	return strings.TrimSpace(d.Out.Text)
}

// Lines says how long the output of a call is.
func (d deed) Lines() string { return text.Count(strings.Count(d.Output(), "\n")+1, "line") }

// The bounds of a text among others.
const (
	deedLines = 24
	deedBytes = 3 << 10
	outBytes  = 2 << 10
)

// Head returns the part of a text that is shown among others.
func (d deed) Head() string {
	lines := strings.SplitAfter(strings.TrimRight(d.Text, "\n"), "\n")
	return text.ClipBytes(strings.Join(lines[:min(len(lines), deedLines)], ""), deedBytes)
}

// Long reports whether Head is not all.
func (d deed) Long() bool { return len(strings.TrimRight(d.Text, "\n")) > len(d.Head()) }

// LongOut reports whether the output is cut.
func (d deed) LongOut() bool { return len(d.Output()) > outBytes }

// Brief returns the beginning of the output.
func (d deed) Brief() string { return text.ClipBytes(d.Output(), outBytes) }
