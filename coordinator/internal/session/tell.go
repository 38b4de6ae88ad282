package session

import (
	"slices"
	"strings"
)

// A Tell is a text of ours for the session's model. It goes out with the next
// reply to a hook that can carry it.
type Tell struct {
	Text     string `json:"text"`
	Delivery string `json:"delivery,omitempty"` // the hook call that took it
}

// maxTells bounds what waits to be told; the oldest gives way.
const maxTells = 8

// Tell returns s with one more text to tell. One that waits already is not told
// twice.
func (s Session) Tell(text string) Session {
	if slices.ContainsFunc(s.Tells, func(t Tell) bool { return t.Text == text && t.Delivery == "" }) {
		return s
	}
	s.Tells = append(slices.Clone(s.Tells), Tell{Text: text})
	s.Tells = s.Tells[max(0, len(s.Tells)-maxTells):]
	return s
}

// Told hands the texts that wait to a delivery, as far as there is room for them
// in bytes. The same delivery gets the same again: it lost our reply. Another one
// that takes something shows that what was told before has arrived.
func (s Session) Told(delivery string, room int) (Session, string) {
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

// Untold takes back what a delivery told that never arrived.
func (s Session) Untold(delivery string) Session {
	s.Tells = slices.Clone(s.Tells)
	for i := range s.Tells {
		if s.Tells[i].Delivery == delivery {
			s.Tells[i].Delivery = ""
		}
	}
	return s
}
