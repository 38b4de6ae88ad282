package telegram

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// The most runs of one list, and events of one log.
const (
	maxRuns   = 10
	maxEvents = 12
)

const runUsage = "Say what to do: `/run bring the dependencies up to date`. " +
	"It works where you worked last; `/run @NAME TEXT` names a session, a run or a project instead."

// startRun starts a run with the text of a command.
func (l *link) startRun(update int64, m message, _ []string) error {
	act := l.actOf(update, m)
	name, prompt := cutPlace(m.rest())
	if prompt == "" {
		return l.cfg.Core.Acknowledge(act, runUsage)
	}
	if machine, place, ok := l.machineOf(name); ok {
		return order(l, act, wire.OpRunStart, wire.RunStartRequest{
			ID: act.Key, Machine: machine, Place: place, Prompt: prompt,
		})
	}
	dir := l.dirFor(m, name)
	switch {
	case dir == "" && name != "":
		return l.cfg.Core.Acknowledge(act, "I know no session, run or project named "+short(name)+
			". /sessions lists some.")
	case dir == "":
		return l.cfg.Core.Acknowledge(act, "I do not know yet where you work. "+
			"Start `claude` in a project once, or type `afar run start` in a terminal.")
	}
	return order(l, act, wire.OpRunStart, wire.RunStartRequest{ID: act.Key, Dir: dir, Prompt: prompt})
}

// saidStarted says that a run was started.
func (l *link) saidStarted(_ string, r wire.Run) (said, error) {
	return said{show: &rendered{html: l.startedText(r), rows: l.runRows(run.ID(r.ID), r.State)}}, nil
}

// cutPlace cuts the name of a place off the text of a command: "@shop fix it".
func cutPlace(rest string) (name, prompt string) {
	word, more := cutWord(rest)
	if name, ok := strings.CutPrefix(word, "@"); ok {
		return name, more
	}
	return "", rest
}

// A spot is where a session or a run worked.
type spot struct {
	id   session.ID
	name string
	dir  string
	at   time.Time
	own  bool // the person typed there, or it is a run of their own
	auto bool // a trigger started it: the person never worked there
}

// spots returns where sessions and runs worked, as far as the directories are still there.
func (l *link) spots() (all []spot) {
	for _, v := range l.cfg.Core.Sessions() {
		r, isRun := l.cfg.Core.RunOf(v.ID)
		at := v.SeenAt
		if !v.TypedAt.IsZero() {
			at = v.TypedAt
		}
		all = append(all, spot{v.ID, v.Token, v.Project, at, !isRun && !v.TypedAt.IsZero(), isRun && r.Trigger != ""})
	}
	for _, r := range l.cfg.Core.Runs() {
		own := r.Trigger == "" && r.Parent == ""
		all = append(all, spot{session.ID(r.Conversation), r.Name, r.Dir, r.Since, own, r.Trigger != ""})
	}
	isThere := map[string]bool{} // thousands work in a few directories
	return slices.DeleteFunc(all, func(s spot) bool {
		if _, known := isThere[s.dir]; !known {
			info, err := os.Stat(s.dir)
			isThere[s.dir] = err == nil && info.IsDir()
		}
		return !isThere[s.dir]
	})
}

// dirFor returns the directory for a run: the one that a name means, else that of the message
// that m replies to or of its topic, else the one where the person worked last.
func (l *link) dirFor(m message, name string) string {
	spots := l.spots()
	fits := func(s spot) bool { return s.own }
	if !slices.ContainsFunc(spots, fits) {
		fits = func(s spot) bool { return !s.auto }
	}
	if name != "" {
		fits = func(s spot) bool { return s.name == name || filepath.Base(s.dir) == name }
	} else if id, ok := l.meantPlace(m); ok {
		fits = func(s spot) bool { return s.id == id }
	}
	var last spot
	for _, s := range spots {
		if fits(s) && s.at.After(last.at) {
			last = s
		}
	}
	return last.dir
}

