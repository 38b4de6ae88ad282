package ask

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/redact"
)

// The kinds of asks with a dialog of their own in the host.
const (
	Questions Kind = "question" // answers, not a yes
	Plan      Kind = "plan"     // approve, or say what to change
)

// The bounds of a form, set by what a card with buttons can show. The host's own limits
// are lower.
const (
	maxQuestions = 8
	maxOptions   = 20
	maxWords     = 2 << 10 // bytes of one text
)

// Errors for an answer that does not fit its question.
var (
	ErrForm    = errors.New("not a question that Afar can put to a person")
	ErrWords   = errors.New("a question wants an answer, not a yes")
	ErrNoForm  = errors.New("it asks for a yes or a no, not for an answer")
	ErrPassed  = errors.New("that question has been answered already")
	ErrNothing = errors.New("nothing is chosen")
	errOption  = errors.New("there is no such option")
	ErrOne     = errors.New("only one option can be chosen")
)

// Misfit reports whether err says that an answer does not fit its question. Nothing was
// changed then, and another answer may fit.
func Misfit(err error) bool {
	return slices.ContainsFunc([]error{errField, ErrWords, ErrNoForm, ErrPassed, ErrNothing, errOption, ErrOne},
		func(known error) bool { return errors.Is(err, known) })
}

// A Form lists the questions of one call, which are answered one after the other. It is
// never changed in place, because asks are compared.
type Form struct {
	Questions []Question `json:"questions"`
	At        int        `json:"at"` // the index of the current question; len(Questions) when all are answered
}

// A Question is one question of a form. Its texts are masked, for people. The answer to
// the host is made only from Picked and Said.
type Question struct {
	Text    string   `json:"text"`
	Header  string   `json:"header,omitempty"`
	Multi   bool     `json:"multi,omitempty"`
	Hint    string   `json:"hint,omitempty"` // more about the question and the answers that it accepts
	Options []Option `json:"options,omitempty"`
	Picked  []int    `json:"picked,omitempty"` // indices of the chosen options, ascending
	Said    string   `json:"said,omitempty"`   // the person's own words
	Field   *Field   `json:"field,omitempty"`  // for an elicitation: the answers that it accepts
}

// An Option is one answer that a question offers.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
	Does        Does   `json:"does,omitempty"` // set for an option that is not a value
}

// Does says what an option does that is not a value of its field.
type Does string

// The effects of such options.
const (
	useDefault Does = "default"
	leaveOut   Does = "leave"
)

// NewForm returns a form of questions, masked and with hidden characters made visible. It
// refuses two questions with the same text, because the host assigns answers by that text.
func NewForm(questions []Question) (*Form, error) {
	if n := len(questions); n == 0 || n > maxQuestions {
		return nil, fmt.Errorf("%w: it has %d questions", ErrForm, n)
	}
	f := &Form{}
	seen := map[string]bool{}
	for _, q := range questions {
		switch {
		case q.Text == "" || seen[q.Text]:
			return nil, fmt.Errorf("%w: a question has no text of its own", ErrForm)
		case len(q.Options) > maxOptions:
			return nil, fmt.Errorf("%w: a question has %d options", ErrForm, len(q.Options))
		}
		seen[q.Text] = true
		own := Question{Text: cleanText(q.Text), Header: cleanText(q.Header), Multi: q.Multi}
		for _, o := range q.Options {
			own.Options = append(own.Options, Option{Label: cleanText(o.Label), Description: cleanText(o.Description)})
		}
		f.Questions = append(f.Questions, own)
	}
	return f, nil
}

// text writes all questions and their options.
func (f *Form) text() string {
	var b strings.Builder
	for i, q := range f.Questions {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(q.Text)
		for n, o := range q.Options {
			fmt.Fprintf(&b, "\n%d. %s", n+1, o.Label)
			if o.Description != "" {
				fmt.Fprintf(&b, ": %s", o.Description)
			}
		}
	}
	return b.String()
}

// cleanText masks a text, makes hidden characters visible and bounds its length.
func cleanText(text string) string {
	if len(text) > 2*maxWords {
		text = Elide(text, 2*maxWords)
	}
	return Elide(redact.Clean(text), maxWords)
}

// Current returns the current question, or false if none is left.
func (f *Form) Current() (Question, bool) {
	if f == nil || f.At >= len(f.Questions) {
		return Question{}, false
	}
	return f.Questions[f.At], true
}

// Answer returns the person's answer to q, with the labels of the chosen options. It
// returns "" if there is no answer yet.
func (q Question) Answer() string {
	var all []string
	for _, i := range q.Picked {
		all = append(all, q.Options[i].Label)
	}
	if q.Said != "" {
		all = append(all, q.Said)
	}
	return strings.Join(all, ", ")
}

