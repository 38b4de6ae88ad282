package server

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os/user"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/signin"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wire"
)

// web is the name of the page as a channel.
const web = "web"

// Page carries out one operation for a browser that is signed in to the page, with the
// permissions that the command line has. line is the process at the other end, with its
// ancestors; it is empty if that is unknown. in is the request type of the operation, and
// reply its reply type.
func (s *Server) Page(ctx context.Context, line []peer.Process, op string, in any) (reply any, err error) {
	return s.take(&call{ctx: ctx, op: op, line: line, via: web}, in)
}

// take carries out an operation that did not come over the socket. in is its decoded request, or the JSON of it.
func (s *Server) take(c *call, in any) (reply any, err error) {
	row, ok := operations[c.op]
	if !ok {
		return nil, fmt.Errorf("unknown operation %q", c.op)
	}
	if err := s.allow(row, c); err != nil {
		return nil, err
	}
	s.cfg.Marks()
	return s.carryOut(row, c, in)
}

// channel returns the name of the channel that a call comes from.
func (c *call) channel() string { return cmp.Or(c.via, terminal) }

// onChannel reports whether a call comes from the page or the phone, not over the socket.
func (c *call) onChannel() bool { return c.via != "" }

// allowChannel returns an error for a decision from a channel whose answers do not count. The
// command line is a way out that always counts.
func (s *Server) allowChannel(c *call) error {
	if !c.onChannel() {
		return nil
	}
	return s.allowHere(c)
}

// decider returns who decides with a call.
func (c *call) decider() string {
	if c.by != "" {
		return c.by
	}
	at := "the " + c.channel()
	if c.via == web {
		at = "the page"
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username + " at " + at
	}
	return at
}

// open makes a link to a place of the page.
func (s *Server) open(_ *call, in wire.OpenRequest) (out wire.OpenReply, err error) {
	page := s.cfg.Page.URL()
	if page == "" {
		return out, badRequest("the page is off: %s", s.cfg.Page.State().Note)
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
func (s *Server) signOut(c *call, in wire.Named) (out wire.None, err error) {
	return out, s.cfg.Core.SignOut(signin.ID(in.ID), c.decider())
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
