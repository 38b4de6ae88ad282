package telegram

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/go-telegram/bot"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/text"
)

// card sends or edits the message that shows asks, so that it shows their current state.
// There is one message for their whole life. A card whose asks ended before it was shown
// is never sent.
func (l *link) card(ctx context.Context, a store.Action) error {
	id := ask.ID(a.Data)
	card, err := l.cfg.Core.OnCard(id)
	if errors.Is(err, core.ErrNotFound) {
		return core.GiveUp(err)
	}
	if err != nil {
		return err
	}
	person, chat := l.person()
	if person == nil {
		return nil
	}
	cards, file, err := l.cardsIn(chat, id)
	if err != nil {
		return err
	}
	open := len(card.Waiting()) > 0
	text := l.draw(card)
	isMore := text.cut && !file && open // a file follows
	isNew := open && len(cards) == 0
	if isNew {
		by := a
		if isMore {
			by = store.Action{} // it goes on
		}
		err = l.inRoom(ctx, chat, card[0].Session, func(to room) (err error) {
			cards, err = l.sendCard(ctx, by, id, to, text)
			return err
		})
		if errors.Is(err, core.ErrGiveUp) {
			err = l.sayRefused(ctx, person, card, err)
		}
	} else {
		err = l.editCards(ctx, cards, text)
	}
	switch {
	case err != nil || isNew && !isMore:
		return err
	case isMore:
		return l.sendWhole(ctx, a, card.Face(), cards[0])
	}
	return l.cfg.Core.Repeatable(a)
}

// draw shows the current state of a card's asks, as far as they can be answered here.
func (l *link) draw(card ask.Card) rendered {
	text, open := render(card, l.placeOf(card[0])), len(card.Waiting()) > 0
	text.silent = card.Face().Silent
	if err := l.counts(card.Face()); err != nil && open {
		text = text.mute(err)
	}
	if from := card.Face().From; from != nil && open {
		text = text.underway(from)
	}
	return text
}

// counts returns why no answer to an ask counts here.
func (l *link) counts(a ask.Ask) error {
	if from := a.From; from != nil && !from.Decides {
		return errors.New(from.OnlyThere())
	}
	return l.cfg.Core.Counts(Name)
}

// mute removes the buttons from a card on which no tap would count. It adds the reason if
// there is room.
func (r rendered) mute(why error) rendered {
	r.rows = nil
	note := "\n🔑 " + line(why.Error(), maxWhy)
	if units(plain(r.html+note)) <= maxText {
		r.html += note
	}
	return r
}

// placeOf says where an ask comes from.
func (l *link) placeOf(a ask.Ask) place {
	if from := a.From; from != nil {
		at := place{
			name: cmp.Or(from.Session, from.Token) + " on " + from.Name, token: from.Token, project: from.Project, machine: from.Name,
			link: l.linkTo("/question/" + string(a.ID)),
		}
		if from.Label != "" {
			at.machine += " · " + from.Label
		}
		return at
	}
	v, err := l.cfg.Core.Session(string(a.Session))
	switch {
	case err != nil && a.Task != "": // its agent runs no hooks
		v.Token, v.Project = "task:"+a.Task, a.Cwd
	case err != nil && a.Kind == ask.Suggestion:
		v.Token, v.Project = "A suggested task", a.Cwd
	case err != nil && a.Kind == ask.Missed:
		v.Token, v.Project = "Trigger "+a.Tool, a.Cwd
	case err != nil:
		v.Token, v.Project = "unknown session", a.Cwd
	}
	at := place{
		name: v.Token, token: v.Token, project: v.Project, machine: l.cfg.Machine, home: l.cfg.Home,
		link: l.linkTo("/question/" + string(a.ID)),
	}
	switch {
	case a.Kind == ask.Checkpoint && a.Task != "":
		at.name = text.Capital(strings.ReplaceAll(a.Task, "-", " "))
	case err == nil:
		at.name = l.nameOf(v)
	}
	if label := v.Label(); label != "" {
		at.machine += " · " + label
	}
	return at
}

// shortFor is how long a session that is over keeps others from its short name.
const shortFor = 7 * 24 * time.Hour

// nameOf returns the shortest name of a session that no other session of the last week has.
func (l *link) nameOf(v session.Session) string {
	others := l.cfg.Core.SessionsNamed(v.Names()[0], l.cfg.Now().Add(-shortFor))
	for _, name := range v.Names() {
		has := func(o session.Session) bool { return o.ID != v.ID && slices.Contains(o.Names(), name) }
		if !slices.ContainsFunc(others, has) {
			return name
		}
	}
	return v.Token
}

