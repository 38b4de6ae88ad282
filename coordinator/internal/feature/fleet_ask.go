package feature

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// MirrorCard takes over a card of a member as it is there now. Its channels show it.
func (c *Core) MirrorCard(id fleet.MachineID, card fleet.Card) error {
	for _, a := range card.Asks {
		err := c.Recall(ask.MirrorID(string(id), a.ID)) // memory forgets one that ended long ago
		if err != nil && !errors.Is(err, core.ErrNotFound) {
			return err
		}
	}
	return c.do(func(s *draft) error {
		m, ok := s.machines.Rows[id]
		if !ok || !m.Trusted() {
			return fmt.Errorf("machine %s: %w", id, core.ErrNotFound)
		}
		for _, a := range card.Asks {
			s.mirrorAsk(m, a, card.From)
		}
		if len(card.Asks) > 0 {
			first := card.Asks[0]
			s.OnChannels("card:"+string(ask.MirrorID(string(id), first.CardID())), core.ActCard,
				string(ask.MirrorID(string(id), first.CardID())), s.Now)
		}
		return nil
	})
}

// mirrorAsk keeps the ask of a member as it is there. The member says nothing of what binds an answer here: the nonce
// is ours, and the id names the machine that sent it.
func (s *draft) mirrorAsk(m fleet.Machine, a ask.Ask, from ask.From) {
	machine := string(m.ID)
	from.Ref, from.Machine, from.Name, from.Decides = a.ID, machine, m.Name, m.Decides
	a.ID, a.On = ask.MirrorID(machine, a.ID), ask.MirrorID(machine, a.On)
	a.Session = session.ID(string(a.Session) + "@" + machine)
	a = a.Shift(-time.Duration(m.Known.Offset) * time.Millisecond) // to our clock
	a.Taker, a.Unproven, a.Shown = session.Process{}, false, true
	old, known := s.Asks.Rows[a.ID]
	a.Nonce, a.Twice = old.Nonce, old.Twice // whether our card may exist twice, not whether theirs may
	if known {
		from.Sent = old.From.Sent
	} else {
		a.Nonce = s.Cfg.Secret()
		text := fmt.Sprintf("%s: %s asks for %s (sha256 %s)", m.Name, from.Token, a.Line(), core.Short(a.Hash))
		s.Record(event.AskOpened, a.Session, string(a.ID), text)
	}
	if !a.Waiting() {
		from.Sent = ""
		if !known || old.Waiting() {
			s.Record(event.AskEnded, a.Session, string(a.ID), m.Name+": "+a.Line()+": "+a.Ending())
		}
	}
	a.From = &from
	s.Asks.Put(s.Batch, a)
}

// OpenMirrors returns the digests of the open asks of a machine as they are known here, by their ids there.
func (c *Core) OpenMirrors(id fleet.MachineID) map[ask.ID]string {
	out := map[ask.ID]string{}
	c.view(func(s *draft) {
		for _, a := range s.Asks.ByMachine.All(string(id)) {
			out[a.From.Ref] = a.Hash
		}
	})
	return out
}

// WithdrawMirrors ends the asks of a machine that it does not know as open any more: it was put back, or its end was
// never told.
func (c *Core) WithdrawMirrors(id fleet.MachineID, refs []ask.ID, why string) error {
	return c.do(func(s *draft) error {
		for _, ref := range refs {
			a, ok := s.Asks.Rows[ask.MirrorID(string(id), ref)]
			if !ok || !a.Waiting() {
				continue
			}
			a, err := ask.Abandon(a, why, s.Now)
			if err != nil {
				continue
			}
			s.showSent(a, "")
		}
		return nil
	})
}

// reshow has the cards of a machine say what the machine is called now and whether it can be reached.
func (s *draft) reshow(m fleet.Machine) {
	for _, a := range s.Asks.ByMachine.All(string(m.ID)) {
		from := *a.From
		from.Name, from.Decides, from.Away = m.Name, m.Decides, ""
		if _, here := s.present[m.ID]; !here {
			from.Away = cmp.Or(a.From.Away, m.Known.SeenAt.Local().Format("15:04"))
		}
		if m.Removed {
			a, _ = ask.Abandon(a, "the machine was removed from the fleet", s.Now)
		}
		a.From = &from
		s.Asks.Put(s.Batch, a)
		s.ShowCard(a)
	}
}

