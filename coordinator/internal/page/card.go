package page

import (
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Shown returns what people see of the card.
func (c Card) Shown() view.Card { return view.Question(c.Asks) }

// Face returns the question that a card shows.
func (c Card) Face() wire.Ask {
	if len(c.Asks) == 0 {
		return wire.Ask{}
	}
	return c.Asks[0]
}

// Key names the card among the elements of a page.
func (c Card) Key() string { return text.ClipBytes(c.Face().ID, maxName) }

// Open reports whether the page can answer the card now.
func (c Card) Open() bool {
	q := c.Face()
	return c.Closed == "" && len(c.Ended) == 0 && (q.State == "open" || q.Parked)
}

// Waiting counts the questions that wait.
func Waiting(cards []Card) (n int) {
	for _, c := range cards {
		if len(c.Ended) == 0 {
			n++
		}
	}
	return n
}

// Place returns the path of the page about who asks.
func (c Card) Place() string {
	switch q := c.Face(); {
	case q.Task != "":
		return taskPath(q.Task)
	case q.Run != "":
		return runPath(q.Run)
	}
	return "/session/" + url(c.Face().Token)
}

// Fate is what became of the question, "" while it waits.
func (c Card) Fate() string {
	if len(c.Ended) == 0 {
		return ""
	}
	return view.Fate(c.Face())
}

// icons are the pictures of the kinds of questions.
var icons = map[string]string{
	wording.Question: "chat", wording.Elicitation: "plug", wording.Plan: "plan", "guard": "shield",
	wording.AutoDenied: "ban",
	wording.Terminal:   "ask", wording.CheckIn: "chat", wording.Proposal: "plan", wording.Widen: "shield",
	wording.Checkpoint: "chat", wording.Suggestion: "plan",
	wording.WakeUp: "bolt", wording.Missed: "bolt",
}

// Icon names the picture of the card.
func (c Card) Icon() string {
	if icon := icons[c.Face().Kind]; icon != "" {
		return icon
	}
	return "ask"
}

// Rule returns the trigger that the card is about, "" for none.
func (c Card) Rule() string {
	if q := c.Face(); q.Kind == wording.Missed {
		return q.Tool
	}
	return ""
}
