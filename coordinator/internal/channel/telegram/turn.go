package telegram

import (
	"slices"
	"strings"
	"unicode"

	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

const stopUsage = "Which session? Send `/stop` as a reply to one of its messages, " +
	"or with its name: `/stop api-1a2b`. /sessions lists them."

// stopTurn ends the running turn of the session that a command refers to.
func (l *link) stopTurn(update int64, m message, words []string) error {
	id, found := l.meantSession(m, words)
	if !found {
		return l.cfg.Core.Acknowledge(m.act(update), stopUsage)
	}
	if r, ok := l.cfg.Core.RunOf(id); ok { // between two turns it may have no session
		act := l.actOf(update, m)
		return l.tappedRun(act, callback{nonce: string(r.ID), value: stopRun})
	}
	return order(l, l.actOf(update, m), wire.OpTurnStop, wire.Named{ID: string(id)})
}

func saidTurn(_ *link, _ string, out wire.TurnStopReply) (said, error) {
	return said{text: out.Text}, nil
}

// meantSession returns the session that a command names. If it names none, that is the
// session of the message it replies to or of its topic, else the only running session.
func (l *link) meantSession(m message, words []string) (id session.ID, found bool) {
	live := l.live()
	switch {
	case len(words) > 0:
		return named(live, words)
	case m.reply() != nil && m.Reply.run() != "":
		id = l.cfg.Core.ConversationOf(m.Reply.run())
		return id, id != ""
	case m.reply() != nil:
		if id, ok := l.cfg.Core.SessionShown(Name, messageID(m.Chat.ID, m.Reply.ID)); ok {
			return id, true
		}
		return named(live, strings.FieldsFunc(m.Reply.Text, func(r rune) bool { return !inToken(r) }))
	}
	if id, ok := l.cfg.Core.SessionIn(Name, m.room().address()); ok {
		return id, true
	}
	if len(live) == 1 {
		return live[0].ID, true
	}
	return "", false
}

func inToken(r rune) bool { return r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// live returns the sessions that run.
func (l *link) live() []session.Session {
	return slices.DeleteFunc(l.cfg.Core.Sessions(), func(v session.Session) bool { return v.State == session.Ended })
}

// named returns the one session whose token is among words.
func named(live []session.Session, words []string) (id session.ID, found bool) {
	for _, v := range live {
		if !slices.Contains(words, v.Token) {
			continue
		}
		if found {
			return "", false
		}
		id, found = v.ID, true
	}
	return id, found
}
