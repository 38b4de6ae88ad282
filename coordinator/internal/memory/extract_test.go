package memory

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadFound(t *testing.T) {
	clean := func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }
	answer := `{
		"facts": [
			{"title": "# The lab\n## is closed", "text": " hunter2 "}, {"title": " ", "text": "no title"},
			{"title": "b", "text": ""}, {"title": "c", "text": ""}, {"title": "d", "text": ""}
		],
		"gaps": [{"title": "no hunter2", "text": "x"}],
		"entry": {"title": "", "text": "said without a title"}
	}`
	have, err := ReadFound(json.RawMessage(answer), clean)
	want := Found{
		Facts: []Item{{"The lab ## is closed", "***"}, {Title: "b"}, {Title: "c"}},
		Gaps:  []Item{{"no ***", "x"}},
		Entry: Item{Text: "said without a title"},
	}
	if diff := cmp.Diff(want, have); diff != "" || err != nil {
		t.Errorf("%v, want -, have +:\n%s", err, diff)
	}
	for _, bad := range []string{"", "null x", `[]`, `{"facts":{}}`, `{"entry":[]}`} {
		if f, err := ReadFound(json.RawMessage(bad), clean); err == nil || !f.Empty() {
			t.Errorf("%q: %+v", bad, f)
		}
	}
}

// FuzzReadFound: each fact of any answer can be kept.
func FuzzReadFound(f *testing.F) {
	f.Add("title", "text")
	f.Add(strings.Repeat("ü", 300), "## Earlier\n- type: x")
	f.Fuzz(func(t *testing.T, title, text string) {
		raw, err := json.Marshal(Found{Facts: []Item{{title, text}}})
		if err != nil {
			t.Fatal(err)
		}
		found, err := ReadFound(raw, func(s string) string { return s })
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range found.Facts {
			fact := Fact{Title: item.Title, Text: item.Text, Source: "run:x of task:y"}
			if _, _, _, err := Merge(nil, fact, func(Name) bool { return false }); err != nil {
				t.Errorf("%q, %q: %v", item.Title, item.Text, err)
			}
		}
	})
}

// TestExtractQuestion: what others wrote stands inside a fence, and parts without a text are left out.
func TestExtractQuestion(t *testing.T) {
	fence := func(source, text string) string { return "<" + source + ">" + text + "</>" }
	have := ExtractQuestion("Answer with a fact.", "", []string{"no printer", "no scanner"}, fence)
	for _, want := range []string{
		"at most 3 things", "at most 2 things",
		"\nThe known gaps\n<gaps.md>no printer\nno scanner</>\n",
		"\nThe work\n<the run of an agent>Answer with a fact.</>\n",
	} {
		if !strings.Contains(have, want) {
			t.Errorf("%q is missing in:\n%s", want, have)
		}
	}
	if strings.Contains(have, "What is known\n") {
		t.Errorf("nothing is known, but:\n%s", have)
	}
}
