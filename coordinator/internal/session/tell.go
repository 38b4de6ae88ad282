package session

import (
	"slices"
	"strings"
)

// A Tell is one of our texts for the session's model. It is sent with the next reply to
// a hook that can carry it.
type Tell struct {
	Text     string `json:"text"`
	Delivery string `json:"delivery,omitempty"` // the hook call that took it
}

// maxTells bounds how many texts wait. The oldest is dropped.
const maxTells = 8

// Tell returns s with one more text to tell. A text that already waits is not added
// again.
func (s Session) Tell(text string) Session {
	if slices.ContainsFunc(s.Tells, func(t Tell) bool { return t.Text == text && t.Delivery == "" }) {
		return s
	}
	s.Tells = append(slices.Clone(s.Tells), Tell{Text: text})
	s.Tells = s.Tells[max(0, len(s.Tells)-maxTells):]
	return s
}

// Deliver assigns the waiting texts to a delivery, as many as fit into room bytes. The same
// delivery gets the same texts again, because it may have lost our reply. When another
// delivery takes texts, the earlier ones have arrived.
func (s Session) Deliver(delivery string, room int) (Session, string) {
	var left []Tell
	var lines []string
	for _, t := range s.Tells {
		switch {
		case t.Delivery != "" && t.Delivery != delivery:
			continue
		case room >= len(t.Text)+1:
			room -= len(t.Text) + 1
			lines, t.Delivery = append(lines, t.Text), delivery
		}
		left = append(left, t)
	}
	s.Tells = left
	return s, strings.Join(lines, "\n")
}

// Undeliver makes the texts of a delivery that never arrived wait again.
func (s Session) Undeliver(delivery string) Session {
	s.Tells = slices.Clone(s.Tells)
	for i := range s.Tells {
		if s.Tells[i].Delivery == delivery {
			s.Tells[i].Delivery = ""
		}
	}
	return s
}
