package noun

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/callers"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/random"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/task"
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
		return door.BadRequest("a text to send must not be empty, and must be UTF-8")
	case runes > most:
		return door.BadRequest("a text to send has at most %d characters, not %d; "+
			"put it into a file and send its name", most, runes)
	}
	return nil
}

// tell sends the person a notice, also from inside a session.
func (s *Server) tell(c *door.Call, in wire.SendRequest) (out wire.SendReply, err error) {
	if err := checkText(in.Text, maxTold); err != nil {
		return out, err
	}
	v, who := c.Author()
	if err := s.checkAnswered(v, in.Re); err != nil {
		return out, err
	}
	if who == callers.Person {
		who = c.Decider()
	}
	if session.Silent(in.Text) {
		return wire.SendReply{To: wire.ToPerson, When: wire.Never}, nil
	}
	text := redact.Clean(in.Text)
	key := "tell:" + cmp.Or(in.ID, random.Word())
	told := message.Message{Key: key, Text: text, By: who, Channel: c.Channel(), Re: message.ID(in.Re)}
	m, err := s.cfg.Core.Tell(v.ID, told)
	if errors.Is(err, core.ErrNoChannel) {
		err = door.BadRequest("no phone is paired: afar telegram pair")
	}
	return wire.SendReply{ID: string(m.ID), To: wire.ToPerson, When: "now"}, err
}

// checkAnswered returns an error if a session cannot answer the message with an id. "" is no
// message. Only the person's own words get an answer: the source of any other is no person.
func (s *Server) checkAnswered(v session.Session, id string) error {
	if id == "" {
		return nil
	}
	m, known, err := s.cfg.Core.Text(message.ID(id))
	switch {
	case err != nil:
		return err
	case !known, m.Session != v.ID, v.ID == "":
		return door.BadRequest("there is no message %.60q in your inbox; want the id of one that it lists", id)
	case m.Data:
		return door.BadRequest("the message came from %s, which takes no answer; leave the id out to tell the person, "+
			"or post to a topic", text.Fold(redact.Visible(m.By)))
	}
	return nil
}

// send gives a session, a run or a task a text. The text counts as the person's words if it comes from a
// terminal whose answers count. From a program it is data.
func (s *Server) send(c *door.Call, in wire.SendRequest) (out wire.SendReply, err error) {
	if to, machine := fleet.Split(in.To); machine != "" {
		there := in
		there.To = to
		if !s.fromPerson(c) {
			return out, door.BadRequest("only the person writes to another machine")
		}
		return door.OrderOn(c, machine, wire.OpSend, there)
	}
	m, name, err := s.addressee(in.To)
	if err != nil {
		return out, err
	}
	if m.ForPerson() {
		return out, door.BadRequest("a text for the person is sent with %s", wire.OpTell)
	}
	m.Key, m.By = "send:"+in.ID, c.Decider()
	if m.Data = !s.fromPerson(c); m.Data && !c.OnChannel() {
		m.By = s.program(c)
	}
	if err := s.cfg.Core.Look(); err != nil { // when it arrives depends on who lives
		return out, err
	}
	return s.deliver(c, in, m, name)
}

// deliver sends the text of a request as m says, to whom people know by a name.
func (s *Server) deliver(
	c *door.Call, in wire.SendRequest, m message.Message, name string,
) (out wire.SendReply, err error) {
	if err := checkText(in.Text, maxSent); err != nil {
		return out, err
	}
	if in.ID == "" || len(in.ID) > 80 {
		return out, door.BadRequest("a text to send needs an id of its own")
	}
	m.Text, m.Channel = in.Text, c.Channel()
	if m.Data {
		m.Text = redact.Visible(in.Text)
	}
	m, when, err := s.cfg.Core.Send(m, s.heldFor(m))
	return wire.SendReply{ID: string(m.ID), To: name, When: when.When(), Words: !m.Data}, err
}

// heldFor says why a text for a task waits, as the folder of the task tells, "" for any other text.
func (s *Server) heldFor(m message.Message) string {
	if m.Task == "" {
		return ""
	}
	return s.cfg.Tasks.Held(task.Slug(m.Task))
}

// escalate gives a text of a run that a trigger started to the session, run or task that the rule
// names. The text is data.
func (s *Server) escalate(c *door.Call, in wire.SendRequest) (out wire.SendReply, err error) {
	v, _ := c.Author()
	to, by := s.cfg.Core.Escalation(v.ID)
	if to == "" {
		if err := c.As(string(wire.OpSend)).AllowPerson(); err != nil { // it is that for all others
			return out, err
		}
		return out, door.BadRequest("only a run of a trigger escalates, and only if the rule says where")
	}
	m, name, err := s.addressee(to)
	if err != nil {
		return out, err
	}
	if meant, _, err := s.addressee(cmp.Or(in.To, to)); err != nil || meant.Session != m.Session || meant.Task != m.Task {
		return out, fmt.Errorf("%w: the rule of your trigger lets you write to %s alone, and to the person",
			door.ErrDenied, to)
	}
	m.Key, m.By, m.Data = "escalate:"+in.ID, "run "+by, true
	return s.deliver(c, in, m, name)
}

