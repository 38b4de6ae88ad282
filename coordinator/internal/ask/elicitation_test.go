package ask_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// elicit returns the host's input for a form with these properties.
func elicit(properties, required string) []byte {
	return []byte(`{"mcp_server_name":"lab","message":"Who are you?","mode":"form",` +
		`"requested_schema":{"type":"object","properties":{` + properties + `},"required":[` + required + `]}}`)
}

func newElicitation(raw []byte) (ask.Ask, error) {
	r, err := hookinput.ReadElicitation(raw)
	if err != nil {
		return ask.Ask{}, err
	}
	return ask.NewElicitation(r)
}

func elicited(t *testing.T, properties, required string) ask.Ask {
	t.Helper()
	a, err := newElicitation(elicit(properties, required))
	if err != nil {
		t.Fatal(err)
	}
	a.ID, a.Attended = "a", true
	return ask.Start(a, session.Auto, t0)
}

// TestFields checks which answers each type of field accepts, and that the error says what it
// accepts.
func TestFields(t *testing.T) {
	for _, c := range []struct {
		property string
		takes    string // comma-separated
		refuses  string
		says     string // of the refusal
	}{
		{`"type":"string"`, "x|no|7", "", ""},
		{`"type":"string","minLength":2,"maxLength":4`, "ab|été", "a|abcde", "it takes 2 to 4 characters"},
		{`"type":"string","format":"email"`, "ann@example.org", "ann|Ann <ann@example.org>", "an e-mail address"},
		{`"type":"string","format":"uri"`, "https://example.org/x", "example|/x", "a whole web address"},
		{`"type":"string","format":"date"`, "2026-03-01", "2026-13-01|1.3.2026", "a date like"},
		{`"type":"string","format":"date-time"`, "2026-03-01T12:00:00Z", "2026-03-01", "a time like"},
		{`"type":"integer","minimum":3,"maximum":9`, "3|9", "2|10|x|3.5|03|+4|1e1|99999999999999999999",
			"a whole number of 3 to 9"},
		{`"type":"number","minimum":0`, "0|1.5|2e3", "-1|x|NaN|Inf|0x10|.5", "a number of at least 0"},
		{`"type":"boolean"`, "yes|No|TRUE|n", "maybe", "no such option"},
		{`"type":"string","enum":["a","b"],"enumNames":["Alpha","Beta"]`, "alpha|b", "c", "no such option"},
		{`"type":"string","oneOf":[{"const":"a","title":"Alpha"}]`, "Alpha|a", "b", "no such option"},
		{`"type":"array","items":{"enum":["a","b","c"]},"minItems":2`, "a,b|c, a", "a|a,d", ""},
		{`"type":"array","items":{"anyOf":[{"const":"a","title":"Alpha"},{"const":"b","title":"Beta"}]},"maxItems":1`,
			"Beta", "a,b", "at most 1 choices"},
	} {
		a := elicited(t, `"f":{`+c.property+`}`, `"f"`)
		for _, text := range strings.Split(c.takes, "|") {
			next, err := ask.Say(text)(a, ask.Decision{By: "Ada", At: t0})
			if err != nil || next.State != ask.Answered {
				t.Errorf("{%s} refuses %q: %v", c.property, text, err)
			}
		}
		for _, text := range strings.FieldsFunc(c.refuses, func(r rune) bool { return r == '|' }) {
			next, err := ask.Say(text)(a, ask.Decision{By: "Ada", At: t0})
			if !ask.Misfit(err) || !strings.Contains(err.Error(), c.says) || next.State != ask.Open {
				t.Errorf("{%s} takes %q: %s, %v", c.property, text, next.State, err)
			}
		}
	}
}

// TestFieldOptions checks that an optional field can be left out, that a default can be used,
// and that a choice must be one of the options.
func TestFieldOptions(t *testing.T) {
	a := elicited(t, `"b":{"type":"boolean"},"n":{"type":"integer","default":5,"title":"How many",`+
		`"description":"of them"},"c":{"type":"array","items":{"enum":["x","y"]}}`, `"b"`)
	labels := func() (out []string) {
		q, _ := a.Form.Current()
		for _, o := range q.Options {
			out = append(out, o.Label)
		}
		return out
	}
	move := func(step ask.Step) {
		t.Helper()
		next, err := step(a, ask.Decision{By: "Ada", At: t0.Add(time.Minute)})
		if err != nil {
			t.Fatal(err)
		}
		a = next
	}
	if got := strings.Join(labels(), "|"); got != "Yes|No" {
		t.Errorf("a boolean offers %s", got)
	}
	move(ask.Pick(0, 1))
	if !a.ExpiresAt.Equal(t0.Add(time.Minute + ask.AnsweringFor)) {
		t.Errorf("a form that is being filled in ends at %s", a.ExpiresAt)
	}
	q, _ := a.Form.Current()
	if got := strings.Join(labels(), "|"); got != "Default: 5" || q.Text != "How many" ||
		q.Hint != "of them · a whole number · not required" {
		t.Errorf("a number offers %s, %q, %q", got, q.Text, q.Hint)
	}
	move(ask.Pick(1, 0))
	if got := strings.Join(labels(), "|"); got != "x|y|Leave it out" {
		t.Errorf("a choice of several offers %s", got)
	}
	if _, err := ask.Choose([]int{0, 2})(a, ask.Decision{}); !errors.Is(err, ask.ErrOne) {
		t.Errorf("a choice and none at all: %v", err)
	}
	if _, err := ask.Answer(a, ask.Decision{Allow: true}); !errors.Is(err, ask.ErrWords) {
		t.Errorf("a bare yes: %v", err)
	}
	move(ask.Pick(2, 2))
	if a.State != ask.Answered || !strings.HasPrefix(a.Ending(), "answered by Ada") {
		t.Errorf("have %s, %s", a.State, a.Ending())
	}
}

