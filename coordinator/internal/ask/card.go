package ask

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// shared lists the kinds of asks that share one card when they are identical. They take
// only a yes or a no.
var shared = []Kind{Permission, Guard}

// CardID returns the ID of the ask for which the card that shows a was made.
func (a Ask) CardID() ID { return cmp.Or(a.On, a.ID) }

// A content is what asks about the same call must also have in common to share a card.
type content struct {
	state                 State
	kind                  Kind
	cwd, why              string
	attended, dialog      bool
	forSession, forAlways string
}

func (a Ask) content() content {
	return content{
		state:      a.State,
		kind:       a.Kind,
		cwd:        a.Cwd,
		why:        a.Why,
		attended:   a.Attended,
		dialog:     a.Dialog(),
		forSession: a.ForSession(),
		forAlways:  a.ForAlways(),
	}
}

// Twin reports whether a and b are both open and ask for exactly the same, so that one
// answer can settle both. Their cards would differ only in who asks.
func (a Ask) Twin(b Ask) bool {
	if a.ID == b.ID || a.State != Open || !a.Same(b) {
		return false
	}
	return slices.Contains(shared, a.Kind) && a.content() == b.content()
}

// Join puts a, which was just opened, on the card of its twin.
func Join(a, twin Ask) (Ask, error) {
	if !a.Twin(twin) {
		return a.refuseStep("put on the card of another")
	}
	a.On, a.CardAt, a.Shown = twin.CardID(), twin.CardAt, twin.Shown
	return a, nil
}

// A Card lists the asks that one message shows. The ask that it was made for comes
// first, then those that joined it, in order. A Card is never empty.
type Card []Ask

// Nonce returns the nonce that the card's buttons carry.
func (c Card) Nonce() string { return c[0].Nonce }

// Of returns the ask of c with this id, or the first ask if there is none.
func (c Card) Of(id ID) Ask {
	if i := slices.IndexFunc(c, func(a Ask) bool { return a.ID == id }); i >= 0 {
		return c[i]
	}
	return c[0]
}

// Face returns the ask that represents the card: preferably one that can be answered,
// else one that was answered.
func (c Card) Face() Ask {
	rank := func(a Ask) int {
		switch {
		case a.State == Open:
			return 3
		case a.Parked:
			return 2
		case a.Decided():
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

// Waiting returns the asks of c that still accept an answer.
func (c Card) Waiting() Card {
	var out Card
	for _, a := range c {
		if a.Waiting() {
			out = append(out, a)
		}
	}
	return out
}

// Or returns c, or a card with only a if c is empty.
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
	case slices.Equal(types, []string{""}):
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
	Of   int  // the number of all asks on the card
}

// Endings groups the asks of c that have ended by how they ended, in order.
func (c Card) Endings() (out []Ending) {
	for _, a := range c {
		if a.Waiting() {
			continue
		}
		i := slices.IndexFunc(out, func(e Ending) bool { return e.Asks[0].Ending() == a.Ending() })
		if i < 0 {
			i, out = len(out), append(out, Ending{Of: len(c)})
		}
		out[i].Asks = append(out[i].Asks, a)
	}
	return out
}

// Outcome says how the calls turned out. It returns "" while no result is known.
func (c Card) Outcome() string {
	if len(c) == 1 {
		return c[0].Outcome()
	}
	var said []string
	count := map[string]int{}
	for _, a := range c {
		text := a.Outcome()
		if a.Run != nil {
			text, _, _ = strings.Cut(text, ",") // leave out how long the call took
		}
		if count[text]++; count[text] == 1 {
			said = append(said, text)
		}
	}
	said = slices.DeleteFunc(said, func(text string) bool { return text == "" })
	for i, text := range said {
		switch n := count[text]; {
		case n < len(c):
			said[i] = fmt.Sprintf("%d of %d %s", n, len(c), text)
		case n == 2:
			said[i] = "both " + text
		default:
			said[i] = fmt.Sprintf("all %d %s", n, text)
		}
	}
	return strings.Join(said, ", ")
}
