// Package message holds texts for a session. A message is pending, then delivered to one
// hook of its session, then done. The package is pure: the caller stores each returned
// Message durably before it acts on it.
package message

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// ID names a message. It is computed from the message's key, so the same input that comes
// in twice is one message.
type ID string

// A State is the stage that a message has reached.
type State string

// The states of a message, in order.
const (
	Unrouted  State = "unrouted"  // the person has not said yet for which session
	Pending   State = "pending"   // no hook of the session has taken it yet
	Delivered State = "delivered" // a hook took it to the host
	Done      State = "done"      // the session showed that it has it; or it was dropped
)

// A Message is one text for one session.
type Message struct {
	ID      ID         `json:"id"`
	Key     string     `json:"key"` // its origin, "<channel>:<update>"
	State   State      `json:"state"`
	Session session.ID `json:"session"`
	Seq     int64      `json:"seq"` // order of arrival
	Text    string     `json:"text"`
	By      string     `json:"by"`             // who wrote it, for people
	Channel string     `json:"channel"`        // the name of a channel, or terminal
	From    string     `json:"from,omitempty"` // where on its channel it was written, in the channel's own form
	Re      ID         `json:"re,omitempty"`   // the message that it answers
	Data    bool       `json:"data,omitempty"` // not the person's words: Text is fenced and names its source
	Run     bool       `json:"run,omitempty"`  // for the run of the session, and not for a terminal that has it
	Nonce   string     `json:"nonce,omitempty"`
	Answers bool       `json:"answers,omitempty"` // an unrouted message answers a question that is not known yet
	At      time.Time  `json:"at"`
	// Delivery names the hook that took it: the same hook may ask again.
	Delivery    string    `json:"delivery,omitempty"`
	DeliveredAt time.Time `json:"delivered_at,omitzero"`
	// Taker is the process of the hook that took it. Unproven is true until that hook
	// has said that it printed the text.
	Taker    session.Process `json:"taker,omitzero"`
	Unproven bool            `json:"unproven,omitempty"`
	// Again is true if an earlier hook took it and may not have handed it over.
	Again bool `json:"again,omitempty"`
	// Submitted is true if the session's mod took it, to submit it as a prompt of the person.
	// It is then done when a prompt of the session shows it.
	Submitted bool      `json:"submitted,omitempty"`
	DoneAt    time.Time `json:"done_at,omitzero"`
	// To is ToPerson for a text that goes to the person, ToTriage for an event, and "" for any other.
	To Kind `json:"to,omitempty"`
	// Task is the task that the text is for, "" for none. Session is then the conversation of
	// the run that takes it, and "" until there is one.
	Task string `json:"task,omitempty"`
	// Outcome says for people what came of it, where the state says too little.
	Outcome string `json:"outcome,omitempty"`
}

// ForPerson reports whether m goes to the person.
func (m Message) ForPerson() bool { return m.To == ToPerson }

// IDOf returns the id of the message with this key.
func IDOf(key string) ID {
	sum := sha256.Sum256([]byte(key))
	return ID("msg_" + hex.EncodeToString(sum[:10]))
}

// Add returns m as the message behind the newest one, whose Seq is newest. It is pending, or
// unrouted if it names nobody. The caller stores one message with a key.
func Add(m Message, newest int64, now time.Time) Message {
	m.ID, m.At, m.State, m.Seq = IDOf(m.Key), now, Pending, newest+1
	if m.Session == "" && m.Task == "" && m.To == "" {
		m.State = Unrouted
	}
	return m
}

// ErrRouted is returned for a message that is routed already.
var ErrRouted = errors.New("the message is routed already")

// Route gives an unrouted message its session.
func Route(m Message, id session.ID) (Message, error) {
	if m.State != Unrouted {
		return m, ErrRouted
	}
	m.State, m.Session = Pending, id
	return m, nil
}

// Drop ends an unrouted message that goes to no session, for example because it answered a
// question.
func Drop(m Message, now time.Time) (Message, error) {
	if m.State != Unrouted {
		return m, ErrRouted
	}
	m.State, m.DoneAt = Done, now
	return m, nil
}

// Abandon ends a text that may have been handed over: why says why that is not known.
func Abandon(m Message, why string, now time.Time) (Message, error) {
	if m.State == Done {
		return m, ErrRouted
	}
	m.State, m.DoneAt, m.Outcome = Done, now, why
	return m, nil
}

// Show ends a text for the person that a channel has shown.
func Show(m Message, now time.Time) (Message, error) {
	if m.State != Pending || !m.ForPerson() {
		return m, ErrRouted
	}
	m.State, m.DeliveredAt, m.DoneAt = Done, now, now
	return m, nil
}

// maxRunes bounds the text of one delivery. The host silently cuts a context of more than
// 10,000 characters.
const maxRunes = 9000

// A Delivery holds the messages that one hook takes. Text is empty if there are none.
type Delivery struct {
	Text    string    // the texts of all messages taken, in order, with blank lines between them
	By      []string  // who wrote them, each once; none for data
	Changed []Message // the caller stores them before Text is handed over
	Left    int       // messages that did not fit and wait for the next hook
	Again   bool      // the session may have seen some of it before
}

