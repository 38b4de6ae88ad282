package ask

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func twoQuestions() []Question {
	return []Question{
		{Text: "Which store?", Header: "Store",
			Options: []Option{{Label: "SQLite", Description: "one file"}, {Label: "Postgres"}}},
		{Text: "Which checks?", Multi: true, Options: []Option{{Label: "lint"}, {Label: "fuzz"}, {Label: "bench"}}},
	}
}

func questionAsk(t testing.TB) Ask {
	t.Helper()
	f, err := NewForm(twoQuestions())
	if err != nil {
		t.Fatal(err)
	}
	return Ask{ID: "a", Kind: Questions, State: Open, Form: f, Attended: true}
}

func TestSteps(t *testing.T) {
	ann := Decision{By: "Ann"}
	tests := []struct {
		name  string
		steps []Step
		err   error // of the last step
		state State
		want  []string // answers
	}{
		{"nothing yet", nil, nil, Open, []string{"", ""}},
		{"one of two", []Step{Pick(0, 1)}, nil, Open, []string{"Postgres", ""}},
		{"all by taps", []Step{Pick(0, 0), Pick(1, 2), Pick(1, 0), Done(1)}, nil, Answered,
			[]string{"SQLite", "lint, bench"}},
		{"a toggle back", []Step{Pick(0, 0), Pick(1, 2), Pick(1, 0), Pick(1, 2), Done(1)}, nil, Answered,
			[]string{"SQLite", "lint"}},
		{"own words", []Step{Say(" a file \n"), Say("none")}, nil, Answered, []string{"a file", "none"}},
		{"options and words", []Step{Pick(0, 0), Pick(1, 1), Say("vet")}, nil, Answered,
			[]string{"SQLite", "fuzz, vet"}},
		{"by places", []Step{Choose([]int{1}), Choose([]int{2, 0, 2})}, nil, Answered,
			[]string{"Postgres", "lint, bench"}},
		{"a late tap on the first", []Step{Pick(0, 0), Pick(0, 1)}, ErrPassed, Open, []string{"SQLite", ""}},
		{"a tap on the next", []Step{Pick(1, 0)}, ErrPassed, Open, []string{"", ""}},
		{"no such option", []Step{Pick(0, 2)}, errOption, Open, []string{"", ""}},
		{"an option below all", []Step{Pick(0, -1)}, errOption, Open, []string{"", ""}},
		{"no such place", []Step{Choose([]int{0, 9})}, errOption, Open, []string{"", ""}},
		{"two of one", []Step{Choose([]int{0, 1})}, ErrOne, Open, []string{"", ""}},
		{"done with nothing", []Step{Pick(0, 0), Done(1)}, ErrNothing, Open, []string{"SQLite", ""}},
		{"no words", []Step{Say(" \n")}, ErrNothing, Open, []string{"", ""}},
		{"no places", []Step{Choose(nil)}, ErrNothing, Open, []string{"", ""}},
		{"a bare yes", []Step{func(a Ask, d Decision) (Ask, error) { d.Allow = true; return Answer(a, d) }}, ErrWords,
			Open, []string{"", ""}},
		{"a refusal", []Step{Answer}, nil, Answered, []string{"", ""}},
		{"a tap after the end", []Step{Say("a"), Say("b"), Pick(1, 0)}, ErrSettled, Answered, []string{"a", "b"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			first := questionAsk(t)
			before, _ := json.Marshal(first)
			a, err := first, error(nil)
			for _, step := range test.steps {
				if err != nil {
					t.Fatalf("a step before the last: %v", err)
				}
				a, err = step(a, ann)
			}
			if !errors.Is(err, test.err) || a.State != test.state {
				t.Errorf("the ask is %s, %v", a.State, err)
			}
			if err != nil && !errors.Is(err, ErrSettled) && !Misfit(err) {
				t.Errorf("%v is no misfit", err)
			}
			got := []string{a.Form.Questions[0].Answer(), a.Form.Questions[1].Answer()}
			if !slices.Equal(got, test.want) {
				t.Errorf("answers %q", got)
			}
			if after, _ := json.Marshal(first); string(after) != string(before) {
				t.Error("a step changed the ask that it was given")
			}
		})
	}
}

func TestStepWithoutForm(t *testing.T) {
	a := Ask{Kind: Permission, State: Open}
	for _, step := range []Step{Pick(0, 0), Done(0), Say("x"), Choose([]int{0})} {
		if next, err := step(a, Decision{}); !errors.Is(err, ErrNoForm) || next != a {
			t.Errorf("%+v, %v", next, err)
		}
	}
}

func TestNewForm(t *testing.T) {
	question := func(text string, options int) Question {
		q := Question{Text: text}
		for i := range options {
			q.Options = append(q.Options, Option{Label: fmt.Sprint("o", i)})
		}
		return q
	}
	var many []Question
	for i := range maxQuestions + 1 {
		many = append(many, question(fmt.Sprint("q", i), 2))
	}
	tests := []struct {
		name      string
		questions []Question
		ok        bool
	}{
		{"usual", twoQuestions(), true},
		{"no options", []Question{question("q", 0)}, true},
		{"as many as a card bears", []Question{question("q", maxOptions)}, true},
		{"too many options", []Question{question("q", maxOptions+1)}, false},
		{"too many questions", many, false},
		{"two alike", []Question{question("q", 2), question("q", 2)}, false},
		{"no text", []Question{question("", 2)}, false},
		{"none", nil, false},
	}
	for _, test := range tests {
		f, err := NewForm(test.questions)
		if test.ok != (err == nil) || test.ok != (f != nil) || err != nil && !errors.Is(err, ErrForm) {
			t.Errorf("%s: %+v, %v", test.name, f, err)
		}
	}
}

func TestFormIsForPeople(t *testing.T) {
	f, err := NewForm([]Question{{Text: "Use password=hunter2hunter2?\u202e",
		Options: []Option{{Label: strings.Repeat("x", 9000)}}}})
	if err != nil {
		t.Fatal(err)
	}
	if q := f.Questions[0]; strings.Contains(q.Text, "hunter2") || strings.Contains(q.Text, "\u202e") ||
		len(q.Options[0].Label) > maxWords+100 {
		t.Errorf("the question is %q with a label of %d bytes", q.Text, len(q.Options[0].Label))
	}
}

func TestWordsOfTheEnd(t *testing.T) {
	for _, test := range []struct {
		kind Kind
		d    Decision
		want string
	}{
		{Questions, Decision{Allow: true}, "answered by Ann at 00:00:00"},
		{Questions, Decision{}, "denied by Ann at 00:00:00"},
		{Plan, Decision{Allow: true}, "approved by Ann at 00:00:00"},
		{Plan, Decision{Allow: true, AcceptEdits: true}, "approved, with edits accepted, by Ann at 00:00:00"},
		{Plan, Decision{}, "sent back by Ann at 00:00:00"},
	} {
		test.d.By = "Ann"
		if got := (Ask{Kind: test.kind, State: Answered, Decision: &test.d}).Ending(); got != test.want {
			t.Errorf("%s, not %s", got, test.want)
		}
	}
}
