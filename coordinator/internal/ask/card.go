package ask

import (
	"fmt"
	"slices"
	"strings"
)

// shared are the kinds of which identical asks stand on one card: a yes or a
// no is all they take.
var shared = []Kind{Permission, Guard}

// CardID names the card that shows a, by the ask that it was made for.
func (a Ask) CardID() ID {
	if a.On != "" {
		return a.On
	}
	return a.ID
}

// Twin reports whether b, open as a is, asks for the very same: then one look
// and one answer serve both. They differ in nothing that a card shows but who
// asks.
func (a Ask) Twin(b Ask) bool {
	open := a.State == Open && b.State == Open && a.ID != b.ID
	return open && slices.Contains(shared, a.Kind) && a.Kind == b.Kind && a.Same(b) && a.Cwd == b.Cwd && a.Why == b.Why &&
		a.Attended == b.Attended && a.Dialog() == b.Dialog() && a.ForSession() == b.ForSession() && a.ForAlways() == b.ForAlways()
}

// Join puts a, which was opened this moment, on the card of its twin.
func Join(a, twin Ask) (Ask, error) {
	if !a.Twin(twin) {
		return a.unfit("put on the card of another")
	}
	a.On, a.CardAt, a.Shown = twin.CardID(), twin.CardAt, twin.Shown
	return a, nil
}

// A Card is the asks that one message shows: the one that it was made for, then
// those that joined it, in order. It is never empty.
type Card []Ask

// Nonce is what the card's buttons carry.
func (c Card) Nonce() string { return c[0].Nonce }

// Of returns the ask of c that id names, else the first.
func (c Card) Of(id ID) Ask {
	if i := slices.IndexFunc(c, func(a Ask) bool { return a.ID == id }); i >= 0 {
		return c[i]
	}
	return c[0]
}

// Face is the ask that speaks for the card: one that can be answered, else one
// that was.
func (c Card) Face() Ask {
	rank := func(a Ask) int {
		switch {
		case a.State == Open:
			return 3
		case a.Parked:
			return 2
		case a.Decision != nil || a.Lease != nil:
			return 1
		}
		return 0
	}
	face := c[0]
	for _, a := range c[1:] {
		if rank(a) > rank(face) {
			face = a
		}
	}
	return face
}

// Waiting returns the asks of c that an answer reaches.
func (c Card) Waiting() Card {
	var out Card
	for _, a := range c {
		if a.State == Open || a.Parked {
			out = append(out, a)
		}
	}
	return out
}

// Or returns c, or a alone where c is empty.
func (c Card) Or(a Ask) Card {
	if len(c) == 0 {
		return Card{a}
	}
	return c
}

// Askers says who asks, for people: "3 subagents (Explore ×2, Plan)".
func (c Card) Askers() string {
	if len(c) == 1 {
		return c[0].asker()
	}
	var types []string
	count := map[string]int{}
	for _, a := range c {
		if count[a.AgentType]++; count[a.AgentType] == 1 {
			types = append(types, a.AgentType)
		}
	}
	slices.Sort(types)
	switch {
	case c[0].Agent == "":
		return fmt.Sprintf("the main agent, %d times", len(c))
	case len(types) == 1 && types[0] == "":
		return fmt.Sprintf("%d subagents", len(c))
	}
	for i, kind := range types {
		n := count[kind]
		if kind == "" {
			kind = "others"
		}
		if types[i] = kind; n > 1 {
			types[i] = fmt.Sprintf("%s ×%d", kind, n)
		}
	}
	return fmt.Sprintf("%d subagents (%s)", len(c), strings.Join(types, ", "))
}

func (a Ask) asker() string {
	switch {
	case a.Kind == Elicitation:
		return "the session, or one of its subagents: the host does not say"
	case a.Agent == "":
		return "the main agent"
	case a.AgentType == "":
		return "a subagent"
	}
	return "subagent " + a.AgentType
}

// An Ending is how some asks of a card ended.
type Ending struct {
	Asks Card // those that ended in this way
	Of   int  // of so many on the card
}

// Endings sorts the asks of c that wait no longer by how they ended, in order.
func (c Card) Endings() (out []Ending) {
	for _, a := range c {
		if a.State == Open || a.Parked {
			continue
		}
		i := slices.IndexFunc(out, func(e Ending) bool { return e.Asks[0].How() == a.How() })
		if i < 0 {
			i, out = len(out), append(out, Ending{Of: len(c)})
		}
		out[i].Asks = append(out[i].Asks, a)
	}
	return out
}

// Outcome says how the calls turned out, or "" while nobody knows of any.
func (c Card) Outcome() string {
	if len(c) == 1 {
		return c[0].Outcome()
	}
	var said []string
	count := map[string]int{}
	for _, a := range c {
		text := a.Outcome()
		if a.Run != nil {
			text, _, _ = strings.Cut(text, ",") // how long each took is of no use together
		}
		if count[text]++; count[text] == 1 && text != "" {
			said = append(said, text)
		}
	}
	for i, text := range said {
		said[i] = fmt.Sprintf("%d of %d %s", count[text], len(c), text)
		switch {
		case count[text] == len(c) && len(c) == 2:
			said[i] = "both " + text
		case count[text] == len(c):
			said[i] = fmt.Sprintf("all %d %s", len(c), text)
		}
	}
	return strings.Join(said, ", ")
}
