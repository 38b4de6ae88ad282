package telegram

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wording"
)

// maxThings bounds the things of one list.
const maxThings = 10

// A noun is what the phone lists.
type noun struct {
	view.Noun
	deeds map[string]string // that have a button, by the value of the button
}

// nouns are all, by the kind of their buttons.
var nouns = map[callbackKind]noun{
	ofSuggestion: {view.Suggestions, map[string]string{"y": "accept", "n": "dismiss"}},
	ofTrigger:    {view.Triggers, map[string]string{"y": "on", "n": "off"}},
	ofModule:     {view.Modules, map[string]string{"y": "enable", "n": "disable"}},
	ofTask: {view.Tasks, map[string]string{
		"s": "start", "x": "stop", "d": "done", "o": "reopen", "z": "archive",
	}},
}

// caller returns what carries out operations for a person.
func (l *link) caller(person string) view.Caller {
	return func(op string, in any) (any, error) {
		ctx, cancel := context.WithTimeout(context.Background(), l.pace.slack)
		defer cancel()
		return l.cfg.Call(ctx, person, op, in)
	}
}

// things lists the things of a noun, each with its buttons.
func (l *link) things(kind callbackKind) (out rendered, err error) {
	noun := nouns[kind]
	all, err := noun.List(l.caller(Name))
	if len(all) == 0 {
		return rendered{html: ticks(noun.Empty)}, err
	}
	closed := l.cfg.Core.Counts(Name)
	var b strings.Builder
	for _, t := range all[:min(len(all), maxThings)] {
		b.WriteString(l.thingLines(t))
		if row := thingButtons(kind, t, " "+text.Clip(t.Title, maxButtonTitle)); closed == nil && row != nil {
			out.rows = append(out.rows, row)
		}
	}
	if left := len(all) - maxThings; left > 0 {
		fmt.Fprintf(&b, "\nand %s more: <code>afar %s list</code>\n", text.Count(left, noun.Name), noun.Name)
	}
	if closed != nil {
		b.WriteString("\nNothing can be decided here: " + line(closed.Error(), maxPath) + ".")
	}
	out.html = strings.TrimSpace(b.String())
	return out, err
}

// thingLines shows a thing in a list.
func (l *link) thingLines(t view.Thing) string {
	lines := fmt.Sprintf("%s%s <b>%s</b> · %s\n", strings.Repeat("↳ ", t.Level), t.Mark.Sign, line(t.Title, maxWord),
		line(t.State, maxWord))
	var columns []string
	for _, column := range t.Columns {
		columns = append(columns, l.spans(column, maxWord))
	}
	if len(columns) > 0 {
		lines += strings.Join(columns, " · ") + "\n"
	}
	if t.About != "" {
		lines += "<i>" + line(t.About, maxReason) + "</i>\n"
	}
	for _, note := range t.Notes {
		lines += "<i>" + strings.TrimPrefix(note.Name+": ", ": ") + l.spans(note.Line, maxReason) + "</i>\n"
	}
	for _, d := range t.Deeds {
		if d.Look != "" {
			lines += fmt.Sprintf("<i>%s, then:</i> <code>%s</code>\n", d.Look, line(d.Command, maxWord))
		}
	}
	return lines
}

// spans returns a line of a thing, each span of at most most units.
func (l *link) spans(of view.Line, most int) string {
	var words []string
	for _, s := range of {
		shown := line(s.Text, most)
		switch {
		case s.Day:
			shown = time.UnixMilli(s.At).In(l.cfg.Now().Location()).Format("Mon 2 Jan 2006")
		case s.Ago:
			shown = wording.Ago(l.cfg.Now().Sub(time.UnixMilli(s.At)))
		case s.At != 0:
			shown = l.clock(s.At)
		case s.Path:
			shown = place{home: l.cfg.Home}.path(s.Text)
		case s.Code:
			shown = "<code>" + shown + "</code>"
		}
		words = append(words, shown)
	}
	return view.Join(words)
}

// clock returns an instant as the clock of this machine shows it.
func (l *link) clock(ms int64) string {
	return time.UnixMilli(ms).In(l.cfg.Now().Location()).Format("Mon 2 Jan 15:04")
}

// thingButtons returns the buttons of a thing, each with a name at its end, without those for which a person
// must look at more than a phone shows.
func thingButtons(kind callbackKind, t view.Thing, name string) (row []button) {
	for _, d := range t.Deeds {
		for value, key := range nouns[kind].deeds {
			if key == d.Key && d.Look == "" {
				label := strings.TrimSpace(d.Label + " " + d.Sign)
				row = append(row, button{label + name, callback{kind, t.ID, value}.String()})
			}
		}
	}
	return row
}

// tappedThing carries out a tap on a button about a thing.
func (l *link) tappedThing(p core.Press, c callback) error {
	done, err := nouns[c.kind].do(l.caller(p.Decision.By), c, l.keyOf(p.Act.Update))
	switch {
	case err != nil:
		return l.cfg.Core.Acknowledge(p.Act, notDone(err))
	case done.Task != "":
		shown := core.TaskView{Task: task.Slug(done.Task), Started: done.Runs}
		return l.cfg.Core.ShowTasks(p.Act, done.Said, shown)
	case done.Secret != "":
		done.Said += " Its secret was lost: afar trigger rotate " + c.nonce + " makes a new one."
	}
	return l.cfg.Core.Acknowledge(p.Act, done.Said)
}

// do does what a button says. It does nothing for which a person must look at more than a phone shows, such
// as a file that was changed after the list with the button was sent.
func (n noun) do(caller view.Caller, c callback, once string) (done view.Done, err error) {
	key, in := n.deeds[c.value], view.Input{Key: once}
	if n.Read != nil {
		t, err := n.Read(caller, c.nonce)
		if err != nil {
			return done, err
		}
		if d := t.Deed(key); d.Look != "" {
			return done, fmt.Errorf("it is new or was changed; %s, then: %s", strings.ToLower(d.Look), d.Command)
		}
		in.Seen = t.Seen
	}
	return n.Does[key](caller, c.nonce, in)
}
