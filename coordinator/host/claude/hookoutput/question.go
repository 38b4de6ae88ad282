package hookoutput

import (
	"errors"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/wire"
)

var errChoices = errors.New("the coordinator's answers do not fit the questions of the call")

// Answers returns the input of a call that asks questions, with the person's answers by
// the text of each question. The labels are taken from the client's input, because the
// coordinator has them masked.
func Answers(questions hostjson.Value, choices []wire.Choice) ([]byte, error) {
	all := questions.Items()
	if !questions.IsArray() || len(choices) != len(all) {
		return nil, errChoices
	}
	answers := wire.NewObject()
	for i, q := range all {
		text, ok := answerText(q, choices[i])
		if !ok {
			return nil, errChoices
		}
		answers.Str(q.Get("question").Str(), text)
	}
	return wire.NewObject().Raw("questions", []byte(questions.Raw())).Raw("answers", answers.Bytes()).Bytes(), nil
}

// Suggested returns the client's suggestions that the person saw and allowed, as a JSON
// list, nil for none. Each suggestion is unchanged.
func Suggested(suggestions hostjson.Value, chosen []int) []byte {
	all := suggestions.Items()
	var echo []string
	for _, n := range chosen {
		if suggestion, ok := pick(all, n); ok {
			echo = append(echo, suggestion.Raw())
		}
	}
	if len(echo) == 0 {
		return nil
	}
	return []byte("[" + strings.Join(echo, ",") + "]")
}

// answerText returns the answer to one question in the client's form: the chosen
// labels and the person's own words, joined by commas. It returns false if the
// choice does not fit the question.
func answerText(question hostjson.Value, choice wire.Choice) (string, bool) {
	options := question.Get("options").Items()
	var parts []string
	for _, index := range choice.Options {
		option, ok := pick(options, index)
		if !ok {
			return "", false
		}
		parts = append(parts, quoted(option.Get("label").Str(), question.Get("multiSelect").Bool()))
	}
	if choice.Said != "" {
		parts = append(parts, choice.Said)
	}
	return strings.Join(parts, ", "), len(parts) > 0
}

// pick returns the element of all at the index, and false if there is none.
func pick[T any](all []T, index int) (element T, ok bool) {
	if index < 0 || index >= len(all) {
		return element, false
	}
	return all[index], true
}

// quoted returns a label, in quotes if it contains a comma and several labels can be
// chosen.
func quoted(label string, multi bool) string {
	if multi && strings.Contains(label, ",") {
		return `"` + label + `"`
	}
	return label
}
