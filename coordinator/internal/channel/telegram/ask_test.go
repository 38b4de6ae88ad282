package telegram

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

func TestCardFromQuestionToOutcome(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, m := r.card("a1", "git push")
	if got := fmt.Sprint(m.Labels()); got != "[Allow ✅ Deny ⛔]" {
		t.Errorf("buttons %s", got)
	}
	query := r.tap(r.ann, m.ID, "Allow")
	if text := r.awaitAnswer(query); text != "Allowed. The card will say how it turned out." {
		t.Errorf("the tap was answered %q", text)
	}
	got := r.state(a.ID)
	if got.State != ask.Answered || !got.Decision.Allow || got.Decision.By != "Ann" ||
		got.Decision.Channel != "telegram" {
		t.Errorf("the ask stands at %+v, %+v", got, got.Decision)
	}
	r.await("✅ Allowed by Ann at " + clock(got.Decision.At) + " · waiting for the session to take the answer")
	if _, err := r.core.ClaimAsk(a.ID, false); err != nil {
		t.Fatal(err)
	}
	err := r.core.Ran(ask.Outcome{Session: "s1", Tool: "Bash", Hash: a.Hash,
		Run: ask.Run{OK: true, Took: 1200 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	done := r.await("✅ Allowed by Ann at " + clock(got.Decision.At) + " · ran ok, 1.2 s")
	if done.ID != m.ID || len(done.Labels()) != 0 {
		t.Errorf("card #%d became #%d with buttons %v", m.ID, done.ID, done.Labels())
	}
	if sent := r.api.Messages(r.ann.ID); len(sent) != 2 { // the pairing's and the card
		t.Errorf("%d messages for one ask", len(sent))
	}
}

func TestDenyByTap(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, m := r.card("a1", "git push")
	if text := r.awaitAnswer(r.tap(r.ann, m.ID, "Deny")); text != "Denied." {
		t.Errorf("the tap was answered %q", text)
	}
	d := r.state(a.ID).Decision
	if d == nil || d.Allow || d.Message != "Denied by Ann on Telegram. Do not retry it; choose another way or ask." {
		t.Errorf("decision %+v", d)
	}
	r.await("⛔ Denied by Ann")
}

func TestSecondTapChangesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, m := r.card("a1", "git push")
	first, second := r.tap(r.ann, m.ID, "Deny"), r.tap(r.ann, m.ID, "Allow")
	r.awaitAnswer(first)
	if text := r.awaitAnswer(second); !strings.HasPrefix(text, "Too late: denied by Ann at ") {
		t.Errorf("the second tap was answered %q", text)
	}
	if r.state(a.ID).Decision.Allow {
		t.Error("the second tap won")
	}
}

// TestLateTap checks that a tap after the end of a question gets an accurate answer and
// changes nothing.
func TestLateTap(t *testing.T) {
	t.Parallel()
	answer := func(by string, scope ask.Scope) func(*rig, ask.ID) error {
		return func(r *rig, id ask.ID) error {
			_, err := r.core.Answer(id, ask.Decision{Allow: true, By: by, Channel: "terminal", Scope: scope})
			return err
		}
	}
	wait := func(d time.Duration) func(*rig, ask.ID) error {
		return func(r *rig, _ ask.ID) error {
			r.later.Add(int64(d))
			return r.core.Tick()
		}
	}
	outcome := func(took time.Duration) func(*rig, ask.ID) error {
		return func(r *rig, id ask.ID) error {
			_, err := r.core.ClaimAsk(id, false)
			return errors.Join(err, r.core.Ran(ask.Outcome{Session: "s1", Tool: "Bash", Hash: r.state(id).Hash,
				Run: ask.Run{OK: true, Took: took}}))
		}
	}
	for _, test := range []struct {
		name  string
		steps []func(*rig, ask.ID) error
		card  string // what the card says
		want  string // what the tap is answered
	}{
		{"Esc at the dialog", []func(*rig,
			ask.ID) error{func(r *rig, id ask.ID) error {
			_, err := r.core.CancelAsk(id, "ended at the terminal")
			return err
		}},
			"✖️ Cancelled: ended at the terminal", "Too late: ended at the terminal."},
		{"yes at the dialog", []func(*rig,
			ask.ID) error{func(r *rig, _ ask.ID) error { return r.core.LocallySettled("s1", r.now()) }},
			"🖥 Answered at the terminal", "Too late: answered at the terminal."},
		{"afar allow", []func(*rig, ask.ID) error{answer("ann at the terminal", ask.Once)},
			"✅ Allowed by ann at the terminal", "Too late: allowed by ann at the terminal at "},
		{"afar allow, and it ran", []func(*rig, ask.ID) error{answer("ann at the terminal", ask.Once),
			outcome(time.Millisecond)},
			"ran ok, 1 ms", "Too late: allowed by ann at the terminal at "},
		{"expired", []func(*rig, ask.ID) error{wait(ask.AttendedFor)},
			"⌛ Expired: nobody answered in time",
			"Too late: nobody answered in time; the question is now at the terminal alone."},
		{"the session ended", []func(*rig,
			ask.ID) error{func(r *rig, _ ask.ID) error { return r.core.EndSession("s1", "exit") }},
			"✖️ Cancelled: the session ended", "Too late: the session ended."},
		{"the hook went away", []func(*rig,
			ask.ID) error{func(r *rig, id ask.ID) error { _, err := r.core.LoseAsk(id); return err },
			wait(ask.RedialFor)},
			"💤 Withdrawn: the session's hook went away", "Too late: the session's hook went away."},
		{"the dialog was faster than the answer",
			[]func(*rig, ask.ID) error{wait(time.Minute), answer("ann at the terminal", ask.Once),
				outcome(50 * time.Second)},
			"🖥 Answered at the terminal · ran ok, 50.0 s", "Too late: answered at the terminal."},
		{"the grant that it gave was revoked",
			[]func(*rig, ask.ID) error{answer("Ann", ask.Session),
				func(r *rig, _ ask.ID) error { _, err := r.core.Revoke("grant_a1", "ann"); return err }},
			"✅ Allowed for the session (git push …) by Ann", "Too late: allowed by Ann at "},
		{"paused meanwhile, and over",
			[]func(*rig, ask.ID) error{func(r *rig, _ ask.ID) error { return r.core.Pause(true) },
				wait(ask.AttendedFor)},
			"⌛ Expired: nobody answered in time", "Too late: nobody answered in time"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.pair()
			m := r.offering("a1", "git push")
			for _, step := range test.steps {
				if err := step(r, "a1"); err != nil {
					t.Fatal(err)
				}
			}
			if done := r.await(test.card); done.ID != m.ID || len(done.Labels()) != 0 {
				t.Errorf("message #%d has buttons %v", done.ID, done.Labels())
			}
			before := r.state("a1")
			for range 2 { // a double tap
				if text := r.awaitAnswer(r.tap(r.ann, m.ID, "Allow")); !strings.HasPrefix(text, test.want) {
					t.Errorf("the late tap was answered %q", text)
				}
			}
			if got := r.state("a1"); got.State != before.State || got.Ending() != before.Ending() {
				t.Errorf("a late tap made %s of %s", got.Ending(), before.Ending())
			}
		})
	}
}

// offering opens an ask that may be allowed for the session, and returns its card.
func (r *rig) offering(id, command string) botapi.Message {
	r.Helper()
	_, err := r.core.See(session.Sighting{ID: "s1", Cwd: "/home/ann/shop", Hooked: true, Attended: true, KnowAtt: true})
	if err == nil {
		err = r.core.SetAway("", session.On, 0)
	}
	if err == nil {
		_, err = r.core.OpenCovered(ask.Ask{
			ID: ask.ID(id), Kind: ask.Permission, Session: "s1", Tool: "Bash", Text: command, Hash: "77",
			Cwd: "/home/ann/shop", Attended: true,
			Offer: &ask.Offer{Rules: []grant.Rule{{Tool: "Bash", Argv: strings.Fields(command), Text: command + " …"}}},
		}, grant.Need{})
	}
	if err != nil {
		r.Fatal(err)
	}
	return r.await(command)
}

// TestTapAfterTheGrace checks that a parked question can be answered once, within a day.
func TestTapAfterTheGrace(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	r.ask("other", "another one")
	if _, err := r.core.Park(ask.Ask{ID: "a1", Kind: ask.Guard, Session: "s1", Tool: "Bash", Text: "git push",
		Hash: "77"}); err != nil {
		t.Fatal(err)
	}
	m := r.await("⏸ Not run")
	if text := r.awaitAnswer(r.tap(r.ann, m.ID, "Deny")); text != "Denied. The call had been refused already." {
		t.Errorf("the tap was answered %q", text)
	}
	if text := r.awaitAnswer(r.tap(r.ann, m.ID, "Allow")); !strings.HasPrefix(text, "Too late: denied by Ann at ") {
		t.Errorf("a second tap was answered %q", text)
	}
	if _, err := r.core.Park(ask.Ask{ID: "a2", Kind: ask.Guard, Session: "s1", Tool: "Bash", Text: "git fetch",
		Hash: "78"}); err != nil {
		t.Fatal(err)
	}
	m = r.await("git fetch")
	r.later.Add(int64(ask.ParkedFor))
	if err := r.core.Tick(); err != nil {
		t.Fatal(err)
	}
	r.await("in this mode; nobody answered")
	if text := r.awaitAnswer(r.tap(r.ann, m.ID, "Allow")); !strings.HasPrefix(text, "Too late: not run") ||
		!strings.HasSuffix(text, "nobody answered.") {
		t.Errorf("a tap after a day was answered %q", text)
	}
}

func TestTapsThatDoNotCount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, m := r.card("a1", "git push")
	forge := func(user, chat int64, data string) {
		t.Helper()
		_, err := r.api.Inject(fmt.Sprintf(`{"callback_query":{"id":"q1","from":{"id":%d,"first_name":"X"},"data":%q,
			"message":{"message_id":%d,"date":1,"chat":{"id":%d,"type":"private"}}}}`, user, data, m.ID, chat))
		if err != nil {
			t.Fatal(err)
		}
	}
	yes := answerData(a.Nonce, allow)
	r.tap(r.api.User(66, "Eve"), m.ID, "Allow") // in Ann's chat
	forge(66, 66, yes)
	forge(11, -5, yes)
	forge(11, 0, yes)
	for _, bad := range []string{
		"", "a:", "a::y", "a:" + a.Nonce, yes + ":", a.Nonce, "a:" + a.Nonce + ":Y", "b:" + a.Nonce + ":y",
		"a:0000000000000000:y", strings.Repeat("x", 64),
	} {
		forge(11, 11, bad)
	}
	r.settled()
	if got := r.state(a.ID); got.State != ask.Open {
		t.Errorf("the ask is %s by %+v", got.State, got.Decision)
	}
	r.awaitAnswer(r.tap(r.ann, m.ID, "Allow"))
	for _, sent := range r.api.Messages(r.ann.ID) {
		if strings.Contains(sent.Text, "belongs to somebody") {
			t.Error("what a stranger did was answered in the person's chat")
		}
	}
}