// meantPlace returns the session or the conversation of the run that m replies to, or in whose
// topic it is.
func (l *link) meantPlace(m message) (id session.ID, ok bool) {
	if m.reply() == nil {
		return l.cfg.Core.SessionIn(Name, m.room().address())
	}
	if id := l.cfg.Core.ConversationOf(m.Reply.run()); id != "" {
		return id, true
	}
	return l.cfg.Core.SessionShown(Name, messageID(m.Chat.ID, m.Reply.ID))
}

// run returns the run that a message is about, as its buttons say, "" for none.
func (m message) run() run.ID {
	for _, row := range m.Markup.Rows {
		for _, b := range row {
			if c, ok := parseCallback(b.Data); ok && c.kind == ofRun {
				return run.ID(c.nonce)
			}
		}
	}
	return ""
}

// writeToRun gives the run that a message replies to its next message. ok is false if the
// message is about no run.
func (l *link) writeToRun(update int64, m message) (ok bool, err error) {
	id := m.Reply.run()
	if id == "" || m.Reply.aboutMany() {
		return false, nil
	}
	to := string(id)
	if r, err := l.cfg.Core.RunByID(id); err == nil {
		to = r.Name
	} else if !isAddress(to) {
		return true, l.cfg.Core.Acknowledge(m.act(update), "This run was removed. Nothing was sent.")
	}
	return true, l.sendText(update, m, wire.ToRun+to, m.Text)
}

// aboutMany reports whether the buttons of a message are about several runs.
func (m message) aboutMany() bool {
	first := m.run()
	for _, row := range m.Markup.Rows {
		for _, b := range row {
			if c, ok := parseCallback(b.Data); ok && c.kind == ofRun && run.ID(c.nonce) != first {
				return true
			}
		}
	}
	return false
}

// runGone is said about a run that is not there any more.
const runGone = "This run was removed. Nothing was changed."

// tappedRun carries out a tap on a button about a run.
func (l *link) tappedRun(act channel.Act, c callback) error {
	named := wire.Named{ID: c.nonce}
	if c.value != stopRun {
		return order(l, act, wire.OpRun, named)
	}
	if r, err := l.cfg.Core.RunByID(run.ID(c.nonce)); err == nil && r.Settled() {
		return l.cfg.Core.Acknowledge(act, "Nothing runs in "+r.Name+" now, so there was nothing to stop.")
	}
	return order(l, act, wire.OpRunStop, named)
}

// saidStopped says that what a run does ends.
func (l *link) saidStopped(_ string, r wire.Run) (said, error) {
	if r.PID != 0 || slices.Contains([]string{string(run.Starting), string(run.Working), string(run.Waiting)}, r.State) {
		return said{text: "⏹ Stopping " + r.Name + "."}, nil
	}
	return said{text: "⏹ " + r.Name + " has stopped."}, nil
}

// saidRun says what a run does, and shows what it did last.
func (l *link) saidRun(_ string, r wire.Run) (said, error) {
	card, err := l.runCard(r)
	return said{text: r.Name + ": " + wording.RunState(r.State) + ".", show: &card}, err
}

func (l *link) saidRuns(_ string, runs wire.RunsReply) (said, error) {
	list := l.runList(runs)
	return said{show: &list}, nil
}

// runCard shows what a run did last.
func (l *link) runCard(r wire.Run) (rendered, error) {
	log, err := call(l, Name, wire.OpRunLog, wire.RunLogRequest{ID: r.ID, Last: 3 * maxEvents})
	return rendered{html: l.runLog(r, log.Events), rows: l.runRows(run.ID(r.ID), r.State)}, err
}

// startedText says what was started, and where.
func (l *link) startedText(r wire.Run) string {
	head := "▶️ <b>" + line(r.Name, maxWord) + "</b> works"
	if r.State == string(run.Queued) {
		head = "⏳ <b>" + line(r.Name, maxWord) + "</b> " + wording.RunState(r.State)
	}
	return head + " in " + place{home: l.cfg.Home}.path(r.Dir) + " · mode " + line(r.Mode, maxWord) +
		"\nIts questions and its result come here. Reply to this message to write to it." + l.runLink(r.Name)
}

