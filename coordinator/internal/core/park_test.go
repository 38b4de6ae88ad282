package core_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// TestParkedFor checks that a session waits for the answer to a parked call as long as an
// unattended ask lives, counted from the question.
func TestParkedFor(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	if left := r.ParkedFor("s"); left != 0 {
		t.Errorf("with nothing parked %v", left)
	}
	r.park("ask_a", "x")
	r.pass(4 * time.Minute)
	if left := r.ParkedFor("s"); left != ask.UnattendedFor-4*time.Minute {
		t.Errorf("after 4 minutes %v", left)
	}
	if left := r.ParkedFor("other"); left != 0 {
		t.Errorf("another session: %v", left)
	}
	r.park("ask_b", "y")
	_, err := r.Answer("ask_b", yes("Ada"))
	r.ok(err)
	if left := r.ParkedFor("s"); left != ask.UnattendedFor-4*time.Minute {
		t.Errorf("with one of two answered %v", left)
	}
	r.pass(ask.UnattendedFor)
	if left := r.ParkedFor("s"); left != 0 || !r.state("ask_a", ask.Expired).Parked {
		t.Errorf("at the end %v; the ask stays answerable", left)
	}
}

// TestTellLateRoom checks that answers for which there is no room are told by the next
// delivery, each once.
func TestTellLateRoom(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	for i := range 5 {
		id := fmt.Sprintf("ask_%d", i)
		r.park(id, fmt.Sprint(i)+strings.Repeat("x", 200)+fmt.Sprint(i))
		_, err := r.Answer(ask.ID(id), yes("Ada"))
		r.ok(err)
		r.pass(time.Second)
	}
	told := ""
	for i := range 5 {
		text, err := r.TellLate("s", fmt.Sprint("hook", i), 1000)
		r.ok(err)
		if len(text) > 1000 {
			t.Errorf("%d bytes at once", len(text))
		}
		told += text + "\n"
	}
	for i := range 5 {
		if n := strings.Count(told, fmt.Sprintf("x%d\n", i)); n != 1 {
			t.Errorf("call %d was told %d times:\n%s", i, n, told)
		}
	}
}
