package web

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A viewer makes one page.
type viewer func(q *query) (page.View, error)

// A query is a request for a page. It reads through the operations of the command line.
type query struct {
	*http.Request
	page *Channel
}

// read carries out an operation that only reads. Nobody has to be known for it.
func read[Reply any](q *query, op string, in any) (Reply, error) {
	return call[Reply](q.Context(), q.page, nil, op, in)
}

var errNoPage = errors.New("there is no such page")

// showView answers with a whole page.
func (c *Channel) showView(w http.ResponseWriter, r *http.Request) {
	v, err := c.viewOf(r)
	if err != nil {
		c.fail(w, r, err)
		return
	}
	c.show(w, r, http.StatusOK, v)
}

// show writes a page.
func (c *Channel) show(w http.ResponseWriter, r *http.Request, code int, v page.View) {
	f := page.Frame{Machine: c.cfg.Machine, Path: r.URL.RequestURI(), Seq: c.feeds.seq()}
	if who := visitorOf(r); who.ID != "" {
		var err error
		f.SignedIn, f.Said = true, c.saidTo(who)
		if f.Pulse, err = c.pulse(&query{Request: r, page: c}); err != nil {
			c.cfg.Log.Error("read what every page shows", "err", err)
		}
	}
	var out bytes.Buffer
	if err := page.Render(&out, v, f, c.cfg.Now()); err != nil {
		c.cfg.Log.Error("render a page", "path", r.URL.Path, "err", err)
		http.Error(w, "This page cannot be shown. The coordinator's log says why.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(out.Bytes()) // a browser that is gone needs no page
}

// fail shows why there is no page.
func (c *Channel) fail(w http.ResponseWriter, r *http.Request, err error) {
	code, title := http.StatusInternalServerError, "This did not work"
	if errors.Is(err, errNoPage) || errors.Is(err, core.ErrNotFound) {
		code, title = http.StatusNotFound, "Nothing here"
	}
	c.show(w, r, code, page.Message{Title: title, Text: trouble(err)})
}

// sections renders what a path shows now, for the streams of all browsers that show it.
func (c *Channel) sections(ctx context.Context, path string) ([]page.Section, error) {
	at, err := url.ParseRequestURI(path)
	if err != nil {
		return nil, errNoPage
	}
	r := (&http.Request{Method: http.MethodGet, URL: at}).WithContext(ctx)
	v, err := c.viewOf(r)
	if err != nil {
		return nil, err
	}
	pulse, err := c.pulse(&query{Request: r, page: c})
	if err != nil {
		return nil, err
	}
	beat, err := page.Beat(pulse, c.cfg.Now())
	if err != nil {
		return nil, err
	}
	sections, err := page.Sections(v, c.cfg.Now())
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

// pulse returns what every page shows.
func (c *Channel) pulse(q *query) (p page.Pulse, err error) {
	asks, err := read[wire.AsksReply](q, wire.OpAsks, wire.None{})
	if err != nil {
		return p, err
	}
	lately, err := news(q)
	if err != nil {
		return p, err
	}
	cards := cardsOf(asks.Asks)
	p = page.Pulse{Open: len(cards), Paused: c.cfg.Core.Settings().Paused, Banner: c.bannerText()}
	for _, card := range cards {
		a := card.Asks[0]
		p.News = append(p.News, page.News{
			Key: a.ID, At: a.OpenedAt, Title: a.Token + " asks", Text: a.Tool + ": " + a.Input, Path: "/question/" + a.ID,
		})
	}
	for _, e := range lately {
		p.News = append(p.News, page.News{Key: e.ID, At: e.At, Title: e.Token, Text: e.Text, Path: placeOf(e)})
	}
	return p, nil
}
