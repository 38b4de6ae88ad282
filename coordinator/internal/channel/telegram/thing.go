package telegram

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// maxThings bounds the things of one list.
const maxThings = 10

// A noun is what the phone lists.
type noun struct {
	view.Noun
	deeds map[string]string // that have a button, by the value of the button
}

// The kinds of the buttons about things. The nonce is the thing's name.
const (
	ofSuggestion callbackKind = "sg"
	ofTrigger    callbackKind = "tr"
	ofModule     callbackKind = "md"
	ofTask       callbackKind = "t" // l shows it

	ofSession, ofLoop, ofText, ofMachine callbackKind = "se", "lp", "tx", "mc" // have no buttons
)

// nouns are all, by the kind of their buttons.
var nouns = map[callbackKind]noun{
	ofSuggestion: {view.Suggestions, map[string]string{"y": "accept", "n": "dismiss"}},
	ofTrigger:    {view.Triggers, map[string]string{"y": "on", "n": "off"}},
	ofModule:     {view.Modules, map[string]string{"y": "enable", "n": "disable"}},
	ofTask: {view.Tasks, map[string]string{
		"s": "start", "x": "stop", "d": "done", "o": "reopen", "z": "archive",
	}},
	ofSession: {Noun: view.Sessions}, ofLoop: {Noun: view.Loops}, ofText: {Noun: view.Texts},
	ofMachine: {Noun: view.Machines},
}

// thingSayings returns how the replies of the operations of nouns are worded.
func thingSayings() []saying {
	return []saying{
		listed(wire.OpLoops, ofLoop), listed(wire.OpMachines, ofMachine),
		listed(wire.OpSuggestions, ofSuggestion), deed(wire.OpSuggestionAccept), deed(wire.OpSuggestionDismiss),
		listed(wire.OpTriggers, ofTrigger), deed(wire.OpTriggerOn), deed(wire.OpTriggerOff),
		listed(wire.OpModules, ofModule), deed(wire.OpModuleEnable), deed(wire.OpModuleDisable),
		deed(wire.OpTaskStart), deed(wire.OpTaskStop), deed(wire.OpTaskSet),
	}
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
func (l *link) things(kind callbackKind, all []view.Thing) (out rendered) {
	noun := nouns[kind]
	if len(all) == 0 {
		return rendered{html: ticks(noun.Empty)}
	}
	closed := l.cfg.Core.Counts(Name)
	var b strings.Builder
	for _, t := range all[:min(len(all), maxThings)] {
		b.WriteString(l.thingLines(noun.Noun, t))
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
	return out
}

// thingLines shows a thing in a list.
func (l *link) thingLines(n view.Noun, t view.Thing) string {
	lines := fmt.Sprintf("%s%s <b>%s</b> · %s\n", strings.Repeat("↳ ", t.Level), t.Mark.Sign, line(t.Title, maxWord),
		line(t.State, maxWord))
	var columns []string
	if n.Named && t.Title != t.ID {
		columns = append(columns, line(t.ID, maxWord))
	}
	if t.Machine != "" && !n.Named {
		columns = append(columns, line(t.Machine, maxWord))
	}
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

// tappedThing carries out a tap on a button about a thing. It does nothing for which a person must look at more
// than a phone shows, such as a file that was changed after the list with the button was sent.
func (l *link) tappedThing(act channel.Act, c callback) error {
	if c.kind == ofTask && c.value == showTask {
		return order(l, act, wire.OpTask, wire.Named{ID: c.nonce})
	}
	n, in := nouns[c.kind], view.Input{Key: act.Key}
	key := n.deeds[c.value]
	if n.Read != nil {
		t, err := n.Read(l.caller(act.By), c.nonce)
		if d := t.Deed(key); err == nil && d.Look != "" {
			err = fmt.Errorf("it is new or was changed; %s, then: %s", strings.ToLower(d.Look), d.Command)
		}
		if err != nil {
			return l.cfg.Core.Acknowledge(act, notDone(err))
		}
		in.Seen = t.Seen
	}
	act.As = c.String()
	asked, failed := false, error(nil)
	_, err := n.Does[key](func(op string, request any) (any, error) {
		asked, failed = true, l.order(act, op, request)
		return nil, errToldLater
	}, c.nonce, in)
	if asked {
		return failed
	}
	return l.cfg.Core.Acknowledge(act, notDone(err))
}

// errToldLater ends a deed whose reply the channel words when it tells it.
var errToldLater = errors.New("the reply is told later")

// deed words an operation that a button about a thing asks for, as the noun of the thing does.
func deed[Request, Reply any](op wire.Op[Request, Reply]) saying {
	return words(op, "Not done: ", "", func(l *link, as string, reply Reply) (out said, err error) {
		c, _ := parseCallback(as)
		n := nouns[c.kind]
		do := n.Does[n.deeds[c.value]]
		if do == nil {
			return out, core.GiveUp(fmt.Errorf("no button asks for %s with %q", op, as))
		}
		replied := func(string, any) (any, error) { return reply, nil }
		done, err := do(replied, c.nonce, view.Input{Seen: as})
		if done.Secret != "" {
			done.Said += " Its secret was lost: afar trigger rotate " + c.nonce + " makes a new one."
		}
		out.text = done.Said
		if t, is := any(reply).(wire.Task); is && done.Task != "" {
			card := l.taskCard(t)
			if done.Runs {
				card = l.taskStarted(t)
			}
			out.show = &card
		}
		return out, err
	})
}

// listed words an operation that lists the things of a noun.
func listed[Request, Reply any](op wire.Op[Request, Reply], kind callbackKind) saying {
	return words(op, "Not done: ", "", func(l *link, _ string, reply Reply) (said, error) {
		list := l.thingList(kind, reply)
		return said{show: &list}, nil
	})
}

// thingList lists the things of a noun that an operation has replied with.
func (l *link) thingList(kind callbackKind, reply any) rendered {
	all, _ := nouns[kind].List(func(string, any) (any, error) { return reply, nil })
	return l.things(kind, all)
}
