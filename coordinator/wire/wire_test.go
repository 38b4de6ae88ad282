package wire_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/wire"
)

// decoded reads an object with the standard library.
func decoded(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, text)
	}
	return m
}

// clean returns a string with its invalid bytes replaced one by one, as in the standard
// library.
func clean(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		b.WriteRune(r)
		s = s[n:]
	}
	return b.String()
}

func TestObject(t *testing.T) {
	text := wire.NewObject().
		Str("s", "a\"b\\c").OptStr("none", "").OptStr("some", "x").
		Int("n", -1<<63).Bool("yes", true).Bool("no", false).
		Raw("raw", []byte("{\"a\":\r\n1}")).Strs("list", []string{"", "ü\n"}).Strs("empty", nil).Bytes()
	want := `{"s":"a\"b\\c","some":"x","n":-9223372036854775808,"yes":true,"no":false,` +
		`"raw":{"a":  1},"list":["","ü\u000a"],"empty":[]}`
	if string(text) != want {
		t.Errorf("have %s\nwant %s", text, want)
	}
	decoded(t, text)
	if got := string(wire.NewObject().Bytes()); got != "{}" {
		t.Errorf("empty object is %s", got)
	}
}

func TestObjectEscapes(t *testing.T) {
	for _, s := range []string{
		"", "plain", "\"", "\\", "/", "\x00\x01\x1f", "\x7f", "\t\r\n", "\u2028\u2029", "\ufeff", "\ufffd",
		"\xff", "a\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "😀", "<&>", strings.Repeat("\"", 5000),
	} {
		text := wire.NewObject().Str(s, s).Bytes()
		if bytes.ContainsAny(text, "\n\r\u2028\u2029") {
			t.Errorf("%q: the text holds a line break: %s", s, text)
		}
		if got, ok := decoded(t, text)[clean(s)]; !ok || got != clean(s) {
			t.Errorf("%q came back as %q", s, got)
		}
	}
}

func FuzzObject(f *testing.F) {
	f.Add("key", "value")
	f.Add("", "\x00\"\\\u2028\xff")
	f.Fuzz(func(t *testing.T, key, value string) {
		text := wire.NewObject().Str(key, value).Strs("list of it", []string{value}).Bytes()
		if !utf8.Valid(text) || bytes.IndexByte(text, '\n') >= 0 {
			t.Fatalf("not one line of UTF-8: %q", text)
		}
		m := decoded(t, text)
		if clean(key) != "list of it" && m[clean(key)] != clean(value) {
			t.Fatalf("%q: %q came back as %q", key, value, m[clean(key)])
		}
		if got := m["list of it"].([]any)[0]; got != clean(value) {
			t.Fatalf("%q came back as %q", value, got)
		}
	})
}

func FuzzRequestLine(f *testing.F) {
	f.Add("status", []byte("{}"))
	f.Add("hook.stop", []byte("{\"payload\":\n{\"a\":\"\\n\"},\r\n \"client\":1}"))
	f.Add("", []byte("null"))
	f.Fuzz(func(t *testing.T, op string, body []byte) {
		if !json.Valid(body) {
			t.Skip()
		}
		line := wire.Request{V: wire.Version, Op: op, Body: body}.Line()
		if bytes.IndexByte(line, '\n') != len(line)-1 {
			t.Fatalf("not one line: %q", line)
		}
		var back wire.Request
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatalf("not JSON: %v\n%q", err, line)
		}
		if back.V != wire.Version || back.Op != clean(op) || !same(t, back.Body, body) {
			t.Fatalf("%q %q came back as %q %q", op, body, back.Op, back.Body)
		}
		short, ok := wire.ReadLine(line)
		if ok != plain(op) || ok && (short.V != back.V || short.Op != back.Op || !same(t, short.Body, back.Body)) {
			t.Fatalf("%q is read as %v %v, want %v", line, ok, short, back)
		}
	})
}

// plain reports whether an operation needs no escapes in JSON.
func plain(op string) bool { return strings.Trim(op, "abcdefghijklmnopqrstuvwxyz.-") == "" }

// FuzzReadLine: the fast reader reads the same as the standard library, except that it does
// not check the body.
func FuzzReadLine(f *testing.F) {
	f.Add([]byte(`{"v":1,"op":"hook.stop","body":{"a":1}}` + "\n"))
	f.Add([]byte(`{"v":1,"op":"hook.stop","body":{},"op":"shutdown"}` + "\n"))
	f.Add([]byte(`{"v":1,"op":"a","body":"b","body":{}}` + "\n"))
	f.Add([]byte(`{"v":1,"op":"a\u0062","body":{}}` + "\n"))
	f.Add([]byte(`{"v":1,"op":"","body":","body":{}}` + "\n"))
	f.Add([]byte(`{"v":1,"op":"a","body":}` + "\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		short, ok := wire.ReadLine(line)
		if !ok || !json.Valid(short.Body) || !utf8.Valid(line) {
			return
		}
		var whole wire.Request
		if err := json.Unmarshal(line, &whole); err != nil || whole.Op != short.Op || whole.V != short.V ||
			!same(t, whole.Body, short.Body) {
			t.Fatalf("%q is read as %v, want %v, %v", line, short, whole, err)
		}
	})
}

