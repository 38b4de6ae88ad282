package telegram

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	texts "github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

// session starts a session of ann's and returns its token.
func (r *rig) session(id session.ID) string {
	r.Helper()
	v, err := r.core.See(session.Sighting{
		ID:       id,
		Cwd:      "/home/ann/" + string(id),
		Hooked:   true,
		Attended: true,
		KnowAtt:  true,
		State:    session.Idle,
	})
	if err != nil {
		r.Fatal(err)
	}
	return v.Token
}

// stops stops the session of a check-in with it. It returns whether the check-in was opened.
func (r *rig) stops(a ask.Ask) (bool, error) {
	out, err := r.core.Stop(core.Stopping{
		Session: a.Session, Terminal: true, Hold: time.Minute, CheckIn: a, Holder: session.Process{PID: 4711},
		Delivery: string(a.ID),
	})
	r.core.Publish()
	return out.CheckIn, err
}

// checkIn lets a session stop while ann is away and returns its card.
func (r *rig) checkIn(id session.ID, askID ask.ID, said string) botapi.Message {
	r.Helper()
	if err := r.core.SetAway("", session.On, 0); err != nil {
		r.Fatal(err)
	}
	hold, err := r.stops(ask.NewCheckIn(askID, id, said, "/home/ann/x"))
	if err != nil || !hold {
		r.Fatalf("hold %v: %v", hold, err)
	}
	return r.await(said)
}

// took returns the texts that a hook of the session takes now.
func (r *rig) took(id session.ID, delivery string) string {
	r.Helper()
	d, err := r.core.Deliver(id, delivery, session.Process{})
	if err != nil {
		r.Fatal(err)
	}
	return d.Text
}

func TestCheckInCard(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	r.session("s1")
	m := r.checkIn("s1", "c1", "All <b>done</b> & green")
	if got := m.Labels(); len(got) != 1 || !strings.HasPrefix(got[0], "Done") {
		t.Errorf("buttons %q", got)
	}
	if _, err := r.ann.Reply(m.ID, "yes"); err != nil { // a bare yes is an instruction here
		t.Fatal(err)
	}
	r.await("Sent.")
	if got := r.took("s1", "hook-1"); got != "yes" {
		t.Errorf("the session took %q", got)
	}
	r.await("the session has it")
	if _, err := r.ann.Reply(m.ID, "and more\n  of it"); err != nil {
		t.Fatal(err)
	}
	r.await("gets it")
	if got := r.took("s1", "hook-2"); got != "and more\n  of it" {
		t.Errorf("then it took %q", got)
	}
	next := r.checkIn("s1", "c2", "stopped again")
	if got := r.awaitAnswer(r.tap(r.ann, next.ID, "Done")); !strings.Contains(got, "rests") {
		t.Errorf("Done answered %q", got)
	}
	if got := r.awaitAnswer(r.tap(r.ann, next.ID, "Done")); !strings.Contains(got, "Too late: dismissed by Ann") {
		t.Errorf("a second Done answered %q", got)
	}
	if got := r.took("s1", "hook-3"); got != "" {
		t.Errorf("Done made a text: %q", got)
	}
}

// TestCheckInSettledElsewhere checks that a late reply has no effect and gets the reason.
func TestCheckInSettledElsewhere(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]struct {
		act  func(r *rig) error
		want string
	}{
		"typed": {func(r *rig) error { return r.core.Typed("s1", "") }, "at the terminal"},
		"ended": {func(r *rig) error { return r.core.EndSession("s1", "exit") }, "the session ended"},
		"escape": {func(r *rig) error { _, err := r.core.CancelAsk("c1", "ended at the terminal"); return err },
			"ended at the terminal"},
		"paused": {func(r *rig) error { return r.core.Pause(true) }, "Afar was paused"},
		"stopped": {func(r *rig) error {
			_, err := r.stops(ask.NewCheckIn("c2", "s1", "newer", "/x"))
			return err
		}, "newer check-in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.pair()
			r.session("s1")
			m := r.checkIn("s1", "c1", "stopped here")
			if err := end.act(r); err != nil {
				t.Fatal(err)
			}
			if _, err := r.ann.Reply(m.ID, "go on"); err != nil {
				t.Fatal(err)
			}
			if got := r.await("Too late").Text; !strings.Contains(got, end.want) {
				t.Errorf("the answer is %q", got)
			}
			if got := r.took("s1", "hook"); got != "" {
				t.Errorf("a late reply was handed over: %q", got)
			}
		})
	}
}

