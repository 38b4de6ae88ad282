package rawjson

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// seeds are texts at the edges of JSON, valid and not.
var seeds = []string{
	`{}`, `[]`, ` {"a" : [1, -2.5e+3, "x\ty\u00e9\ud83d\ude00", true, false, null, {}] , "b":{"c":"d"}} `, `"\ud800"`, `"\udc00\ud800x"`, `{"a":1,"a":2}`,
	`{"a\n":"\/"}`, `1`, `-`, `01`, `1.`, `"`, `{`, `[1,]`, `{"a"}`, `tru`, `nulll`, "\"\x01\"", `"\x"`, `"\u12"`, `[[[[]]]]`, `{"":""}`, `1 2`, ``, " \n", `{"a":"}]\\\""}`}

// FuzzJSON holds our reading of JSON against two libraries: what is valid,
// where each value stands, and what each string says.
func FuzzJSON(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := Parse(text) // must not panic on anything
		v.ForEach(func(key, value Value) bool { _, _ = key.Get("a"), value.Get("a.b").Array(); return true })
		if strings.Count(text, "[")+strings.Count(text, "{") >= maxDepth {
			return
		}
		if got, want := Valid(text), json.Valid([]byte(text)); got != want {
			t.Fatalf("%q: valid %t, want %t", text, got, want)
		}
		if Valid(text) && utf8.ValidString(text) {
			sameJSON(t, v, gjson.Parse(text))
		}
	})
}

func sameJSON(t *testing.T, got Value, want gjson.Result) {
	t.Helper()
	if got.Raw != strings.Trim(want.Raw, " \t\r\n") || got.IsObject() != want.IsObject() || got.IsArray() != want.IsArray() || got.Bool() != (want.Type == gjson.True) {
		t.Fatalf("%q of kind %d, want %q", got.Raw, got.Type, want.Raw)
	}
	switch {
	case got.Type == String:
		var text string
		if err := json.Unmarshal([]byte(want.Raw), &text); err != nil || got.Str != text {
			t.Fatalf("%s: %q, want %q", got.Raw, got.Str, text)
		}
	case got.IsArray():
		sameMembers(t, got, want)
	case got.IsObject():
		sameMembers(t, got, want)
		want.ForEach(func(key, _ gjson.Result) bool {
			if name := key.String(); !strings.ContainsAny(name, ".") && utf8.ValidString(name) && !got.Get(name).Exists() && strings.IndexByte(key.Raw, '\\') < 0 {
				t.Fatalf("%s: no member %q", got.Raw, name)
			}
			return true
		})
	}
}

func sameMembers(t *testing.T, got Value, want gjson.Result) {
	t.Helper()
	var all []Value
	got.ForEach(func(_, value Value) bool { all = append(all, value); return true })
	i := 0
	want.ForEach(func(_, value gjson.Result) bool {
		if i >= len(all) {
			t.Fatalf("%s: %d members", got.Raw, len(all))
		}
		sameJSON(t, all[i], value)
		i++
		return true
	})
	if i != len(all) {
		t.Fatalf("%s: %d members, want %d", got.Raw, len(all), i)
	}
}

func TestGet(t *testing.T) {
	v := Parse(` {"a":{"b":[1,{"c":"x"}],"n":-12,"f":2.9e1},"t":true,"a":"second","e\u0061":"escaped"}`)
	for path, want := range map[string]string{"a.b": `[1,{"c":"x"}]`, "a.n": "-12", "t": "true", "ea": `"escaped"`, "a.x": "", "x": "", "a.b.c": "", "t.t": "", "": ""} {
		if got := v.Get(path).Raw; got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if n, f, s := v.Get("a.n").Int(), v.Get("a.f").Int(), v.Get("t").Int(); n != -12 || f != 29 || s != 0 {
		t.Errorf("%d %d %d", n, f, s)
	}
	if all := v.Get("a.b").Array(); len(all) != 2 || all[1].Get("c").Str != "x" {
		t.Errorf("%v", all)
	}
}
