package demo

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
)

// pageFor bounds one request to the page, and maxPage what is read of the reply.
const (
	pageFor = 10 * time.Second
	maxPage = 4 << 20
)

// openPage shows the person the page. Where the demo answers by itself, it signs a browser of its
// own in. Without a page the terminal is enough.
func (d *demo) openPage(ctx context.Context) error {
	var link wire.OpenReply
	if err := call(ctx, d, wire.OpOpen, wire.OpenRequest{}, &link, 0); err != nil {
		if d.Yes {
			return err
		}
		d.Tell(Aside, "There is no page: "+err.Error())
		return nil
	}
	if d.Yes {
		d.Tell(Tale, "Nobody is asked: the demo decides by itself, on its page.")
		return d.signIn(ctx, link.URL)
	}
	d.hasPage = true
	if d.Open(link.URL) == nil {
		d.Tell(Tale, "The page is open in your browser. It shows all that happens here.")
		return nil
	}
	d.Tell(Tale, "The page shows all that happens here. This link opens it, once, within a minute:")
	d.Tell(Tale, link.URL)
	return nil
}

// A browser sends the forms of the page, as a person's browser does.
type browser struct {
	client http.Client
	base   *url.URL
}

// signIn signs the demo's own browser in.
func (d *demo) signIn(ctx context.Context, link string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	base, err := url.Parse(link)
	if err != nil {
		return err
	}
	b := &browser{base: base, client: http.Client{Jar: jar, Timeout: pageFor, Transport: &http.Transport{}}}
	if _, err := b.get(ctx, link); err != nil {
		return err
	}
	d.browser = b
	return nil
}

func (b *browser) get(ctx context.Context, path string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.at(path), nil)
	if err != nil {
		return "", err
	}
	return b.do(r)
}

// post sends a form. The page says what it led to in its text, so the caller looks for itself.
func (b *browser) post(ctx context.Context, path string, form url.Values) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.at(path), strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	_, err = b.do(r)
	return err
}

// at returns the whole address of a path of the page, or of a link.
func (b *browser) at(path string) string {
	to, err := b.base.Parse(path)
	if err != nil {
		return path
	}
	return to.String()
}

func (b *browser) do(r *http.Request) (string, error) {
	reply, err := b.client.Do(r)
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxPage))
	if reply.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the page answers %s with %s", r.URL.Path, reply.Status)
	}
	return string(text), err
}

// nonce is the field of a question's form that says which question it answers.
var nonce = regexp.MustCompile(`name="nonce" value="([^"]*)"`)

// decide sends the form of a decision.
func (b *browser) decide(ctx context.Context, in any) error {
	switch in := in.(type) {
	case wire.AnswerRequest:
		return b.answer(ctx, in)
	case wire.UndoRequest:
		return b.undo(ctx, in)
	}
	return fmt.Errorf("the page has no form for a %T", in)
}

// answer answers a question with the form of its page.
func (b *browser) answer(ctx context.Context, in wire.AnswerRequest) error {
	text, err := b.get(ctx, "/question/"+url.PathEscape(in.ID))
	if err != nil {
		return err
	}
	found := nonce.FindStringSubmatch(text)
	if found == nil {
		return errors.New("the page of the question has no form")
	}
	form := url.Values{"nonce": {html.UnescapeString(found[1])}, "do": {"deny"}, "text": {in.Message}}
	switch {
	case len(in.Options) > 0:
		form.Set("do", "submit")
		form.Set("option", strconv.Itoa(in.Options[0]))
	case in.Allow:
		form.Set("do", "allow")
	}
	return b.post(ctx, "/ask/"+url.PathEscape(in.ID), form)
}

// undo takes a step back with its form.
func (b *browser) undo(ctx context.Context, in wire.UndoRequest) error {
	return b.post(ctx, "/undo/"+url.PathEscape(in.ID), url.Values{})
}
