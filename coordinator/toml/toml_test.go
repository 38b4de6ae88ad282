package toml_test

import (
	"fmt"
	"strings"
	"testing"

	lib "github.com/pelletier/go-toml/v2"

	"github.com/afar-sh/afar/coordinator/toml"
)

// format returns a tree in one line, each key with its line.
func format(t *toml.Table) string {
	var b strings.Builder
	for _, k := range t.Keys {
		fmt.Fprintf(&b, "%s@%d=%s ", k.Name, k.Line, value(k.Value))
	}
	return "{" + strings.TrimSpace(b.String()) + "}"
}

func value(v toml.Value) string {
	switch v.Kind {
	case toml.String:
		return fmt.Sprintf("%q", v.Text)
	case toml.Bool:
		return fmt.Sprint(v.Yes)
	case toml.List:
		var all []string
		for _, one := range v.List {
			all = append(all, value(one))
		}
		return "[" + strings.Join(all, " ") + "]"
	case toml.Map:
		return format(v.Table)
	}
	return "?"
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   `{}`,
		"\n# nothing\n":                      `{}`,
		"a = 'x'\nb = true\nc = 1":           `{a@1="x" b@2=true c@3=?}`,
		"[rules]\n\"git.push\" = \"deny\"":   `{rules@1={git.push@2="deny"}}`,
		"a.b = 'x'\na.c = 'y'":               `{a@1={b@1="x" c@2="y"}}`,
		"[[r]]\nid='1'\n\n[[r]]\nid='2'":     `{r@1=[{id@2="1"} {id@5="2"}]}`,
		"[[r]]\n[r.in]\na='1'\n[[r]]\na='2'": `{r@1=[{in@2={a@3="1"}} {a@5="2"}]}`,
		"a = [\n 'x',\n 'y', # why\n]":       `{a@1=["x" "y"]}`,
		"a = { b = 'x', c.d = false }":       `{a@1={b@1="x" c@1={d@1=false}}}`,
		"a = '''\nx\ny'''":                   `{a@1="x\ny"}`,
		"a = \"t\\tü\\u00e9\"":               `{a@1="t\tüé"}`,
		"'' = 'x'\r\n":                       `{@1="x"}`,
	} {
		got, err := toml.Parse([]byte(text))
		if err != nil || format(got) != want {
			t.Errorf("%q: %v\nwant %s", text, err, want)
			if got != nil {
				t.Errorf("have %s", format(got))
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"a = ":                              "line 1: ",
		"\n\na = 1\na = 2":                  `line 4: "a" is there already, in line 3`,
		"[a]\nx = 1\n[a]\n":                 `line 3: the table "a" is there already, from line 1`,
		"a = 1\n[a]":                        `line 2: "a" is a whole number since line 1`,
		"a = { x = 1 }\n[a]":                `line 2: the table "a" is there already`,
		"a = { x = 1 }\na.y = 1":            `line 2: the table "a" is complete since line 1`,
		"a = { x = 1, x = 2 }":              `line 1: "x" is there already`,
		"a = []\n[[a]]":                     `line 2: "a" is not a list of [[a]] tables`,
		"[a]\n[[a]]":                        `line 2: "a" is not a list of [[a]] tables`,
		"\n[a":                              "line 2: ",
		"a = 'x":                            "line 1: ",
		"ok = 1\nb = \"\xff\"\n":            "line 2: not UTF-8",
		"a\x00 = 1":                         "line 1: ",
		manyKeys():                          "line 1001: more than",
		"[[]]":                              "line 1: ",
		"a = " + strings.Repeat("[", 20000): "line 1: ",
	} {
		if _, err := toml.Parse([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: want %q, have %v", text, want, err)
		}
	}
}

func manyKeys() string {
	var b strings.Builder
	for i := range 1100 {
		fmt.Fprintf(&b, "k%d = 1\n", i)
	}
	return b.String()
}

func TestDecode(t *testing.T) {
	var in struct {
		A struct{ B string }
	}
	if err := toml.Decode([]byte("[A]\nB = 'x'\n"), &in); err != nil || in.A.B != "x" {
		t.Errorf("%+v, %v", in, err)
	}
	for text, want := range map[string]string{
		"\n[A]\nC = 1": `line 3: unknown key "A.C"`,
		"[A]\nB = 1":   "line 2: ",
		"[A":           "line 1: ",
	} {
		if err := toml.Decode([]byte(text), &in); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: want %q, have %v", text, want, err)
		}
	}
}

// FuzzParse: an error names its line. A document that the library also accepts has the
// same keys in both.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"a = 'x'",
		"[a.b]\nc.d = [1, {e = true}]\n[[f]]\n[[f]]\ng = 1",
		"a = { b.c = 1, b.d = 2 }",
		"[a]\n[a.b]\n[a]",
		"a.b = 1\n[a]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		ours, err := toml.Parse(raw)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Fatalf("%q: an error without a line: %v", raw, err)
			}
			return
		}
		var theirs map[string]any
		if lib.Unmarshal(raw, &theirs) == nil && len(theirs) != len(ours.Keys) {
			t.Fatalf("%q: %d keys, but %d in the library", raw, len(ours.Keys), len(theirs))
		}
	})
}
