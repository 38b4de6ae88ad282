package channel

import (
	"testing"
	"time"
)

// TestRefusal checks when a refusal is told, and when the address is tried again.
func TestRefusal(t *testing.T) {
	a := Account{Person: &Person{ID: "1", Address: "1"}}
	blocked, left := Refusal{Why: "blocked"}, Refusal{Why: "left", Absent: true}
	at := noon
	step := func(what string, r Refusal, wait time.Duration, tell bool, pause time.Duration) {
		t.Helper()
		at = at.Add(wait)
		next, told := a.Refuse(r, at)
		a = next
		if got := a.Refused().Next.Sub(at); told != tell || min(got, time.Hour) != pause {
			t.Errorf("%s: told %v, tried again after %s", what, told, got)
		}
	}
	step("the first time", blocked, 0, true, time.Second)
	step("tried again", blocked, time.Second, false, 2*time.Second)
	step("in other words", Refusal{Why: "kicked"}, time.Second, false, 4*time.Second)
	for range 5 {
		a, _ = a.Refuse(blocked, at)
	}
	step("for long", blocked, time.Hour, false, longestHold)
	a = a.Accept(at)
	if a.Refused() != nil {
		t.Error("a refusal that is over counts")
	}
	step("again soon", blocked, time.Minute, false, time.Second)
	a = a.Accept(at)
	step("again much later", blocked, sameRefusal, true, time.Second)
	step("the person leaves", left, 0, true, time.Hour)
	step("a refusal does not bring them back", blocked, 0, false, time.Hour)
	a.Person = nil
	if a.Refused() != nil {
		t.Error("nobody is refused anything")
	}
}
