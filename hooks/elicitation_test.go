package hooks

import (
	"testing"
)

// TestContent keeps the form in which a server gets its answers: the values are
// those that it offered, numbers are numbers, and what does not fit is nothing.
func TestContent(t *testing.T) {
	const fields = `"n":{"type":"integer"},"s":{"type":"string"},"b":{"type":"boolean","default":true},"e":{"enum":["a",2]},` +
		`"o":{"oneOf":[{"const":"x","title":"X"},{"const":"y"}]},"m":{"type":"array","items":{"enum":["p","q"]}},"t":{"type":"array","items":{"anyOf":[{"const":"u"},{"const":"v"}]}}`
	tests := []struct{ name, choices, want string }{
		{"values", `[{"said":"42"},{"said":"7 \"x\""},{"options":[1]},{"options":[1]},{"options":[0]},{"options":[0,1]},{"options":[1]}]`,
			`{"n":42,"s":"7 \"x\"","b":false,"e":2,"o":"x","m":["p","q"],"t":["v"]}`},
		{"left out", `[{"does":"leave"},{"does":"leave"},{"does":"default"},{"does":"leave"},{"does":"leave"},{"does":"leave"},{"does":"leave"}]`, `{"b":true}`},
		{"no number", `[{"said":"4; 2"},{"said":"x"},{},{},{},{},{}]`, ""},
		{"an object for a number", `[{"said":"{}"},{"said":"x"},{"options":[0]},{"options":[0]},{"options":[0]},{"options":[0]},{"options":[0]}]`, ""},
		{"no such option", `[{"said":"1"},{"said":"x"},{"options":[2]},{"options":[0]},{"options":[0]},{"options":[0]},{"options":[0]}]`, ""},
		{"two of one", `[{"said":"1"},{"said":"x"},{"options":[0]},{"options":[0,1]},{"options":[0]},{"options":[0]},{"options":[0]}]`, ""},
		{"no default", `[{"does":"default"},{"said":"x"},{"options":[0]},{"options":[0]},{"options":[0]},{"options":[0]},{"options":[0]}]`, ""},
		{"too few", `[{"said":"1"}]`, ""},
		{"too many", `[{"said":"1"},{"said":"x"},{"options":[0]},{"options":[0]},{"options":[0]},{"options":[0]},{"options":[0]},{"said":"x"}]`, ""},
		{"none", `[]`, ""},
	}
	for _, test := range tests {
		h := &hook{parsed: parsed(t, `{"requested_schema":{"properties":{`+fields+`}}}`)}
		got, err := h.content(parsed(t, test.choices).Items())
		if (err != nil) != (test.want == "") || err == nil && string(got.Bytes()) != test.want {
			t.Errorf("%s: %v, %v\nwant %s", test.name, got, err, test.want)
		}
	}
}
