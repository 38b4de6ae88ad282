package telegram

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

const early = "asked after your message"

// noted opens an ask and returns it with its card as soon as that is recorded.
func (r *rig) noted(id, command string) (ask.Ask, botapi.Message) {
	r.Helper()
	a, m := r.card(id, command)
	r.eventually("the card is noted",
		func() bool { cards, err := r.core.Copies(Name, a.ID); return err == nil && len(cards) > 0 })
	return a, m
}

// TestTextOlderThanQuestion checks that a text that was written before a question was shown
// does not answer it.
func TestTextOlderThanQuestion(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(r *rig) ask.Ask{
		"permission": func(r *rig) ask.Ask { return r.ask("a1", "git push") },
		"question": func(r *rig) ask.Ask {
			return r.openKind("a1", ask.Questions, "AskUserQuestion",
				`{"questions":[{"question":"Which?","options":[{"label":"one"},{"label":"two"}]}]}`)
		},
		"plan": func(r *rig) ask.Ask { return r.openKind("a1", ask.Plan, "ExitPlanMode", `{"plan":"# do it"}`) },
	}
	for kind, open := range kinds {
		for _, text := range []string{"yes", "no", "all", "1", "use git mv"} {
			t.Run(kind+" "+text, func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				r.pair()
				r.stop() // the text comes while nobody reads it
				r.ann.Say(r.ann.ID, text)
				a := open(r)
				r.run()
				r.await(early)
				if got := r.state(a.ID); got.State != ask.Open || got.Decision != nil ||
					got.Form != nil && got.Form.At != 0 {
					t.Errorf("a text of before decided the question: %+v", got)
				}
				if n := len(r.core.Messages()); n != 0 {
					t.Errorf("it was kept for a session, too: %d", n)
				}
			})
		}
	}
}

// TestReplyOlderThanNothing checks that the age of a reply or a tap does not matter, because
// it names its question.
func TestReplyOlderThanNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, m := r.noted("a1", "git push")
	r.sql(`UPDATE copies SET at = at + 3600`)
	r.ann.Say(r.ann.ID, "yes")
	r.await(early)
	if _, err := r.ann.Reply(m.ID, "yes"); err != nil {
		t.Fatal(err)
	}
	r.await("Allowed.")
	b, m := r.noted("a2", "git pull")
	r.sql(`UPDATE copies SET at = at + 3600`)
	r.awaitAnswer(r.tap(r.ann, m.ID, "Deny"))
	if r.state(a.ID).State != ask.Answered || r.state(b.ID).State != ask.Answered {
		t.Error("a reply or a tap did not count")
	}
}

// TestTextDate checks that the date of a text decides, or the message ids of the chat if the
// date of the card is not known.
func TestTextDate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		later    time.Duration // of the text than now
		id       int           // of the text, from the card's
		forget   bool          // the card's time
		elsewise bool          // the card is noted in another chat
		counts   bool
	}{
		{name: "later", later: 2 * time.Second, id: 1, counts: true},
		{name: "an hour earlier", later: -time.Hour, id: 1},
		{name: "the same second, behind the card", id: 1, counts: true},
		{name: "the same second, before the card", id: -1},
		{name: "an old card, behind it", later: -time.Hour, id: 1, forget: true, counts: true},
		{name: "an old card, before it", later: time.Hour, id: -1, forget: true},
		{name: "a card in another chat", later: time.Hour, id: 1, elsewise: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.pair()
			a, m := r.noted("a1", "git push")
			if c.forget {
				r.sql(`UPDATE copies SET at = 0`)
			}
			if c.elsewise {
				r.sql(`UPDATE copies SET message = '1' || message`)
			}
			text := fmt.Sprintf(`{"message":{"message_id":%d,"date":%d,"from":{"id":%d,"first_name":"Ann"},`+
				`"chat":{"id":%d,"type":"private"},"text":"yes"}}`,
				m.ID+c.id, m.Sent.Add(c.later).Unix(), r.ann.ID, r.ann.ID)
			if _, err := r.api.Inject(text); err != nil {
				t.Fatal(err)
			}
			want := early
			if c.counts {
				want = "Allowed."
			}
			r.await(want)
			if got := r.state(a.ID).State; (got == ask.Answered) != c.counts {
				t.Errorf("the question is %s", got)
			}
		})
	}
}

// TestTextBetweenQuestions checks that a text answers the question that the person saw, never
// the next one.
func TestTextBetweenQuestions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, _ := r.card("a1", "git push")
	b, _ := r.noted("a2", "rm notes")
	r.sql(fmt.Sprintf(`UPDATE copies SET at = at + 3600 WHERE ask = '%s'`, b.ID))
	r.ann.Say(r.ann.ID, "yes")
	r.await("Allowed.")
	if r.state(a.ID).State != ask.Answered || r.state(b.ID).State != ask.Open {
		t.Error("the text reached another question")
	}
	if m := r.await("Allowed."); strings.Contains(m.Text, "rm notes") {
		t.Errorf("the answer is %q", m.Text)
	}
}

// TestTextOverSending checks that a text that comes while a card is being sent waits until
// Telegram has given the date of the card.
func TestTextOverSending(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	for i := range 20 {
		command := fmt.Sprintf("make step-%02d-end", i)
		a, _ := r.card(fmt.Sprintf("a%d", i), command)
		r.ann.Say(r.ann.ID, "yes") // at once behind the card
		r.eventually(command+" answered", func() bool { return r.state(a.ID).State == ask.Answered })
	}
}
