package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/wire"
)

func mustDecode(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("decode %q: %v", text, err)
	}
}

// TestJSON: --json prints the coordinator's reply, including unknown fields.
func TestJSON(t *testing.T) {
	s := newShell(t)
	c := s.serve()
	c.on(wire.OpAsks, func(json.RawMessage) wire.Reply {
		return wire.Reply{V: 1, Body: wire.Raw(`{"asks":[{"id":"ask_1","new":1.50}]}`)}
	})
	if code := s.run("asks", "--json"); code != 0 {
		t.Fatalf("exit %d: %s", code, &s.stderr)
	}
	want := "{\n  \"asks\": [\n    {\n      \"id\": \"ask_1\",\n      \"new\": 1.50\n    }\n  ]\n}\n"
	if diff := cmp.Diff(want, s.stdout.String()); diff != "" {
		t.Error(diff)
	}
	if code := s.run("call", "asks"); code != 0 ||
		s.stdout.String() != `{"v":1,"code":"","body":{"asks":[{"id":"ask_1","new":1.50}]}}`+"\n" {
		t.Errorf("call: exit %d: %s", code, &s.stdout)
	}
}

func TestLog(t *testing.T) {
	s := newShell(t)
	entries := []wire.Entry{
		{Seq: 7, ID: "7", At: before(time.Minute), Kind: "ask.opened", Text: "api-1a2b: Bash asks"},
		{Seq: 8, ID: "8", At: before(0), Kind: "pause.set", Text: "paused"},
	}
	c := s.serve().says(wire.OpLog, wire.LogReply{Entries: entries})
	if code := s.run("log", "-n", "2", "--session", "api-1a2b"); code != 0 {
		t.Fatalf("exit %d: %s", code, &s.stderr)
	}
	if got, want := c.body(wire.OpLog), `{"after":0,"limit":2,"session":"api-1a2b","last":true}`; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	want := time.UnixMilli(before(time.Minute)).UTC().Format("15:04:05") +
		"      ask.opened            api-1a2b: Bash asks\n" +
		"12:00:00      pause.set             paused\n"
	if diff := cmp.Diff(want, s.stdout.String()); diff != "" {
		t.Error(diff)
	}
	if code := s.run("log", "--json"); code != 0 || strings.Count(s.stdout.String(), "\n") != 2 {
		t.Errorf("exit %d: %s", code, &s.stdout)
	}
	var first wire.Entry
	mustDecode(t, strings.SplitN(s.stdout.String(), "\n", 2)[0], &first)
	if first != entries[0] {
		t.Errorf("first line %+v", first)
	}
}

// TestLogFollow: log --follow continues after the last entry, and ends without an error.
func TestLogFollow(t *testing.T) {
	s := newShell(t)
	fresh := make(chan wire.LogRequest)
	s.serve().on(wire.OpLog, func(body json.RawMessage) wire.Reply {
		var q wire.LogRequest
		if err := json.Unmarshal(body, &q); err != nil {
			t.Error(err)
		}
		if q.Last {
			return wire.Reply{V: 1, Body: wire.Raw(`{"entries":[{"seq":7,"text":"old"}]}`)}
		}
		fresh <- q
		return wire.Reply{V: 1, Body: wire.Raw(`{"entries":[{"seq":9,"text":"new"}]}`)}
	})
	ctx, cancel := context.WithCancel(t.Context())
	code := make(chan int)
	go func() { code <- s.runIn(ctx, "log", "-f", "-n", "0") }()
	if q := <-fresh; q.After != 7 || q.WaitMS == 0 {
		t.Errorf("first wait: %+v", q)
	}
	if q := <-fresh; q.After != 9 {
		t.Errorf("second wait: %+v", q)
	}
	cancel()
	if got := <-code; got != 0 || strings.Contains(s.stdout.String(), "old") ||
		!strings.Contains(s.stdout.String(), "new") {
		t.Errorf("exit %d: %s%s", got, &s.stdout, &s.stderr)
	}
	select { // the wait that was under way when the command ended
	case <-fresh:
	case <-time.After(100 * time.Millisecond):
	}
}
