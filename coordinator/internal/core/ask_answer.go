package core

import (
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// Answer decides an ask for its person. The first answer wins. For any later one it
// returns ask.ErrSettled and the settled ask.
func (c *Core) Answer(id ask.ID, d ask.Decision) (ask.Ask, error) {
	return c.Step(id, ask.Answer, d)
}

// Step makes one move of the person towards the end of an ask, and of all asks on its
// card.
func (c *Core) Step(id ask.ID, by ask.Step, d ask.Decision) (ask.Ask, error) {
	if err := c.Recall(id); err != nil {
		return ask.Ask{}, err
	}
	var after ask.Ask
	err := c.Do(func(s *Draft) (err error) {
		before := s.Asks.Rows[id]
		if before.Kind == ask.CheckIn {
			d = d.ForCheckIn(d.Message)
		}
		card := ask.Card{before}
		if len(card.Waiting()) > 0 {
			card = s.onCard(before)
		}
		changed, err := s.Answer(card, by, d)
		after = changed.Of(id)
		if err == nil {
			s.replied(after)
		}
		return err
	})
	return after, err
}

// A Press is what the person does about asks on a channel: a tap on a button, or a text.
type Press struct {
	channel.Act
	Message  channel.MessageID // with the button, or that the text answers; "" for none
	Nonce    string            // of the button, or of the buttons of the message
	Decision ask.Decision
	Pick     *ask.Choice // the option that was tapped; nil is to decide the ask
	Text     string      // what was written, as it is; "" for a tap
	Word     bool        // Text is a bare yes, no or all
	Seen     []ask.ID    // whose cards were shown before Text was written
	Choice   string      // whom a text is for, see Choose
	// Shows reports whether the message shows a card, as its channel tells what the message says. It is
	// asked about a message that is not noted as a copy of a card; nil is yes.
	Shows func(ask.Card) bool
}

// Told is what the person is told about a Press.
type Told struct {
	channel.Worded            // nil for nothing
	Choose         message.ID // the text for which they have to choose whom it is for, "" for none
	Edit           bool       // the message of the Press says it from now on
}

func tells(kind channel.NewsKind) Told { return Told{Worded: channel.News{Kind: kind}} }

// pressed returns the ask that a press is about, and whether its message is noted as a copy of the card. no
// says why it is about none.
func (c *Core) pressed(p Press) (id ask.ID, noted bool, no channel.NewsKind, err error) {
	on, noted, err := c.cfg.Store.ShownBy(p.Channel, p.Message)
	a, known := c.AskByNonce(p.Nonce)
	switch {
	case err != nil:
		return "", noted, "", err
	case noted && p.Tap == "":
		return on, noted, "", nil
	case !known:
		return "", noted, channel.UnknownAsk, nil
	case noted && on != a.CardID():
		return "", noted, channel.OtherAsk, nil
	case noted || p.Shows == nil:
		return a.ID, noted, "", nil
	}
	card, err := c.OnCard(a.CardID())
	if err != nil || !p.Shows(card) {
		no = channel.OtherCard // somebody else may have sent the message, with a button of the card
	}
	return a.ID, noted, no, nil
}

// IsAnswer reports whether a text that replies to a message answers the card of an ask.
func (c *Core) IsAnswer(p Press) (bool, error) {
	_, _, no, err := c.pressed(p)
	return err == nil && no != channel.UnknownAsk, err
}

// Press applies what the person did on a card, once. A button names its ask by the nonce. That works even if
// the coordinator died before it noted the card: the text of the message shows the question.
func (c *Core) Press(p Press) (Told, error) {
	id, noted, no, err := c.pressed(p)
	if err == nil && no == "" {
		err = c.Recall(id)
	}
	if err != nil || no != "" {
		return tells(no), err
	}
	return c.pressIt(p, func(s *Draft, p Press) Told {
		a := s.Asks.Rows[id]
		if !noted {
			shows := channel.Copy{Ask: a.CardID(), Channel: p.Channel, Message: p.Message}
			s.Batch.Copies = append(s.Batch.Copies, shows)
		}
		return Told{Worded: s.decide(a, p)}
	})
}

// decide applies what the person decided to an ask and returns what they are told
// about it. A text answers a question in its own words; for a check-in it
// becomes a message of its session, a second text too.
func (s *Draft) decide(a ask.Ask, p Press) channel.Worded {
	if a.Mirrored() {
		return s.beside.Forward(s, a, p)
	}
	if a.Kind == ask.Missed && p.Text != "" && !p.Word {
		return channel.News{Kind: channel.RunOrSkip}
	}
	p, step := p.meant(a)
	if a.Replied() && p.Text != "" && s.Sessions.Rows[a.Session].State != session.Ended {
		m := s.Post(p.message(a.Session))
		return s.fate(m.Session)
	}
	changed, err := s.Answer(s.onCard(a), step, p.Decision)
	switch next := changed[0]; {
	case err != nil:
		s.PutAsk(next)
	case next.Replied():
		m := s.Post(p.message(a.Session))
		if s.Sessions.Rows[m.Session].Holder.Known() && !s.Settings.Paused {
			return channel.News{Kind: channel.GoesOn}
		}
		return s.fate(m.Session)
	case a.Kind != ask.Plan && next.DeniedWith(p.Text):
		return channel.News{Kind: channel.DeniedWith}
	}
	ended := s.Sessions.Rows[changed[0].Session].State == session.Ended
	return channel.Answer{Card: changed, Err: err, Ended: ended}
}

// meant returns the press with what its text means for this kind of ask, and the step that it makes.
func (p Press) meant(a ask.Ask) (meant Press, step ask.Step) {
	if p.Pick != nil {
		step = p.Pick.Step()
	}
	switch {
	case a.Kind == ask.CheckIn:
		p.Decision = p.Decision.ForCheckIn(p.Text)
	case a.Kind == ask.Suggestion && !p.Word:
		p.Decision = p.Decision.ForSuggestion(p.Text)
	case a.Form != nil && p.Text != "":
		step = ask.Say(p.Text)
		p.Decision = ask.Decision{Allow: true, By: p.Decision.By, Channel: p.Decision.Channel}
	}
	return p, step
}

// seen returns the asks of open whose cards the person had seen when they wrote p. A
// text never answers a question that is younger than the text.
func (p Press) seen(open []ask.Ask) []ask.Ask {
	return slices.DeleteFunc(slices.Clone(open), func(a ask.Ask) bool { return !slices.Contains(p.Seen, a.CardID()) })
}

// replied makes a message of the text that answered a check-in on another channel.
func (s *Draft) replied(a ask.Ask) {
	if a.Replied() {
		s.Post(message.Message{
			Key:     "ask:" + string(a.ID),
			Session: a.Session,
			Text:    a.Decision.Message,
			By:      a.Decision.By,
			Channel: a.Decision.Channel,
		})
	}
}

// Answer makes one step of the person on every waiting ask of a card. A nil step decides
// them. If the answer is for the whole session, it also gives the grant. It returns the
// asks that it changed, or the ask that shows why it changed none.
func (s *Draft) Answer(card ask.Card, step ask.Step, d ask.Decision) (changed ask.Card, err error) {
	waiting := card.Waiting().Or(card.Face())
	for _, a := range waiting {
		next, failed := s.answerOne(a, step, d)
		if failed != nil {
			err = failed
			continue
		}
		changed = append(changed, next)
	}
	if len(changed) == 0 {
		return waiting[:1], err
	}
	s.doubt(changed[0], false)
	stands := d.Scope == ask.Session || d.Scope == ask.Always && len(changed[0].Offer.Kept) > 0
	if d.Allow && stands && changed[0].Decided() {
		d.At = s.Now
		s.give(changed[0], d)
	}
	return changed, nil
}

// answerOne makes one step of its person on an ask.
func (s *Draft) answerOne(before ask.Ask, step ask.Step, d ask.Decision) (ask.Ask, error) {
	if step == nil {
		step = ask.Answer
	}
	if err := s.Counts(d.Channel); err != nil {
		return before, err
	}
	d.At = s.Now
	next, err := step(before, d)
	if err != nil {
		return before, err
	}
	s.PutAsk(next)
	if next.State == before.State && next.Lease == before.Lease {
		return next, nil // a choice on the way, not an answer yet
	}
	s.Record(event.AskAnswered, next.Session, string(next.ID), s.askLine(next)+answerProof(next))
	if next.Decision != nil {
		s.answerCheckpoint(next)
		s.beside.Decided(s, next)
	}
	if next.Lease != before.Lease {
		s.endHolds(next)
	}
	return next, nil
}