// Take gives the pending messages of a session, in order, to the hook named by delivery.
// If the same hook asks again, it gets the same messages again, because it did not receive
// the first reply. No other hook gets them while this one may still hand them over. A
// known taker reports when it has done so, see Printed. The person's words and data are
// never delivered together, so that neither is mistaken for the other.
func Take(all []Message, id session.ID, delivery string, taker session.Process, now time.Time) (d Delivery) {
	var texts []string
	add := func(m Message) {
		texts = append(texts, m.Text)
		if m.Again {
			d.Again = true
		}
		if !m.Data && !slices.Contains(d.By, m.By) {
			d.By = append(d.By, m.By)
		}
	}
	for _, m := range ordered(all, id) {
		if m.State == Delivered && m.Delivery == delivery {
			add(m)
		}
	}
	again := len(texts) > 0
	runes, waiting := 0, Waiting(all, id)
	for _, m := range waiting {
		runes += utf8.RuneCountInString(m.Text) + 2
		full := len(texts) > 0 && runes > maxRunes
		switch {
		case again, full, m.Data != waiting[0].Data:
			d.Left++
			continue
		}
		m.State, m.Delivery, m.DeliveredAt = Delivered, delivery, now
		m.Taker, m.Unproven = taker, taker.Known()
		d.Changed = append(d.Changed, m)
		add(m)
	}
	d.Text = strings.Join(texts, "\n\n")
	return d
}

// Owed reports whether a hook took m and has not yet reported that it printed m.
func (m Message) Owed() bool { return m.State == Delivered && m.Unproven }

// Printed returns the messages of a delivery, marked as printed by its hook. They include
// those that became pending again in the meantime.
func Printed(all []Message, id session.ID, delivery string) (out []Message) {
	for _, m := range ordered(all, id) {
		taken := m.Owed() || m.State == Pending && m.Again
		if taken && m.Delivery == delivery {
			m.State, m.Unproven = Delivered, false
			out = append(out, m)
		}
	}
	return out
}

// Lost returns the delivered messages for which lost returns true, marked as pending again.
func Lost(all []Message, lost func(Message) bool) (out []Message) {
	for _, m := range all {
		if m.State == Delivered && lost(m) {
			m.State, m.Unproven, m.Again = Pending, false, !m.Submitted // a mod submits nothing of such a process
			m.Submitted = false
			out = append(out, m)
		}
	}
	return out
}

// A Handover is what one hook or one turn took, as one text.
type Handover struct {
	Delivery string
	Text     string
	At       time.Time
}

// Handovers returns what was taken of the texts for a session since a time, in order.
func Handovers(all []Message, id session.ID, since time.Time) (out []Handover) {
	for _, m := range ordered(all, id) {
		if m.DeliveredAt.IsZero() || m.DeliveredAt.Before(since) {
			continue
		}
		i := slices.IndexFunc(out, func(h Handover) bool { return h.Delivery == m.Delivery })
		if i < 0 {
			out = append(out, Handover{m.Delivery, m.Text, m.DeliveredAt})
			continue
		}
		out[i].Text += "\n\n" + m.Text
	}
	return out
}

// A Proof says whether a conversation has what was handed over. Unless Sure, nobody knows.
type Proof struct{ Arrived, Sure bool }

// Verify returns the texts that some deliveries took, as proofs say: done if they have arrived,
// else pending again. It returns those that change.
func Verify(all []Message, id session.ID, proofs map[string]Proof, now time.Time) (out []Message) {
	for _, m := range ordered(all, id) {
		proof, ok := proofs[m.Delivery]
		before := m
		switch {
		case !ok:
			continue
		case proof.Arrived:
			m.State, m.DoneAt, m.Again, m.Submitted = Done, cmp.Or(m.DoneAt, now), false, false
		default:
			m.State, m.Again = Pending, !proof.Sure
			m.Delivery, m.DeliveredAt, m.DoneAt, m.Submitted = "", time.Time{}, time.Time{}, false
		}
		if m.Unproven = false; m != before {
			out = append(out, m)
		}
	}
	return out
}

// Finish returns, marked as done, the messages that an earlier hook of the session has
// printed, and those that an earlier prompt has shown. delivery names the current hook, whose messages are left out.
func Finish(all []Message, id session.ID, delivery string, now time.Time) (out []Message) {
	for _, m := range ordered(all, id) {
		switch {
		case m.Delivery == delivery:
		case m.State == Delivered && !m.Unproven && !m.Submitted:
			m.State, m.DoneAt = Done, now
			out = append(out, m)
		case m.shown():
			m.Submitted = false
			out = append(out, m)
		}
	}
	return out
}

// Waiting returns the pending messages of a session, in order.
func Waiting(all []Message, id session.ID) (out []Message) {
	for _, m := range ordered(all, id) {
		if m.State == Pending {
			out = append(out, m)
		}
	}
	return out
}

// ForSession returns the messages that are for a session itself, and not for its run.
func ForSession(all []Message) []Message {
	return slices.DeleteFunc(slices.Clone(all), func(m Message) bool { return m.Run })
}

func ordered(all []Message, id session.ID) (out []Message) {
	for _, m := range all {
		if m.Session == id {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b Message) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

// Came says for people what came of a text. when says when the recipient of a pending one gets it, and reader who
// read it, "" if nobody knows.
func (m Message) Came(when, reader string) string {
	switch {
	case m.Outcome != "":
		return m.Outcome
	case m.State == Unrouted:
		return "waits until you say to whom"
	case m.State == Pending && m.ForPerson():
		return "was not shown yet"
	case m.State == Pending && m.Again:
		return "comes again " + when + ": it was handed over before, and perhaps not read"
	case m.State == Pending:
		return "comes " + when
	case m.State == Delivered:
		return "was handed over, and is not confirmed yet"
	case m.ForPerson():
		return "you were shown it"
	case m.To == ToTriage:
		return "was sorted"
	case reader != "":
		return "was read in " + reader
	}
	return "was read"
}
