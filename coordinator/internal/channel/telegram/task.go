package telegram

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// maxTasks bounds the tasks of one list.
const maxTasks = 10

// The most characters of the title that is made of a text, and of a title on a button. A title
// of many emoji has fewer: titles are bounded in bytes, too.
const (
	maxTitle       = 60
	maxTitleBytes  = 180
	maxButtonTitle = 20
)

const taskUsage = "Say what shall be reached: `/task send the invoices of 2025`. " +
	"An agent works on it in a folder of its own, for days if need be, and asks you here. /tasks lists the tasks."

// call carries out an operation of the command line for the person.
func call[Request, Reply any](l *link, person string, op wire.Op[Request, Reply], in Request) (Reply, error) {
	return carryOut(l, person, op.With(in))
}

func carryOut[Reply any](l *link, person string, made wire.Call[Reply]) (Reply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), l.pace.slack)
	defer cancel()
	return made.Through(func(op string, in any) (any, error) { return l.cfg.Call(ctx, person, op, in) })
}

// notDone says why an operation did not work.
func notDone(err error) string { return failed("Not done: ", err.Error()) }

// newTask creates a task with the text of a command, and starts it. An update that is handled
// again finds the same task.
func (l *link) newTask(update int64, m message, _ []string) error {
	act := l.actOf(update, m)
	if m.rest() == "" {
		return l.cfg.Core.Acknowledge(act, taskUsage)
	}
	in := wire.TaskNewRequest{Key: act.Key, Title: titleOf(m.rest()), Objective: m.rest(), Start: true}
	return order(l, act, wire.OpTaskNew, in)
}

func (l *link) saidTaskNew(_ string, t wire.Task) (said, error) {
	card := l.taskStarted(t)
	return said{show: &card}, nil
}

func (l *link) saidTasks(_ string, all wire.TasksReply) (said, error) {
	list := l.taskList(all.Tasks)
	return said{show: &list}, nil
}

func (l *link) saidTask(_ string, t wire.Task) (said, error) {
	card := l.taskCard(t)
	return said{text: visible(t.Title, maxWord) + ": " + wording.TaskStatus(t), show: &card}, nil
}

// keyOf names what an update of the bot asks for, in the form of rand.Text. The same update has
// the same key after a crash.
func (l *link) keyOf(update int64) string {
	sum := sha256.Sum256([]byte(Name + " " + l.account().Speaker + " " + itoa(update)))
	return base32.StdEncoding.EncodeToString(sum[:])[:26]
}

// titleOf makes a title of a text: its first line, or the beginning of that.
func titleOf(s string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	first = text.Fold(redact.Visible(first))
	title := text.ClipBytes(text.Clip(first, maxTitle), maxTitleBytes)
	if cut := strings.LastIndexByte(title, ' '); title != first && cut > maxTitle/2 {
		return title[:cut] + "…"
	}
	return title
}

// task returns the task that a message is about, as its buttons say, "" for none and for a
// list of several.
func (m message) task() task.Slug {
	found := ""
	for _, row := range m.Markup.Rows {
		for _, b := range row {
			c, ok := parseCallback(b.Data)
			switch {
			case !ok || c.kind != ofTask || c.nonce == found:
			case found != "":
				return ""
			default:
				found = c.nonce
			}
		}
	}
	return task.Slug(found)
}

// writeToTask gives the task that a message replies to a text of the person. ok is false if
// the message is about no task.
func (l *link) writeToTask(update int64, m message) (ok bool, err error) {
	slug := m.Reply.task()
	if slug == "" {
		return false, nil
	}
	if _, isKnown := l.cfg.Core.Task(slug); !isKnown && !isAddress(string(slug)) {
		said := "Nothing was sent: " + string(slug) + " is only proposed. Start it first."
		return true, l.cfg.Core.Acknowledge(m.act(update), said)
	}
	return true, l.sendText(update, m, wire.ToTask+string(slug), m.Text)
}

// showTask is the value of the button that shows a task.
const showTask = "show"

// taskList lists the tasks that are not archived.
func (l *link) taskList(all []wire.Task) (out rendered) {
	var b strings.Builder
	shown, archived := 0, 0
	for _, t := range all {
		switch {
		case t.Status == string(task.Archived):
			archived++
			continue
		case shown == maxTasks:
			continue
		}
		shown++
		b.WriteString(l.thingLines(view.Tasks, view.Task(t)))
		out.rows = append(out.rows, taskButtons(view.Task(t), " "+text.Clip(t.Title, maxButtonTitle)))
	}
	if left := len(all) - shown - archived; left > 0 {
		fmt.Fprintf(&b, "\nand %s more: <code>afar task list</code>", text.Count(left, "task"))
	}
	if shown == 0 {
		return rendered{html: "No tasks. " + ticks(taskUsage)}
	}
	out.html = strings.TrimSpace(b.String())
	return out
}

// taskStarted says that a task was created and started, and where it is.
func (l *link) taskStarted(t wire.Task) rendered {
	what := "an agent works on it"
	if t.RunState == "queued" {
		what = "its run waits for its turn"
	}
	return rendered{rows: [][]button{taskButtons(view.Task(t), "")}, html: fmt.Sprintf("📋 <b>%s</b>: %s\n📁 %s\n"+
		"Its questions and its result come here. Reply to this message to write to it, or with a file for its "+
		"artifacts.%s",
		line(t.Title, maxWord), what, place{home: l.cfg.Home}.path(t.Dir), l.taskLink(t))}
}

// taskCard shows one task.
func (l *link) taskCard(t wire.Task) rendered {
	html := strings.TrimSpace(l.thingLines(view.Tasks, view.Task(t)))
	switch {
	case t.NextAction != 0:
		html += "\nIt goes on " + time.UnixMilli(t.NextAction).In(l.cfg.Now().Location()).Format("Mon 2 Jan 2006") + "."
	case t.WaitingFor != "":
		html += "\nIt goes on when you start it."
	}
	if t.Objective != t.Title {
		shown, _ := quotedIn(t.Objective, maxWhy)
		html += "\n" + shown
	}
	html += "\n📁 " + place{home: l.cfg.Home}.path(t.Dir) + l.taskLink(t)
	return rendered{html: html, rows: [][]button{thingButtons(view.Tasks, view.Task(t), "")}}
}

// taskLink returns a line that leads to the page of a task, "" while none is served.
func (l *link) taskLink(t wire.Task) string {
	link := l.linkTo("/task/" + t.ID)
	if link == "" {
		return ""
	}
	return "\n" + link
}

// taskButtons returns the buttons of a task among others: show it, and the likeliest deed.
func taskButtons(t view.Thing, name string) []button {
	show := button{"Show" + name, callback{ofTask, t.ID, showTask}.String()}
	return append([]button{show}, thingButtons(view.Tasks, t, name)[:1]...)
}
