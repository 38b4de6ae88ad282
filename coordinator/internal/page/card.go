package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Face returns the question that a card shows.
func (c Card) Face() wire.Ask {
	if len(c.Asks) == 0 {
		return wire.Ask{}
	}
	return c.Asks[0]
}

// id returns the id of the question that a card shows.
func (c Card) id() string { return c.Face().ID }

// Key names the card among the elements of a page.
func (c Card) Key() string { return text.ClipBytes(c.id(), maxName) }

// Open reports whether the page can answer the card now.
func (c Card) Open() bool {
	q := c.Face()
	return c.Nonce != "" && c.Closed == "" && (q.State == "open" || q.Parked)
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

// Who returns the name of the task, the run or the session that asks, "" if there is none.
func (c Card) Who() string {
	q := c.Face()
	return cmp.Or(q.Task, q.Run, q.Token)
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
	switch q := c.Face(); {
	case len(c.Ended) == 0:
		return ""
	case q.By == "":
		return q.State
	default:
		return wording.Decided(q)
	}
}

// icons are the pictures of the kinds of questions.
var icons = map[string]string{
	"question": "chat", "elicitation": "plug", "plan": "plan", "guard": "shield", "denied": "ban",
	wording.Terminal: "ask", wording.CheckIn: "chat", wording.Proposal: "plan", wording.Widen: "shield",
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

// Current returns the question that is asked now, nil without one.
func (c Card) Current() *wire.Question {
	q := c.Face()
	if q.Current < 0 || q.Current >= len(q.Questions) || q.State != "open" {
		return nil
	}
	return &q.Questions[q.Current]
}

// Answered returns the questions that have an answer already.
func (c Card) Answered() []wire.Question {
	q := c.Face()
	if q.State != "open" {
		return q.Questions
	}
	return q.Questions[:min(max(0, q.Current), len(q.Questions))]
}

// Words reports whether the card takes an answer in words, and how its box is labelled.
func (c Card) Words() string {
	switch q := c.Face(); q.Kind {
	case wording.CheckIn:
		return "What to do next"
	case "plan":
		return "Send it back: what to change"
	case "question", wording.Checkpoint:
		return "Your own words"
	case "elicitation":
		if len(q.Questions) == 0 {
			return ""
		}
		return "Your answer"
	case wording.Suggestion, wording.Missed, wording.Terminal:
		return ""
	}
	return "Deny, and say why or what to do instead"
}

// OnlyThere says that the page cannot answer the card, "" if it can.
func (c Card) OnlyThere() string {
	if c.Face().Kind == wording.Terminal {
		return wording.OnlyThere
	}
	return ""
}

// WordsDo is what the button beside the words does.
func (c Card) WordsDo() string {
	switch c.Face().Kind {
	case wording.CheckIn, wording.Checkpoint, "question", "elicitation", "plan":
		return "submit"
	}
	return "deny"
}

// WordsLabel is the label of the button beside the words.
func (c Card) WordsLabel() string {
	switch c.Face().Kind {
	case wording.CheckIn, wording.Checkpoint, "question", "elicitation":
		return "Send"
	case "plan":
		return "Send back"
	}
	return "Deny with these words"
}

// A Button is one answer.
type Button struct{ Do, Label, Class string }

// Buttons returns the answers that need no words, in their order.
func (c Card) Buttons() []Button {
	q := c.Face()
	switch q.Kind {
	case "question", wording.Checkpoint, wording.Terminal:
		return nil
	case "elicitation":
		if len(q.Questions) > 0 {
			return []Button{{"deny", "Decline", "no"}}
		}
		return []Button{{"allow", "Accept", "yes"}, {"deny", "Decline", "no"}}
	case "plan":
		return []Button{
			{"approve", "Approve", "yes"}, {"approve-edits", "Approve and accept edits", ""}, {"deny", "Deny", "no"},
		}
	case "denied":
		return []Button{{"retry", "Retry once", "yes"}}
	case wording.CheckIn:
		return []Button{{"allow", "Done", ""}}
	case wording.Suggestion:
		return []Button{{"allow", "Accept", "yes"}, {"deny", "Dismiss", "no"}}
	case wording.Missed:
		return []Button{{"allow", "Run", "yes"}, {"deny", "Skip", "no"}}
	}
	return []Button{{"allow", "Allow", "yes"}, {"deny", "Deny", "no"}}
}

// A Wider is an answer that reaches farther than the call. Text says what it permits.
type Wider struct{ Do, Label, Text string }

// Wider returns the answers that reach farther than the call.
func (c Card) Wider() (out []Wider) {
	q := c.Face()
	if len(c.Buttons()) == 0 || c.Buttons()[0].Do != "allow" || q.Kind == wording.CheckIn {
		return nil
	}
	if q.ForSession != "" {
		out = append(out, Wider{"session", "Allow for session", q.ForSession})
	}
	if q.ForAlways != "" {
		out = append(out, Wider{"always", "Always", q.ForAlways})
	}
	return out
}

// Quoted reports whether the card's input is a text of the session, and no call.
func (c Card) Quoted() bool {
	kind := c.Face().Kind
	return slices.Contains([]string{
		"plan", wording.CheckIn, wording.Checkpoint, "elicitation", wording.Suggestion, wording.Missed,
	}, kind)
}

// Prose reports whether the card's input is a text that a model wrote in Markdown.
func (c Card) Prose() bool {
	kind := c.Face().Kind
	return kind == "plan" || kind == wording.CheckIn || kind == wording.Checkpoint
}

// Where returns the directory of the call, "" if it is the project's.
func (c Card) Where() string {
	if strings.TrimSuffix(c.Cwd, "/") == strings.TrimSuffix(c.Face().Project, "/") {
		return ""
	}
	return c.Cwd
}

// Askers returns who asks, "" if that is the session's main agent alone.
func (c Card) Askers() string {
	if q := c.Face(); q.Agent != "" || len(c.Asks) > 1 {
		return q.AskedBy
	}
	return ""
}

// Rule returns the trigger that the card is about, "" for none.
func (c Card) Rule() string {
	if q := c.Face(); q.Kind == wording.Missed {
		return q.Tool
	}
	return ""
}

// Spoken reports whether words are the usual answer, so that their box is open.
func (c Card) Spoken() bool {
	current := c.Current()
	return c.Face().Kind == wording.CheckIn || current != nil && len(current.Options) == 0
}