// runLink returns a line that leads to the page of a run, "" while none is served.
func (l *link) runLink(name string) string {
	link := l.linkTo("/run/" + name)
	if link == "" {
		return ""
	}
	return "\n" + link
}

// runList lists the runs: those that need the person first.
func (l *link) runList(in wire.RunsReply) (out rendered) {
	if len(in.Runs) == 0 {
		return rendered{html: "No runs. " + ticks(runUsage)}
	}
	for _, r := range in.Runs {
		out.html += l.thingLines(view.Runs, view.Run(r))
		out.rows = append(out.rows, runButtons(r.ID, r.State, " "+shorten(r.Name, maxLabel)))
	}
	if left := in.All - len(in.Runs); left > 0 {
		out.html += fmt.Sprintf("\nand %s more: <code>afar run list</code>", text.Count(left, "run"))
	}
	out.html = strings.TrimSpace(out.html)
	return out
}

// The values of a button about a run.
const (
	stopRun = "s"
	showRun = "l"
)

// runRows returns the buttons of a message about one run. A reply finds the run by them.
func (l *link) runRows(id run.ID, state string) [][]button {
	rows := [][]button{runButtons(string(id), state, "")}
	if slug, ok := l.cfg.Core.TaskOfRun(id); ok {
		rows[0] = append(rows[0], button{"Task 📋", callback{ofTask, string(slug), showTask}.String()})
	}
	return rows
}

func runButtons(id, state, name string) []button {
	row := []button{{"What it did" + name, callback{ofRun, id, showRun}.String()}}
	if wording.RunOver(state) || state == string(run.Taken) {
		return row
	}
	return append(row, button{"Stop ⏹" + name, callback{ofRun, id, stopRun}.String()})
}

// runLog shows what a run did last.
func (l *link) runLog(r wire.Run, events []wire.RunEvent) string {
	head := fmt.Sprintf("%s <b>%s</b>: %s · %s, $%.2f\n", view.RunMark(r.State).Sign, line(r.Name, maxWord),
		wording.RunState(r.State), text.Count(r.Turns, "turn"), r.CostUSD)
	var lines []string
	for _, e := range events {
		if s := l.eventLine(e); s != "" {
			lines = append(lines, s)
		}
	}
	if len(lines) == 0 {
		lines = []string{"It was not heard yet."}
	}
	return head + strings.Join(lines[max(0, len(lines)-maxEvents):], "\n") + l.runLink(r.Name)
}

// eventLine shows an event in one line, "" for one that says little.
func (l *link) eventLine(e wire.RunEvent) string {
	at := time.UnixMilli(e.At).In(l.cfg.Now().Location()).Format("15:04") + " "
	switch run.Kind(e.Kind) {
	case run.Text:
		return at + "💬 " + line(e.Text, maxReason)
	case run.ToolStart:
		return at + "🔧 " + line(e.Tool, maxWord) + " <code>" + line(run.Brief(e.Text), maxReason) + "</code>"
	case run.ToolResult:
		if e.Failed {
			return at + "✖️ " + line(e.Text, maxReason)
		}
	case run.Error, run.Raw:
		return at + "⚠️ " + line(e.Text, maxReason)
	case run.Result:
		if e.Failed {
			return at + "⚠️ " + line(e.Text, maxReason)
		}
		return at + "🏁 turn " + fmt.Sprint(e.Turn) + " is over"
	}
	return ""
}

// runEnded tells how a turn ended.
func (l *link) runEnded(ctx context.Context, raw string) error {
	return l.aboutEnding(ctx, raw, func(to room, e run.TurnEnd, r run.Run) error {
		_, err := l.send(ctx, to, l.renderEnding(e, r))
		return err
	})
}

