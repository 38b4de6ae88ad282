package telegram

import (
	"context"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/core"
	texts "github.com/afar-sh/afar/coordinator/internal/message"
)

// wrote deals with a text of the peer that answers no message.
func (l *link) wrote(update int64, m message) error {
	d, bare := verdict(m.Text, m.From.name())
	return l.cfg.Core.Written(core.Press{
		Update: update, Chat: m.Chat.ID, Nonce: unknownNonce, Decision: d, Text: m.Text, Word: bare,
	})
}

// choose asks the peer which session a text is for.
func (l *link) choose(ctx context.Context, id texts.ID) error {
	peer := l.cfg.Core.Peer()
	c, ok := l.cfg.Core.Choice(id)
	if peer == nil || !ok {
		return nil
	}
	if len(c.Tokens) == 0 {
		return l.say(ctx, peer.Chat, "No session runs now. Nothing was sent.")
	}
	r := rendered{html: "Which session is this for?\n<blockquote>" + line(c.Text, maxWhy) + "</blockquote>"}
	for _, token := range c.Tokens {
		if data := toData(c.Nonce, token); len(data) <= maxData {
			r.rows = append(r.rows, []button{{token, data}})
		}
	}
	_, err := l.send(ctx, peer.Chat, r)
	return err
}

// maxData is how long a button's data may be, in bytes.
const maxData = 64

func toData(nonce, token string) string { return "to:" + nonce + ":" + token }

// parseTo reads the data of a button that names a session: to:<nonce>:<token>.
func parseTo(data string) (nonce, token string, ok bool) {
	rest, ok := strings.CutPrefix(data, "to:")
	if !ok {
		return "", "", false
	}
	nonce, token, ok = strings.Cut(rest, ":")
	return nonce, token, ok && nonce != "" && token != ""
}
