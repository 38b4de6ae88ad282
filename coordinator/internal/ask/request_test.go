package ask_test

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// TestRequest: what is wanted is one line: the part that the guard asks about, the file and the size of its change, the
// question, what a plan is about.
func TestRequest(t *testing.T) {
	form := &ask.Form{Questions: []ask.Question{{Text: "Which\nstore?"}, {Text: "Which port?"}}}
	for _, c := range []struct {
		a    ask.Ask
		want string
	}{
		{ask.Ask{Tool: "Bash", Text: "cd /x &&\nnpm publish"}, "cd /x && npm publish"},
		{ask.Ask{Tool: "Bash", Text: "cd /x && npm publish", Part: "npm publish"}, "npm publish"},
		{ask.Ask{Tool: "Edit", Text: "/p/a.go\n- x\n+ y\n+ z"}, "Edit a.go (+2 −1)"},
		{ask.Ask{Tool: "Write", Text: "/p/a.go\n+ y"}, "Write a.go (+1)"},
		{ask.Ask{Tool: "Edit", Text: "/p/a.go\n- y"}, "Edit a.go (−1)"},
		{ask.Ask{Tool: "Read", Text: "/p/a.go"}, "Read a.go"},
		{ask.Ask{Tool: "mcp__mail__send", Text: "{\n  \"to\": \"bob\"\n}"}, `mcp__mail__send { "to": "bob" }`},
		{ask.Ask{Kind: ask.Questions, Form: form}, "1/2 Which store?"},
		{ask.Ask{Kind: ask.Plan, Text: "# Plan\n\n**Move** the queue"}, "Plan: Move the queue"},
		{ask.Ask{Kind: ask.Plan, Text: "## Plan: move the queue\nfirst"}, "Plan: move the queue"},
		{ask.Ask{Kind: ask.Plan}, "Plan: no text"},
		{ask.Ask{Kind: ask.CheckIn, Text: "All `green`.\nMore?"}, "All green."},
		{ask.Ask{}, ""},
	} {
		got := c.a.Request(func(path string) string { return strings.TrimPrefix(path, "/p/") })
		if got != c.want {
			t.Errorf("%+v wants %q, want %q", c.a, got, c.want)
		}
	}
}
