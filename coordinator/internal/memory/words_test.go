package memory

import (
	"slices"
	"strings"
	"testing"
)

func TestTerms(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "",
		"The deployments were deployed":        "deploy deploy",
		"She went, he goes, they'll go":        "go go theyll go",
		"Caroline's hat isn't Ann’s":           "carolin hat ann",
		"parseState HTTPServer2 snake_case":    "pars state parsest http server2 httpserver2 snake case",
		"Größe, café, naïve":                   "gross cafe naiv",
		"on 2026-11-23 at 14:05":               "2026 11 23 14 05 d20261123 d202611",
		"Nov 23rd, 2026 or 23 November 2026":   "nov 23rd 2026 23 novemb 2026 d20261123 d202611",
		"in May 2023, on May 4":                "may 2023 may 4 d202305",
		"東京タワー":                                "東京 京タ タワ ワー",
		"children's feet, mice":                "child foot mous",
		"0001-01-01, 12 May 0999":              "0001 01 01 12 may 0999",
		"13/14/2026 2026-99-99 99999999999999": "13 14 2026 2026 99 99 99999999999999",
	} {
		if have := strings.Join(Terms(text), " "); have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
	}
}

func TestReadLine(t *testing.T) {
	for text, want := range map[string]string{
		"Ann: hello there, Bob":            "ann : hello bob",
		"see https://example.org/a for it": "see https exampl org",
		"no label":                         "label",
		"It is not a label: text ":         "label text",
	} {
		line := ReadLine(text)
		if have := line.String(); have != want {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
		again := ParseLine(1, line.String())
		if !slices.Equal(again.Terms, line.Terms) || !slices.Equal(again.Label, line.Label) {
			t.Errorf("%q: read back as %v", text, again)
		}
	}
}

func FuzzTerms(f *testing.F) {
	f.Add("Caroline’s parseState, 東京 on 2026-11-23: don't")
	f.Fuzz(func(t *testing.T, text string) {
		for _, term := range Terms(text) {
			if term == "" || strings.ContainsAny(term, " \t\n\":") {
				t.Fatalf("%q has the term %q", text, term)
			}
		}
	})
}
