package markdown

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/redact"
)

// inForm returns a text as a form shows it and sends it back, where the person changes nothing.
func inForm(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\ufffd").Replace(text)
	return strings.ReplaceAll(redact.Visible(text), "\n", "\r\n")
}

// TestRestore: lines that a person did not change keep their bytes, and new lines end as those
// of the file do.
func TestRestore(t *testing.T) {
	for name, c := range map[string]struct{ was, edited, want string }{
		"the same":          {"a\nb\n", "a\r\nb\r\n", "a\nb\n"},
		"windows":           {"a\r\nb\r\n", "a\r\nnew\r\nb\r\n", "a\r\nnew\r\nb\r\n"},
		"unix":              {"a\nb\n", "a\r\nnew\r\nb\r\n", "a\nnew\nb\n"},
		"mixed":             {"a\r\nb\nc\r\n", "a\r\nb\r\nC\r\n", "a\r\nb\nC\r\n"},
		"no end":            {"a\nb", "a\r\nb", "a\nb"},
		"an end is added":   {"a\nb", "a\r\nb\r\nc", "a\nb\nc"},
		"an end is removed": {"a\nb\n", "a\r\nb", "a\nb"},
		"empty":             {"", "a\r\nb", "a\nb"},
		"emptied":           {"a\r\nb\r\n", "", ""},
		"hidden characters": {"\ta\u200b \xff\xfe\nb\n", "\ta⟨U+200B⟩ \ufffd\r\nc\r\n", "\ta\u200b \xff\xfe\nc\n"},
		"moved":             {"a\r\nb\nc\n", "c\r\na\r\nb\r\n", "c\na\r\nb\n"},
		"a lone return":     {"a\rb\n", "a\r\nb\r\n", "a\rb\n"},
	} {
		if got := Restore(c.was, c.edited); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func FuzzRestore(f *testing.F) {
	f.Add("# Plan\n\n- status: open\n\n## Log\n\nA\tline.  \n", "line")
	f.Add("a\r\n\r\r\n\x00b\xff\n\n", "")
	f.Fuzz(func(t *testing.T, was, more string) {
		if got := Restore(was, inForm(was)); got != was {
			t.Fatalf("nothing was changed in %q, but it became %q", was, got)
		}
		got := Restore(was, inForm(was+more))
		for line := range strings.SplitSeq(inForm(was+more), "\r\n") {
			if !strings.Contains(inForm(got), line) {
				t.Fatalf("%q is lost from %q", line, got)
			}
		}
	})
}
