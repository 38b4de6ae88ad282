package telegram

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// maxTap is how much text the answer to a tap may have, in UTF-16 units.
const maxTap = 200

var (
	errNobody = errors.New("no person is paired")
	errKind   = errors.New("unknown kind of action")
)

// act carries out one action of the lane. An action that is under way when ctx ends gets a
// moment to finish. If it were cut off, it would be unknown whether the message reached
// Telegram, and the message would be sent again.
func (l *link) act(ctx context.Context, a store.Action) error {
	ctx, end := outlast(ctx, l.pace.finish)
	defer end()
	ctx, cancel := context.WithTimeout(ctx, l.pace.send)
	defer cancel()
	if a.Kind != core.ActTap {
		if err := l.seePerson(ctx); err != nil {
			return err
		}
	}
	switch a.Kind {
	case core.ActCard:
		return l.card(ctx, a)
	case core.ActNotice:
		return l.notice(ctx, a.Data)
	case core.ActSay:
		return l.reply(ctx, a.Data)
	case core.ActRemind:
		return l.remind(ctx, a)
	case core.ActRoom:
		return l.topic(ctx, session.ID(a.Data))
	case core.ActTap:
		return l.answer(ctx, a)
	case core.ActRunEnded:
		return l.runEnded(ctx, a.Data)
	case core.ActRunFile:
		return l.runFile(ctx, a.Data)
	case core.ActTaskFile:
		return l.taskFile(ctx, a.Data)
	}
	return core.GiveUp(fmt.Errorf("%w: %s", errKind, a.Kind))
}

// outlast returns a context that ends this long after ctx, or when end is called.
func outlast(ctx context.Context, by time.Duration) (longer context.Context, end func()) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		sleep(longer, by)
		cancel()
	})
	return longer, func() { stop(); cancel() }
}

func (l *link) notice(ctx context.Context, raw string) error {
	n, err := channel.ReadNotice(raw)
	if err != nil {
		return core.GiveUp(err)
	}
	person, chat := l.person()
	if person == nil {
		return core.GiveUp(errNobody)
	}
	n.Text = elide(n.Text, maxNotice)
	text := rendered{html: noticeText(n)}
	if l.cfg.Home != "" {
		text.html = strings.ReplaceAll(text.html, escape(l.cfg.Home+"/"), "~/")
	}
	if r, ok := l.cfg.Core.RunOf(n.Session); ok {
		text.html, text.rows = text.html+l.runLink(r.Name), l.runRows(r.ID, string(r.State))
	} else if v, err := l.cfg.Core.Session(string(n.Session)); err == nil && n.Session != "" {
		text.html = strings.TrimRight(text.html+"\n"+l.linkTo("/session/"+v.Token), "\n")
	}
	text.silent = n.Silent
	if err := l.tell(ctx, chat, n, text); err != nil {
		return err
	}
	return l.insist(ctx, "note what was shown", func() error { return l.cfg.Core.Told(n.Shows) })
}

// noticeText returns the HTML of a notice.
func noticeText(n channel.Notice) string {
	var b strings.Builder
	for i, part := range n.Parts() {
		if i%2 == 1 {
			b.WriteString(escape(part))
			continue
		}
		b.WriteString(ticks(part))
	}
	return b.String()
}

// tell sends a notice to its place, or else to where its session speaks. A place in another
// chat than the person's does not count.
func (l *link) tell(ctx context.Context, chat int64, n channel.Notice, text rendered) error {
	send := func(to room) error {
		_, err := l.send(ctx, to, text)
		return err
	}
	if at, err := parseAddress(n.At); err == nil && at.chat == chat {
		if err := send(at); at.thread == 0 || !says(err, noThread) {
			return err
		}
	}
	return l.inRoom(ctx, chat, n.Session, send)
}

// maxNotice leaves room for a link below a notice, in UTF-16 units.
const maxNotice = maxText - 100

// reply tells the person what their message came to, at its place. If its topic no longer exists, they
// are told in the chat.
func (l *link) reply(ctx context.Context, raw string) error {
	s, out, err := l.said(raw)
	if err != nil {
		return err
	}
	if out.show == nil && s.Choose != "" {
		return nil // they have chosen already
	}
	if out.show == nil {
		out.show = &rendered{html: ticks(elide(out.text, maxText))}
	}
	return l.show(ctx, s.To, *out.show)
}

// show sends a message to an address, or to its chat if its topic no longer exists.
func (l *link) show(ctx context.Context, at channel.Address, r rendered) error {
	to, err := parseAddress(at)
	if err != nil {
		return core.GiveUp(err)
	}
	_, err = l.send(ctx, to, r)
	if to.thread != 0 && says(err, noThread) {
		_, err = l.send(ctx, room{chat: to.chat}, r)
	}
	return err
}

func (l *link) say(ctx context.Context, to room, text string) error {
	_, err := l.send(ctx, to, rendered{html: ticks(elide(text, maxText))})
	return err
}

// answer answers a tap, and sends the message that follows, or has the message with the button say it.
func (l *link) answer(ctx context.Context, a store.Action) error {
	s, out, err := l.said(a.Data)
	if err != nil {
		return err
	}
	p := &bot.AnswerCallbackQueryParams{CallbackQueryID: s.Tap, Text: shorten(out.text, maxTap)}
	_, err = l.bot.AnswerCallbackQuery(ctx, p)
	err = l.outcome(0, err)
	switch {
	case err != nil && (out.show == nil || !errors.Is(err, core.ErrGiveUp)):
		return err
	case out.show == nil:
		return l.cfg.Core.Repeatable(a)
	}
	if out.edit != "" {
		return l.edit(ctx, out.edit, *out.show)
	}
	return l.show(ctx, s.To, *out.show)
}