func TestTapWithUnknownDataIsAnswered(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	gone := core.Press{Act: channel.Act{Channel: Name, Update: 1, Tap: "gone"}, Nonce: unknownNonce}
	r.ok(r.ch.cfg.Act(r.ctx, gone.Act, channel.OpPress, gone))
	call, err := r.api.AwaitCall(r.ctx, func(c botapi.Call) bool { return c.Method == "answerCallbackQuery" })
	if err != nil {
		t.Fatal(err)
	}
	if call.Params["text"] != "This question is no longer known. Nothing was changed." || call.Code != 400 {
		t.Errorf("call %+v", call)
	}
	r.ann.Say(r.ann.ID, "/help") // a query that is too old does not stop the lane
	r.await("Tap Allow or Deny")
}

func TestTextReplies(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text, answer, message string
		state                 ask.State
		allow                 bool
	}{
		{"yes", "Allowed.", "", ask.Answered, true},
		{" Y ", "Allowed.", "", ask.Answered, true},
		{"Allow!", "Allowed.", "", ask.Answered, true},
		{"no", "Denied.", "Denied by Ann on Telegram. Do not retry it; choose another way or ask.",
			ask.Answered, false},
		{"Deny.", "Denied.", "Denied by Ann on Telegram. Do not retry it; choose another way or ask.",
			ask.Answered, false},
		{"yes, but on staging", "Denied.", "yes, but on staging", ask.Answered, false},
		{"all", "Nothing was decided", "", ask.Open, false},
		{"/help", "Tap Allow", "", ask.Open, false},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.pair()
			other := r.ask("a0", "another one")
			a, m := r.card("a1", "git push")
			if _, err := r.ann.Reply(m.ID, test.text); err != nil {
				t.Fatal(err)
			}
			r.await(test.answer)
			got := r.state(a.ID)
			if got.State != test.state {
				t.Fatalf("the ask is %s", got.State)
			}
			if d := got.Decision; d != nil && (d.Allow != test.allow || d.Message != test.message || d.By != "Ann") {
				t.Errorf("decision %+v", d)
			}
			if r.state(other.ID).State != ask.Open {
				t.Error("the answer leaked into another ask")
			}
		})
	}
}

func TestRepliesThatDecideNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, m := r.card("a1", "git push")
	hello := r.ann.Say(r.ann.ID, "/help")
	r.await("Tap Allow or Deny")
	if _, err := r.ann.Reply(hello, "yes"); err != nil {
		t.Fatal(err)
	}
	_, err := r.api.Inject(fmt.Sprintf(`{"message":{
		"message_id":900,"date":1,"text":"yes",
		"from":{"id":11,"first_name":"Ann"},"chat":{"id":11,"type":"private"},
		"forward_origin":{"type":"user","date":1,"sender_user":{"id":66,"first_name":"Eve"}},
		"reply_to_message":{"message_id":%d,"date":1,"chat":{"id":11,"type":"private"}}}}`, m.ID))
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.api.Inject(fmt.Sprintf(`{"edited_message":{
		"message_id":901,"date":1,"text":"yes",
		"from":{"id":11,"first_name":"Ann"},"chat":{"id":11,"type":"private"},
		"reply_to_message":{"message_id":%d,"date":1,"chat":{"id":11,"type":"private"}}}}`, m.ID))
	if err != nil {
		t.Fatal(err)
	}
	r.settled()
	if got := r.state(a.ID); got.State != ask.Open {
		t.Errorf("the ask is %s by %+v", got.State, got.Decision)
	}
}

