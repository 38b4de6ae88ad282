package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// mostSent is how many texts one page lists.
const mostSent = 100

// inbox shows the newest texts, those that a search finds or earlier ones, and a box to send one.
func (c *Channel) inbox(q *query) (page.View, error) {
	v := page.Inbox{Find: strings.TrimSpace(q.FormValue("find")), Closed: c.closed()}
	in := wire.InboxRequest{Find: v.Find, Before: q.FormValue("before"), Last: mostSent + 1}
	inbox, err := read(q.reader, wire.OpInbox, in)
	if err != nil {
		return nil, err
	}
	slices.Reverse(inbox.Messages)
	if in.Before != "" {
		v.Further.Newest = inboxPath(v.Find, "")
	}
	if len(inbox.Messages) > mostSent {
		inbox.Messages = inbox.Messages[:mostSent]
		v.Further.Earlier = inboxPath(v.Find, inbox.Messages[mostSent-1].ID)
	}
	if v.List = (page.List{Noun: view.Texts, Home: c.cfg.Home}); v.Find != "" {
		v.Noun.Empty = "No text has all of these words. Fewer words find more."
	}
	for _, m := range inbox.Messages {
		v.Things = append(v.Things, view.Message(m))
	}
	v.To, err = q.places()
	return v, err
}

// inboxPath returns the path of the page with the texts that a search finds, those before the one with an id.
func inboxPath(find, before string) string {
	q := url.Values{}
	if find != "" {
		q.Set("find", find)
	}
	if before != "" {
		q.Set("before", before)
	}
	return (&url.URL{Path: "/inbox", RawQuery: q.Encode()}).String()
}

// places returns where a text can go: the runs, then the sessions.
func (s *shared) places() (to []page.Place, err error) {
	runs, err := s.runs()
	if err != nil {
		return nil, err
	}
	for _, r := range runs.rows {
		to = append(to, page.Place{Address: wire.ToRun + r.Name, About: r.State})
	}
	some, err := read(s.reader, wire.OpSessions, wire.SessionsRequest{Most: mostListed})
	for _, v := range some.Sessions {
		to = append(to, page.Place{Address: v.Token, About: v.About})
	}
	return to, err
}

// sendToForm sends a text to the address that the form names.
func sendToForm(d *decision) (string, error) { return d.send(strings.TrimSpace(d.PostForm.Get("to"))) }