// A Step is one action of a person on an ask, such as the choice of an option. An error
// leaves the ask unchanged.
type Step func(Ask, Decision) (Ask, error)

// Pick returns the step that taps one option of question q. The option is the answer, or
// one of several.
func Pick(q, option int) Step {
	return stepOn(q, func(now Question) (Question, bool, error) {
		if !now.offers(option) {
			return now, false, errOption
		}
		if !now.Multi || now.Options[option].Does != "" {
			now.Picked = []int{option}
			return now, true, nil
		}
		now.Picked = toggle(now.Picked, option)
		return now, false, nil
	})
}

// offers reports whether q has an option with this index.
func (q Question) offers(option int) bool { return option >= 0 && option < len(q.Options) }

// Done returns the step that ends the choice of several options of question q.
func Done(q int) Step {
	return stepOn(q, func(now Question) (Question, bool, error) {
		if len(now.Picked) == 0 {
			return now, false, ErrNothing
		}
		return now, true, now.checkCount()
	})
}

// current is the index that means the current question.
const current = -1

// Say returns the step that answers the current question in the person's own words. If
// several options can be chosen, the words are added to those already chosen.
func Say(text string) Step {
	return stepOn(current, func(now Question) (Question, bool, error) {
		text := strings.TrimSpace(text)
		if text == "" {
			return now, false, ErrNothing
		}
		if now.Field != nil {
			now, err := now.take(text)
			return now, true, err
		}
		now.Said = text
		return now, true, nil
	})
}

// Choose returns the step that answers the current question with these options.
func Choose(options []int) Step {
	return stepOn(current, func(now Question) (Question, bool, error) {
		var picked []int
		for _, i := range options {
			if !now.offers(i) {
				return now, false, errOption
			}
			if !slices.Contains(picked, i) {
				picked = append(picked, i)
			}
		}
		switch {
		case len(picked) == 0:
			return now, false, ErrNothing
		case len(picked) > 1 && !now.Multi:
			return now, false, ErrOne
		}
		slices.Sort(picked)
		now.Picked = picked
		return now, true, now.checkCount()
	})
}

// stepOn returns a step that changes question q. The step on the last question answers the
// ask.
func stepOn(q int, change func(Question) (_ Question, done bool, _ error)) Step {
	return func(a Ask, d Decision) (Ask, error) {
		now, ok := a.Form.Current()
		switch {
		case a.State != Open:
			return a, fmt.Errorf("%w: %s", ErrSettled, a.Ending())
		case a.Form == nil:
			return a, ErrNoForm
		case !ok, q != current && q != a.Form.At:
			return a, ErrPassed
		}
		now, done, err := change(now)
		if err != nil {
			return a, err
		}
		next := Form{Questions: slices.Clone(a.Form.Questions), At: a.Form.At}
		next.Questions[next.At] = now
		if done {
			next.At++
		}
		a.Form = &next
		a = prolong(a, d.At)
		if next.At < len(next.Questions) {
			return a, nil
		}
		d.Allow = true
		return Answer(a, d)
	}
}

func toggle(picked []int, i int) []int {
	if at := slices.Index(picked, i); at >= 0 {
		return slices.Delete(slices.Clone(picked), at, at+1)
	}
	picked = append(slices.Clone(picked), i)
	slices.Sort(picked)
	return picked
}

// unanswered reports whether a still has a question without an answer. The host would
// ignore a plain yes to it.
func (a Ask) unanswered() bool { _, open := a.Form.Current(); return open }

// verb says in one word what the person did.
func (a Ask) verb() string {
	d := a.Decision
	switch verb, ok := verbs[a.Kind]; {
	case d.Interrupt:
		return "stopped"
	case !ok && d.Allow:
		return "allowed"
	case !d.Allow:
		return cmp.Or(verb.no, "denied")
	case d.AcceptEdits && a.Kind == Plan:
		return verb.yes + ", with edits accepted,"
	default:
		return verb.yes
	}
}

// verbs says what a person did with a yes or a no, for the kinds of asks that take more
// than a permission. An empty no is a denial.
var verbs = map[Kind]struct{ yes, no string }{
	Questions:   {yes: "answered"},
	Checkpoint:  {yes: "answered"},
	Elicitation: {yes: "answered", no: "declined"},
	Plan:        {yes: "approved", no: "sent back"},
	Suggestion:  {yes: "accepted", no: "dismissed"},
	Missed:      {yes: "run", no: "skipped"},
}