func TestReplyToSettledCard(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	_, m := r.card("a1", "git push")
	r.awaitAnswer(r.tap(r.ann, m.ID, "Deny"))
	if _, err := r.ann.Reply(m.ID, "yes"); err != nil {
		t.Fatal(err)
	}
	r.await("Too late: denied by Ann at ")
}

func TestAskThatEndedUnseenIsNotShown(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.idle()
	r.outage()
	a := r.ask("a1", "git push")
	if _, err := r.core.CancelAsk(a.ID, "Esc"); err != nil {
		t.Fatal(err)
	}
	r.idle() // no attempt with the open ask is on its way
	if err := r.api.Start(); err != nil {
		t.Fatal(err)
	}
	r.ann.Say(r.ann.ID, "/status")
	r.await("Open questions: 0")
	for _, m := range r.api.Messages(r.ann.ID) {
		if strings.Contains(m.Text, "git push") {
			t.Errorf("sent %q", m.Text)
		}
	}
}

// A card that arrived although its sending failed is sent again. One tap counts, and both
// cards get the same end.
func TestCardWhoseReplyWasLost(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	r.api.DropReply("sendMessage")
	a := r.ask("a1", "git push")
	var cards []botapi.Message
	r.eventually("two cards", func() bool {
		cards = r.api.Messages(r.ann.ID)[1:]
		return len(cards) == 2
	})
	if !strings.Contains(cards[1].Text, "↻ You may see this twice; either one counts.") {
		t.Errorf("the cards say\n%s\n\n%s", cards[0].Text, cards[1].Text)
	}
	r.awaitAnswer(r.tap(r.ann, cards[0].ID, "Allow"))
	if got := r.state(a.ID); !got.Decision.Allow {
		t.Errorf("decision %+v", got.Decision)
	}
	r.eventually("both cards without buttons", func() bool {
		all := r.api.Messages(r.ann.ID)[1:]
		return len(all) == 2 && len(all[0].Labels()) == 0 && len(all[1].Labels()) == 0
	})
}

func TestSendingFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		set  func(api *botapi.Server)
	}{
		{"429", func(api *botapi.Server) { api.FailNext("sendMessage", 429, "Too Many Requests: retry after 1", 1) }},
		{"500", func(api *botapi.Server) { api.FailNext("sendMessage", 500, "Internal Server Error", 0) }},
		{"garbage", func(api *botapi.Server) { api.Garbage("sendMessage") }},
		{"reset", func(api *botapi.Server) { api.Reset("sendMessage") }},
		{"entities", func(api *botapi.Server) {
			api.FailNext("sendMessage", 400, "Bad Request: can't parse entities: Unsupported start tag", 0)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.pair()
			test.set(r.api)
			begun := time.Now()
			_, m := r.card("a1", "git push && echo '<b>'")
			if len(m.Labels()) != 2 {
				t.Errorf("the card has buttons %v", m.Labels())
			}
			if took := time.Since(begun); test.name == "429" && took < time.Second {
				t.Errorf("retry_after was not honoured: %s", took)
			}
			if want := map[bool]string{true: "", false: "HTML"}[test.name == "entities"]; m.Mode != want {
				t.Errorf("parse mode %q", m.Mode)
			}
		})
	}
}

func TestEditingFaults(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		"message is not modified: specified new message content", "message to edit not found",
		"can't parse entities: whatever",
	} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.pair()
			a, _ := r.card("a1", "git push")
			r.api.FailNext("editMessageText", 400, "Bad Request: "+words, 0)
			if _, err := r.core.CancelAsk(a.ID, "Esc"); err != nil {
				t.Fatal(err)
			}
			if err := r.api.AwaitFaults(r.ctx); err != nil {
				t.Fatal(err)
			}
			r.ann.Say(r.ann.ID, "/help") // the lane goes on
			r.await("Tap Allow or Deny")
			r.ok(r.store.Flush())
			cards, err := r.core.Copies(Name, a.ID)
			if err != nil || len(cards) != 1 {
				t.Fatalf("%+v, %v", cards, err)
			}
			want := render(ask.Card{r.state(a.ID)},
				place{name: "shop", token: "shop-" + tokenEnd(r), project: "/home/ann/shop", machine: "lab",
					home: "/home/ann"}).digest()
			if noted := cards[0].Shown == want; noted == strings.Contains(words, "not found") {
				t.Errorf("noted as shown: %v", noted)
			}
			if strings.Contains(words, "entities") {
				r.await("Cancelled: Esc")
			}
		})
	}
}

func tokenEnd(r *rig) string {
	v, err := r.core.Session("s1")
	if err != nil {
		r.Fatal(err)
	}
	return strings.TrimPrefix(v.Token, "shop-")
}

func TestSameCardIsNotEdited(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, _ := r.card("a1", "git push")
	if _, err := r.core.LoseAsk(a.ID); err != nil { // writes the card's action, changes nothing on it
		t.Fatal(err)
	}
	r.ann.Say(r.ann.ID, "/help")
	r.await("Tap Allow or Deny")
	for _, c := range r.api.Calls() {
		if c.Method == "editMessageText" {
			t.Errorf("edited: %+v", c)
		}
	}
}

