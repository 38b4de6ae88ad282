package web

import (
	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/view"
)

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

// suggestions shows the suggestions that are open.
func (c *Channel) suggestions(q *query) (page.View, error) {
	list, err := q.list(view.Suggestions)
	return page.Suggestions{List: list, Tabs: q.tabs()}, err
}

// gaps shows what kept agents from doing well.
func (c *Channel) gaps(q *query) (page.View, error) {
	list, err := q.list(view.Gaps)
	return page.Gaps{List: list, Tabs: q.tabs()}, err
}
