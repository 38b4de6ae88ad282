package web

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/wire"
)

// inbox shows the newest texts, and a box to send one.
func (c *Channel) inbox(q *query) (page.View, error) {
	v := page.Inbox{Home: c.cfg.Home}
	if err := c.cfg.Core.Counts(Name); err != nil {
		v.Closed = err.Error()
	}
	inbox, err := read[wire.InboxReply](q.reader, wire.OpInbox, wire.InboxRequest{})
	if err != nil {
		return nil, err
	}
	v.Texts = inbox.Messages
	slices.Reverse(v.Texts)
	v.To, err = q.places()
	return v, err
}

// places returns where a text can go: the runs, then the sessions.
func (s *shared) places() (to []page.Place, err error) {
	runs, err := s.runs()
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		to = append(to, page.Place{Address: wire.ToRun + r.Name, About: r.State})
	}
	some, err := read[wire.SessionsReply](s.reader, wire.OpSessions, wire.SessionsRequest{Most: mostListed})
	for _, v := range some.Sessions {
		to = append(to, page.Place{Address: v.Token, About: v.About})
	}
	return to, err
}

// sendToForm sends a text to the address that the form names.
func sendToForm(d *decision) (string, error) { return d.send(strings.TrimSpace(d.PostForm.Get("to"))) }