func TestNotices(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	_, err := r.api.Inject(`{"message":{"message_id":900,"date":1,"text":"hi","from":{"id":11,"first_name":"Ann"},` +
		`"chat":{"id":11,"type":"private"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	r.settled()
	long := strings.Repeat("<&>😀", 2000)
	if err := r.core.Acknowledge(channel.Act{Channel: Name, Update: 1, At: chatAddress(r.ann.ID)},
		"begin "+long+" `end`"); err != nil {
		t.Fatal(err)
	}
	m := r.await("begin")
	if n := units(m.Text); n > maxText || !strings.HasSuffix(m.Text, "end") ||
		!strings.Contains(m.Text, "of 8012 characters left out") {
		t.Errorf("%d units: %.60q … %q", n, m.Text, m.Text[len(m.Text)-60:])
	}
}

func TestLongAnswerToATap(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, m := r.card("a1", "git push")
	if _, err := r.core.CancelAsk(a.ID, strings.Repeat("long ", 200)); err != nil {
		t.Fatal(err)
	}
	if text := r.awaitAnswer(r.tap(r.ann, m.ID, "Allow")); units(text) > maxTap ||
		!strings.HasPrefix(text, "Too late: long") {
		t.Errorf("answered %q", text)
	}
}

// A card that was deleted does not keep another card of the same ask from being edited.
func TestGoneCardBesideAnother(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, first := r.card("a1", "git push")
	second := messageID(r.ann.ID, int64(first.ID)-1) // no message of ours
	if err := r.core.Sent(store.Action{}, channel.Copy{Ask: a.ID, Channel: Name, Message: second}); err != nil {
		t.Fatal(err)
	}
	r.sql(fmt.Sprintf(`UPDATE copies SET rowid = -1 WHERE message = '%s'`, second)) // it comes first
	r.api.FailNext("editMessageText", 400, "Bad Request: message to edit not found", 0)
	if _, err := r.core.CancelAsk(a.ID, "Esc"); err != nil {
		t.Fatal(err)
	}
	if m := r.await("Cancelled: Esc"); m.ID != first.ID {
		t.Errorf("edited #%d", m.ID)
	}
}

// TestLongInputIsAFile checks that an input that is too long for a card is sent once as a
// masked file. A reply to the file is a reply to the card.
func TestLongInputIsAFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ tool, input, file, end string }{
		{"Bash", fmt.Sprintf(`{"command":"cat <<END\n%sEND"}`,
			strings.Repeat(`a line with password=hunter2hunter2\n`, 300)), "command.sh", "END"},
		{"Write", fmt.Sprintf(`{"file_path":"/home/ann/shop/a","content":"%slast"}`,
			strings.Repeat(`a line with password=hunter2hunter2\n`, 300)), "change.diff", "+ last"},
		{"mcp__mail__send", fmt.Sprintf(`{"text":"%slast"}`,
			strings.Repeat(`a line with password=hunter2hunter2 `, 300)), "input.txt", "}"},
	} {
		t.Run(test.tool, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.pair()
			r.api.FailNext("sendDocument", 500, "Internal Server Error", 0)
			a := r.openKind("a1", ask.Permission, test.tool, test.input)
			card := r.await("characters left out")
			file, err := r.api.Await(r.ctx, func(m botapi.Message) bool { return m.Document != nil })
			if err != nil {
				t.Fatalf("%v\nlog:\n%s", err, r.log)
			}
			text := string(file.Document.Data)
			if file.Document.Name != test.file || file.ReplyTo != card.ID ||
				strings.Count(text, "a line with") != 300 ||
				!strings.HasSuffix(text, test.end) || strings.Contains(text, "hunter2") {
				t.Errorf("%s below #%d has %d bytes, and ends with %q", file.Document.Name, file.ReplyTo, len(text),
					text[max(0, len(text)-20):])
			}
			r.eventually("the file is noted",
				func() bool { cards, _ := r.core.Copies(Name, a.ID); return len(cards) == 2 })
			if _, err := r.ann.Reply(file.ID, "not in this file"); err != nil {
				t.Fatal(err)
			}
			r.await("⛔ Denied by Ann")
			if d := r.state(a.ID).Decision; d == nil || d.Allow || d.Message != "not in this file" {
				t.Errorf("the decision is %+v", d)
			}
			files := 0
			for _, m := range r.api.Messages(r.ann.ID) {
				if m.Document != nil {
					files++
				}
			}
			if files != 1 {
				t.Errorf("%d files were sent", files)
			}
		})
	}
}
