package jsonrpc

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/wire"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		line string
		kind Kind
		id   string
		ok   bool
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`, Request, "1", true},
		{`{"id":"a\"b","method":"m"}`, Request, `"a\"b"`, true},
		{`{"method":"m"}`, Notice, "", true},
		{`{"id":null,"method":"m"}`, Notice, "null", true},
		{`{"id":7,"result":{}}`, Response, "7", true},
		{`{"id":7,"error":{"code":-32000,"message":"no"}}`, Response, "7", true},
		{`{"result":{}}`, 0, "", false},
		{`{"id":{"a":1},"method":"m"}`, Notice, `{"a":1}`, true},
		{`{"id":"` + strings.Repeat("x", 300) + `","method":"m"}`, 0, "", false},
		{`[]`, 0, "", false},
		{`{"id":1,"method":`, 0, "", false},
		{"", 0, "", false},
	} {
		m, err := Read(c.line)
		if (err == nil) != c.ok || c.ok && (m.Kind != c.kind || m.ID != c.id) {
			t.Errorf("%.60s: %+v, %v", c.line, m, err)
		}
	}
	m, _ := Read(`{"id":7,"error":{"code":-32603,"message":"Internal error","data":{"details":"no such session"}}}`)
	if m.Error == nil || m.Error.Message != "Internal error: no such session" || m.Error.Code != "-32603" ||
		m.number() != 7 {
		t.Errorf("an error: %+v", m)
	}
}

func TestWrite(t *testing.T) {
	o := func() *wire.Object { return wire.NewObject().Str("a", "line\nbreak") }
	for got, want := range map[string]string{
		ask(3, "m", o()):                `{"jsonrpc":"2.0","id":3,"method":"m","params":{"a":"line\u000abreak"}}`,
		Tell("m", o()):                  `{"jsonrpc":"2.0","method":"m","params":{"a":"line\u000abreak"}}`,
		Reply(`"x"`, o()):               `{"jsonrpc":"2.0","id":"x","result":{"a":"line\u000abreak"}}`,
		Fail("1", MethodNotFound, "no"): `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`,
	} {
		if got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestRequests: a response answers one request, once.
func TestRequests(t *testing.T) {
	var r Requests
	r.Ask("begin", wire.NewObject())
	r.Ask("go on", wire.NewObject())
	m, _ := Read(`{"id":2,"result":{}}`)
	if method, ok := r.Answered(m); method != "go on" || !ok || r.Open("go on") || !r.Open("begin") {
		t.Errorf("%q, %t", method, ok)
	}
	if method, ok := r.Answered(m); ok {
		t.Errorf("a second response answers %q", method)
	}
}

// FuzzRead: no line makes Read panic, and what we answer is one line of JSON-RPC.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{`{"id":1,"method":"m"}`, `{"id":"x","result":1}`, `{"id":1,"error":{}}`, "{", "\xff",
		`{"id":1e400,"method":"m"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		m, err := Read(line)
		if err != nil || m.Kind != Request {
			return
		}
		answer := Fail(m.ID, MethodNotFound, m.Method)
		back, err := Read(answer)
		if err != nil || back.Kind != Response || strings.ContainsAny(answer, "\r\n") {
			t.Fatalf("%q: %q, %+v, %v", line, answer, back, err)
		}
	})
}
