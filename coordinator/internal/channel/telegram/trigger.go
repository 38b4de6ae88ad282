package telegram

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// maxTriggers bounds the triggers of one list.
const maxTriggers = 10

const noTriggers = "No triggers. A trigger sends a text at a time, when a webhook comes in or when a file appears. " +
	"In a terminal: `afar trigger new`."

// triggerList shows the triggers, each with the button that switches it on or off.
func (l *link) triggerList() (out rendered, err error) {
	all, err := call(l, Name, wire.OpTriggers, wire.None{})
	if len(all.Triggers) == 0 {
		return rendered{html: ticks(noTriggers)}, err
	}
	closed := l.cfg.Core.Counts(Name)
	var b strings.Builder
	for _, t := range all.Triggers[:min(len(all.Triggers), maxTriggers)] {
		b.WriteString(l.triggerLines(t))
		if row := triggerButtons(t); closed == nil && row != nil {
			out.rows = append(out.rows, row)
		}
	}
	if left := len(all.Triggers) - maxTriggers; left > 0 {
		fmt.Fprintf(&b, "\nand %s more: <code>afar trigger list</code>\n", text.Count(left, "trigger"))
	}
	if closed != nil {
		b.WriteString("\nNothing can be switched here: " + line(closed.Error(), maxPath) + ".")
	}
	out.html = strings.TrimSpace(b.String())
	return out, err
}

// triggerLines shows a trigger in a list.
func (l *link) triggerLines(t wire.Trigger) string {
	lines := fmt.Sprintf("%s <b>%s</b> · %s\n", triggerSign(t), line(t.Title, maxWord), wording.TriggerState(t))
	if t.On != "" {
		to := line(cmp.Or(t.To, "nobody"), maxWord)
		lines += fmt.Sprintf("<code>%s</code> to %s%s\n", line(t.On, maxWord), to, l.due(t))
	}
	switch {
	case t.State == wire.TriggerProposed:
		lines += fmt.Sprintf("<i>Read its file, then:</i> <code>afar trigger on %s</code>\n", line(t.ID, maxWord))
	case t.Fault+t.Held != "":
		lines += "<i>" + line(cmp.Or(t.Fault, t.Held), maxReason) + "</i>\n"
	}
	return lines
}

// due says when a trigger is due next, or was last.
func (l *link) due(t wire.Trigger) string {
	switch {
	case t.State == wire.TriggerOn && t.Next != 0:
		return ", next " + l.clock(t.Next)
	case t.Last != 0:
		return ", last " + l.clock(t.Last)
	}
	return ""
}

// clock returns an instant as the clock of this machine shows it.
func (l *link) clock(ms int64) string {
	return time.UnixMilli(ms).In(l.cfg.Now().Location()).Format("Mon 2 Jan 15:04")
}

// triggerSign is the picture for the state of a trigger.
func triggerSign(t wire.Trigger) string {
	switch t.State {
	case wire.TriggerOn:
		return "⚡️"
	case wire.TriggerProposed:
		return "💡"
	case wire.TriggerBroken:
		return "⚠️"
	}
	return "⏸"
}

// The values of a button about a trigger or a module.
const (
	switchOn  = "y"
	switchOff = "n"
)

// triggerButtons returns the button of a trigger, nil for one whose file must be read or mended
// first.
func triggerButtons(t wire.Trigger) []button {
	name := " " + text.Clip(t.Title, maxButtonTitle)
	switch t.State {
	case wire.TriggerOn:
		return []button{{"Off ⏸" + name, callback{ofTrigger, t.ID, switchOff}.String()}}
	case wire.TriggerOff:
		return []button{{"On ▶️" + name, callback{ofTrigger, t.ID, switchOn}.String()}}
	}
	return nil
}

// tappedTrigger carries out a tap on a button about a trigger.
func (l *link) tappedTrigger(p core.Press, c callback) error {
	said, err := l.switchTrigger(p.Decision.By, c)
	if err != nil {
		said = notDone(err)
	}
	return l.cfg.Core.Acknowledge(p.Act, said)
}

// switchTrigger switches a trigger on or off, and says so. It approves no file that was changed
// after the list with the button was sent: the person has not read it.
func (l *link) switchTrigger(person string, c callback) (said string, err error) {
	named := wire.TriggerRequest{ID: c.nonce}
	if c.value == switchOff {
		t, err := call(l, person, wire.OpTriggerOff, named)
		return "Trigger " + t.ID + " is off.", err
	}
	t, err := call(l, person, wire.OpTrigger, named)
	if err != nil {
		return "", err
	}
	if t.State == wire.TriggerProposed {
		return "", fmt.Errorf("its file is new or was changed; read it, then: afar trigger on %s", t.ID)
	}
	t, err = call(l, person, wire.OpTriggerOn, named)
	if t.Secret != "" {
		return "Trigger " + t.ID + " is on. Its secret was lost: afar trigger rotate " + t.ID + " makes a new one.", err
	}
	return "Trigger " + t.ID + " is on.", err
}
