package botapi

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"
)

var hello = []field{{"chat_id", 42}, {"text", "hello"}}

func TestFailNext(t *testing.T) {
	s, c := start(t)
	ada(s)
	s.FailNext("sendMessage", 429, "Too Many Requests: retry after 3", 3)
	s.FailNext("SENDMESSAGE", 500, "Internal Server Error", 0)
	c.must("getMe", new(apiUser))
	if a := c.call("sendMessage", hello...); a.Code != 429 || a.Parameters.RetryAfter != 3 {
		t.Errorf("got %+v", a)
	}
	c.refused(500, "Internal Server Error", "sendMessage", hello...)
	if n := len(s.Messages(42)); n != 0 {
		t.Errorf("%d messages after two failures", n)
	}
	c.send("third time")
	if calls := s.Calls(); len(calls) != 4 || calls[1].Code != 429 || calls[3].Code != 200 {
		t.Errorf("calls: %+v", calls)
	}
}

func TestFaultForAnyMethodSparesPolling(t *testing.T) {
	s, c := start(t)
	s.FailNext("", 502, "Bad Gateway", 0)
	c.must("getUpdates", &[]rawUpdate{})
	c.refused(502, "Bad Gateway", "getMe")
	s.FailNext("getUpdates", 500, "Internal Server Error", 0)
	c.refused(500, "Internal Server Error", "getUpdates")
}

// TestBrokenAnswers checks that a test can see whether a call took effect, whatever broke.
func TestBrokenAnswers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fault  func(*Server)
		sent   int
		broken func(error) bool
	}{
		{"garbage", func(s *Server) { s.Garbage("sendMessage") }, 0, notJSON},
		{"reset", func(s *Server) { s.Reset("sendMessage") }, 0, wasReset},
		{"drop the reply", func(s *Server) { s.DropReply("sendMessage") }, 1, wasReset},
		{"truncate", func(s *Server) { s.Truncate("sendMessage") }, 1, notJSON},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, c := start(t)
			ada(s)
			tt.fault(s)
			if _, err := c.try(patient(t), "sendMessage", hello...); err == nil || !tt.broken(err) {
				t.Errorf("error: %v", err)
			}
			if n := len(s.Messages(42)); n != tt.sent {
				t.Errorf("%d messages, want %d", n, tt.sent)
			}
			c.send("all well")
		})
	}
}

func notJSON(err error) bool { return !wasReset(err) }

func wasReset(err error) bool { return errors.Is(err, syscall.ECONNRESET) }

func TestHang(t *testing.T) {
	s, c := start(t)
	ada(s)
	release := s.Hang("sendMessage")
	done := make(chan answer, 1)
	go func() {
		a, _ := c.try(context.Background(), "sendMessage", hello...)
		done <- a
	}()
	c.must("getMe", new(apiUser)) // the others go on
	if err := s.AwaitFaults(patient(t)); err != nil {
		t.Fatal(err)
	}
	if len(s.Messages(42)) != 0 {
		t.Error("a hanging call took effect")
	}
	release()
	release()
	if a := <-done; !a.OK || len(s.Messages(42)) != 1 {
		t.Errorf("after the release: %+v", a)
	}
}

func TestHangEndsWithTheBotOrTheServer(t *testing.T) {
	s, c := start(t)
	ada(s)
	for _, end := range []func(context.CancelFunc){
		func(hangUp context.CancelFunc) { hangUp() },
		func(context.CancelFunc) { s.Stop() },
	} {
		s.Hang("sendMessage")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		gone := make(chan error, 1)
		go func() {
			_, err := c.try(ctx, "sendMessage", hello...)
			gone <- err
		}()
		if err := s.AwaitFaults(patient(t)); err != nil {
			t.Fatal(err)
		}
		end(cancel)
		if err := <-gone; err == nil {
			t.Error("answered")
		}
	}
	if n := len(s.Messages(42)); n != 0 {
		t.Errorf("%d messages of calls that nobody waited for", n)
	}
}

func TestLimit(t *testing.T) {
	s, c := start(t)
	ada(s)
	s.Limit(42, 2, time.Hour)
	id := c.send("one")
	c.must("editMessageText", new(apiMessage), field{"chat_id", 42}, field{"message_id", id}, field{"text", "two"})
	a := c.call("sendMessage", hello...)
	wait := a.Parameters.RetryAfter
	want := "Too Many Requests: retry after " + sprint(wait)
	if a.Code != 429 || wait < 3590 || wait > 3600 || a.Description != want {
		t.Errorf("got %+v", a)
	}
	// What is no send or edit is free, and a refused call costs nothing.
	c.must("sendChatAction", new(bool), field{"chat_id", 42}, field{"action", "typing"})
	s.Limit(42, 0, 0)
	c.send("free again")
}

func TestCommonLimitCountsEachChat(t *testing.T) {
	s, c := start(t)
	u := ada(s)
	team := s.Forum(5, "Team")
	u.Say(team.ID, "hi")
	s.Limit(0, 1, time.Hour)
	inTeam := []field{{"chat_id", team.ID}, {"text", "hi"}}
	c.send("one")
	c.must("sendMessage", new(apiMessage), inTeam...)
	for _, fields := range [][]field{hello, inTeam} {
		if a := c.call("sendMessage", fields...); a.Code != 429 {
			t.Errorf("got %+v", a)
		}
	}
	s.Limit(0, 0, 0)
	c.send("free again")
}

// TestLimitWindow checks that the window slides, and that the announced wait is enforced
// even if the window ends earlier.
func TestLimitWindow(t *testing.T) {
	l := &limit{n: 2, per: 1500 * time.Millisecond}
	at := func(ms int) time.Time { return time.UnixMilli(int64(1_000_000 + ms)) }
	for _, tt := range []struct {
		ms, wait int // 0: let through
	}{
		{0, 0}, {500, 0}, {1000, 1}, {1600, 1}, {2000, 0}, {2400, 0}, {2500, 1}, {3499, 1}, {3500, 0},
	} {
		err := l.take(at(tt.ms))
		var refused *apiError
		wait := 0
		if errors.As(err, &refused) {
			wait = refused.retryAfter
		}
		if wait != tt.wait {
			t.Errorf("at %d ms: wait %d, want %d", tt.ms, wait, tt.wait)
		}
	}
}
