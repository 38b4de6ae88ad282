package session_test

import (
	"fmt"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

func TestDeny(t *testing.T) {
	var s session.Session
	for i, c := range []struct {
		turn, rule string
		want       int
	}{
		{"a", "x", 1}, {"a", "y", 1}, {"a", "x", 2}, {"a", "x", 3}, {"a", "y", 2}, {"b", "x", 1}, {"b", "x", 2},
		{"a", "x", 1}, {"", "x", 1}, {"", "x", 2},
	} {
		before := fmt.Sprint(s)
		next, n := session.Deny(s, c.turn, c.rule)
		if n != c.want {
			t.Errorf("%d: %d denials of %s in %s, want %d", i, n, c.rule, c.turn, c.want)
		}
		if fmt.Sprint(s) != before {
			t.Errorf("%d: the session was changed in place", i)
		}
		s = next
	}
	for i := range 1000 {
		s, _ = session.Deny(s, "c", fmt.Sprint(i))
	}
	if len(s.Denials.Rules) > 100 {
		t.Errorf("%d rules are counted", len(s.Denials.Rules))
	}
}
