package guard

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/calls"
)

// TestCases judges each of testdata/cases.
func TestCases(t *testing.T) {
	cases, err := calls.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		call, err := ReadCall(c.Tool, c.Input)
		if err != nil {
			t.Fatalf("%s: %v", c.Where, err)
		}
		want := map[string]Verdict{"deny": Deny, "ask": Ask, "pass": None}[c.Want]
		if d := Judge(call, contextWith(c.Files)); d.Verdict != want {
			t.Errorf("%s: %s %s: %q by %s, want %s\n\t%+v", c.Where, c.Tool, c.Input, d.Verdict,
				d.Rule, c.Want, d.Effects)
		}
	}
}

// contextWith returns a context with files in the project.
func contextWith(files []calls.File) Context {
	ctx := testContext()
	texts, kept := map[string]string{}, map[string]bool{}
	for _, f := range files {
		path := testProject + "/" + f.Name
		texts[path], kept[path] = f.Text, f.Kept
		for name := f.Name; name != ""; { // the names in the folders that hold it
			folder, _ := filepath.Split(strings.TrimSuffix(name, "/"))
			texts[testProject+"/"+folder] += name[len(folder):] + "\n"
			name = folder
		}
	}
	ctx.FileText = func(path string) (string, bool) {
		text, ok := texts[path]
		return text, ok && !strings.Contains(text, "\x00")
	}
	ctx.Kept = func(path string) bool { return kept[path] }
	return ctx
}
