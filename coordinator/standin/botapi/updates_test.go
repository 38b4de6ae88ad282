package botapi

import (
	"context"
	"encoding/json"
	"io"
	"testing"
)

type rawUpdate struct {
	ID       int64       `json:"update_id"`
	Message  *apiMessage `json:"message"`
	Edited   *apiMessage `json:"edited_message"`
	Post     *apiMessage `json:"channel_post"`
	Callback *struct {
		ID      string     `json:"id"`
		From    apiUser    `json:"from"`
		Message apiMessage `json:"message"`
		Data    string     `json:"data"`
	} `json:"callback_query"`
	Reaction *json.RawMessage `json:"message_reaction"`
	Member   *json.RawMessage `json:"my_chat_member"`
}

// drain takes and confirms all updates that wait.
func (c *client) drain() []rawUpdate {
	c.t.Helper()
	var all []rawUpdate
	c.must("getUpdates", &all)
	if len(all) > 0 {
		c.must("getUpdates", &[]rawUpdate{}, field{"offset", all[len(all)-1].ID + 1})
	}
	return all
}

func texts(all []rawUpdate) []string {
	var out []string
	for _, u := range all {
		if u.Message != nil {
			out = append(out, u.Message.Text)
		}
	}
	return out
}

func TestOffset(t *testing.T) {
	for _, tt := range []struct {
		name    string
		offset  func(first int64) int64
		limit   int
		got     string
		pending int
	}{
		{"none gives all and confirms nothing", func(int64) int64 { return 0 }, 0, "[a b c d]", 4},
		{"the first confirms nothing", func(f int64) int64 { return f }, 0, "[a b c d]", 4},
		{"confirms what is before it", func(f int64) int64 { return f + 2 }, 0, "[c d]", 2},
		{"above all confirms all", func(f int64) int64 { return f + 99 }, 0, "[]", 0},
		{"negative keeps the last", func(int64) int64 { return -1 }, 0, "[d]", 1},
		{"negative beyond the start keeps all", func(int64) int64 { return -99 }, 0, "[a b c d]", 4},
		{"limit", func(f int64) int64 { return f + 1 }, 2, "[b c]", 3},
		{"limit out of range is the most", func(int64) int64 { return 0 }, 1000, "[a b c d]", 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, c := start(t)
			u := s.User(42, "Ada")
			for _, text := range []string{"a", "b", "c", "d"} {
				u.Say(42, text)
			}
			first := s.queue[0].id
			for range 2 { // what is not confirmed comes again
				var got []rawUpdate
				c.must("getUpdates", &got, field{"offset", tt.offset(first)}, field{"limit", tt.limit})
				if shown := sprint(texts(got)); shown != tt.got {
					t.Errorf("got %s, want %s", shown, tt.got)
				}
			}
			if n := s.Pending(); n != tt.pending {
				t.Errorf("pending %d, want %d", n, tt.pending)
			}
			// An offset above all does not swallow what comes later.
			u.Say(42, "later")
			if s.Pending() != tt.pending+1 {
				t.Error("a later update is lost")
			}
		})
	}
}

func TestLongPollWakes(t *testing.T) {
	s, c := start(t)
	u := s.User(42, "Ada")
	got := make(chan answer, 1)
	go func() {
		a, _ := c.try(context.Background(), "getUpdates", field{"timeout", 50})
		got <- a
	}()
	if err := s.AwaitPoll(patient(t)); err != nil {
		t.Fatal(err)
	}
	u.Say(42, "hi")
	var all []rawUpdate
	if err := json.Unmarshal((<-got).Result, &all); err != nil || len(all) != 1 || all[0].Message.Text != "hi" {
		t.Errorf("got %+v, %v", all, err)
	}
	if s.Waiting() {
		t.Error("the poll is answered and still open")
	}
}

func TestLongPollTimesOut(t *testing.T) {
	_, c := start(t)
	if a := c.call("getUpdates", field{"timeout", 1}); !a.OK || string(a.Result) != "[]" {
		t.Errorf("got %+v", a)
	}
}

// TestClientThatHangsUpEndsItsPoll checks that the server notices a client that hangs up,
// whatever body it sent, even one that nobody reads.
func TestClientThatHangsUpEndsItsPoll(t *testing.T) {
	for name, poll := range map[string]func(*client, context.Context) error{
		"multipart": func(c *client, ctx context.Context) error {
			_, err := c.try(ctx, "getUpdates", field{"timeout", 50})
			return err
		},
		"unread": func(c *client, ctx context.Context) error {
			_, err := c.post(ctx, "getUpdates?timeout=50", "text/plain", io.LimitReader(zeros{}, 10_000))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := start(t)
			u := s.User(42, "Ada")
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- poll(c, ctx) }()
			if err := s.AwaitPoll(patient(t)); err != nil {
				t.Fatal(err)
			}
			cancel()
			<-done
			if err := s.until(patient(t), func() bool { return s.poll == nil }); err != nil {
				t.Fatal("the server still waits for a client that is gone")
			}
			u.Say(42, "still here")
			if s.Pending() != 1 {
				t.Error("the update is lost")
			}
		})
	}
}