func TestTextWithoutReply(t *testing.T) {
	t.Parallel()
	t.Run("no session", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.pair()
		r.ann.Say(r.ann.ID, "go on")
		r.await("No session runs now")
	})
	t.Run("one session", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.pair()
		token := r.session("s1")
		r.ann.Say(r.ann.ID, "run   the tests")
		r.await(token + " gets it with its next prompt")
		if got := r.took("s1", "hook"); got != "run   the tests" {
			t.Errorf("took %q", got)
		}
		r.ann.Say(r.ann.ID, "yes")
		r.await("No question is open")
		if got := r.took("s1", "hook-2"); got != "" {
			t.Errorf("a bare yes became %q", got)
		}
	})
	t.Run("one open question", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.pair()
		a, _ := r.card("a1", "git push")
		r.ann.Say(r.ann.ID, "Yes!")
		r.await("Allowed.")
		if got := r.state(a.ID); got.Decision == nil || !got.Decision.Allow {
			t.Errorf("the ask is %+v", got)
		}
		b, _ := r.card("a2", "rm notes")
		r.ann.Say(r.ann.ID, "use git mv")
		r.await("Denied.")
		if got := r.state(b.ID).Decision; got == nil || got.Allow || got.Message != "use git mv" {
			t.Errorf("decision %+v", got)
		}
	})
	t.Run("two open questions", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.pair()
		a, _ := r.card("a1", "git push")
		b, _ := r.card("a2", "rm notes")
		r.ann.Say(r.ann.ID, "yes")
		m := r.await("2 questions are open, so nothing was decided")
		if r.state(a.ID).State != ask.Open || r.state(b.ID).State != ask.Open {
			t.Error("a bare yes decided one of two")
		}
		if strings.Contains(m.Text, "git push") || len(m.Labels()) != 3 {
			t.Errorf("asked %q %q", m.Text, m.Labels())
		}
		r.restart() // the text outlives the coordinator
		choice := callback{chooseAsk, r.textNonce(), b.Nonce}.String()
		if got := r.awaitAnswer(r.tap(r.ann, m.ID, choice)); !strings.Contains(got, ": Allowed.") {
			t.Errorf("the tap answered %q", got)
		}
		if r.state(a.ID).State != ask.Open || r.state(b.ID).State != ask.Answered {
			t.Error("the choice reached another question")
		}
		choice = callback{chooseAsk, r.textNonce(), a.Nonce}.String()
		if got := r.awaitAnswer(r.tap(r.ann, m.ID, choice)); !strings.Contains(got, "used already") {
			t.Errorf("a second tap answered %q", got)
		}
		if m := r.await(": Allowed."); len(m.Labels()) != 0 {
			t.Errorf("the buttons are still there: %q", m.Labels())
		}
	})
	t.Run("two open questions, none meant", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.pair()
		a, _ := r.card("a1", "git push")
		b, _ := r.card("a2", "rm notes")
		r.ann.Say(r.ann.ID, "use git mv")
		m := r.await("a no, with your words")
		if got := r.awaitAnswer(r.tap(r.ann, m.ID, "None")); !strings.Contains(got, "Nothing was decided") {
			t.Errorf("the tap answered %q", got)
		}
		if r.state(a.ID).State != ask.Open || r.state(b.ID).State != ask.Open {
			t.Error("none was decided all the same")
		}
	})
	t.Run("two open questions, the one meant is settled", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.pair()
		a, _ := r.card("a1", "git push")
		b, _ := r.card("a2", "rm notes")
		r.ann.Say(r.ann.ID, "use git mv")
		m := r.await("a no, with your words")
		if _, err := r.core.CancelAsk(a.ID, "ended at the terminal"); err != nil {
			t.Fatal(err)
		}
		choice := callback{chooseAsk, r.textNonce(), a.Nonce}.String()
		if got := r.awaitAnswer(r.tap(r.ann, m.ID, choice)); got != "Too late: ended at the terminal." {
			t.Errorf("the tap answered %q", got)
		}
		r.awaitAnswer(r.tap(r.ann, m.ID, callback{chooseAsk, r.textNonce(), b.Nonce}.String()))
		if got := r.state(b.ID).Decision; got == nil || got.Allow || got.Message != "use git mv" {
			t.Errorf("decision %+v", got)
		}
	})
	t.Run("a question that has not left the terminal", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.pair()
		if err := r.core.SetAway("", session.Off, 0); err != nil {
			t.Fatal(err)
		}
		r.session("s1")
		a, err := r.core.OpenCovered(ask.Ask{
			ID:       "a1",
			Kind:     ask.Permission,
			Session:  "s1",
			Tool:     "Bash",
			Text:     "git push",
			Hash:     "1a2b3c4d",
			Attended: true,
		}, grant.Need{})
		if err != nil {
			t.Fatal(err)
		}
		r.ann.Say(r.ann.ID, "yes")
		r.await("No question is open")
		if r.state(a.ID).State != ask.Open {
			t.Error("what the person never saw was decided")
		}
	})
	t.Run("two sessions", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.pair()
		r.session("s1")
		token := r.session("s2")
		r.ann.Say(r.ann.ID, "go on")
		m := r.await("Which session")
		if len(m.Labels()) != 2 {
			t.Fatalf("buttons %q", m.Labels())
		}
		r.close() // the text outlives the coordinator
		r.open()
		r.run()
		if got := r.awaitAnswer(r.tap(r.ann, m.ID, token)); !strings.Contains(got, token+" gets it") {
			t.Errorf("the tap answered %q", got)
		}
		if got := r.awaitAnswer(r.tap(r.ann, m.ID, "s1-")); !strings.Contains(got, "Too late: it went to "+token) {
			t.Errorf("a second tap answered %q", got)
		}
		if r.took("s1", "h1") != "" || r.took("s2", "h2") != "go on" {
			t.Error("the text went astray")
		}
	})
}

