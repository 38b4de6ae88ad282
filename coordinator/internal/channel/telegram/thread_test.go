package telegram

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	texts "github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

// inForum pairs ann in a forum.
func (r *rig) inForum() *botapi.Chat { return r.pairedIn(r.api.Forum(900, "Ann's machines")) }

// pairedIn pairs ann in a group, with away on.
func (r *rig) pairedIn(c *botapi.Chat) *botapi.Chat {
	r.Helper()
	if _, _, err := r.ch.StartPairing(); err != nil {
		r.Fatal(err)
	}
	r.ann.Say(c.ID, "/start@afar_standin_bot "+code)
	if m := r.await("Only Ann can answer"); m.Chat != c.ID || !strings.Contains(m.Text, "Paired with Ann") {
		r.Fatalf("welcomed with %+v", m)
	}
	if err := r.core.SetAway("", session.On, 0); err != nil {
		r.Fatal(err)
	}
	return c
}

// awaitIn waits for a message in a chat.
func (r *rig) awaitIn(chat int64, text string) botapi.Message {
	r.Helper()
	m, err := r.api.Await(r.ctx, func(m botapi.Message) bool {
		return m.Chat == chat && strings.Contains(m.Text, text)
	})
	if err != nil {
		r.Fatalf("no %q in chat %d: %v", text, chat, err)
	}
	return m
}

// asks opens an ask of a session and returns its card.
func (r *rig) asks(id session.ID, askID ask.ID, command string) botapi.Message {
	r.Helper()
	_, err := r.core.OpenCovered(ask.Ask{
		ID: askID, Kind: ask.Permission, Session: id, Tool: "Bash", Text: command,
		Hash: "1a2b3c4d5e6f" + string(askID), Attended: true,
	}, grant.Need{})
	if err != nil {
		r.Fatal(err)
	}
	return r.await(command)
}

// topics returns the topics of a forum that were not deleted.
func (r *rig) topics(f *botapi.Chat) (all []botapi.Topic) {
	for _, t := range r.api.Topics(f.ID) {
		if !t.Deleted {
			all = append(all, t)
		}
	}
	return all
}

// TestTopics checks that in a forum each session has one topic, however often we start.
// Messages about no session are sent to the general topic.
func TestTopics(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	f := r.inForum()
	one, two := r.session("s1"), r.session("s2")
	a := r.asks("s1", "a1", "git push")
	r.restart()
	b := r.asks("s1", "a2", "rm notes")
	c := r.asks("s2", "a3", "make")
	all := r.topics(f)
	if len(all) != 2 || all[0].Name != one || all[1].Name != two {
		t.Fatalf("topics %+v", all)
	}
	if a.Thread != all[0].ID || b.Thread != a.Thread || c.Thread != all[1].ID {
		t.Errorf("cards in %d, %d, %d of %+v", a.Thread, b.Thread, c.Thread, all)
	}
	if got := r.awaitAnswer(r.tap(r.ann, a.ID, "Allow")); !strings.Contains(got, "Allowed") {
		t.Errorf("the tap answered %q", got)
	}
	if _, err := r.ann.Reply(c.ID, "no"); err != nil {
		t.Fatal(err)
	}
	if m := r.await("Denied."); m.Thread != c.Thread {
		t.Errorf("answered in %d", m.Thread)
	}
	r.ann.Say(f.ID, "/status")
	if m := r.await("Open questions: 1"); m.Thread != 0 {
		t.Errorf("the general command was answered in topic %d", m.Thread)
	}
	r.ann.SayIn(f.ID, all[1].ID, "/sessions")
	if m := r.await(one + " · waiting"); m.Thread != all[1].ID {
		t.Errorf("the topic's command was answered in %d", m.Thread)
	}
}

