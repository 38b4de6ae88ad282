package hookoutput

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestAnswers: the host gets each answer under the text of its question, with labels
// joined by commas. A label with a comma is in quotes if several can be chosen.
func TestAnswers(t *testing.T) {
	const input = `{"tool_input":{"questions":[
		{"question":"One \"of\"?","multiSelect":false,"options":[{"label":"a, b"},{"label":"c"}]},
		{"question":"Some?","multiSelect":true,"options":[{"label":"a, b"},{"label":"c"}]}]}}`
	const questions = `[{"question":"One \"of\"?","multiSelect":false,"options":[{"label":"a, b"},{"label":"c"}]},` +
		`{"question":"Some?","multiSelect":true,"options":[{"label":"a, b"},{"label":"c"}]}]`
	tests := []struct{ name, input, choices, want string }{
		{"labels", input, `[{"options":[0]},{"options":[0,1]}]`, `{"One \"of\"?":"a, b","Some?":"\"a, b\", c"}`},
		{
			"words", input, `[{"said":"mine, all"},{"options":[1],"said":"and \"d\""}]`,
			`{"One \"of\"?":"mine, all","Some?":"c, and \"d\""}`,
		},
		{"too few", input, `[{"options":[0]}]`, ""},
		{"none", input, `[]`, ""},
		{"an empty one", input, `[{"options":[0]},{}]`, ""},
		{"an unknown option", input, `[{"options":[0]},{"options":[2]}]`, ""},
		{"a negative option", input, `[{"options":[-1]},{"options":[0]}]`, ""},
		{"no questions", `{"tool_input":{}}`, `[]`, ""},
	}
	for _, test := range tests {
		got, err := Answers(parsed(t, test.input).Get(claude.FieldQuestions), choices(t, test.choices))
		want := ""
		if test.want != "" {
			want = `{"questions":` + questions + `,"answers":` + test.want + `}`
		}
		if (err != nil) != (want == "") || want != "" && compact(got) != compact([]byte(want)) {
			t.Errorf("%s: %s, %v\nwant %s", test.name, got, err, want)
		}
	}
}

// compact returns JSON without white space, or "" for an invalid text.
func compact(raw []byte) string {
	var out bytes.Buffer
	_ = json.Compact(&out, raw) // the comparison fails if raw is invalid
	return out.String()
}

func choices(t *testing.T, text string) (all []wire.Choice) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return all
}

func parsed(t *testing.T, text string) hostjson.Value {
	t.Helper()
	v, err := hostjson.Parse(text, hostjson.MaxDepth)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
