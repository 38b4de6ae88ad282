package guard

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestReadCall(t *testing.T) {
	const input = ` {"command":"a\n","deep":[{"on":true,"off":false,"n":7,"none":null,"q":{}},["x",[]]],"":"empty name"} `
	call, err := ReadCall("mcp__x__y", input)
	want := []Arg{
		{Path: "command", Value: "a\n"},
		{Path: "deep.0.on", Value: "true"},
		{Path: "deep.0.n", Value: "7"},
		{Path: "deep.0.q", Value: "{}"},
		{Path: "deep.1.0", Value: "x"},
		{Path: "", Value: "empty name"},
	}
	if err != nil || call.Tool != "mcp__x__y" || !slices.Equal(call.Args, want) {
		t.Errorf("%+v, %v; want %+v", call, err, want)
	}
}

// TestReadCallRefuses checks that an input that two JSON readers understand differently is
// refused.
func TestReadCallRefuses(t *testing.T) {
	nested := func(levels int) string {
		return `{"a":` + strings.Repeat("[", levels) + `"x"` + strings.Repeat("]", levels) + "}"
	}
	for _, tc := range []struct{ tool, input, says string }{
		{"", `{}`, "names no tool"},
		{"Bash", ``, "not valid JSON"},
		{"Bash", `{"command":"ls"`, "not valid JSON"},
		{"Bash", "{\"command\":\"\xff\"}", "not valid JSON"},
		{"Bash", `{"command":"ls"}{"command":"rm"}`, "not valid JSON"},
		{"Bash", `"ls"`, "not a JSON object"},
		{"Bash", `null`, "not a JSON object"},
		{"Bash", `{"command":"ls","command":"rm -rf /"}`, `names "command" twice`},
		{"Bash", `{"command":"ls","comm\u0061nd":"rm -rf /"}`, `names "command" twice`},
		{"mcp__x__y", `{"a":[{"b":{},"b":1}]}`, `names "a.0.b" twice`},
		{"mcp__x__y", nested(64), "nested deeper than 64"},
		{"mcp__x__y", nested(100_000), "nested deeper than 64"},
	} {
		call, err := ReadCall(tc.tool, tc.input)
		if err == nil || !strings.Contains(err.Error(), tc.says) || call.Tool != "" {
			t.Errorf("%s %.60q: %+v, %v; want an error that says %q", tc.tool, tc.input, call, err, tc.says)
		}
	}
	if _, err := ReadCall("mcp__x__y", nested(63)); err != nil {
		t.Errorf("63 levels: %v", err)
	}
}

// TestReadCallIsLinear checks that the time for an object with many members grows only with
// its text.
func TestReadCallIsLinear(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"a0":"x"`)
	for i := 1; i < 200_000; i++ {
		fmt.Fprintf(&b, `,"a%d":"x"`, i)
	}
	b.WriteString("}")
	if call, err := ReadCall("mcp__x__y", b.String()); err != nil || len(call.Args) != 200_000 {
		t.Errorf("%d leaves, %v", len(call.Args), err)
	}
}