// TestTextInTopic checks that a text in a session's topic is for that session.
func TestTextInTopic(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	f := r.inForum()
	token, other := r.session("s1"), r.session("s2")
	one, two := r.asks("s1", "a1", "git push"), r.asks("s2", "a2", "make")
	r.ann.SayIn(f.ID, one.Thread, "yes")
	if m := r.await("Allowed."); m.Thread != one.Thread {
		t.Errorf("answered in %d", m.Thread)
	}
	if r.state("a1").State != ask.Answered || r.state("a2").State != ask.Open {
		t.Error("the text reached another session")
	}
	r.ann.SayIn(f.ID, one.Thread, "then run the tests")
	r.await(token + " gets it")
	if got := r.took("s1", "hook"); got != "then run the tests" {
		t.Errorf("took %q", got)
	}
	r.asks("s2", "a3", "make lint")
	r.ann.SayIn(f.ID, two.Thread, "no")
	m := r.await("2 questions are open")
	if m.Thread != two.Thread || !strings.HasPrefix(m.Labels()[0], other) {
		t.Errorf("asked in %d: %q", m.Thread, m.Labels())
	}
	r.quietly("people talk to one another", func() {
		r.ann.Say(f.ID, "yes")
		at := r.ann.Say(f.ID, "shall we have lunch?")
		eve := r.api.User(66, "Eve")
		eve.SayIn(f.ID, one.Thread, "yes")
		if _, err := eve.Reply(at, "yes"); err != nil {
			t.Fatal(err)
		}
		if _, err := r.ann.Reply(at, "no"); err != nil {
			t.Fatal(err)
		}
		r.ann.Say(f.ID, "/away@another_bot off")
	})
	if r.state("a2").State != ask.Open || r.state("a3").State != ask.Open || len(r.core.Messages()) != 2 {
		t.Error("something said among people had an effect")
	}
}

// TestAnswerGoesBack checks that what a session answers to a text of the person is shown where
// that was written, also in the topic of another session, and nowhere else.
func TestAnswerGoesBack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	f := r.inForum()
	token := r.session("s1")
	r.session("s2")
	one, two := r.asks("s1", "a1", "git push"), r.asks("s2", "a2", "make")
	r.ann.SayIn(f.ID, one.Thread, "yes")
	r.await("Allowed.")
	r.ann.SayIn(f.ID, one.Thread, "which port is it?")
	r.await(token + " gets it")
	asked := r.core.Messages()[0]
	tell := func(text string, re texts.ID) botapi.Message {
		if _, err := r.core.Tell("s2", texts.Message{Key: text, Text: text, By: "s2", Re: re}); err != nil {
			t.Fatal(err)
		}
		return r.await(text)
	}
	if m := tell("it is 8080", asked.ID); m.Thread != one.Thread {
		t.Errorf("answered in topic %d; want %d", m.Thread, one.Thread)
	}
	if m := tell("the build is green", ""); m.Thread != two.Thread {
		t.Errorf("told in topic %d; want %d", m.Thread, two.Thread)
	}
}

// TestStrangersInGroup checks that other people in the group change nothing and are answered
// once, for a tap or a text.
func TestStrangersInGroup(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	f := r.inForum()
	r.session("s1")
	m := r.asks("s1", "a1", "git push")
	eve := r.api.User(66, "Eve")
	if got := r.awaitAnswer(r.tap(eve, m.ID, "Allow")); !strings.Contains(got, "belongs to somebody") {
		t.Errorf("the tap answered %q", got)
	}
	r.quietly("a stranger again", func() {
		r.tap(eve, m.ID, "Allow")
		if _, err := eve.Reply(m.ID, "yes"); err != nil {
			t.Fatal(err)
		}
		eve.Say(f.ID, "/pause")
		eve.SayIn(f.ID, m.Thread, "/away off")
	})
	mallory := r.api.User(67, "Mallory")
	if _, err := mallory.Reply(m.ID, "yes"); err != nil {
		t.Fatal(err)
	}
	if told := r.await("belongs to somebody"); told.Thread != m.Thread {
		t.Errorf("told in %d", told.Thread)
	}
	set := r.core.Settings()
	if r.state("a1").State != ask.Open || set.Paused || set.Away.Mode != session.On ||
		!isUser(r.core.Person(Name), r.ann.ID) {
		t.Errorf("a stranger changed something: %+v", set)
	}
	if got := r.awaitAnswer(r.tap(r.ann, m.ID, "Deny")); got != "Denied." {
		t.Errorf("then ann was told %q", got)
	}
}

// TestElsewhere checks that a person who moved to another chat is told so in the old one, and
// that a tap on an old card changes nothing.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, card := r.card("a0", "git pull")
	f := r.inForum()
	if m := r.awaitIn(f.ID, "git pull"); m.Thread == 0 {
		t.Fatalf("the open question did not move: %+v", m)
	}
	for range 2 {
		got := r.awaitAnswer(r.tap(r.ann, card.ID, "Allow"))
		if !strings.HasPrefix(got, "We talk in another chat now") || strings.Contains(got, "`") {
			t.Errorf("the tap answered %q", got)
		}
	}
	r.ann.Say(r.ann.ID, "yes")
	if m := r.await("We talk in another chat now"); m.Chat != r.ann.ID {
		t.Errorf("said in %d", m.Chat)
	}
	if r.state(a.ID).State != ask.Open {
		t.Error("the old chat decided")
	}
}