// cardsIn returns the messages in one chat that show an ask, and whether its file was sent
// there. Messages in the chat of a person who was paired earlier are left out.
func (l *link) cardsIn(chat int64, id ask.ID) (in []channel.Copy, file bool, err error) {
	all, err := l.cfg.Core.Copies(Name, id)
	for _, c := range all {
		switch {
		case !inChat(c, chat):
		case c.Shown == isReminder:
		case c.Shown == isFile:
			file = true
		default:
			in = append(in, c)
		}
	}
	return in, file, err
}

// sendCard sends a card and stores it, with the time that Telegram reports.
func (l *link) sendCard(
	ctx context.Context, by store.Action, id ask.ID, to room, text rendered,
) ([]channel.Copy, error) {
	l.sending.Lock()
	defer l.sending.Unlock()
	m, err := l.post(ctx, to, text)
	if mayBeSent(err) {
		err = errors.Join(err, l.cfg.Core.Doubt(Name, id))
	}
	if err != nil {
		return nil, err
	}
	c := channel.Copy{
		Ask: id, Channel: Name, Message: messageID(to.chat, int64(m.ID)), Shown: text.digest(), SentAt: int64(m.Date),
	}
	copies := append(l.unnoted(ctx, c, text), c)
	return copies, l.sent(ctx, by, copies...)
}

// mayBeSent reports whether a message may have been sent although an error was returned:
// the connection was made, and the API did not refuse.
func mayBeSent(err error) bool {
	var dial *net.OpError
	var slow *core.Delay
	switch {
	case err == nil, errors.Is(err, core.ErrGiveUp), errors.Is(err, core.ErrRefused), errors.As(err, &slow):
		return false
	case errors.Is(err, bot.ErrorUnauthorized), errors.Is(err, bot.ErrorConflict):
		return false
	}
	return !errors.As(err, &dial) || dial.Op != "dial"
}

// editCards edits each card whose text has changed. If one card no longer exists, the
// others are still edited.
func (l *link) editCards(ctx context.Context, cards []channel.Copy, text rendered) error {
	var gone error
	for _, c := range cards {
		if c.Shown == text.digest() {
			continue
		}
		err := l.edit(ctx, c.Message, text)
		if errors.Is(err, core.ErrGiveUp) {
			gone = err
			continue
		}
		if err != nil {
			return err
		}
		c.Shown = text.digest()
		if err := l.cfg.Core.Repeatable(store.Action{}, c); err != nil {
			return err
		}
	}
	return gone
}

// sent stores messages that an action has sent, and that it is done. It retries, because a card that is not stored
// would be sent again.
func (l *link) sent(ctx context.Context, by store.Action, copies ...channel.Copy) error {
	return l.insist(ctx, "note card", func() error { return l.cfg.Core.Sent(by, copies...) })
}

// insist calls note until it succeeds or ctx ends.
func (l *link) insist(ctx context.Context, what string, note func() error) error {
	for {
		err := note()
		if err == nil || ctx.Err() != nil {
			return err
		}
		l.cfg.Log.Error(what, "err", err)
		sleep(ctx, l.pace.first)
	}
}

// digest returns a digest of what a message shows.
func (r rendered) digest() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", r.html, r.rows))
	return hex.EncodeToString(sum[:8])
}

// unknownNonce is a nonce that belongs to no ask.
const unknownNonce = "?"

// tapped handles a tap on a button. A tap by anybody except the person changes nothing; the
// answer to the tap says so.
func (l *link) tapped(update int64, t tap) error {
	from := sender{user: t.From.ID, chat: t.From.ID, name: t.From.name()}
	from.Act = channel.Act{Channel: Name, Update: update, Tap: t.ID, At: chatAddress(t.From.ID)}
	if !isPerson(l.account().Person, t.From.ID, t.Message.Chat.ID) {
		return l.stranger(from)
	}
	from.At = t.Message.room().address()
	from.By, from.Key = from.name, l.keyOf(update)
	p := core.Press{Act: from.Act, Message: messageID(t.Message.Chat.ID, t.Message.ID), Nonce: unknownNonce}
	p.Shows = l.shows(t.Message)
	c, ok := parseCallback(t.Data)
	if !ok {
		return l.order(p.Act, channel.OpPress, p)
	}
	if _, isThing := nounOf(c.kind); isThing {
		return l.tappedThing(p.Act, c)
	}
	p.Nonce, p.Decision, p.Choice = c.nonce, allow.decision(from.name), c.value
	switch c.kind {
	case chooseAsk:
		p.Decision, _ = verdict(l.cfg.Core.TextByNonce(c.nonce), from.name)
		return l.order(p.Act, channel.OpChoose, p)
	case chooseSession:
		return l.order(p.Act, channel.OpChoose, p)
	case revokeGrant:
		return l.revoke(p)
	case takeBack:
		return l.takeBack(p.Act, c)
	case ofRun:
		return l.tappedRun(p.Act, c)
	case pickOption:
		p.Pick, _ = c.pick()
	case approvePlan:
		p.Decision.AcceptEdits = c.value == "e"
	case answerAsk:
		p.Decision = verb(c.value).decision(from.name)
	}
	return l.order(p.Act, channel.OpPress, p)
}

