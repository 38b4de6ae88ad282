package web

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// tabs returns what the pages about tasks say about each other. What cannot be read is not
// counted; its own page says why.
func (s *shared) tabs() (t page.Tabs) {
	suggested, _ := s.suggestions()
	gaps, _ := s.gaps()
	t.Suggestions = len(suggested)
	for _, g := range gaps {
		if g.Status == page.GapOpen {
			t.Gaps++
		}
	}
	return t
}

// suggestions returns the suggestions that are open.
func (s *shared) suggestions() ([]wire.Suggestion, error) {
	out, err := read(s.reader, wire.OpSuggestions, wire.SuggestionsRequest{})
	return out.Suggestions, err
}

// suggestions shows the suggestions that are open.
func (c *Channel) suggestions(q *query) (page.View, error) {
	list, err := q.suggestions()
	return page.Suggestions{List: list, Tabs: q.tabs(), Closed: c.closed(), Home: c.cfg.Home}, err
}

// suggestionForm accepts or dismisses a suggestion.
func suggestionForm(d *decision) (string, error) {
	slug := d.PathValue("slug")
	switch d.PostForm.Get("do") {
	case "accept":
		in := wire.SuggestionAcceptRequest{ID: slug, Instruction: strings.TrimSpace(d.PostForm.Get("text"))}
		t, err := decide(d, wire.OpSuggestionAccept, in)
		if err != nil {
			return "", err
		}
		return wording.TaskMade(t), nil
	case "dismiss":
		_, err := decide(d, wire.OpSuggestionDismiss, wire.SuggestionDismissRequest{ID: slug})
		return "Dismissed. It does not come back.", err
	}
	return "", errButton
}