// fromPerson reports whether a caller outside all sessions has a terminal or is the person on
// a channel, and answers from there count.
func (s *Server) fromPerson(c *door.Call) bool {
	here := c.OnChannel() || len(c.Line) > 0 && c.Line[0].Terminal
	return here && s.cfg.Core.Counts(c.Channel()) == nil
}

// program names the program that ran the afar command.
func (s *Server) program(c *door.Call) string {
	if len(c.Line) < 2 {
		return "an unknown program"
	}
	return "the program " + cmp.Or(text.Fold(redact.Visible(filepath.Base(c.Line[1].Exe))), "unknown")
}

// addressee returns an empty text for what an address names, and the address as people see it.
func (s *Server) addressee(to string) (m message.Message, name string, err error) {
	a, err := message.ParseAddress(to)
	switch {
	case err != nil:
		return m, "", door.BadRequest("%v", err)
	case a.Kind == message.ToPerson:
		return message.Message{To: message.ToPerson}, a.String(), nil
	case a.Kind == message.ToRun:
		r, err := s.runNamed(a.Name)
		name = message.Address{Kind: message.ToRun, Name: r.Name}.String()
		return message.Message{Session: session.ID(r.Conversation), Run: true}, name, err
	case a.Kind == message.ToTriage:
		return message.Message{To: message.ToTriage}, a.String(), nil
	case a.Kind == message.ToTask:
		return message.Message{Task: a.Name}, a.String(), s.checkTaskAddress(a.Name)
	}
	v, err := s.session(a.Name)
	return message.Message{Session: v.ID}, v.Token, err
}

// checkTaskAddress returns an error unless a person has made a task with this name.
func (s *Server) checkTaskAddress(name string) error {
	slug, err := s.taskNamed(name)
	if _, known := s.cfg.Core.Task(slug); known || err != nil {
		return err
	}
	return door.BadRequest("task %s is proposed and gets no text before a person starts it: afar task start %s",
		slug, slug)
}

// The texts of one reply about the inbox.
const (
	usualInbox = 100
	mostInbox  = 1000
)

// inbox lists the texts that were sent, all or those for one address.
func (s *Server) inbox(c *door.Call, in wire.InboxRequest) (out wire.InboxReply, err error) {
	to, err := s.inboxOf(c, in)
	if err != nil {
		return out, err
	}
	q := core.InboxQuery{
		To:     to,
		Before: message.ID(in.Before),
		Most:   min(cmp.Or(max(in.Last, 0), usualInbox), mostInbox),
	}
	if in.Find != "" {
		q.Keep = func(m message.Message) bool { return mentions(s.wireMessage(m), in.Find) }
	}
	found, err := s.cfg.Core.Inbox(q)
	slices.Reverse(found)
	return wire.InboxReply{Messages: wire.List(found, s.wireMessage)}, err
}

// mentions reports whether a list shows all words of find for m, in any case: in its text, who wrote
// it, where it goes, or what came of it.
func mentions(m wire.Message, find string) bool {
	shown := strings.ToLower(strings.Join([]string{m.Text, m.By, m.To, m.State, m.Outcome}, "\n"))
	for _, word := range strings.Fields(strings.ToLower(find)) {
		if !strings.Contains(shown, word) {
			return false
		}
	}
	return true
}

// inboxOf returns an empty text for the recipient that a request is about, the zero text for all.
func (s *Server) inboxOf(c *door.Call, in wire.InboxRequest) (to message.Message, err error) {
	switch {
	case in.For == "" && !in.Own:
		return to, nil
	case !in.Own:
		to, _, err = s.addressee(in.For)
		return to, err
	}
	v, _ := c.Author()
	if v.ID == "" {
		return to, door.BadRequest("only a session has an inbox of its own")
	}
	return message.Message{Session: v.ID}, nil
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
		At:          wire.Millis(m.At),
		DeliveredAt: wire.Millis(m.DeliveredAt),
		DoneAt:      wire.Millis(m.DoneAt),
		Outcome:     redact.Clean(s.cameOf(m)),
	}
}

// cameOf says what came of a text, or when its recipient gets it.
func (s *Server) cameOf(m message.Message) string {
	held, reader := "", ""
	if m.State == message.Pending {
		held = s.heldFor(m)
	}
	name, turn, inTurn := strings.Cut(m.Delivery, "/")
	if r, err := s.cfg.Core.RunByID(run.ID(name)); inTurn && err == nil {
		reader = "turn " + turn + " of run " + r.Name
	}
	return m.Came(s.cfg.Core.Reaches(m, held).When(), reader)
}
