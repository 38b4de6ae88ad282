package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/internal/signin"
	"github.com/afar-sh/afar/coordinator/wire"
)

// signIn takes a one-time link: it sets the cookie and goes on to the place of the link.
// The link is in no address after that.
//
// A session may have seen the link, so it takes none from a program in a session.
func (c *Channel) signIn(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		http.Error(w, "A link is opened with GET.", http.StatusMethodNotAllowed) // a preview must not use it up
		return
	}
	local, remote := ends(r)
	who := wire.Named{ID: "sign in to the page"}
	if _, err := c.cfg.Call(r.Context(), c.line(local, remote), string(wire.OpPerson), who); err != nil {
		c.show(w, c.query(r), http.StatusForbidden, page.SignIn{Trouble: trouble(err)})
		return
	}
	token, b, err := c.cfg.Core.SignIn(r.PathValue("code"), r.UserAgent())
	if errors.Is(err, signin.ErrLink) {
		c.show(w, c.query(r), http.StatusForbidden, page.SignIn{Trouble: trouble(err)})
		return
	}
	if err != nil {
		c.fail(w, c.query(r), err)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name:     signin.CookieName(c.cfg.Key),
		Value:    token,
		Path:     "/",
		Expires:  b.Expires,
		HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, r, localPath(r.FormValue("to")), http.StatusSeeOther)
}

// showSignIn answers a browser that is not signed in. A page that was opened by a link on
// another site comes without the strict cookie, so it loads itself again, once.
func (c *Channel) showSignIn(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || r.URL.Path == livePath {
		http.Error(w, "This browser is not signed in. Type: afar open", http.StatusUnauthorized)
		return
	}
	c.show(w, c.query(r), http.StatusUnauthorized, page.SignIn{Reload: true})
}

// localPath returns path if it is a path of the page, "/" for anything else.
func localPath(path string) string {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") {
		return "/"
	}
	return path
}
