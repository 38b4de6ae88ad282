package hookoutput

import (
	"strings"
	"testing"
)

// TestContent: a server gets the values that it offered, and numbers as numbers. Answers
// that do not fit the form are an error.
func TestContent(t *testing.T) {
	const fields = `"n":{"type":"integer"},"s":{"type":"string"},"b":{"type":"boolean","default":true},` +
		`"e":{"enum":["a",2]},"o":{"oneOf":[{"const":"x","title":"X"},{"const":"y"}]},` +
		`"m":{"type":"array","items":{"enum":["p","q"]}},` +
		`"t":{"type":"array","items":{"anyOf":[{"const":"u"},{"const":"v"}]}}`
	const first = `{"options":[0]}`
	const second = `{"options":[1]}`
	const leave = `{"does":"leave"}`
	list := func(choices ...string) string { return "[" + strings.Join(choices, ",") + "]" }
	tests := []struct{ name, choices, want string }{
		{
			"values",
			list(`{"said":"42"},{"said":"7 \"x\""}`, second, second, first, `{"options":[0,1]}`, second),
			`{"n":42,"s":"7 \"x\"","b":false,"e":2,"o":"x","m":["p","q"],"t":["v"]}`,
		},
		{"left out", list(leave, leave, `{"does":"default"}`, leave, leave, leave, leave), `{"b":true}`},
		{"not a number", list(`{"said":"4; 2"},{"said":"x"},{},{},{},{},{}`), ""},
		{"an object for a number", list(`{"said":"{}"},{"said":"x"}`, first, first, first, first, first), ""},
		{"an unknown option", list(`{"said":"1"},{"said":"x"},{"options":[2]}`, first, first, first, first), ""},
		{"two of one", list(`{"said":"1"},{"said":"x"}`, first, `{"options":[0,1]}`, first, first, first), ""},
		{"no default", list(`{"does":"default"},{"said":"x"}`, first, first, first, first, first), ""},
		{"too few", list(`{"said":"1"}`), ""},
		{"too many", list(`{"said":"1"},{"said":"x"}`, first, first, first, first, first, `{"said":"x"}`), ""},
		{"none", list(), ""},
	}
	for _, test := range tests {
		got, err := Content(parsed(t, `{`+fields+`}`), choices(t, test.choices))
		if (err != nil) != (test.want == "") || string(got) != test.want {
			t.Errorf("%s: %s, %v\nwant %s", test.name, got, err, test.want)
		}
	}
}
