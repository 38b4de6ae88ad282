package page

import (
	"html"
	"regexp"
	"strings"
	"testing"
)

// TestShellColours: programs, flags, strings, variables, operators and comments are told
// apart.
func TestShellColours(t *testing.T) {
	for input, want := range map[string]string{
		`rm -rf "$HOME"/x`:       `[cmd rm] [flag -rf] [string "$HOME"]/x`,
		`A=1 go test ./... | wc`: `A=1 [cmd go] test ./... [op |] [cmd wc]`,
		`echo $X ${Y} # done`:    `[cmd echo] [var $X] [var ${Y}] [comment # done]`,
		"a\nb":                   "[cmd a]\n[cmd b]",
		`'open`:                  `[string 'open]`,
		`$`:                      `[var $]`,
		`"\"" x`:                 `[string "\""] x`,
		"# a\nls":                "[comment # a]\n[cmd ls]",
	} {
		var b strings.Builder
		shell(&b, input)
		got := regexp.MustCompile(`<span class="t-(\w+)">(.*?)</span>`).ReplaceAllString(b.String(), "[$1 $2]")
		if got = html.UnescapeString(got); got != want {
			t.Errorf("%q: have %s, want %s", input, got, want)
		}
	}
}

var spans = regexp.MustCompile(`</?(?:span|pre|code)[^>]*>`)

// FuzzCode: colours change no character of a text.
func FuzzCode(f *testing.F) {
	for _, s := range []string{"", "a -b 'c' \"d\\\"\" $e ${f # g", "+x\n-y\n@@ z", "$", "\\", "'", "<b>&amp;"} {
		f.Add("Bash", s)
		f.Add("Edit", s)
	}
	f.Fuzz(func(t *testing.T, tool, input string) {
		shown := html.UnescapeString(spans.ReplaceAllString(coloured(tool, input), ""))
		if want := html.UnescapeString(strings.ReplaceAll(input, "\x00", "\ufffd")); shown != want &&
			html.UnescapeString(input) == input {
			t.Errorf("%s %q: shown as %q", tool, input, shown)
		}
	})
}
