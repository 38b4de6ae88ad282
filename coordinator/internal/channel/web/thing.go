package web

import (
	"crypto/rand"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/view"
)

// list returns what the page lists of a noun.
func (q *query) list(noun view.Noun) (page.List, error) {
	things, err := noun.List(q.do)
	return page.List{Noun: noun, Things: things, Closed: q.page.closed(), Home: q.page.cfg.Home}, err
}

// alone returns what the page shows of the thing that its path names.
func (q *query) alone(noun view.Noun) (page.Alone, error) {
	thing, err := noun.Read(q.do, q.PathValue("id"))
	return page.Alone{Noun: noun, Thing: thing, Closed: q.page.closed(), Home: q.page.cfg.Home}, err
}

// does returns the form that does what a button of a noun's thing says.
func does(noun view.Noun) form {
	return func(d *decision) (string, error) {
		do, ok := noun.Does[d.PostForm.Get("do")]
		if !ok {
			return "", errButton
		}
		in := view.Input{Key: rand.Text(), Seen: d.PostForm.Get("seen"), Words: d.PostForm.Get("text")}
		done, err := do(d.do, d.PathValue("id"), in)
		if done.Secret != "" {
			done.Said += " Its secret, shown this once: " + done.Secret
		}
		return done.Said, err
	}
}
