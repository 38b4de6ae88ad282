package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A command is a word that the bot understands, with its action: do, or take for one that
// needs the whole message. words are the words after the command.
type command struct {
	name, about string
	do          func(l *link, act channel.Act, words []string) error
	take        func(l *link, update int64, m message, words []string) error
}

// commands returns all of them, in the order in which Telegram lists them.
func commands() []command {
	return slices.Concat([]command{
		{name: "status", about: "how things stand", do: tells((*link).statusText)},
		{name: "sessions", about: "what runs", do: shows(wire.OpSessions, wire.SessionsRequest{Most: maxThings})},
		{name: "questions", about: "what waits for you", do: tells((*link).questionsText)},
		{name: "asks", about: "the same as /questions", do: tells((*link).questionsText)},
		{name: "grants", about: "what you allowed for a session, and take it back", do: shows(wire.OpGrants, wire.None{})},
		{name: "run", about: "have an agent do something: /run TEXT", take: (*link).startRun},
		{name: "runs", about: "what works without a terminal", do: shows(wire.OpRuns, wire.RunsRequest{Most: maxRuns})},
		{name: "task", about: "have an agent work on something for days: /task TEXT", take: (*link).newTask},
		{name: "tasks", about: "what goes on for days", do: shows(wire.OpTasks, wire.None{})},
	}, nounCommands(), []command{
		{name: "send", about: "write to a session or a run: /send NAME TEXT", take: (*link).sendTo},
		{name: "inbox", about: "the newest texts, and what became of them: /inbox WORDS finds old ones",
			do: inbox},
		{name: "remember", about: "keep what your agents should know: /remember TEXT", take: (*link).remember},
		{name: "away", about: "when questions come here: on, off or auto, with a time such as 2h", do: away},
		{name: "here", about: "I am back: questions stay at the terminal", do: here},
		{name: "pause", about: "silence all but the guard", do: pause(true)},
		{name: "resume", about: "end of /pause", do: pause(false)},
		{name: "stop", about: "end what a session does now: as a reply to its message", take: (*link).stopTurn},
		{name: "help", about: "what this bot does", do: tells(func(*link) string { return helpText })},
	})
}

// runCommand carries out a command of the person. ok is false if the command is unknown.
func (l *link) runCommand(update int64, m message) (ok bool, err error) {
	words := strings.Fields(m.Text)
	name, _, _ := strings.Cut(strings.TrimPrefix(words[0], "/"), "@")
	for _, c := range commands() {
		switch {
		case c.name != strings.ToLower(name):
		case c.take != nil:
			return true, c.take(l, update, m, words[1:])
		default:
			return true, c.do(l, l.actOf(update, m), words[1:])
		}
	}
	return false, nil
}

// introduceCommands tells Telegram the list of commands, once for each link, because an
// earlier version of the program may have set another list. The bot works without the
// list, so a refusal is only logged.
func (l *link) introduceCommands(ctx context.Context) {
	if l.listed {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, l.pace.slack)
	defer cancel()
	var list []map[string]string
	for _, c := range commands() {
		list = append(list, map[string]string{"command": c.name, "description": c.about})
	}
	var done bool
	err := l.call(ctx, "setMyCommands", map[string]any{"commands": list}, &done)
	var cut *url.Error
	l.listed = !errors.As(err, &cut) // whatever the answer was
	if err != nil {
		l.cfg.Log.Warn("list the bot's commands", "err", err)
	}
}

func tells(text func(*link) string) func(*link, channel.Act, []string) error {
	return func(l *link, act channel.Act, _ []string) error {
		return l.cfg.Core.Acknowledge(act, text(l))
	}
}

// shows returns the action of a command that shows what an operation replies.
func shows[Request, Reply any](op wire.Op[Request, Reply], in Request) func(*link, channel.Act, []string) error {
	return func(l *link, act channel.Act, _ []string) error { return order(l, act, op, in) }
}

const awayUsage = "Say it like this: `/away on`, `/away on 2h`, `/away auto` or `/away off`."

