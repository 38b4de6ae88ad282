package telegram

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
)

// other polls as another program with the same token.
func (r *rig) other(timeout string) (updates []json.RawMessage) {
	r.Helper()
	req, err := http.NewRequestWithContext(r.ctx, http.MethodGet,
		r.api.URL()+"/bot"+r.api.Token()+"/getUpdates?timeout="+timeout, nil)
	if err != nil {
		r.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		r.Fatal(err)
	}
	defer resp.Body.Close()
	var out struct{ Result []json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		r.Fatal(err)
	}
	return out.Result
}

// A coordinator that dies between the commit of an update and its handling handles it once at
// its next start, even if Telegram delivers it again.
func TestUpdateSurvivesACrash(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, m := r.card("a1", "git push")
	r.close()
	query := r.tap(r.ann, m.ID, "Deny")
	r.open()
	raw := r.other("0") // taken, not acknowledged
	if len(raw) != 1 {
		t.Fatalf("%d updates", len(raw))
	}
	received, err := r.ch.link.number(raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.core.Receive(received); err != nil {
		t.Fatal(err)
	}
	r.restart()
	if text := r.awaitAnswer(query); text != "Denied." {
		t.Errorf("answered %q", text)
	}
	r.settled()
	if err := r.api.AwaitPoll(r.ctx); err != nil {
		t.Fatal(err)
	}
	answered := 0
	entries, err := r.core.Journal(r.ctx, 0, 1000, "", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Kind == event.AskAnswered && e.Subject == string(a.ID) {
			answered++
		}
	}
	if answered != 1 || len(r.api.CallbackAnswers()) != 1 {
		t.Errorf("answered %d times, told %d times", answered, len(r.api.CallbackAnswers()))
	}
}

// Waiting updates are handled even while Telegram is not reachable.
func TestLeftUpdatesNeedNoNetwork(t *testing.T) {
	r := newRig(t)
	r.pair()
	a, m := r.card("a1", "git push")
	r.close()
	r.tap(r.ann, m.ID, "Allow")
	r.open()
	received, err := r.ch.link.number(r.other("0"))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.core.Receive(received); err != nil {
		t.Fatal(err)
	}
	r.api.Stop()
	r.run()
	r.eventually("the tap counts", func() bool { return r.state(a.ID).State == ask.Answered })
}

func TestPoisonUpdates(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	for _, raw := range []string{
		`{}`, `{"message":null}`, `{"message":{}}`, `{"message":7}`, `{"message":{"text":7}}`,
		`{"message":{"chat":{"type":"private","id":"x"}}}`,
		`{"message":{"chat":{"type":"private","id":11}}}`, `{"callback_query":{}}`,
		`{"callback_query":{"message":null,"from":null}}`,
		`{"callback_query":[]}`, `{"purchased_something_new":{"a":[1,2]}}`,
		`{"message":{"message_id":1,"date":1,"chat":{"id":11,"type":"private"},"from":{"id":11},` +
			`"forward_origin":{"type":"new kind"}}}`,
		`{"message_reaction":{"chat":{"id":11,"type":"private"},"message_id":1,"date":1,"old_reaction":[],` +
			`"new_reaction":[{"type":"new kind"}]}}`,
	} {
		if _, err := r.api.Inject(raw); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
	}
	r.ann.Say(r.ann.ID, "/help")
	r.await("Tap Allow or Deny")
	left, err := r.core.Received(Name)
	if err != nil || len(left) != 0 {
		t.Errorf("left: %d, %v", len(left), err)
	}
}

// A tap can be read whatever unknown fields it has.
func TestTapBesideUnknownThings(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, m := r.card("a1", "git push")
	r.idle() // the message shows no text, so the channel must know it
	raw, err := json.Marshal(map[string]any{"callback_query": map[string]any{
		"id": "q1", "from": map[string]any{"id": 11, "first_name": "Ann"}, "data": answerData(a.Nonce, allow),
		"message": map[string]any{
			"message_id": m.ID, "date": 1, "chat": map[string]any{"id": 11, "type": "private"},
			"reply_to_message": map[string]any{"message_id": 1, "forward_origin": map[string]any{"type": "new kind"}},
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.api.Inject(string(raw)); err != nil {
		t.Fatal(err)
	}
	r.await("Allowed by Ann")
}

func TestPollFaults(t *testing.T) {
	tests := map[string]func(r *rig){
		"garbage":  func(r *rig) { r.api.Garbage("getUpdates") },
		"reset":    func(r *rig) { r.api.Reset("getUpdates") },
		"truncate": func(r *rig) { r.api.Truncate("getUpdates") },
		"drop":     func(r *rig) { r.api.DropReply("getUpdates") },
		"500":      func(r *rig) { r.api.FailNext("getUpdates", 500, "Internal Server Error", 0) },
		"conflict": func(r *rig) {
			r.api.FailNext("getUpdates", 409, "Conflict: terminated by other getUpdates request", 0)
		},
		"outage": func(r *rig) {
			r.api.Stop()
			if err := r.api.Start(); err != nil {
				r.Fatal(err)
			}
		},
	}
	for name, fault := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.pair()
			_, m := r.card("a1", "git push")
			r.close()
			query := r.tap(r.ann, m.ID, "Deny") // waits in the queue
			fault(r)
			r.open()
			r.run()
			if text := r.awaitAnswer(query); text != "Denied." {
				t.Errorf("answered %q", text)
			}
			r.settled()
			if n := len(r.api.CallbackAnswers()); n != 1 {
				t.Errorf("answered %d times", n)
			}
		})
	}
}

func TestPollHonoursRetryAfter(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	r.close()
	r.api.FailNext("getUpdates", 429, "Too Many Requests: retry after 1", 1)
	r.ann.Say(r.ann.ID, "/help")
	r.open()
	begun := time.Now()
	r.run()
	r.await("Tap Allow or Deny")
	if took := time.Since(begun); took < time.Second {
		t.Errorf("polled again after %s", took)
	}
}

func TestConflictIsNamedWhenItLasts(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	if err := r.api.AwaitPoll(r.ctx); err != nil {
		t.Fatal(err)
	}
	r.other("0") // ends our poll
	r.eventually("the conflict is noticed",
		func() bool { return strings.Contains(r.log.String(), "another program polls this bot") })
	if s := r.ch.Status(); s.Failing != "" {
		t.Errorf("named at once: %s", s.Failing)
	}
	if err := r.api.AwaitPoll(r.ctx); err != nil { // retried soon
		t.Fatal(err)
	}
	r.later.Store(int64(20 * time.Second))
	r.other("0")
	r.ann.Say(r.ann.ID, "/help") // between two pollers each gets answers now and then
	r.await("Tap Allow or Deny")
	if err := r.api.AwaitPoll(r.ctx); err != nil {
		t.Fatal(err)
	}
	r.later.Store(int64(31 * time.Second))
	r.other("0") // the same conflict as before
	r.eventually("the conflict is named", func() bool {
		return strings.HasPrefix(r.ch.Status().Failing, "another program polls this bot") &&
			strings.Contains(r.ch.Status().Failing, "(since ")
	})
	// The other program is gone. No messages come, and no clock moves.
	r.eventually("the conflict is over", func() bool { return r.ch.Status().Failing == "" })
}

func TestWebhookIsNamed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.close()
	r.api.FailNext("getUpdates", 409, "Conflict: can't use getUpdates method while webhook is active", 0)
	r.open()
	r.run()
	r.eventually("the webhook is named",
		func() bool { return strings.Contains(r.log.String(), "the bot has a webhook") })
}

func TestOutageIsSaidAndEnds(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.outage()
	if !r.ch.Status().Connected {
		t.Error("an outage is no disconnection")
	}
	if err := r.api.Start(); err != nil {
		t.Fatal(err)
	}
	r.eventually("the end shows before a long poll is over", func() bool { return r.ch.Status().Failing == "" })
}

func TestRefusedTokenStopsPolling(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.close()
	r.open()
	r.api.FailNext("getUpdates", 401, "Unauthorized", 0)
	if r.ch.link.poll(r.ctx); r.ctx.Err() != nil {
		t.Fatal("it went on polling")
	}
	if s := r.ch.Status(); !strings.Contains(s.Failing, "token refused") {
		t.Errorf("status %+v", s)
	}
	entries, err := r.core.Journal(r.ctx, 0, 1000, "", false)
	if err != nil || entries[len(entries)-1].Kind != event.TelegramFailing {
		t.Errorf("the journal ends with %+v, %v", entries[len(entries)-1], err)
	}
	r.api.FailNext("getUpdates", 401, "Unauthorized", 0)
	r.run()
	if err := r.api.AwaitFaults(r.ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ch.Connect(r.ctx, r.api.Token(), ""); err != nil {
		t.Fatal(err)
	}
	if err := r.api.AwaitPoll(r.ctx); err != nil {
		t.Fatal(err)
	}
	if s := r.ch.Status(); s.Failing != "" {
		t.Errorf("still failing: %s", s.Failing)
	}
}

// A poll that hangs ends with the channel.
func TestHangingPollEndsWithRun(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	release := r.api.Hang("getUpdates")
	defer release()
	r.ann.Say(r.ann.ID, "hello")
	if err := r.api.AwaitFaults(r.ctx); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	r.stop()
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("took %s to stop", took)
	}
}

// A poll that hangs longer than Telegram would hold it is abandoned.
func TestHangingPollIsGivenUp(t *testing.T) {
	t.Parallel()
	r := newStillRig(t)
	r.ch.pace.hold, r.ch.pace.slack = time.Second, time.Second
	if _, err := r.ch.Connect(r.ctx, r.api.Token(), r.api.URL()); err != nil {
		t.Fatal(err)
	}
	defer r.api.Hang("getUpdates")()
	r.run()
	r.ann.Say(r.ann.ID, "hello")
	r.await("Not paired yet")
}

// An update that cannot be committed is not acknowledged. An update that cannot be handled is
// kept.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for name, trigger := range map[string]string{
		"receive": `CREATE TRIGGER full BEFORE INSERT ON inbox BEGIN SELECT RAISE(ABORT, 'disk full'); END`,
		"handle":  `CREATE TRIGGER full BEFORE UPDATE ON inbox BEGIN SELECT RAISE(ABORT, 'disk full'); END`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.pair()
			a, m := r.card("a1", "git push")
			r.settled()
			r.sql(trigger)
			query := r.tap(r.ann, m.ID, "Deny")
			r.eventually("the failure", func() bool { return strings.Contains(r.log.String(), "disk full") })
			if got := r.state(a.ID); got.State != ask.Open || r.api.Pending() == 0 {
				t.Fatalf("the ask is %s, %d updates pending", got.State, r.api.Pending())
			}
			r.sql(`DROP TRIGGER full`)
			if text := r.awaitAnswer(query); text != "Denied." {
				t.Errorf("answered %q", text)
			}
			if r.state(a.ID).State != ask.Answered {
				t.Error("the tap was lost")
			}
		})
	}
}