// TestTextOnce checks that an update that is handled twice makes one text.
func TestTextOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	r.session("s1")
	r.ann.Say(r.ann.ID, "once")
	r.await("gets it")
	r.stop()
	r.sql(`UPDATE inbox SET done = 0`)
	r.restart()
	r.settled()
	r.eventually("all updates dealt with",
		func() bool { left, err := r.core.Received(Name); return err == nil && len(left) == 0 })
	n := 0
	for _, m := range r.core.Messages() {
		if m.State == texts.Pending {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d texts wait", n)
	}
}

// textNonce returns the nonce of the newest text that waits for its session.
func (r *rig) textNonce() (nonce string) {
	for _, m := range r.core.Messages() {
		if m.Nonce != "" {
			nonce = m.Nonce
		}
	}
	return nonce
}

func TestStrangersSendNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	r.session("s1")
	m := r.checkIn("s1", "c1", "stopped here")
	eve := r.api.User(66, "Eve")
	for _, text := range []string{"go on", "/pause", "/away off", "/here", "yes"} {
		eve.Say(eve.ID, text)
	}
	r.settled()
	r.eventually("all updates dealt with",
		func() bool { left, err := r.core.Received(Name); return err == nil && len(left) == 0 })
	set := r.core.Settings()
	if len(r.core.Messages()) != 0 || set.Paused || set.Away.Mode != session.On || r.state("c1").State != ask.Open {
		t.Errorf("a stranger changed something: %+v %v", set, r.core.Messages())
	}
	_ = m
}

func TestCommands(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	if got := r.api.Calls(); !called(got, "setMyCommands") {
		t.Error("the commands were not listed")
	}
	token := r.session("s1")
	r.checkIn("s1", "c1", "stopped here")
	for _, c := range []struct{ text, want string }{
		{"/sessions", token + " · waiting\n"},
		{"/questions", "💬 " + token[:len(token)-5] + ": stopped here · "},
		{"/asks", "💬 " + token[:len(token)-5] + ": stopped here · "},
		{"/loops", "No loops. In a session"},
		{"/runs", "No runs. Say what to do"},
		{"/grants", "No standing permissions"},
		{"/status", "away: on"},
		{"/help", "/sessions"},
		{"/away", "Away is on."},
		{"/away sometimes", "Say it like this"},
		{"/away on soon", "Say it like this"},
		{"/away on -2h", "Say it like this"},
		{"/away auto 2h", "Away is auto"},
		{"/here", "Welcome back"},
		{"/AWAY@afar_standin_bot off", "Away is off"},
		{"/pause", "Paused"},
		{"/resume", "Resumed"},
		{"/nonsense", "I do not know /nonsense."},
	} {
		before := len(r.api.Messages(r.ann.ID))
		r.ann.Say(r.ann.ID, c.text)
		r.eventually("an answer to "+c.text, func() bool {
			for _, m := range r.api.Messages(r.ann.ID)[before:] {
				if m.From == r.api.BotID() && strings.Contains(m.Text, c.want) {
					return true
				}
			}
			return false
		})
		set := r.core.Settings()
		switch c.text {
		case "/away auto 2h":
			if set.Away.Mode != session.Auto || set.Away.Until.Before(time.Now().Add(time.Hour)) {
				t.Errorf("after %s: %+v", c.text, set.Away)
			}
		case "/here":
			if set.Away.Mode != session.Off {
				t.Errorf("after %s: %+v", c.text, set.Away)
			}
		case "/pause", "/resume":
			if set.Paused != (c.text == "/pause") {
				t.Errorf("after %s paused is %v", c.text, set.Paused)
			}
		}
	}
}

func called(calls []botapi.Call, method string) bool {
	for _, c := range calls {
		if strings.EqualFold(c.Method, method) {
			return true
		}
	}
	return false
}
