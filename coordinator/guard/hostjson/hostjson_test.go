package hostjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// seeds are unusual JSON texts, some of them not valid.
var seeds = []string{
	`{}`, `[]`, `{"a\n":"\/"}`, `1`, `-`, `01`, `1.`, `"`, `{`, `[1,]`, `{"a"}`,
	`tru`, `nulll`, "\"\x01\"", `"\x"`, `"\u12"`,
	` {"a" : [1, -2.5e+3, "x\ty\u00e9\ud83d\ude00", true, false, null, {}] , "b":{"c":"d"}} `,
	`"\ud800"`, `"\udc00\ud800x"`, `"\ud800\u0041"`, `"\ud800\ud83d\ude00"`, `{"\uD800\u0041":1,"\ud800A":2}`,
	`{"a":1,"a":2}`, `{"a":[{"b":{},"b":1}]}`, `{"a":1,"\u0061":2}`, `{"":1,"":2}`,
	`{"a.b":{"c":1},"a":{"b":2}}`, `{"*":1,"@this":2,"#":3}`,
	`[[[[]]]]`, `1 2`, ``, " \n", `{"a":"}]\\\""}`, `{"a":"{\"b\":1}"}`,
	`[{"a":1},{"a":2}]`, `[1,1]`, `{"a":1e400}`, `"\\ud800"`,
}

// FuzzParse compares hostjson with encoding/json: which texts are valid, the members and
// their order, and the text of each string.
func FuzzParse(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ParseLenient(text, MaxDepth)
		strict, strictErr := Parse(text, MaxDepth)
		if deeper(text, MaxDepth) {
			if err == nil || strictErr == nil {
				t.Fatalf("%.80q is nested too deep and was accepted", text)
			}
			return
		}
		valid := json.Valid([]byte(text)) && utf8.ValidString(text)
		if (err == nil) != valid {
			t.Fatalf("%q: valid %t, have %v", text, valid, err)
		}
		if !valid {
			return
		}
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		repeats := same(t, dec, v)
		if (strictErr != nil) != repeats || strictErr == nil && strict.Raw() != v.Raw() {
			t.Fatalf("%q: a member is named twice: %t, have %v", text, repeats, strictErr)
		}
	})
}

// same compares the next value of a decoder with v, and reports whether an object
// in it names a member twice.
func same(t *testing.T, dec *json.Decoder, v Value) (repeats bool) {
	t.Helper()
	token, err := dec.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch want := token.(type) {
	case nil:
		check(t, v, v.Kind() == Null)
	case bool:
		check(t, v, v.Bool() == want && (want || v.Kind() == False))
	case json.Number:
		check(t, v, v.Kind() == Number && v.Raw() == want.String())
	case string:
		check(t, v, v.Kind() == String && v.Str() == want)
	case json.Delim:
		if want == '[' {
			return sameItems(t, dec, v)
		}
		return sameMembers(t, dec, v)
	}
	return false
}

func sameItems(t *testing.T, dec *json.Decoder, v Value) (repeats bool) {
	t.Helper()
	check(t, v, v.IsArray())
	for _, item := range v.Items() {
		check(t, v, dec.More())
		repeats = same(t, dec, item) || repeats
	}
	check(t, v, !dec.More())
	_, _ = dec.Token()
	return repeats
}

func sameMembers(t *testing.T, dec *json.Decoder, v Value) (repeats bool) {
	t.Helper()
	check(t, v, v.IsObject())
	seen := map[string]bool{}
	for name, member := range v.Members() {
		token, err := dec.Token()
		if err != nil || token != any(name) {
			t.Fatalf("%s: member %q, want %v (%v)", v.Raw(), name, token, err)
		}
		switch {
		case strings.ContainsRune(name, utf8.RuneError):
			check(t, v, !v.Get(name).Exists())
		case !seen[name] && !strings.Contains(name, "."):
			check(t, v, v.Get(name).Raw() == member.Raw())
		}
		repeats = repeats || seen[name]
		seen[name] = true
		repeats = same(t, dec, member) || repeats
	}
	check(t, v, !dec.More())
	_, _ = dec.Token()
	return repeats
}

func check(t *testing.T, v Value, ok bool) {
	t.Helper()
	if !ok {
		t.Fatalf("%q is read as another value, of kind %d", v.Raw(), v.Kind())
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		``:                              "not valid JSON",
		`{`:                             "not valid JSON",
		"{\"a\":\"\xff\"}":              "not valid JSON",
		`{} {}`:                         "not valid JSON",
		`{"a":1,"a":2}`:                 `names "a" twice`,
		`{"a":[0,{"b":{},"\u0062":1}]}`: `names "a.1.b" twice`,
		`{"":1,"":2}`:                   `names "" twice`,
		`{"` + strings.Repeat("x", 1<<20) + `":{"b":1,"b":2}}`: "…",
		strings.Repeat("[", 1<<20):                             "deeper than 64",
		strings.Repeat("[", 65) + strings.Repeat("]", 65):      "deeper than 64",
		strings.Repeat("[", 64) + strings.Repeat("]", 64):      "",
		` [{"a":1},{"a":2}] `:                                  "",
		`{"a":"[[{\"a"}`:                                       "",
	} {
		have := ""
		if _, err := Parse(text, MaxDepth); err != nil {
			have = err.Error()
		}
		if !strings.Contains(have, want) || len(have) > 200 || want == "" && have != "" {
			t.Errorf("%.40q: error %q, want %q", text, have, want)
		}
	}
	if _, err := Parse("nul", MaxDepth); !errors.Is(err, ErrInvalid) {
		t.Errorf("%v is another error", err)
	}
}

// TestParseIsLinear reads an object of many members within a long name.
func TestParseIsLinear(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"` + strings.Repeat("x", 1<<20) + `":{"a0":"x"`)
	for i := 1; i < 200_000; i++ {
		fmt.Fprintf(&b, `,"a%d":"x"`, i)
	}
	b.WriteString("}}")
	if _, err := Parse(b.String(), MaxDepth); err != nil {
		t.Error(err)
	}
}

func TestGet(t *testing.T) {
	v, err := ParseLenient(
		` {"a":{"b":[1,{"c":"x"}],"n":-12,"f":2.9e1},"t":true,"a":"second","e\u0061":"escaped","s":"{\"c\":1}"}`,
		MaxDepth,
	)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"a.b": `[1,{"c":"x"}]`, "a.n": "-12", "t": "true", "ea": `"escaped"`,
		"a.x": "", "x": "", "a.b.c": "", "a.b.0": "", "a.b.#": "",
		"t.t": "", "": "", "s.c": "", "@this": "", "a.*": "", "a|b": "", "a.@keys": "",
	} {
		if got := v.Get(path).Raw(); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	items := v.Get("a.b").Items()
	if len(items) != 2 || items[1].Get("c").Str() != "x" || v.Get("s").Get("c").Exists() {
		t.Errorf("the elements are %v", items)
	}
}

// TestDecodeBytes checks that plain bytes are a text in base 64, as for json.Unmarshal, and that JSON is taken as it is.
func TestDecodeBytes(t *testing.T) {
	type with struct {
		Data []byte          `json:"data"`
		Raw  json.RawMessage `json:"raw"`
	}
	text := `{"data":"AAEC","raw":{"a": 1}}`
	v, err := Parse(text, 8)
	if err != nil {
		t.Fatal(err)
	}
	var got, want with
	if err := errors.Join(Decode(v, &got), json.Unmarshal([]byte(text), &want)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) || string(got.Data) != "\x00\x01\x02" {
		t.Errorf("have %q, want %q", got, want)
	}
}