// TestElicitationTimes checks how long a form waits. At a terminal the host's dialog opens
// after the hook, so the time is short unless the person is away.
func TestElicitationTimes(t *testing.T) {
	base := elicited(t, `"f":{"type":"string"}`, "")
	for mode, want := range map[session.Mode]time.Duration{session.Auto: ask.SubagentFor, session.On: ask.AttendedFor} {
		if a := ask.Start(base, mode, t0); a.ExpiresAt.Sub(t0) != want || a.CardAt != t0 {
			t.Errorf("%s: until %s, the card at %s", mode, a.ExpiresAt, a.CardAt)
		}
	}
	base.Attended = false
	a := ask.Tick(ask.Start(base, session.Auto, t0), t0.Add(ask.UnattendedFor))
	if a.State != ask.Expired || a.Parked || !strings.HasSuffix(a.Note, "the server was told that nobody decided") {
		t.Errorf("unattended: %s, parked %t, %q", a.State, a.Parked, a.Note)
	}
	no, err := ask.Answer(ask.Start(base, session.Auto, t0), ask.Decision{By: "Ada", At: t0})
	if err != nil || !strings.HasPrefix(no.Ending(), "declined by Ada") ||
		must(ask.Claim(no)).Outcome() != "the server was told" {
		t.Errorf("declined: %v, %s, %s", err, no.Ending(), must(ask.Claim(no)).Outcome())
	}
}

func TestElicitationHash(t *testing.T) {
	seen := map[string]bool{}
	for _, in := range [][]byte{
		elicit(`"a":{"type":"string"}`, ""), elicit(`"b":{"type":"string"}`, ""),
		elicit(`"a":{"type":"string"}`, `"a"`),
		[]byte(`{"mcp_server_name":"lab","message":"Go","mode":"url","url":"https://x.example"}`),
		[]byte(`{"mcp_server_name":"lab","message":"Go","mode":"url","url":"https://y.example"}`),
	} {
		a, err := newElicitation(in)
		if err != nil || len(a.Hash) != 64 || seen[a.Hash] {
			t.Errorf("%s: %v, %s", in, err, a.Hash)
		}
		seen[a.Hash] = true
	}
}

func TestNoElicitation(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`"x",`, 51), ",")
	for _, in := range []string{
		``, `7`, `{}`, `{"mcp_server_name":"lab","mode":"voice"}`, `{"mcp_server_name":"lab","requested_schema":[]}`,
		string(elicit(`"a":{"type":"string"},"a":{"type":"boolean"}`, "")), string(elicit(`"a":{"type":"object"}`, "")),
		string(elicit(`"a":7`, "")),
		string(elicit(`"a":{"type":"string","oneOf":[{"title":"A"}]}`, "")),
		string(elicit(`"a":{"type":"string","enum":[`+many+`]}`, "")),
		`{"mcp_server_name":"lab","requested_schema":{"properties":"x"}}`,
	} {
		if _, err := newElicitation([]byte(in)); !errors.Is(err, ask.ErrForm) {
			t.Errorf("%.80s: %v", in, err)
		}
	}
	if a, err := newElicitation(elicit("", "")); err != nil || a.Form != nil {
		t.Errorf("a form without fields is a yes or a no: %+v, %v", a.Form, err)
	}
}

// FuzzElicitation checks that a form can be shown, stored and answered, whatever a server asks
// for, or is refused as a whole.
func FuzzElicitation(f *testing.F) {
	f.Add(elicit(`"a":{"type":"integer","minimum":1},"b":{"type":"boolean","default":true},"c":{"type":"array",`+
		`"items":{"enum":["x"]}}`, `"a"`), "7")
	f.Add([]byte(`{"mcp_server_name":"l","mode":"url","url":"https://x"}`), "")
	f.Add(elicit(`"a":{"type":"string","format":"email","enumNames":["x"]}`, ""), "a@b")
	f.Fuzz(func(t *testing.T, in []byte, text string) {
		a, err := newElicitation(in)
		if err != nil {
			if !errors.Is(err, ask.ErrForm) {
				t.Fatal(err)
			}
			return
		}
		a = ask.Start(a, session.On, t0)
		if raw, err := json.Marshal(a); err != nil || !json.Valid(raw) {
			t.Fatal(err)
		}
		for range 20 {
			before := a.Form
			next, err := ask.Say(text)(a, ask.Decision{By: "Ada", At: t0})
			if err != nil && next.Form != before {
				t.Fatalf("a refused answer changed the form: %v", err)
			}
			if q, open := next.Form.Current(); err != nil && open && len(q.Options) > 0 {
				next, _ = ask.Pick(next.Form.At, len(q.Options)-1)(next, ask.Decision{By: "Ada", At: t0})
			}
			a = next
		}
	})
}