// same compares two texts as JSON values, numbers by their digits.
func same(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y bytes.Buffer
	if err := json.Compact(&x, a); err != nil {
		t.Fatal(err)
	}
	if err := json.Compact(&y, b); err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(x.Bytes(), y.Bytes())
}

func TestRequestLine(t *testing.T) {
	for _, c := range []struct {
		name string
		req  wire.Request
		want string
	}{
		{"no body", wire.Request{V: 1, Op: "status"}, `{"v":1,"op":"status","body":{}}` + "\n"},
		{
			"the version is first", wire.Request{V: 7, Op: "x", Body: wire.Raw("[1]")},
			`{"v":7,"op":"x","body":[1]}` + "\n",
		},
		{
			"line breaks become blanks", wire.Request{V: 1, Op: "x", Body: wire.Raw("{\n\"a\":\r1\n}\n")},
			`{"v":1,"op":"x","body":{ "a": 1 } }` + "\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := string(c.req.Body)
			if got := string(c.req.Line()); got != c.want {
				t.Errorf("have %q\nwant %q", got, c.want)
			}
			if string(c.req.Body) != body {
				t.Error("Line changed the body of its caller")
			}
		})
	}
}

func TestRaw(t *testing.T) {
	type box struct {
		A wire.Raw `json:"a"`
		B wire.Raw `json:"b,omitempty"`
	}
	text, err := json.Marshal(box{A: wire.Raw(`{"x":1.50}`)})
	if err != nil || string(text) != `{"a":{"x":1.50}}` {
		t.Errorf("have %s, %v", text, err)
	}
	if text, err = json.Marshal(box{}); err != nil || string(text) != `{"a":null}` {
		t.Errorf("empty: have %s, %v", text, err)
	}
	if _, err := json.Marshal(box{A: wire.Raw(`{"x"`)}); err == nil {
		t.Error("broken JSON was written without an error")
	}
	source := []byte(`{"a":{"big":12345678901234567890},"more":1}`)
	var in box
	if err := json.Unmarshal(source, &in); err != nil {
		t.Fatal(err)
	}
	for i := range source {
		source[i] = 'x'
	}
	if string(in.A) != `{"big":12345678901234567890}` || in.B != nil {
		t.Errorf("Raw must be a copy of the exact text: %s, %s", in.A, in.B)
	}
}

// TestReplyLine: every reply is one line, and reading it returns the same reply.
func TestReplyLine(t *testing.T) {
	for _, want := range []wire.Reply{
		{V: wire.Version},
		{V: wire.Version, Body: wire.Raw(`{"id":"a\n<&>"}`)},
		{V: wire.Version, Code: wire.CodeInternal, Error: "disk \"full\"\n\u2028\x00<&>"},
	} {
		line := want.Line()
		var got wire.Reply
		if err := json.Unmarshal(line, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: have %+v, want %+v, %v", line, got, want, err)
		}
		if bytes.IndexByte(line, '\n') != len(line)-1 {
			t.Errorf("not one line: %q", line)
		}
	}
	folded := wire.Reply{Body: wire.Raw("{\n}")}.Line()
	if string(folded) != `{"v":0,"code":"","body":{ }}`+"\n" {
		t.Errorf("have %q", folded)
	}
}

// TestUnknownFields: a reader ignores the unknown fields of a newer version.
func TestUnknownFields(t *testing.T) {
	var r wire.Reply
	if err := json.Unmarshal([]byte(`{"v":9,"code":"","later":{"x":[1]},"body":{"id":"a"}}`), &r); err != nil {
		t.Fatal(err)
	}
	if r.V != 9 || r.Code != wire.CodeOK || string(r.Body) != `{"id":"a"}` {
		t.Errorf("have %+v", r)
	}
}

// TestHookCall: the names on the wire do not change, because hooks of an older version use
// them.
func TestHookCall(t *testing.T) {
	full := wire.AskOpenRequest{
		HookCall: wire.HookCall{
			Payload: wire.Raw(`{}`), Client: 1, Entrypoint: "cli", Attended: true, Terminal: "tty:x", Off: true,
			Redirected: []string{"A=b"}, Project: "/p",
		},
		Ask: "a", Kind: "guard", Why: "w", Park: true,
	}
	text := wire.Encode(full)
	want := `{"payload":{},"client":1,"entrypoint":"cli","attended":true,"terminal":"tty:x","off":true,` +
		`"redirected":["A=b"],"project":"/p","ask":"a","kind":"guard","why":"w","park":true}`
	if string(text) != want {
		t.Errorf("have %s", text)
	}
}
