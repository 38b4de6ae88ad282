package noun

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestPace checks that a session posts only so much in a minute, and that another one is free.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{})
		for range pacePosts {
			if err := s.pace("web-1", 10); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.pace("web-1", 10); err == nil || !strings.Contains(err.Error(), "go on in 1m") {
			t.Errorf("one more: %v", err)
		}
		if err := s.pace("api-2", paceBytes); err != nil {
			t.Errorf("another session: %v", err)
		}
		if err := s.pace("api-2", 1); err == nil {
			t.Error("it posts without a bound")
		}
		time.Sleep(paceFor)
		if err := s.pace("web-1", 10); err != nil || len(s.posted) != 1 {
			t.Errorf("a minute later: %v, %v", err, s.posted)
		}
	})
}
