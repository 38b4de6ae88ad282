package telegram

import (
	"fmt"
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	texts "github.com/afar-sh/afar/coordinator/internal/message"
)

// wrote handles a text of the person that replies to no message. If a card is being sent,
// only Telegram's answer tells whether the card is older than the text.
func (l *link) wrote(update int64, m message) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	d, bare := verdict(m.Text, m.From.name())
	seen, err := l.shownBefore(m.stamp())
	if err != nil {
		return err
	}
	act := l.actOf(update, m)
	return l.order(act, channel.OpWritten, core.Press{
		Act: act, Nonce: unknownNonce, Decision: d, Text: m.Text, Word: bare, Seen: seen,
	})
}

// shownBefore returns the open asks whose cards were in the chat of a text when the text
// was written.
func (l *link) shownBefore(text stamp) (seen []ask.ID, err error) {
	for _, card := range l.cfg.Core.OpenCards() {
		id := card[0].CardID()
		copies, err := l.cfg.Core.Copies(Name, id)
		if err != nil {
			return nil, err
		}
		older := func(c channel.Copy) bool { return text.after(stampOf(c)) && inChat(c, text.chat) }
		if slices.ContainsFunc(copies, older) {
			seen = append(seen, id)
		}
	}
	return seen, nil
}

// choice asks which session or question a text is for that was written at an address. It returns nil if the person
// has already chosen.
func (l *link) choice(at channel.Address, text string) *rendered {
	c, ok := l.cfg.Core.Choice(Name, at, texts.ID(text))
	if !ok {
		return nil
	}
	r := whichSession(c)
	if c.Answers {
		r = whichAsk(c, l.tokenOf)
	}
	return &r
}

func (l *link) tokenOf(a ask.Ask) string {
	if a.Mirrored() {
		return channel.Asked(a).Token
	}
	v, _ := l.cfg.Core.Session(string(a.Session)) // an ask without a known session has an empty token
	return v.Token
}

func whichSession(c core.Choice) rendered {
	if len(c.Tokens) == 0 {
		return rendered{html: "No session runs now. Nothing was sent."}
	}
	r := rendered{html: "Which session is this for?\n<blockquote>" + line(c.Text, maxWhy) + "</blockquote>"}
	for _, token := range c.Tokens {
		if data := (callback{chooseSession, c.Nonce, token}).String(); len(data) <= maxCallback {
			r.rows = append(r.rows, []button{{token, data}})
		}
	}
	return r
}

// whichAsk asks which of several open questions a text answers. It does not repeat what
// the questions are about; only their cards show that.
func whichAsk(c core.Choice, token func(ask.Ask) string) rendered {
	if len(c.Open) == 0 {
		return rendered{html: "The questions were settled meanwhile. Nothing was decided."}
	}
	r := rendered{html: fmt.Sprintf("%d questions are open, so nothing was decided. Which one do you mean?\n"+
		"<blockquote>%s</blockquote>", len(c.Open), line(c.Text, maxWhy))}
	if _, bare := verdict(c.Text, c.By); !bare {
		r.html += "\nTo a permission this is a no, with your words for the session."
	}
	label := func(a ask.Ask) string { return token(a) + " · " + oneLine(a.Tool) }
	alike := map[string]int{}
	for _, a := range c.Open {
		alike[label(a)]++
	}
	nth := map[string]int{}
	for _, a := range c.Open[:min(len(c.Open), maxChoices)] { // oldest first
		text := label(a)
		if nth[text]++; alike[text] > 1 {
			text += fmt.Sprintf(" · card %d of %d", nth[text], alike[text])
		}
		r.rows = append(r.rows, []button{{shorten(text, maxWord), callback{chooseAsk, c.Nonce, a.Nonce}.String()}})
	}
	r.rows = append(r.rows, []button{{"None of them", callback{chooseAsk, c.Nonce, ""}.String()}})
	return r
}

// maxChoices bounds the buttons of a message; Telegram takes 100.
const maxChoices = 20
