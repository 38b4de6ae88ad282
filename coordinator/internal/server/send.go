package server

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/random"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The most characters of a text to a session and of one to the person. The host cuts what
// a hook tells a session at 10,000 characters and says nothing; a phone takes 4,096.
const (
	maxSent = 8000
	maxTold = 3000
)

// checkText refuses a text to send that is empty or has more than most characters.
func checkText(text string, most int) error {
	switch runes := utf8.RuneCountInString(text); {
	case strings.TrimSpace(text) == "", !utf8.ValidString(text):
		return badRequest("a text to send must not be empty, and must be UTF-8")
	case runes > most:
		return badRequest("a text to send has at most %d characters, not %d; "+
			"put it into a file and send its name", most, runes)
	}
	return nil
}

// tell sends the person a notice, also from inside a session.
func (s *Server) tell(c *call, in wire.TellRequest) (out wire.TellReply, err error) {
	if err := checkText(in.Text, maxTold); err != nil {
		return out, err
	}
	v, who := s.author(c.line)
	if who == "person" {
		who = c.decider()
	}
	text := redact.Clean(in.Text)
	key := "tell:" + cmp.Or(in.ID, random.Word())
	m, err := s.cfg.Core.Tell(v.ID, message.Message{Key: key, Text: text, By: who, Channel: c.channel()})
	if errors.Is(err, core.ErrNoChannel) {
		err = badRequest("no phone is paired: afar telegram pair")
	}
	return wire.SendReply{ID: string(m.ID), To: wire.ToPerson, When: "now"}, err
}

// send gives a session a text. The text counts as the person's words if it comes from a
// terminal whose answers count. From a program it is data.
func (s *Server) send(c *call, in wire.SendRequest) (out wire.SendReply, err error) {
	if err := checkText(in.Text, maxSent); err != nil {
		return out, err
	}
	id, name, err := s.addressee(in.To)
	if err != nil {
		return out, err
	}
	if id == "" {
		return out, badRequest("a text for the person is sent with %s", wire.OpTell)
	}
	if in.ID == "" || len(in.ID) > 80 {
		return out, badRequest("a text to send needs an id of its own")
	}
	m := message.Message{Key: "send:" + in.ID, Session: id, Text: in.Text, By: c.decider(), Channel: c.channel()}
	m.Run = strings.HasPrefix(name, wire.ToRun)
	if !s.fromPerson(c) {
		m.Data, m.By, m.Text = true, s.program(c), redact.Visible(in.Text)
	}
	m, when, err := s.cfg.Core.Send(m)
	return wire.SendReply{ID: string(m.ID), To: name, When: when, Words: !m.Data}, err
}

// fromPerson reports whether a caller outside all sessions has a terminal or a browser that
// is signed in, and answers from there count.
func (s *Server) fromPerson(c *call) bool {
	here := c.page || len(c.line) > 0 && c.line[0].Terminal
	return here && s.cfg.Core.Counts(c.channel()) == nil
}

// program names the program that ran the afar command.
func (s *Server) program(c *call) string {
	if len(c.line) < 2 {
		return "an unknown program"
	}
	return "the program " + cmp.Or(text.Fold(redact.Visible(filepath.Base(c.line[1].Exe))), "unknown")
}

// addressee returns whom an address names; id is "" for the person.
func (s *Server) addressee(to string) (id session.ID, name string, err error) {
	a, err := message.ParseAddress(to)
	switch {
	case err != nil:
		return "", "", badRequest("%v", err)
	case a.Kind == message.ToRun:
		r, err := s.runNamed(a.Name)
		return session.ID(r.Conversation), message.Address{Kind: message.ToRun, Name: r.Name}.String(), err
	case a.Kind == message.ToPerson:
		return "", a.String(), nil
	}
	v, err := s.session(a.Name)
	return v.ID, v.Token, err
}

// The texts of one reply about the inbox.
const (
	usualInbox = 100
	mostInbox  = 1000
)

// inbox lists the texts that were sent, all or those for one address.
func (s *Server) inbox(_ *call, in wire.InboxRequest) (out wire.InboxReply, err error) {
	all := s.cfg.Core.Messages()
	if in.For != "" {
		id, _, err := s.addressee(in.For)
		if err != nil {
			return out, err
		}
		all = slices.DeleteFunc(all, func(m message.Message) bool { return m.Session != id || (id == "") != m.ForPerson() })
	}
	most := min(cmp.Or(max(in.Last, 0), usualInbox), mostInbox)
	out.Messages = []wire.Message{}
	for _, m := range all[max(0, len(all)-most):] {
		out.Messages = append(out.Messages, s.wireMessage(m))
	}
	return out, nil
}

func (s *Server) wireMessage(m message.Message) wire.Message {
	return wire.Message{
		ID:          string(m.ID),
		To:          s.cfg.Core.AddressOf(m).String(),
		State:       string(m.State),
		By:          m.By,
		Channel:     m.Channel,
		Words:       !m.Data && !m.ForPerson(),
		Text:        redact.Clean(m.Body()),
		At:          millis(m.At),
		DeliveredAt: millis(m.DeliveredAt),
		DoneAt:      millis(m.DoneAt),
	}
}
