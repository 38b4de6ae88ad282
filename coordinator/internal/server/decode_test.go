package server

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/wire"
)

func TestDecode(t *testing.T) {
	text := `{"payload":{"a":[1]},"client":7,"attended":true,"off":false,"terminal":"tty:\u00fc",` +
		`"redirected":["A=b"],"later":{},` +
		`"ask":null,"checked":{"frame":"f","exit_code":1},"round":-5}`
	want := wire.StopRequest{
		HookCall: wire.HookCall{
			Payload: wire.Raw(`{"a":[1]}`), Client: 7, Attended: true, Terminal: "tty:ü", Redirected: []string{"A=b"},
		},
		Checked: &wire.LoopChecked{Frame: "f", ExitCode: 1}, Round: -5,
	}
	got, err := decode(&call{body: []byte(text)}, hostjson.NewDecoder[wire.StopRequest]())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("have %+v, want %+v, %v", got, want, err)
	}
	for text, blamed := range map[string]string{
		``: "JSON", `{`: "JSON", `[]`: "JSON", `null`: "JSON", `"{}"`: "JSON", `{"client":1}{}`: "JSON",
		"{\"ask\":\"\xff\"}": "UTF-8",
		`{"payload":` + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + `}`: "JSON",
		`{"client":"1"}`: "client", `{"client":1.5}`: "client", `{"client":1e400}`: "client", `{"off":0}`: "off",
		`{"ask":["a"]}`:     "ask",
		`{"redirected":{}}`: "redirected", `{"checked":7}`: "checked", `{"round":99999999999999999999}`: "round",
	} {
		if _, err := decode(&call{body: []byte(text)}, hostjson.NewDecoder[wire.StopRequest]()); err == nil ||
			!strings.Contains(err.Error(), blamed) {
			t.Errorf("%.40q: want an error about %q, have %v", text, blamed, err)
		}
	}
}

// FuzzDecode compares the decoder with encoding/json. That accepts names in any case and
// duplicate names; the test leaves out both.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"payload":{"hook_event_name":"Stop","session_id":"s","background_tasks":[{"id":"1","type":"shell"}],` +
			`"session_crons":[{"prompt":"p"}]},"client":1}`,
		`{"hook_event_name":"PreToolUse","tool_input":{"command":"ls"},"duration_ms":3,"tool_use_id":null,` +
			`"permission_suggestions":null}`,
		`{"checked":{"frame":"f"},"round":2,"ok":true,"ask":"\ud800","payload":null}`,
		`{"client":-0,"round":01}`, `[]`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		sameAsJSON[wire.StopRequest](t, text)
		sameAsJSON[payload](t, text)
	})
}

func sameAsJSON[T any](t *testing.T, text []byte) {
	t.Helper()
	got, err := decode(&call{body: text}, hostjson.NewDecoder[T]())
	var all map[string]json.RawMessage
	if json.Unmarshal(text, &all) != nil || all == nil || !utf8.Valid(text) {
		if err == nil {
			t.Fatalf("%q was taken: %+v", text, got)
		}
		return
	}
	if _, deep := hostjson.ParseLenient(string(text), maxNesting); deep != nil {
		return // encoding/json takes more
	}
	if ambiguous(text, all, reflect.TypeFor[T]()) {
		return
	}
	var want T
	wrong := json.Unmarshal(text, &want)
	if (err == nil) != (wrong == nil) || err == nil && !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: have %+v, %v; want %+v, %v", text, got, err, want, wrong)
	}
}

// ambiguous reports whether an object has a name twice, or in another case.
func ambiguous(text []byte, all map[string]json.RawMessage, t reflect.Type) bool {
	names := 0
	dec := json.NewDecoder(bytes.NewReader(text))
	_, _ = dec.Token()
	for ; dec.More(); names++ {
		var value json.RawMessage
		_, _ = dec.Token()
		_ = dec.Decode(&value)
	}
	for name := range all {
		for _, f := range reflect.VisibleFields(t) {
			field, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != field && strings.EqualFold(name, field) {
				return true
			}
		}
	}
	return names != len(all)
}

// TestAbout: a text about a session is one line of at most 200 characters, and a line that is too long to be masked as
// a whole is not cut, because half of a secret would not be recognized.
func TestAbout(t *testing.T) {
	long := strings.Repeat("a", maxAbout)
	for text, want := range map[string]string{
		"":                 "",
		"one\ntwo":         "one two",
		"x\n" + long:       "x",
		long + "b":         "",
		long[:200]:         long[:200],
		long[:201] + "\nb": long[:200],
	} {
		if got := about(text); got != want {
			t.Errorf("%.20q of %d bytes: %.40q, want %.40q", text, len(text), got, want)
		}
	}
}

// TestPromptBounds: a run begins with a prompt that is not empty, is UTF-8, and is not too long.
func TestPromptBounds(t *testing.T) {
	for prompt, ok := range map[string]bool{
		"go": true, "": false, " \n": false, "\xff": false,
		strings.Repeat("a", maxPrompt): true, strings.Repeat("a", maxPrompt+1): false,
	} {
		if err := checkPrompt(prompt); (err == nil) != ok {
			t.Errorf("a prompt of %d bytes: %v", len(prompt), err)
		}
	}
}

// TestLimits: what a run may cost and how long it works have bounds.
func TestLimits(t *testing.T) {
	for in, ok := range map[wire.RunStartRequest]bool{
		{}: true, {BudgetUSD: 2.5, ForMS: 1000}: true,
		{BudgetUSD: -1}: false, {BudgetUSD: 2e6}: false, {BudgetUSD: math.Inf(1)}: false,
		{ForMS: 999}: false, {ForMS: -1}: false, {ForMS: maxTime.Milliseconds() + 1}: false,
	} {
		if err := checkLimits(&in); (err == nil) != ok {
			t.Errorf("%+v: %v", in, err)
		}
	}
	if err := checkLimits(&wire.RunStartRequest{BudgetUSD: math.NaN()}); err == nil {
		t.Error("a budget may be no number")
	}
}

// TestCleanOutput: what a check prints is kept without colours and with plain ends of lines.
func TestCleanOutput(t *testing.T) {
	if got := cleanOutput("\x1b[31;1mred\x1b[0m\r\nplain"); got != "red\nplain" {
		t.Errorf("kept is %q", got)
	}
}
