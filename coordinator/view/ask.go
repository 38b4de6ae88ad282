package view

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Questions are what waits for the person.
var Questions = add(Noun{
	Name: "question", Empty: wording.NoAsks,
	Does: map[string]Act{
		"allow":         answers(func(Input) wire.AnswerRequest { return wire.AnswerRequest{Allow: true} }),
		"approve-edits": answers(func(Input) wire.AnswerRequest { return wire.AnswerRequest{Allow: true, AcceptEdits: true} }),
		"session":       answers(func(Input) wire.AnswerRequest { return wire.AnswerRequest{Allow: true, Scope: "session"} }),
		"always":        answers(func(Input) wire.AnswerRequest { return wire.AnswerRequest{Allow: true, Scope: "always"} }),
		"deny":          answers(func(in Input) wire.AnswerRequest { return wire.AnswerRequest{Message: in.Words} }),
		"submit": answers(func(in Input) wire.AnswerRequest {
			return wire.AnswerRequest{Text: in.Words, Options: in.Options}
		}),
	},
})

// A Card is one question, or several identical ones that are answered together. Its title is what is wanted, its
// notes the risk, its only text the call, the plan or the message, and its foot how it stands.
type Card struct {
	Thing
	Asks   []wire.Ask      // those that wait first
	Who    string          // the task, the run or the session that asks, "" for none
	Wants  string          // what they do: "wants to run a command ×2"
	Quoted bool            // the text is somebody's words, and no call
	Quotes []Row           // what led to it, in the words of the person and of the model
	Before []wire.Question // those of a form that have an answer
	Now    *wire.Question  // the one that is asked now, nil for none
	Say    Deed            // the answer in words, without a key where none is taken
	Spoken bool            // words are the usual answer
}

// Cards shows asks, those of one card together.
func Cards(asks []wire.Ask) []Card { return Each(wording.Cards(asks), Question) }

// Question shows the asks of one card. The first stands for all.
func Question(asks []wire.Ask) Card {
	if len(asks) == 0 {
		return Card{}
	}
	q := asks[0]
	out := Card{
		Asks: asks, Who: cmp.Or(q.Task, q.Run, q.Token), Wants: wording.Wants(q) + wording.Times(asks),
		Quotes: facts(Row{"you", Plain, quote(q.Asked)}, Row{"it", Plain, quote(q.Said)}),
		Quoted: quoted[q.Kind] || proses[q.Kind],
		Thing: Thing{
			ID: q.ID, Title: cmp.Or(q.Request, q.Tool+" "+q.Input), URL: q.URL, State: Fate(q),
			Mark:  Mark{Ask, cmp.Or(signs[q.Kind], "❓")},
			Notes: facts(Row{"risk", Ask, said(q.Why)}),
			Details: facts(Row{"would", Plain, said(q.Does)}, Row{"says", Plain, quote(q.Says)},
				Row{"in", Plain, path(q.Project)}),
			Foot: stands(q), Seen: strings.Join([]string{q.ID, strconv.Itoa(q.Current), q.Hash}, "."),
		},
	}
	if q.Agent != "" || len(asks) > 1 {
		out.Details = append(out.Details, facts(Row{"by", Plain, said(q.AskedBy)})...)
	}
	if len(q.Questions) == 0 || out.Quoted {
		out.Texts = []Text{{Body: q.Input, Prose: proses[q.Kind]}}
	}
	out.Before = q.Questions
	if q.State == "open" && q.Current >= 0 && q.Current < len(q.Questions) {
		out.Now, out.Before = &q.Questions[q.Current], q.Questions[:q.Current]
	}
	out.Thing = on(q.Origin, out.Thing)
	if (q.State == "open" || q.Parked) && q.Sent == "" && q.Closed == "" {
		out.Deeds, out.Say = deeds(q)
	}
	out.Spoken = q.Kind == wording.CheckIn || out.Now != nil && len(out.Now.Options) == 0
	return out
}

// How the kinds of questions look that are not just a call: their signs, and whether their texts are somebody's
// words, or what a model wrote in Markdown.
var (
	signs = map[string]string{
		wording.Question: "💬", wording.CheckIn: "💬", wording.Elicitation: "🔌", wording.Plan: "📋",
		wording.Terminal: "⌨️", wording.AutoDenied: "🚫",
		wording.Proposal: "🏃", wording.Widen: "🧱", wording.Checkpoint: "🚩", wording.WakeUp: "⏰", wording.Missed: "⏰",
		wording.Suggestion: "💡",
	}
	quoted = map[string]bool{wording.Elicitation: true, wording.Suggestion: true, wording.Missed: true}
	proses = map[string]bool{wording.Plan: true, wording.CheckIn: true, wording.Checkpoint: true}
)

func quote(s string) Line {
	if s == "" {
		return nil
	}
	return said("“" + s + "”")
}

// Fate says what became of a question, "" while it waits.
func Fate(q wire.Ask) string {
	switch {
	case q.State == "open", q.Parked:
		return ""
	case q.By == "":
		return q.State
	}
	return wording.Decided(q)
}

