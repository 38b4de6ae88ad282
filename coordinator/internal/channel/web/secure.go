package web

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/signin"
	"github.com/afar-sh/afar/coordinator/peer"
)

// policy lets the page load its own files alone. No script and no style stands in its text.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// secure refuses what does not come from the page itself, before anything else looks at it:
// a foreign name (DNS rebinding) and a foreign origin. It tells the browser what the page
// may load.
func (c *Channel) secure(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !c.knows(r.Host) {
			http.Error(w, "This page is not served under that name. Add it to web.hosts in config.toml.",
				http.StatusMisdirectedRequest)
			return
		}
		if err := cross.Check(r); err != nil {
			http.Error(w, "This request came from another site. Nothing was changed.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knows reports whether a Host header names this page: a name of loopback with the port
// that it listens on, or a proxy of web.hosts with any port.
func (c *Channel) knows(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if slices.ContainsFunc(c.cfg.Hosts, func(h string) bool { return strings.EqualFold(h, name) }) {
		return true
	}
	l := c.current()
	if l == nil {
		return false
	}
	_, own, _ := net.SplitHostPort(l.Addr().String())
	ip, err := netip.ParseAddr(name)
	return port == own && (name == "localhost" || err == nil && ip.IsLoopback())
}

// A visitor is a browser that is signed in.
type visitor struct {
	signin.Browser
	local, remote netip.AddrPort // of its connection
}

type visitorKey struct{}

// visitorOf returns who made a request that signedIn has let through.
func visitorOf(r *http.Request) visitor {
	v, _ := r.Context().Value(visitorKey{}).(visitor)
	return v
}

// signedIn lets browsers through that are signed in. It shows all others how to sign in.
func (c *Channel) signedIn(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		b, ok := c.browser(r)
		if !ok {
			c.showSignIn(w, r)
			return
		}
		v := visitor{Browser: b}
		v.local, v.remote = ends(r)
		next(w, r.WithContext(context.WithValue(r.Context(), visitorKey{}, v)))
	}
}

// ends returns the two ends of the connection of a request. The zero address belongs to nobody.
func ends(r *http.Request) (local, remote netip.AddrPort) {
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		local = at.AddrPort()
	}
	remote, _ = netip.ParseAddrPort(r.RemoteAddr)
	return local, remote
}

// browser returns the signed-in browser whose cookie a request carries.
func (c *Channel) browser(r *http.Request) (b signin.Browser, ok bool) {
	for _, cookie := range r.CookiesNamed(signin.CookieName(c.cfg.Key)) {
		if b, ok := c.cfg.Core.SignedIn(cookie.Value); ok {
			return b, true
		}
	}
	return b, false
}

// line returns the process at the other end of a connection, with its ancestors. It is empty
// if the process cannot be found: then every decision is refused.
func (c *Channel) line(local, remote netip.AddrPort) []peer.Process {
	line, err := c.cfg.Caller(local, remote)
	if err != nil {
		c.cfg.Log.Warn("find the process behind a request", "err", err)
	}
	return line
}
