package session

import (
	"fmt"
	"testing"
)

func TestTell(t *testing.T) {
	s := Session{}.Tell("one").Tell("two").Tell("one")
	if len(s.Tells) != 2 {
		t.Fatalf("%+v", s.Tells)
	}
	steps := []struct {
		delivery string
		room     int
		want     string
		left     int
	}{
		{"a", 5, "one", 2},       // no room for the second
		{"a", 50, "one\ntwo", 2}, // the reply was lost
		{"b", 50, "", 0},         // it has arrived
		{"b", 50, "", 0},
	}
	for i, step := range steps {
		var got string
		if s, got = s.Deliver(step.delivery, step.room); got != step.want || len(s.Tells) != step.left {
			t.Errorf("step %d: %q, left %+v", i, got, s.Tells)
		}
	}
	s, _ = Session{}.Tell("one").Deliver("a", 50)
	if _, got := s.Undeliver("a").Deliver("b", 50); got != "one" {
		t.Errorf("what never arrived is told as %q", got)
	}
	if _, got := s.Deliver("b", 50); got != "" {
		t.Errorf("told twice: %q", got)
	}
	for i := range 20 {
		s = s.Tell(fmt.Sprint(i))
	}
	if len(s.Tells) != maxTells || s.Tells[maxTells-1].Text != "19" {
		t.Errorf("%+v", s.Tells)
	}
}