// stands says how a question stands.
func stands(q wire.Ask) (out Line) {
	switch {
	case q.Sent != "":
		return said(OnItsWay(q))
	case q.Closed != "":
		return said(q.Closed)
	case q.Parked && q.InRun:
		return said("parked: the run waits without a process, and your answer lets it go on with exactly this call")
	case q.Parked:
		return said("parked: refused for now; an allow lets the exact call run once, when the session tries it again")
	case q.State != "open":
		out = said(strings.TrimSuffix(Fate(q)+" by "+q.By, " by "))
		if q.SettledAt > 0 {
			out = append(out, Span{At: q.SettledAt, Ago: true})
		}
		if q.Outcome != "" {
			out = append(out, Span{Text: "; " + q.Outcome})
		}
		return out
	case q.Kind == wording.Terminal:
		return said(wording.OnlyThere)
	case q.Perhaps:
		out = said("perhaps settled at the terminal already, else")
	}
	if q.ExpiresAt > 0 {
		out = append(out, Span{Text: "expires"}, Span{At: q.ExpiresAt, Left: true})
	}
	return out
}

// deeds returns the answers to a question that need no words, and the one in words.
func deeds(q wire.Ask) (all []Deed, say Deed) {
	id := cmp.Or(q.Short, q.ID)
	allow := Deed{Key: "allow", Label: "Allow", Sign: "✅", Tone: Good, Command: "afar allow " + id}
	deny := Deed{Key: "deny", Label: "Deny", Sign: "⛔", Tone: Bad, Command: "afar deny " + id}
	say = Deed{Key: "submit", Label: "Send", Words: "Your own words", Command: "afar answer " + id + " 'words'"}
	switch q.Kind {
	case wording.Terminal:
		return nil, Deed{}
	case wording.Question, wording.Checkpoint:
		say.Command += " · afar answer " + id + " --option N"
		return nil, say
	case wording.Elicitation:
		deny.Label = "Decline"
		if len(q.Questions) > 0 {
			say.Words, say.Command = "Your answer", say.Command+" · afar answer "+id+" --option N"
			return []Deed{deny}, say
		}
		allow.Label = "Accept"
		return []Deed{allow, deny}, Deed{}
	case wording.Plan:
		allow.Label = "Approve (it asks before edits)"
		edits := Deed{Key: "approve-edits", Label: "Approve and accept edits", Sign: "✏️"}
		say.Label, say.Words, say.Command = "Send back", "Send it back: what to change", "afar answer "+id+" 'what to change'"
		return []Deed{allow, edits, deny}, say
	case wording.AutoDenied:
		allow.Label, allow.Sign, allow.Command = "Retry once", "🔁", "retry once: "+allow.Command
		return []Deed{allow}, Deed{Key: "deny", Label: "Send", Words: "What to do instead"}
	case wording.CheckIn:
		allow.Label, allow.Sign, allow.Tone, allow.Command = "Done", "💤", Plain, "let it rest: "+allow.Command
		say.Words, say.Command = "What to do next", "go on: afar answer "+id+" 'what to do next'"
		return []Deed{allow}, say
	case wording.Suggestion:
		allow.Label, deny.Label, deny.Sign = "Accept", "Dismiss", "✖️"
		return []Deed{allow, deny}, Deed{}
	case wording.Missed:
		allow.Label, allow.Sign, deny.Label, deny.Sign = "Run", "▶️", "Skip", "⏭"
		return []Deed{allow, deny}, Deed{}
	}
	say = Deed{
		Key: "deny", Label: "Deny with these words", Words: "Deny, and say why or what to do instead",
		Command: "afar deny " + id + " -m 'why'",
	}
	deny.Command = "" // it is said with the words
	all = []Deed{allow, deny}
	if q.ForSession != "" {
		all = append(all, Deed{Key: "session", Label: "Allow for session", Sign: "🔁", Reach: q.ForSession})
	}
	if q.ForAlways != "" {
		all = append(all, Deed{Key: "always", Label: "Always", Sign: "♾", Reach: q.ForAlways})
	}
	return all, say
}

// Wider returns the answers that reach beyond this once.
func (c Card) Wider() []Deed {
	return slices.DeleteFunc(slices.Clone(c.Deeds), func(d Deed) bool { return d.Reach == "" })
}

// Ways says how a question is answered at a terminal.
func (c Card) Ways() string {
	if len(c.Asks) > 0 && len(c.Asks[0].AnswerAt) > 0 {
		return "on " + strings.Join(c.Asks[0].AnswerAt, " or ") + "; the terminal does not count (answers_from)"
	}
	var ways []string
	for _, d := range slices.Concat(c.Deeds, []Deed{c.Say}) {
		if d.Command != "" {
			ways = append(ways, d.Command)
		}
	}
	return strings.Join(ways, " · ")
}

// answers returns the Act that answers a question just as it was seen.
func answers(request func(Input) wire.AnswerRequest) Act {
	return func(c Caller, id string, by Input) (Done, error) {
		of, shown, _ := strings.Cut(by.Seen, ".")
		question, hash, _ := strings.Cut(shown, ".")
		n, err := strconv.Atoi(question)
		if of != id || err != nil {
			return Done{}, errors.New("nothing says which question this answers; look at it again")
		}
		in := request(by)
		in.ID, in.Question, in.Hash = id, &n, hash
		q, err := wire.OpAnswer.With(in).Through(c)
		if err != nil {
			return Done{}, err
		}
		return Done{Said: answered(q)}, nil
	}
}

// OnItsWay says which answer is on its way to another machine.
func OnItsWay(q wire.Ask) string {
	out := q.Sent + ", on its way to " + q.Machine + "."
	if q.AwayAt != 0 {
		out += " It counts when " + q.Machine + " is back, if the question is still open then."
	}
	return out
}

// answered says what an answer did.
func answered(q wire.Ask) string {
	switch {
	case q.Sent != "":
		return OnItsWay(q)
	case q.State == "open":
		return "Noted. One more question is open."
	}
	return text.Capital(wording.Decided(q)) + "."
}