func away(l *link, act channel.Act, words []string) error {
	if len(words) == 0 {
		return l.cfg.Core.Acknowledge(act, fmt.Sprintf("Away is %s. %s", l.cfg.Core.Settings().Away.Mode, awayUsage))
	}
	mode, err := session.ParseMode(strings.ToLower(words[0]))
	var d time.Duration
	if len(words) == 2 && err == nil {
		d, err = time.ParseDuration(words[1])
	}
	switch {
	case err != nil, mode == session.Default, len(words) > 2, len(words) == 2 && d <= 0:
		return l.cfg.Core.Acknowledge(act, awayUsage)
	}
	return order(l, act, wire.OpAway, wire.AwayRequest{Mode: string(mode), ForMS: d.Milliseconds()})
}

// saidAway says where questions go now.
func (l *link) saidAway(as string, set wire.Settings) (said, error) {
	mode := session.Mode(set.Away)
	text := map[session.Mode]string{
		session.On:   "🚶 Away is on: questions come here at once.",
		session.Off:  "🏠 Away is off: questions stay at the terminal.",
		session.Auto: "🚶 Away is auto: a question comes here when nobody answers it at the terminal.",
	}[mode]
	if as == asHere {
		text = "🏠 Welcome back. Questions stay at the terminal."
	}
	if set.AwayUntil != 0 {
		text += " Until " + dayClock(time.UnixMilli(set.AwayUntil).In(l.cfg.Now().Location()), l.cfg.Now()) + "."
	}
	return said{text: text + l.exceptions(mode)}, nil
}

// exceptions names the sessions that have an away mode of their own, other than the one for all.
func (l *link) exceptions(all session.Mode) string {
	var names []string
	for _, v := range l.cfg.Core.Sessions() {
		if own := v.Away.At(l.cfg.Now()); v.State != session.Ended && own != "" && own != all {
			names = append(names, v.Token+" stays "+string(own))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " But " + strings.Join(names, ", ") + ": `afar away default --session NAME` ends that."
}

// asHere is what the person does who is back.
const asHere = "here"

func here(l *link, act channel.Act, _ []string) error {
	act.As = asHere
	return order(l, act, wire.OpAway, wire.AwayRequest{Mode: string(session.Off)})
}

// pause returns the action that silences Afar or ends that, or decides whether a project that asks for silence
// gets it.
func pause(on bool) func(*link, channel.Act, []string) error {
	return func(l *link, act channel.Act, words []string) error {
		act.As = strings.Join(words, " ")
		return order(l, act, wire.OpPause, wire.PauseRequest{On: on, Project: act.As})
	}
}

// saidPaused says what is silent. project is the one that was decided about, "" for none.
func saidPaused(_ *link, project string, set wire.Settings) (said, error) {
	switch silent := func(s wire.Silence) bool { return s.Project == filepath.Clean(project) && s.Heard }; {
	case project == "" && set.Paused:
		return said{text: "⏸ Paused: only the guard speaks. /resume ends it."}, nil
	case project == "":
		return said{text: "▶️ Resumed."}, nil
	case slices.ContainsFunc(set.Silenced, silent):
		return said{text: "▶️ Afar works in " + project + ", although it asks for silence. /pause " + project +
			" takes that back."}, nil
	}
	return said{text: "⏸ " + project + " may silence Afar again."}, nil
}

// questionsText lists what waits for the person, each in a line: who wants what, and for how long.
func (l *link) questionsText() string {
	var b strings.Builder
	for _, card := range l.cfg.Core.OpenCards() {
		head := strings.ReplaceAll(plain(headline(card, l.placeOf(card[0]))), "`", "'")
		fmt.Fprintf(&b, "%s · %s\n", strings.TrimSuffix(head, "\n"), ago(l.cfg.Now().Sub(card.Face().OpenedAt)))
	}
	if b.Len() == 0 {
		return "Nothing waits for you."
	}
	return b.String() + "Reply to a card, or tap its buttons."
}

// short returns a text from outside in a form for one line of a list, without backticks,
// which would be read as markup.
func short(s string) string {
	return shorten(strings.ReplaceAll(text.Fold(s), "`", "'"), maxWord)
}

// ago formats a duration for people.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}
