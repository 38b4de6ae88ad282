package review

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
)

const opinion = "Fine.\n\n## Second Opinion\ncodex would rename it; I would not.\n"

func TestJudge(t *testing.T) {
	const (
		answered, failed        = event.ConsultAnswered, event.ConsultFailed
		blocked, opened, gaveUp = event.GateBlocked, event.GateOpened, event.GateGivenUp
		noBoth                  = "no consultation of another model by this agent, and the last message has no section"
	)
	for _, c := range []struct {
		name    string
		past    []event.Kind
		message string
		want    event.Kind
		says    string // part of what the reviewer or the session is told
	}{
		{"both", []event.Kind{answered}, opinion, opened, ""},
		{"no section", []event.Kind{answered}, "Fine.", blocked, "no section"},
		{"no consultation", nil, opinion, blocked, "no consultation"},
		{"neither", nil, "Fine.", blocked, noBoth},
		{"empty section", []event.Kind{answered}, "## Second Opinion\n\n## Rest\nx", blocked, "no section"},
		{"no other model", []event.Kind{failed}, opinion, opened, "opinion of one model"},
		{"no other model, not reported", []event.Kind{failed}, "Fine.", blocked, "no section"},
		{"another model at the second try", []event.Kind{failed, answered}, opinion, opened, ""},
		{"second block", []event.Kind{blocked}, opinion, blocked, "(2 of 3)"},
		{"third block", []event.Kind{blocked, blocked}, opinion, blocked, "(3 of 3)"},
		{"the gate gives up", []event.Kind{blocked, blocked, blocked}, opinion, gaveUp, "did not pass the review gate"},
		{"late, but done", []event.Kind{blocked, blocked, blocked, answered}, opinion, opened, ""},
		{"an old consultation", []event.Kind{answered, opened}, opinion, blocked, "(1 of 3)"},
		{"after the gate gave up", []event.Kind{blocked, blocked, blocked, gaveUp}, opinion, blocked, "(1 of 3)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var entries []event.Event
			for _, k := range c.past {
				entries = append(entries, event.Event{Kind: k})
			}
			r := Judge(Since(entries), c.message)
			if r.Kind != c.want || !strings.Contains(r.Block+r.Tell, c.says) || r.Text == "" {
				t.Errorf("%+v", r)
			}
			if c.says == "" && r.Tell != "" {
				t.Errorf("the session is told %q", r.Tell)
			}
			if (r.Block != "") != (r.Kind == blocked) || r.Kind == gaveUp && r.Tell == "" {
				t.Errorf("who is told what: %+v", r)
			}
		})
	}
}

// TestAdvice checks that a reviewer that did not consult is told how to, and that every
// reviewer is told to repeat the review and how often it was sent back.
func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		past    Past
		message string
		howTo   bool
		text    string
	}{
		{Past{}, opinion, true, "block 1 of 3: "},
		{Past{Blocks: 2}, "Fine.", true, "block 3 of 3: "},
		{Past{Consulted: true}, "Fine.", false, "block 1 of 3: "},
		{Past{Alone: true, Blocks: 1}, "Fine.", false, "block 2 of 3: "},
	} {
		r := Judge(c.past, c.message)
		if strings.Contains(r.Block, "`afar consult -`") != c.howTo ||
			!strings.Contains(r.Block, "give your whole review again") ||
			!strings.HasPrefix(r.Text, c.text) {
			t.Errorf("%+v: %+v", c.past, r)
		}
	}
}

func TestSecondOpinion(t *testing.T) {
	for in, want := range map[string]string{
		"":                                      "",
		"## Second Opinion":                     "",
		"## Second Opinion\n  \n\t\n":           "",
		"## Second Opinion\nx":                  "x",
		"## second opinion:\r\nx\r\n":           "x",
		"## **Second Opinion**\nx\n# End\ny":    "x",
		"## Second Opinion\nx\n### codex\ny":    "x\n### codex\ny",
		"# Second Opinion\nx":                   "",
		"### Second Opinion\nx":                 "",
		"##Second Opinion\nx":                   "",
		"the section ## Second Opinion\nx":      "",
		"```\n## Second Opinion\nx\n```":        "",
		"~~~~\n```\n## Second Opinion\nx\n~~~~": "",
		"```\na\n```\n## Second Opinion\nx":     "x",
		"## Second Opinion\n```\n## not\n```\n": "```\n## not\n```",
		"## Second Opinion\n\n## Other\nx":      "",
		"## Second Opinions\nx":                 "",
		"  ## Second Opinion\nx\n  ## End\ny":   "x",
		"##\tSecond Opinion\nx":                 "x",
		"## Second Opinion\nx\n##\ny":           "x",
		"## Second Opinion\nx\n#7\ny":           "x\n#7\ny",
		"## Second Opinion\nx\n#######\ny":      "x\n#######\ny",
		"## Second Opinion\nx\n####### no\ny":   "x\n####### no\ny",
		"##\n## Second Opinion\nx":              "x",
		"``\n## Second Opinion\nx":              "x",
		"  ```\n## Second Opinion\nx":           "",
		"```\n```go\n## Second Opinion\nx":      "",
		"```\n````\n## Second Opinion\nx":       "x",
		"````\n```\n## Second Opinion\nx":       "",
	} {
		if got := secondOpinion(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzSecondOpinion(f *testing.F) {
	for _, s := range []string{
		opinion,
		"```\n## Second Opinion\nx",
		"## \x00\xff\r## Second Opinion\r\rx",
		strings.Repeat("#", 99),
		strings.Repeat("`", 99),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := secondOpinion(s); got != strings.TrimSpace(got) || len(got) > 3*len(s) {
			t.Errorf("%q of %q", got, s)
		}
	})
}

func TestWhose(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	running := func(ago time.Duration, taken int) Call { return Call{At: now.Add(-ago), Taken: taken} }
	returned := func(ago time.Duration, taken int) Call {
		return Call{At: now.Add(-time.Minute), Returned: now.Add(-ago), Taken: taken}
	}
	for _, c := range []struct {
		open []Call
		want int
	}{
		{nil, -1},
		{[]Call{running(time.Second, 0)}, 0},
		{[]Call{running(time.Second, 1)}, 0},
		{[]Call{running(2*time.Second, 0), running(time.Second, 0)}, 0},
		{[]Call{running(2*time.Second, 1), running(time.Second, 0)}, 1},
		{[]Call{running(open, 0)}, -1},
		{[]Call{running(2*open, 0), running(time.Second, 3)}, 1},
		{[]Call{returned(time.Second, 0)}, 0}, // the host moved it to the background
		{[]Call{returned(grace, 0)}, -1},
		{[]Call{returned(time.Second, 1)}, -1}, // it had its consultation
		{[]Call{returned(time.Second, 1), running(time.Second, 1)}, 1},
	} {
		if got := Whose(c.open, now); got != c.want {
			t.Errorf("%+v: %d, want %d", c.open, got, c.want)
		}
	}
}
