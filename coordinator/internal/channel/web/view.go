package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A viewer makes one page.
type viewer func(q *query) (page.View, error)

// A query is a request for a page, or for what a stream sends of it.
type query struct {
	*http.Request
	*shared
	view page.View // what a viewer made, see viewOf
	err  error
}

// query returns the query of a request.
func (c *Channel) query(r *http.Request) *query {
	return &query{Request: r, shared: c.share(r.Context())}
}

// machine returns the name of the machine whose things the page shows, "" for those of all.
func (q *query) machine() string { return q.FormValue("machine") }

// isOn returns what says whether the page shows a thing.
func (q *query) isOn() func(wire.Origin) bool {
	name, own := q.machine(), q.page.cfg.Core.Fleet().Name
	return func(at wire.Origin) bool { return name == "" || cmp.Or(at.Machine, own) == name }
}

// on returns those of all that the page shows.
func on[T any](q *query, all []T, at func(T) wire.Origin) []T {
	is := q.isOn()
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !is(at(one)) })
}

// A reader carries out operations that only read. It serves for one request.
type reader struct {
	page *Channel
	ctx  context.Context
}

// read carries out an operation that only reads. Nobody has to be known for it.
func read[Request, Reply any](r reader, op wire.Op[Request, Reply], in Request) (Reply, error) {
	return op.With(in).Through(r.do)
}

// do carries out an operation that only reads. It is a view.Caller.
func (r reader) do(op string, in any) (any, error) { return r.page.cfg.Call(r.ctx, nil, op, in) }

// A shared is what several parts of a page show, and all pages that are rendered together.
// Each of its functions reads once.
type shared struct {
	reader
	seq    int64                            // the journal entry up to which it is true, at least
	status func() (wire.StatusReply, error) // without the sessions
	news   func() ([]wire.Entry, error)     // what a person may want to hear of, newest first
	pulse  func() (page.Pulse, error)       // what every page shows
	runs   func() (runList, error)          // the first ones
}

func (c *Channel) share(ctx context.Context) *shared {
	s := &shared{reader: reader{page: c, ctx: ctx}, seq: c.cfg.Core.LastEntry()}
	s.status = sync.OnceValues(func() (wire.StatusReply, error) {
		return read(s.reader, wire.OpStatus, wire.StatusRequest{NoSessions: true})
	})
	s.news = sync.OnceValues(func() ([]wire.Entry, error) {
		return entries(s.reader, string(event.Told)) // ends and alarms are told in notices, too
	})
	s.pulse = sync.OnceValues(s.readPulse)
	s.runs = sync.OnceValues(func() (runList, error) { return s.readRuns("") })
	return s
}

var errNoPage = errors.New("there is no such page")

// showView answers with a whole page.
func (c *Channel) showView(w http.ResponseWriter, r *http.Request) {
	q := c.query(r)
	view, err := c.viewOf(q)
	if err != nil {
		c.fail(w, q, err)
		return
	}
	c.show(w, q, http.StatusOK, view)
}

// show writes a page.
func (c *Channel) show(w http.ResponseWriter, q *query, code int, v page.View) {
	f := page.Frame{Machine: c.cfg.Machine, Path: q.URL.RequestURI(), Seq: q.seq, Chosen: q.machine()}
	for i, m := range c.cfg.Core.Machines() {
		if i == 0 {
			f.Fleet = []string{c.cfg.Core.Fleet().Name}
		}
		f.Fleet = append(f.Fleet, m.Name)
	}
	if who := visitorOf(q.Request); who.ID != "" {
		var err error
		f.SignedIn, f.Said = true, c.saidTo(who)
		if f.Pulse, err = q.pulse(); err != nil {
			c.cfg.Log.Error("read what every page shows", "err", err)
		}
	}
	var out bytes.Buffer
	if err := c.pages().Render(&out, v, f, c.cfg.Now()); err != nil {
		c.cfg.Log.Error("render a page", "path", q.URL.Path, "err", err)
		http.Error(w, "This page cannot be shown. The coordinator's log says why.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(out.Bytes()) // a browser that is gone needs no page
}

// fail shows why there is no page.
func (c *Channel) fail(w http.ResponseWriter, q *query, err error) {
	code, title := http.StatusInternalServerError, "This did not work"
	if errors.Is(err, errNoPage) || errors.Is(err, core.ErrNotFound) {
		code, title = http.StatusNotFound, "Nothing here"
	}
	c.show(w, q, code, page.Message{Title: title, Text: trouble(err)})
}

// round begins a round in which pages are rendered for streams. They share what they read.
func (c *Channel) round(ctx context.Context) round {
	all := c.share(ctx)
	return round{seq: all.seq, render: func(path string) ([]page.Section, error) { return c.sectionsOf(path, all) }}
}

// sectionsOf renders what a path shows now, for the streams of all browsers that show it.
func (c *Channel) sectionsOf(path string, all *shared) ([]page.Section, error) {
	at, err := url.ParseRequestURI(path)
	if err != nil {
		return nil, errNoPage
	}
	r := (&http.Request{Method: http.MethodGet, URL: at}).WithContext(all.ctx)
	q := &query{Request: r, shared: all}
	v, err := c.viewOf(q)
	if err != nil {
		return nil, err
	}
	pulse, err := all.pulse()
	if err != nil {
		return nil, err
	}
	beat, err := c.pages().Beat(pulse, c.cfg.Now())
	if err != nil {
		return nil, err
	}
	sections, err := c.pages().Sections(v, c.cfg.Now(), q.machine())
	return append(sections, beat), err
}

// static serves the files of the page. Their names are followed by a hash of their content.
func (c *Channel) static(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/") {
		http.NotFound(w, r) // no lists of files
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.StripPrefix("/static/", http.FileServerFS(page.Static)).ServeHTTP(w, r)
}

// mostTold is how many open questions a page can ring for, the newest.
const mostTold = 50

// readPulse returns what every page shows.
func (s *shared) readPulse() (p page.Pulse, err error) {
	status, err := s.status()
	if err != nil {
		return p, err
	}
	lately, err := s.news()
	if err != nil {
		return p, err
	}
	cards := cardsOf(status.Asks)
	p = page.Pulse{Open: len(cards), Paused: status.Settings.Paused, Banner: s.page.bannerText()}
	for _, card := range cards[max(0, len(cards)-mostTold):] {
		a := card.Asks[0]
		p.News = append(p.News, page.News{
			Key:   a.ID,
			At:    a.OpenedAt,
			Title: cmp.Or(a.Token, "Afar"),
			Text:  a.Request,
			Path:  "/question/" + a.ID,
		})
	}
	for _, e := range lately {
		p.News = append(p.News, page.News{Key: e.ID, At: e.At, Title: e.Token, Text: e.Text, Path: s.page.placeOf(e)})
	}
	return p, nil
}
