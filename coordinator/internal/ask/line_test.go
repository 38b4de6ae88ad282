package ask_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ tool, text, want string }{
		{"Bash", "npm test", "Bash npm test"},
		{"Bash", "cat <<EOF\n  a\nEOF", "Bash cat <<EOF a EOF"},
		{"Write", "/p/a.go\n+secret plans", "Write /p/a.go"},
		{"Edit", "/p/a.go", "Edit /p/a.go"},
		{"", "", ""},
	} {
		if got := (ask.Ask{Tool: c.tool, Text: c.text}).Line(); got != c.want {
			t.Errorf("Line(%q, %q) = %q, want %q", c.tool, c.text, got, c.want)
		}
	}
	long := ask.Line("Bash", strings.Repeat("ü", 1000))
	if n := utf8.RuneCountInString(long); n != 200 || !strings.HasSuffix(long, "…") {
		t.Errorf("a long call is %d characters: %.20q…", n, long)
	}
}
