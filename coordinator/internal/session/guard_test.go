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

// TestRow: refusals count in a row, by the guard and by the person alike, until the person allows
// a call or another turn begins.
func TestRow(t *testing.T) {
	var s session.Session
	deny := func(turn string) { s, _ = session.Deny(s, turn, "r") }
	answer := func(turn string, allowed bool) { s = session.Answered(s, turn, allowed) }
	for i, step := range []struct {
		do   func()
		want int
	}{
		{func() { deny("a") }, 1}, {func() { answer("a", false) }, 2}, {func() { deny("a") }, 3},
		{func() { deny("a") }, 4}, {func() { answer("a", true) }, 0}, {func() { answer("a", false) }, 1},
		{func() { deny("b") }, 1}, {func() { answer("c", true) }, 0}, {func() { answer("c", false) }, 1},
	} {
		if step.do(); s.Denials.Row != step.want {
			t.Errorf("%d: %d in a row, want %d", i, s.Denials.Row, step.want)
		}
	}
	deny("d")
	answer("d", true)
	if _, n := session.Deny(s, "d", "r"); n != 2 {
		t.Errorf("an allowed call hides denials of the rule: %d", n)
	}
}
