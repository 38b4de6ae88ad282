package door

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
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
	got, err := decode(&Call{body: []byte(text)}, hostjson.NewDecoder[wire.StopRequest]())
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
		if _, err := decode(&Call{body: []byte(text)}, hostjson.NewDecoder[wire.StopRequest]()); err == nil ||
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
		sameAsJSON[hookinput.Payload](t, text)
	})
}

func sameAsJSON[T any](t *testing.T, text []byte) {
	t.Helper()
	got, err := decode(&Call{body: text}, hostjson.NewDecoder[T]())
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
