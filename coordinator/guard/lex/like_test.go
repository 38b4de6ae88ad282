package lex

import (
	"strings"
	"testing"
)

func TestLike(t *testing.T) {
	for _, tc := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "a\nb", true}, {"a*", "abc", true},
		{"a*c", "abbc", true}, {"a*c", "abbd", false},
		{"a?c", "abc", true}, {"a?c", "ac", false}, {"**", "a", true}, {"*a*b*", "xxaxxbxx", true},
		{"*a*b*", "xxbxxaxx", false}, {"a", "A", false},
	} {
		if Like(tc.pattern, tc.text) != tc.want {
			t.Errorf("%q on %q", tc.pattern, tc.text)
		}
	}
	if Like(strings.Repeat("*a", 200)+"b", strings.Repeat("a", 20000)) {
		t.Error("it is not like that")
	}
}
