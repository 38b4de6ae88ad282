package noun

import (
	"net/url"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/signin"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Page is what the server knows of the local page.
type Page interface {
	URL() string         // its address, "" while it is not served
	State() wire.Channel // as a channel
	// Link returns the address of a path and says where it works. It returns "" while the
	// page is not served.
	Link(path string) (address, where string)
}

// open makes a link to a place of the page.
func (s *Server) open(_ *door.Call, in wire.OpenRequest) (out wire.OpenReply, err error) {
	page := s.cfg.Page.URL()
	if page == "" {
		return out, door.BadRequest("the page is off: %s", s.cfg.Page.State().Note)
	}
	place, err := s.placeOf(in.Place)
	if err != nil {
		return out, err
	}
	code, expires, err := s.cfg.Core.NewLink()
	if err != nil {
		return out, err
	}
	link := page + "/signin/" + code + "?to=" + url.QueryEscape(place)
	return wire.OpenReply{URL: link, ExpiresAt: expires.UnixMilli()}, nil
}

// signOut ends the sign-in of a browser.
func (s *Server) signOut(c *door.Call, in wire.Named) (out wire.None, err error) {
	return out, s.cfg.Core.SignOut(signin.ID(in.ID), c.Decider())
}

// placeOf returns the path of a task, a run, a question or a session. It returns a path as it
// is. A run that works on a task may have its name; run:NAME then names the run.
func (s *Server) placeOf(name string) (path string, err error) {
	switch {
	case name == "":
		return "/", nil
	case strings.HasPrefix(name, "/"):
		return name, nil
	}
	if slug, err := s.taskNamed(name); err == nil {
		return taskPath(slug), nil
	}
	if r, err := s.runNamed(strings.TrimPrefix(name, wire.ToRun)); err == nil {
		return runPath(r.Name), nil
	}
	if id, err := s.askNamed(name); err == nil {
		if a, err := s.cfg.Core.Ask(ask.ID(id)); err == nil {
			return askPath(a.ID), nil
		}
	}
	v, err := s.session(name)
	if err != nil {
		return "", err
	}
	return sessionPath(v.Token), nil
}

// sessionPath returns the path of a session's page.
func sessionPath(token string) string { return "/session/" + url.PathEscape(token) }

// runPath returns the path of a run's page.
func runPath(name string) string { return "/run/" + url.PathEscape(name) }

// taskPath returns the path of a task's page.
func taskPath(slug task.Slug) string { return "/task/" + url.PathEscape(string(slug)) }

// askPath returns the path of a question's page.
func askPath(id ask.ID) string { return "/question/" + url.PathEscape(string(id)) }

// page returns the address of the page's first page.
func (s *Server) page() wire.Page {
	address, where := s.cfg.Page.Link("/")
	return wire.Page{URL: address, Where: where}
}

// linkTo returns the address of a path of the page, "" while it is not served.
func (s *Server) linkTo(path string) string {
	address, _ := s.cfg.Page.Link(path)
	return address
}