// forward sends what the person decided about an ask of another machine to that machine, which carries it out.
func (s *draft) forward(a ask.Ask, p core.Press) channel.Worded {
	if goesOn := a.Replied() && p.Text != ""; !a.Waiting() && !goesOn {
		return channel.Answer{Card: ask.Card{a}, Err: ask.ErrSettled}
	}
	in, err := json.Marshal(fleet.Press{
		Ask: a.From.Ref, Hash: a.Hash, Decision: p.Decision, Pick: p.Pick, Text: p.Text, Word: p.Word,
	})
	if err == nil {
		err = s.Counts(p.Channel)
	}
	if err == nil {
		_, err = s.order(fleet.Order{
			Machine: fleet.MachineID(a.From.Machine), Ask: a.ID, Op: channel.OpPress, In: in, By: p.Decision.By, Act: p.Act,
		})
	}
	if err != nil {
		return channel.News{Text: "Nothing was sent: " + err.Error() + "."}
	}
	what := sentWords(p)
	from := *a.From
	if p.Pick == nil && a.Waiting() {
		s.showSent(a, what)
	}
	if _, here := s.present[fleet.MachineID(a.From.Machine)]; !here {
		return channel.News{Kind: channel.WaitsForMachine, What: what, Of: from.Name, Why: from.Away}
	}
	if p.Tap == "" {
		return nil // the person hears what it came to
	}
	return channel.News{Kind: channel.OnItsWay, What: what, Of: from.Name}
}

// SendAnswer sends an answer that was given at a terminal or on the page to the machine that asks. what says it in
// words.
func (c *Core) SendAnswer(id ask.ID, o fleet.Order, what string) (placed fleet.Order, err error) {
	err = c.do(func(s *draft) (err error) {
		a, known := s.Asks.Rows[id]
		switch {
		case !known || !a.Mirrored():
			return core.ErrNotFound
		case !a.Waiting():
			return ask.ErrSettled
		}
		o.Machine, o.Ask = fleet.MachineID(a.From.Machine), id
		if placed, err = s.order(o); err == nil {
			s.showSent(a, what)
		}
		return err
	})
	return placed, err
}

// showSent has the card of an ask say which answer is on its way to its machine, "" for none.
func (s *draft) showSent(a ask.Ask, what string) {
	from := *a.From
	from.Sent, a.From = what, &from
	s.Asks.Put(s.Batch, a)
	s.ShowCard(a)
}

// sentWords says what a press decides.
func sentWords(p core.Press) string {
	switch {
	case p.Pick != nil:
		return "Chosen"
	case p.Text != "" && !p.Word:
		return "Your words"
	case p.Decision.Allow:
		return "Allowed"
	}
	return "Denied"
}

// unsend notes that the answer of an order is not on its way any more.
func (s *draft) unsend(o fleet.Order) {
	if a, ok := s.Asks.After(s.Batch, o.Ask); ok && a.Mirrored() && a.From.Sent != "" {
		s.showSent(a, "")
	}
}

// PressFrom returns the press that the hub sends for an ask of this machine.
func (c *Core) PressFrom(act channel.Act, in fleet.Press) (p core.Press, err error) {
	a, err := c.Ask(in.Ask)
	switch {
	case err != nil:
		return p, err
	case a.Hash != in.Hash:
		return p, core.ErrBound
	}
	d := in.Decision
	d.Channel, d.By = fleet.Channel, cmp.Or(strings.TrimSpace(d.By), act.By)
	return core.Press{
		Act: act, Message: channel.MessageID(a.CardID()), Nonce: a.Nonce, Decision: d,
		Pick: in.Pick, Text: in.Text, Word: in.Word,
	}, nil
}