// A card that was sent while no commit was possible is sent once.
func TestFullDiskAfterSending(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	r.sql(`CREATE TRIGGER full BEFORE INSERT ON copies BEGIN SELECT RAISE(ABORT, 'disk full'); END`)
	a, _ := r.card("a1", "git push")
	r.eventually("the failure", func() bool { return strings.Contains(r.log.String(), "disk full") })
	r.sql(`DROP TRIGGER full`)
	r.eventually("the card is noted", func() bool {
		cards, err := r.core.Copies(Name, a.ID)
		return err == nil && len(cards) == 1
	})
	if sent := r.api.Messages(r.ann.ID); len(sent) != 2 {
		t.Errorf("%d messages", len(sent))
	}
}

// A server that answers polls at once, without updates or with updates without ids, is not
// polled in a tight loop. No connection to it remains after Run.
func TestServerThatDoesNotHold(t *testing.T) {
	for result, fails := range map[string]bool{
		`[]`: false, `null`: false, `[{}]`: true, `{}`: true, `[7,{"update_id":"x"},{"update_id":-1}]`: true,
	} {
		t.Run(result, func(t *testing.T) {
			var polls, open atomic.Int64
			api := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if strings.HasSuffix(req.URL.Path, "getMe") {
					_, _ = w.Write([]byte(`{"ok":true,"result":{"is_bot":true,"username":"odd_bot"}}`))
					return
				}
				polls.Add(1)
				_, _ = w.Write([]byte(`{"ok":true,"result":` + result + `}`))
			}))
			api.Config.ConnState = func(_ net.Conn, s http.ConnState) {
				switch s {
				case http.StateNew:
					open.Add(1)
				case http.StateClosed:
					open.Add(-1)
				}
			}
			api.Start()
			defer api.Close()
			r := newStillRig(t)
			r.ch.pace.first = 50 * time.Millisecond
			if _, err := r.ch.Connect(r.ctx, r.api.Token(), api.URL); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(r.ctx)
			begun := time.Now()
			go func() {
				defer cancel()
				time.Sleep(500 * time.Millisecond)
				for ctx.Err() == nil && polls.Load() < 2 { // the machine may be busy
					time.Sleep(5 * time.Millisecond)
				}
			}()
			r.ch.Run(ctx)
			took := time.Since(begun)
			if n := polls.Load(); n < 2 || time.Duration(n-1)*r.ch.pace.first > took {
				t.Errorf("%d polls in %s", n, took)
			}
			if s := r.ch.Status(); (s.Failing != "") != fails {
				t.Errorf("status %+v", s)
			}
			r.eventually("all connections are closed", func() bool { return open.Load() == 0 })
		})
	}
}

