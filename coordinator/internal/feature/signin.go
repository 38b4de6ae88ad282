package feature

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/signin"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// A browserTable holds the browsers that are signed in to the page.
type browserTable struct {
	*table.Table[signin.ID, signin.Browser]
	active table.Set[signin.ID, signin.Browser] // those that have not ended
}

func newBrowserTable(s *core.State, o *own) browserTable {
	t := core.Register(s, store.Browsers, table.Traits[signin.Browser]{
		Due:     browserDue,
		Expire:  expiry(s, o, (*draft).expireBrowser),
		Touches: func(_, _ signin.Browser) []wake.Part { return []wake.Part{Browsers} },
	})
	return browserTable{Table: t, active: t.Where(func(b signin.Browser) bool { return b.EndedAt.IsZero() })}
}

// browserDue returns when a sign-in ends by itself.
func browserDue(v signin.Browser, _ time.Time) time.Time {
	if !v.EndedAt.IsZero() {
		return time.Time{}
	}
	return v.Expires
}

func (s *draft) expireBrowser(v signin.Browser) {
	_ = s.endBrowser(v, "it was not used for 30 days") // one that has ended is not due
}

// NewLink returns the code of a link that signs one browser in, once. The code is kept only
// as a digest in memory.
func (c *Core) NewLink() (code string, expires time.Time, err error) {
	code = c.secret(2)
	err = c.do(func(s *draft) error {
		s.links, expires = s.links.Add(signin.DigestOf(c.cfg.Home, code), s.Now)
		return nil
	})
	return code, expires, err
}

// secret returns n unguessable words of 64 bits.
func (c *Core) secret(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(c.cfg.Secret())
	}
	return b.String()
}

// SignIn uses a link up and signs a browser in; agent is what the browser calls itself. token
// is the secret for its cookie, of which only a digest is kept. A code that is not that of a
// usable link is signin.ErrLink.
func (c *Core) SignIn(code, agent string) (token string, v signin.Browser, err error) {
	token = c.secret(4)
	err = c.do(func(s *draft) (err error) {
		// The link is used up even if the commit fails: it may have been seen by then.
		if s.links, err = s.links.Use(signin.DigestOf(c.cfg.Home, code), s.Now); err != nil {
			return err
		}
		id := "browser_" + signin.ID(c.cfg.Secret()[8:])
		v = signin.Start(id, signin.DigestOf(c.cfg.Home, token), agent, s.Now)
		s.makeBrowserRoom()
		s.browsers.Put(s.Batch, v)
		s.Record(event.BrowserSignedIn, "", string(v.ID), v.Agent+" signed in to the page")
		return nil
	})
	if err != nil {
		return "", signin.Browser{}, err
	}
	return token, v, nil
}

// makeBrowserRoom signs the browser out that was unused the longest, if there are as many as may be.
func (s *draft) makeBrowserRoom() {
	all := s.activeBrowsers()
	if len(all) < signin.Most {
		return
	}
	oldest := slices.MinFunc(all, func(a, b signin.Browser) int { return a.LastSeen.Compare(b.LastSeen) })
	_ = s.endBrowser(oldest, "too many browsers are signed in, and this one was unused the longest")
}

// SignedIn returns the browser whose cookie holds a token, and notes the use at times.
func (c *Core) SignedIn(token string) (v signin.Browser, ok bool) {
	digest, stale := signin.DigestOf(c.cfg.Home, token), false
	c.view(func(s *draft) {
		if v, ok = s.browserOf(digest); ok {
			_, stale = signin.Seen(v, s.Now)
		}
	})
	if !stale {
		return v, ok
	}
	err := c.do(func(s *draft) error {
		if v, ok = s.browserOf(digest); !ok {
			return nil
		}
		next, changed := signin.Seen(v, s.Now)
		if changed {
			s.browsers.Put(s.Batch, next)
			v = next
		}
		return nil
	})
	if err != nil {
		c.cfg.Log.Warn("note that a browser uses the page", "browser", v.ID, "err", err)
	}
	return v, ok
}

// browserOf finds the browser that is signed in with a digest. It compares with all of them.
func (s *draft) browserOf(d signin.Digest) (found signin.Browser, ok bool) {
	for _, v := range s.activeBrowsers() {
		if v.Digest.Equal(d) {
			found, ok = v, true
		}
	}
	return found, ok
}

// activeBrowsers returns the browsers that are signed in, oldest first.
func (s *draft) activeBrowsers() []signin.Browser {
	all := slices.DeleteFunc(s.browsers.active.All(), func(v signin.Browser) bool { return !v.Active(s.Now) })
	slices.SortFunc(all, func(a, b signin.Browser) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// Browsers returns the browsers that are signed in, oldest first.
func (c *Core) Browsers() (out []signin.Browser) {
	c.view(func(s *draft) { out = s.activeBrowsers() })
	return out
}

// SignOut signs a browser out for by. It returns ErrNotFound if it is not signed in.
func (c *Core) SignOut(id signin.ID, by string) error {
	return c.do(func(s *draft) (err error) {
		v, ok := s.browsers.Rows[id]
		if !ok || !v.Active(s.Now) {
			return fmt.Errorf("browser %q: %w", id, core.ErrNotFound)
		}
		err = s.endBrowser(v, "signed out by "+by)
		return err
	})
}

func (s *draft) endBrowser(v signin.Browser, how string) error {
	v, err := signin.End(v, how, s.Now)
	if err != nil {
		return err
	}
	s.browsers.Put(s.Batch, v)
	s.Record(event.BrowserSignedOut, "", string(v.ID), v.Agent+" is signed out of the page: "+how)
	return nil
}