// TestTopicDeleted checks that a topic that people deleted is made again.
func TestTopicDeleted(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	f := r.inForum()
	token := r.session("s1")
	first := r.asks("s1", "a1", "git push")
	f.DeleteTopic(first.Thread)
	second := r.asks("s1", "a2", "rm notes")
	if all := r.topics(f); len(all) != 1 || all[0].ID != second.Thread || all[0].Name != token ||
		second.Thread == first.Thread {
		t.Errorf("card in %d of %+v", second.Thread, all)
	}
	f.DeleteTopic(second.Thread)
	if err := r.core.EndSession("s1", "exit"); err != nil { // nothing is there to be closed
		t.Fatal(err)
	}
	r.eventually("the topic is forgotten",
		func() bool { _, ok := r.core.Room(Name, "s1", chatAddress(f.ID)); return !ok })
}

// TestTopicsDenied: without the right all comes into one place, which is said
// once; with it the next session has its topic.
func TestTopicsDenied(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	f := r.inForum()
	f.ManageTopics(false)
	r.session("s1")
	r.session("s2")
	r.asks("s1", "a1", "git push")
	if m := r.asks("s2", "a2", "rm notes"); m.Thread != 0 {
		t.Errorf("a card in topic %d", m.Thread)
	}
	r.restart()
	third := r.asks("s1", "a3", "go build")
	said := 0
	for _, m := range r.api.Messages(f.ID) {
		if strings.Contains(m.Text, "may not make topics") {
			said++
		}
	}
	if said != 1 {
		t.Errorf("said %d times", said)
	}
	if got := r.awaitAnswer(r.tap(r.ann, third.ID, "Allow")); !strings.Contains(got, "Allowed") {
		t.Errorf("a tap answered %q", got)
	}
	f.ManageTopics(true)
	r.later.Store(int64(11 * time.Minute))
	if m := r.asks("s1", "a4", "make lint"); m.Thread == 0 {
		t.Error("the right was given, and there is no topic")
	}
}

// TestTopicFollowsSession: it is closed when the session ends and opened when it
// is resumed; cards in it stay answerable.
func TestTopicFollowsSession(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	f := r.inForum()
	r.session("s1")
	r.asks("s1", "a1", "git push")
	if err := r.core.EndSession("s1", "exit"); err != nil {
		t.Fatal(err)
	}
	closed := func(want bool) {
		t.Helper()
		r.eventually("the topic follows", func() bool {
			all := r.topics(f)
			known, _ := r.core.Room(Name, "s1", chatAddress(f.ID))
			return len(all) == 1 && all[0].Closed == want && known.Closed == want
		})
	}
	closed(true)
	r.restart()
	if _, err := r.core.See(session.Sighting{
		ID:     "s1",
		Cwd:    "/home/ann/s1",
		Hooked: true,
		Starts: true,
		State:  session.Idle,
	}); err != nil {
		t.Fatal(err)
	}
	closed(false)
}

// TestTopicFaults: whatever Telegram answers, each card is sent once, in a topic.
func TestTopicFaults(t *testing.T) {
	for name, fault := range map[string]func(r *rig){
		"slow down": func(r *rig) {
			r.api.FailNext("createForumTopic", 429, "Too Many Requests: retry after 1", 1)
		},
		"an error":          func(r *rig) { r.api.FailNext("createForumTopic", 500, "Internal Server Error", 0) },
		"garbage":           func(r *rig) { r.api.Garbage("createForumTopic") },
		"who the chat is":   func(r *rig) { r.api.FailNext("getChat", 500, "Internal Server Error", 0) },
		"the answer is cut": func(r *rig) { r.api.DropReply("createForumTopic") }, // then an empty topic is left behind
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			f := r.inForum()
			r.session("s1")
			fault(r)
			m := r.asks("s1", "a1", "git push")
			want := 1
			if name == "the answer is cut" {
				want = 2
			}
			if all := r.topics(f); len(all) != want || m.Thread != all[want-1].ID {
				t.Errorf("card in %d of %+v", m.Thread, all)
			}
		})
	}
}