func TestNewerPollEndsTheOlder(t *testing.T) {
	s, c := start(t)
	u := s.User(42, "Ada")
	older, newer := make(chan answer, 1), make(chan answer, 1)
	poll := func(to chan answer) {
		a, _ := c.try(context.Background(), "getUpdates", field{"timeout", 50})
		to <- a
	}
	go poll(older)
	if err := s.AwaitPoll(patient(t)); err != nil {
		t.Fatal(err)
	}
	go poll(newer)
	if a := <-older; a.Code != 409 || a.status != 409 ||
		a.Description != "Conflict: terminated by other getUpdates request; "+
			"make sure that only one bot instance is running" {
		t.Errorf("older poll: %+v", a)
	}
	u.Say(42, "for the newer")
	if a := <-newer; !a.OK || len(a.Result) < 10 {
		t.Errorf("newer poll: %+v", a)
	}
	if s.Polls() != 2 {
		t.Errorf("counted %d polls", s.Polls())
	}
}

func TestWebhookStopsPolling(t *testing.T) {
	s, c := start(t)
	ada(s)
	c.must("setWebhook", new(bool), field{"url", "https://example.com/hook"})
	c.refused(
		409,
		"Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
		"getUpdates",
	)
	c.must("deleteWebhook", new(bool))
	if got := c.drain(); len(got) != 1 {
		t.Errorf("after deleteWebhook: %d updates", len(got))
	}
	s.User(42, "").Say(42, "drop me")
	c.must("deleteWebhook", new(bool), field{"drop_pending_updates", true})
	if s.Pending() != 0 {
		t.Error("drop_pending_updates kept one")
	}
}

func TestAllowedUpdatesAreRemembered(t *testing.T) {
	s, c := start(t)
	u := ada(s)
	id := c.send("hi")
	c.drain()
	react := func() int {
		t.Helper()
		if err := u.React(id, "👍"); err != nil {
			t.Fatal(err)
		}
		return s.Pending()
	}
	if n := react(); n != 0 {
		t.Error("a reaction comes without being asked for")
	}
	c.must("getUpdates", &[]rawUpdate{}, field{"allowed_updates", []string{"message_reaction"}})
	c.must("getUpdates", &[]rawUpdate{}) // does not name them: stays
	if n := react(); n != 1 {
		t.Errorf("asked for reactions, %d pending", n)
	}
	u.Say(42, "unasked")
	if n := s.Pending(); n != 1 {
		t.Errorf("a message comes past the filter, %d pending", n)
	}
	if got := c.drain(); got[0].Reaction == nil {
		t.Errorf("got %+v", got)
	}
	c.must("getUpdates", &[]rawUpdate{}, field{"allowed_updates", []string{}})
	u.Say(42, "default again")
	if n := s.Pending(); n != 1 {
		t.Errorf("an empty list is not the default set: %d pending", n)
	}
	c.refused(
		400, "Bad Request: can't parse list of allowed updates", "getUpdates", field{"allowed_updates", "message"},
	)
	c.refused(400, `Bad Request: parameter "offset" must be an integer`, "getUpdates", field{"offset", "last"})
}

func TestInject(t *testing.T) {
	s, c := start(t)
	u := s.User(42, "Ada")
	u.Say(42, "before")
	id, err := s.Inject(` { "quantum_entangled": {"spin": [1, null]} } `)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Inject(`{}`); err != nil {
		t.Fatal(err)
	}
	far := id + 1000
	if got, err := s.Inject(`{"message":{"forward_origin":{"type":"alien"}},"update_id":500001001}`); err != nil ||
		got != 500001001 {
		t.Errorf("own id: %d, %v", got, err)
	}
	u.Say(42, "after")
	var all []map[string]json.RawMessage
	c.must("getUpdates", &all)
	if len(all) != 5 || string(all[1]["quantum_entangled"]) != `{"spin":[1,null]}` {
		t.Errorf("got %d: %s", len(all), all)
	}
	var last int64
	for _, u := range all {
		var id int64
		if err := json.Unmarshal(u["update_id"], &id); err != nil || id <= last {
			t.Errorf("update ids do not rise: %d after %d, %v", id, last, err)
		}
		last = id
	}
	if last <= far-10 {
		t.Errorf("the last id %d is below the injected one", last)
	}
	for _, bad := range []string{"", "[]", "null", `"x"`, "{", `{"update_id":"x"}`, `{"update_id":5}`} {
		if _, err := s.Inject(bad); err == nil {
			t.Errorf("Inject(%q) is taken", bad)
		}
	}
}
