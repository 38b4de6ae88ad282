package web

import (
	"crypto/rand"
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/view"
)

// nouns returns those that have pages and buttons.
func nouns() []view.Noun {
	return slices.DeleteFunc(view.Nouns(), func(n view.Noun) bool { return !n.Page })
}

// lists shows the things of a noun.
func lists(noun view.Noun) viewer {
	return func(q *query) (page.View, error) {
		list, err := q.list(noun)
		if noun.Name == view.Suggestions.Name || noun.Name == view.Gaps.Name {
			list.Tabs = q.tabs()
		}
		return list, err
	}
}

// shows shows the thing of a noun that the path names.
func shows(noun view.Noun) viewer {
	return func(q *query) (page.View, error) { return q.alone(noun) }
}

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

// tabs returns what the pages about tasks say about each other. What cannot be read is not
// counted; its own page says why.
func (q *query) tabs() (t page.Tabs) {
	suggested, _ := view.Suggestions.List(q.do)
	gaps, _ := view.Gaps.List(q.do)
	t.Suggestions = len(suggested)
	for _, g := range gaps {
		if g.Mark.Tone == view.Ask {
			t.Gaps++
		}
	}
	return t
}
