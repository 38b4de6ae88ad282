package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

// ofTask is the kind of the buttons about tasks. The kind of those about things is the name of their noun, their nonce
// the thing's id, and their value the key of the deed.
const ofTask callbackKind = "task"

// nounOf returns the noun that buttons of a kind are about. ok is false for others.
func nounOf(kind callbackKind) (n view.Noun, ok bool) {
	for _, n := range view.Nouns() {
		if n.Name == string(kind) {
			return n, true
		}
	}
	return n, false
}

// nounCommands returns the commands that list the things of a noun.
func nounCommands() (all []command) {
	for _, n := range view.Nouns() {
		if n.About == "" {
			continue
		}
		op, in := asksFor(func(c view.Caller) { _, _ = n.List(c) })
		all = append(all, command{name: n.Name + "s", about: n.About, do: func(l *link, act channel.Act, _ []string) error {
			return l.order(act, op, in)
		}})
	}
	return all
}

// nounSayings returns how the replies of the operations of nouns are worded.
func nounSayings() (all []saying) {
	for _, n := range view.Nouns() {
		if n.About != "" {
			op, _ := asksFor(func(c view.Caller) { _, _ = n.List(c) })
			all = append(all, saying{op: op, head: "Not done: ", say: func(l *link, in channel.Reply) (said, error) {
				things, err := n.List(l.replies(in))
				list := l.things(n, things)
				return said{show: &list}, err
			}})
		}
		for _, key := range n.Phone {
			op, _ := asksFor(func(c view.Caller) { _, _ = n.Does[key](c, "", view.Input{Seen: key}) })
			all = append(all, saying{op: op, head: "Not done: ", say: (*link).saidDeed})
		}
	}
	return all
}

// asksFor returns the operation that do calls, with its request. Nothing is carried out.
func asksFor(do func(view.Caller)) (op string, in any) {
	do(func(called string, with any) (any, error) {
		op, in = called, with
		return nil, errToldLater
	})
	return op, in
}

// replies returns what replies to an operation with what it came to.
func (l *link) replies(in channel.Reply) view.Caller {
	if in.In != nil {
		return l.caller(Name)
	}
	return func(string, any) (any, error) {
		return func(into any) error {
			if err := json.Unmarshal(in.Body, into); err != nil {
				return core.GiveUp(err)
			}
			return nil
		}, nil
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
func (l *link) things(noun view.Noun, all []view.Thing) (out rendered) {
	if len(all) == 0 {
		return rendered{html: ticks(noun.Empty)}
	}
	closed := l.cfg.Core.Counts(Name)
	var b strings.Builder
	for _, t := range all[:min(len(all), maxThings)] {
		b.WriteString(l.thingLines(noun, t))
		if row := thingButtons(noun, t, " "+text.Clip(t.Title, maxButtonTitle)); closed == nil && row != nil {
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
func thingButtons(n view.Noun, t view.Thing, name string) (row []button) {
	for _, d := range t.Deeds {
		if slices.Contains(n.Phone, d.Key) && d.Look == "" {
			label := strings.TrimSpace(d.Label + " " + d.Sign)
			row = append(row, button{label + name, callback{callbackKind(n.Name), t.ID, d.Key}.String()})
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
	n, _ := nounOf(c.kind)
	in := view.Input{Key: act.Key}
	if n.Read != nil {
		t, err := n.Read(l.caller(act.By), c.nonce)
		if d := t.Deed(c.value); err == nil && d.Look != "" {
			err = fmt.Errorf("it is new or was changed; %s, then: %s", strings.ToLower(d.Look), d.Command)
		}
		if err != nil {
			return l.cfg.Core.Acknowledge(act, notDone(err))
		}
		in.Seen = t.Seen
	}
	act.As = c.String()
	asked, failed := false, error(nil)
	_, err := n.Does[c.value](func(op string, request any) (any, error) {
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

// saidDeed words an operation that a button about a thing asked for, as the noun of the thing does.
func (l *link) saidDeed(in channel.Reply) (out said, err error) {
	c, _ := parseCallback(in.As)
	n, _ := nounOf(c.kind)
	do := n.Does[c.value]
	if do == nil {
		return out, core.GiveUp(fmt.Errorf("no button asks for %s with %q", in.Op, in.As))
	}
	done, err := do(l.replies(in), c.nonce, view.Input{Seen: in.As})
	if done.Secret != "" {
		done.Said += " Its secret was lost: afar trigger rotate " + c.nonce + " makes a new one."
	}
	out.text = done.Said
	if done.Task == "" || err != nil {
		return out, err
	}
	var t wire.Task
	if err := json.Unmarshal(in.Body, &t); err != nil {
		return out, core.GiveUp(err)
	}
	card := l.taskCard(t)
	if done.Runs {
		card = l.taskStarted(t)
	}
	out.show = &card
	return out, nil
}

// thingList lists the things of a noun that an operation has replied with.
func (l *link) thingList(n view.Noun, reply any) rendered {
	all, _ := n.List(func(string, any) (any, error) { return reply, nil })
	return l.things(n, all)
}