// quiet keeps Telegram from fetching the links of a text.
func quiet() *models.LinkPreviewOptions {
	return &models.LinkPreviewOptions{IsDisabled: bot.True()}
}

// send sends a message that shows no card, and notes that. It returns the message.
func (l *link) send(ctx context.Context, to room, r rendered) (*models.Message, error) {
	m, err := l.post(ctx, to, r)
	if err == nil {
		l.sentLast(to, int64(m.ID))
	}
	return m, err
}

// post sends a message and returns it. If Telegram refuses the markup, the message is
// sent without it.
func (l *link) post(ctx context.Context, to room, r rendered) (*models.Message, error) {
	p := &bot.SendMessageParams{
		ChatID:             to.chat,
		MessageThreadID:    int(to.thread),
		Text:               r.html,
		ParseMode:          models.ParseModeHTML,
		LinkPreviewOptions: quiet(),
		ReplyMarkup:        r.markup(),

		DisableNotification: r.silent,
	}
	m, err := l.bot.SendMessage(ctx, p)
	if says(err, "can't parse entities") {
		p.Text, p.ParseMode = plain(r.html), ""
		m, err = l.bot.SendMessage(ctx, p)
	}
	if err != nil {
		return nil, l.outcome(to.chat, err)
	}
	l.accepted(to.chat)
	return m, nil
}

// edit makes a message say r. A message that says so already is fine.
func (l *link) edit(ctx context.Context, id channel.MessageID, r rendered) error {
	chat, message, err := parseMessageID(id)
	if err != nil {
		return core.GiveUp(err)
	}
	p := &bot.EditMessageTextParams{
		ChatID:             chat,
		MessageID:          int(message),
		Text:               r.html,
		ParseMode:          models.ParseModeHTML,
		LinkPreviewOptions: quiet(),
		ReplyMarkup:        r.markup(),
	}
	_, err = l.bot.EditMessageText(ctx, p)
	if says(err, "can't parse entities") {
		p.Text, p.ParseMode = plain(r.html), ""
		_, err = l.bot.EditMessageText(ctx, p)
	}
	if says(err, "message is not modified") {
		return nil
	}
	if err == nil {
		l.accepted(chat)
	}
	return l.outcome(chat, err)
}

// markup is nil without buttons: an edit then takes away those that were there.
func (r rendered) markup() models.ReplyMarkup {
	if len(r.rows) == 0 {
		return nil
	}
	var out [][]models.InlineKeyboardButton
	for _, row := range r.rows {
		var line []models.InlineKeyboardButton
		for _, b := range row {
			if len(b.data) > maxCallback {
				continue // Telegram refuses it: the address of a thing on another machine may be long
			}
			line = append(line, models.InlineKeyboardButton{Text: b.label, CallbackData: b.data})
		}
		if len(line) > 0 {
			out = append(out, line)
		}
	}
	return &models.InlineKeyboardMarkup{InlineKeyboard: out}
}

const helpText = "Questions of your sessions come here while you are away.\n\n" +
	"• Tap Allow or Deny. Or reply to a card: `yes`, `no`, `all` (allow for the session), or " +
	"what to do instead, which is a no with your words.\n" +
	"• A session that stopped says so here while away is on. " +
	"Reply, now or an hour later, and it goes on with your words.\n" +
	"• Write without a reply, and the only open question gets it, " +
	"else the only session. If there are more, I ask which one.\n\n" +
	"/status /sessions /questions /loops /runs /tasks /suggestions /triggers /inbox: how things stand\n" +
	"`/task TEXT`: have an agent work on something for days; reply to its messages with a text or a file\n" +
	"`/run TEXT`: have an agent do something without a terminal; reply to its message to go on\n" +
	"`/send NAME TEXT`: write to a session, to a run as `run:NAME`, or to a task as `task:SLUG`\n" +
	"`/inbox WORDS`: find a text that was sent, and what became of it\n" +
	"`/remember TEXT`: keep what your agents should know\n" +
	"/grants: what you allowed for a session, and taking it back\n" +
	"/away on, off or auto, also `/away on 2h`, and /here: where questions go\n" +
	"/stop, as a reply to a session's message: end what it does now\n" +
	"/pause, until /resume: silence all but the guard"

// statusText says how things are, without repeating any command.
func (l *link) statusText() string {
	set := l.cfg.Core.Settings()
	var b strings.Builder
	fmt.Fprintf(&b, "%s · away: %s", l.cfg.Machine, set.Away.Mode)
	if set.Paused {
		b.WriteString(" · paused, only the guard speaks")
	}
	for _, v := range l.cfg.Core.Sessions() {
		if v.State != session.Ended {
			fmt.Fprintf(&b, "\n%s: %s", v.Token, v.State)
		}
	}
	open := 0
	for _, card := range l.cfg.Core.OpenCards() {
		if card.Face().State == ask.Open {
			open++
		}
	}
	fmt.Fprintf(&b, "\nOpen questions: %d", open)
	if len(l.cfg.Core.Machines()) > 0 {
		b.WriteString(l.fleetText())
	}
	return b.String()
}