func FuzzHandle(f *testing.F) {
	f.Add([]byte(`{"message":{"message_id":1,"text":"/start 123456","from":{"id":11},"chat":{"id":11,` +
		`"type":"private"}}}`))
	f.Add([]byte(`{"callback_query":{"id":"1","from":{"id":11},"data":"a:b:y","message":{"message_id":3,` +
		`"chat":{"id":11,"type":"private"}}}}`))
	f.Add([]byte(`{"message":{"text":"yes","from":{"id":11},"chat":{"id":11,"type":"private"},` +
		`"reply_to_message":{"message_id":3}}}`))
	f.Add([]byte(`{"message":{"message_id":5,"message_thread_id":4,"is_topic_message":true,"text":"yes",` +
		`"from":{"id":11},"chat":{"id":-9,"type":"supergroup","is_forum":true},"reply_to_message":{"message_id":4,` +
		`"forum_topic_created":{"name":"x"}}}}`))
	f.Add([]byte(`{"message":{"message_id":5,"text":"/start@afar_standin_bot 123456","from":{"id":11},` +
		`"chat":{"id":-9,"type":"group"}}}`))
	f.Add([]byte(`{"callback_query":{"id":"1","from":{"id":11},"data":"as:aa:bb","message":{"message_id":3,` +
		`"chat":{"id":-9,"type":"supergroup"}}}}`))
	f.Add([]byte(`{"callback_query":{"id":"1","from":{"id":11},"data":"g:aa:r","message":{"message_id":3,` +
		`"chat":{"id":11,"type":"private"}}}}`))
	r := newStillRig(f)
	l, err := r.ch.newLink(r.api.Token(), r.api.URL())
	if err != nil {
		f.Fatal(err)
	}
	a := r.ask("a1", "git push")
	id := int64(0)
	f.Fuzz(func(t *testing.T, raw []byte) {
		id++
		in := channel.Update{Channel: Name, ID: id, Body: raw}
		if err := r.core.Receive([]channel.Update{in}); err != nil {
			t.Fatal(err)
		}
		if err := l.handle(in); err != nil {
			t.Fatal(err)
		}
		if left, err := r.core.Received(Name); err != nil || len(left) != 0 {
			t.Fatalf("left: %d, %v", len(left), err)
		}
		if got, err := r.core.Ask(a.ID); err != nil || got.State != ask.Open || r.core.Person(Name) != nil {
			t.Fatalf("it decided something, and nobody is paired: %+v, %v", got, err)
		}
	})
}