// runFile sends the result of a turn as a file.
func (l *link) runFile(ctx context.Context, raw string) error {
	return l.aboutEnding(ctx, raw, func(to room, e run.TurnEnd, r run.Run) error {
		_, err := l.bot.SendDocument(ctx, &bot.SendDocumentParams{
			ChatID:          to.chat,
			MessageThreadID: int(to.thread),
			Caption:         fmt.Sprintf("The whole of it. Reply to write to %s.", e.Name),
			Document: &models.InputFileUpload{
				Filename: fmt.Sprintf("%s-%d.md", e.Name, e.Turn),
				Data:     strings.NewReader(e.Said()),
			},
			ReplyMarkup: rendered{rows: l.runRows(r.ID, string(r.State))}.markup(),
		})
		return l.outcome(to.chat, err)
	})
}

// aboutEnding sends something about the end of a turn to where the run speaks.
func (l *link) aboutEnding(ctx context.Context, raw string, send func(to room, e run.TurnEnd, r run.Run) error) error {
	var e run.TurnEnd
	if err := json.Unmarshal([]byte(raw), &e); err != nil {
		return core.GiveUp(err)
	}
	person, chat := l.person()
	if person == nil {
		return core.GiveUp(errNobody)
	}
	r := run.Run{ID: e.Run, Name: e.Name, State: e.State} // of another machine, which knows it
	if !isAddress(string(e.Run)) {
		var err error
		if r, err = l.cfg.Core.RunByID(e.Run); err != nil {
			return ignoreMissing(err)
		}
	}
	return l.inRoom(ctx, chat, session.ID(r.Conversation), func(to room) error { return send(to, e, r) })
}

// briefly is how much of a long result the message before its file shows, in UTF-16 units.
const briefly = 600

// renderEnding shows how a turn ended: first the beginning of its result, or why it failed.
func (l *link) renderEnding(e run.TurnEnd, r run.Run) rendered {
	said := strings.TrimSpace(redact.Visible(e.Said()))
	first, rest, _ := strings.Cut(said, "\n")
	begins := beginning(oneLine(strings.NewReplacer("**", "", "`", "", "#", "").Replace(first)))
	if begins == "" || e.State == run.Failed {
		begins = strings.TrimSuffix(e.Words()+": "+begins, ": ")
	}
	head := e.Sign() + " <b>" + line(e.Name, maxWord) + "</b>: " + escape(begins) + "\n"
	foot := "\n"
	if e.About != "" {
		foot += "🗣 <i>" + line(e.About, maxReason) + "</i>\n"
	}
	if r.Settled() {
		foot += "Reply to this message to go on.\n"
	}
	foot += "<blockquote expandable>" + line(e.Name, maxWord) + " " + e.Words() + "\n📁 " +
		place{home: l.cfg.Home}.path(e.Dir) + l.runLink(r.Name) + "\n" + line(l.machineName(r.Name), maxPath) + "</blockquote>"
	most := maxText - units(plain(head+foot))
	if e.Long() {
		most = briefly
	}
	shown := ""
	if rest != "" || units(first) > maxRequest {
		shown, _ = quotedIn(said, most)
	}
	return rendered{html: strings.TrimSuffix(head+shown, "\n") + foot, rows: l.runRows(r.ID, string(r.State))}
}

// sendTo gives a session, a run or a task a text.
func (l *link) sendTo(update int64, m message, words []string) error {
	switch {
	case len(words) < 2:
		return l.cfg.Core.Acknowledge(m.act(update), "Say to whom, and what: `/send api-1a2b go on`, `/send run:deps leave "+
			"react alone`.")
	case words[0] == wire.ToPerson:
		return l.cfg.Core.Acknowledge(m.act(update), "Nothing was sent: person is you.")
	}
	return l.sendText(update, m, words[0], strings.TrimSpace(strings.TrimPrefix(m.rest(), words[0])))
}

// sendText sends the text of a message to an address.
func (l *link) sendText(update int64, m message, to, text string) error {
	act := l.actOf(update, m)
	return order(l, act, wire.OpSend, wire.SendRequest{ID: act.Key, To: to, Text: text})
}

// saidSent says when a text is handed over.
func (l *link) saidSent(_ string, sent wire.SendReply) (said, error) {
	return said{text: "📨 " + strings.Replace(sent.To, ":", " ", 1) + " gets it " + sent.When + "."}, nil
}