// shows returns whether a message shows a card: whether it was sent as one just now, or its text is that of the card,
// as it is or as it was when its sending was cut off.
func (l *link) shows(m message) func(ask.Card) bool {
	return func(card ask.Card) bool {
		l.sending.Lock() // it may be the message that is being sent
		defer l.sending.Unlock()
		on, err := l.cfg.Core.Shows(Name, messageID(m.Chat.ID, m.ID))
		if err == nil && on == card[0].CardID() {
			return true
		}
		at, text := l.placeOf(card[0]), strings.TrimSpace(m.Text)
		is := func(card ask.Card) bool {
			return slices.ContainsFunc(append(session.Session{Token: at.token}.Names(), at.name), func(name string) bool {
				at.name = name // it was another one before more sessions began
				return text == strings.TrimSpace(plain(render(card, at).html))
			})
		}
		// before it ended or was in doubt, before others joined it, and with and without its snapshot; cut off once, or
		// twice
		first := slices.Clone(card)
		for _, was := range []struct{ isAgain, hasUndo bool }{{false, true}, {true, true}, {false, false}, {true, false}} {
			for i := range first {
				first[i] = card[i].AsOpened()
				first[i].Twice = was.isAgain
				if !was.hasUndo {
					first[i].Undo = nil
				}
			}
			if is(first) || is(first[:1]) {
				return true
			}
		}
		return is(card)
	}
}

// nonce returns the nonce that binds a card's buttons to its ask.
func (m message) nonce() string {
	for _, row := range m.Markup.Rows {
		for _, b := range row {
			if c, ok := parseCallback(b.Data); ok && c.ofAsk() {
				return c.nonce
			}
		}
	}
	return unknownNonce
}

// decision returns the decision of a verb without a text. The message of a refusal is for
// the model.
func (v verb) decision(by string) ask.Decision {
	d := ask.Decision{Allow: v != deny, By: by, Channel: Name}
	switch v {
	case deny:
		d.Message = "Denied by " + by + " on Telegram. Do not retry it; choose another way or ask."
	case forSession:
		d.Scope = ask.Session
	case always:
		d.Scope = ask.Always
	}
	return d
}

// replied handles a text of the person that replies to a message. A reply to a card answers
// its ask, and one to a message of a task or a run is its next message; any other does neither.
func (l *link) replied(update int64, m message) error {
	if ok, err := l.writeToTask(update, m); ok {
		return err
	}
	if ok, err := l.writeToRun(update, m); ok {
		return err
	}
	d, _ := verdict(m.Text, m.From.name())
	p := core.Press{
		Act:      l.actOf(update, m),
		Message:  messageID(m.Chat.ID, m.Reply.ID),
		Nonce:    m.Reply.nonce(),
		Decision: d,
		Text:     m.Text,
		Shows:    l.shows(*m.Reply),
	}
	if answers, err := l.cfg.Core.IsAnswer(p); err != nil {
		return err
	} else if answers {
		return l.order(p.Act, channel.OpPress, p)
	}
	// The reply may be to a notice in the session's topic, or to a file that is not noted as sent yet.
	if _, ours := l.cfg.Core.SessionIn(Name, m.room().address()); ours || m.Reply.Document != nil {
		return l.wrote(update, m)
	}
	return l.cfg.Core.Acknowledge(m.act(update), helpText)
}

// verdict reads a text as the answer to a permission. Any text except a plain yes, no or
// all is a refusal with the text as the instruction.
func verdict(text, by string) (d ask.Decision, bare bool) {
	switch strings.ToLower(strings.Trim(text, " \n.!")) {
	case "yes", "y", "allow", "approve":
		return allow.decision(by), true
	case "no", "n", "deny":
		return deny.decision(by), true
	case "all", "yes all", "y all":
		return forSession.decision(by), true
	}
	d = deny.decision(by)
	d.Message = text
	return d, false
}

// clock formats a time for cards.
func clock(t time.Time) string { return t.Format("15:04:05") }
