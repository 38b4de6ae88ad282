package telegram

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

const twoQuestions = `{"questions":[
	{"question":"Which <store>?","options":[{"label":"SQLite","description":"one & only"},{"label":"Postgres"}]},
	{"question":"Which checks?","multiSelect":true,"options":[{"label":"lint"},{"label":"fuzz"}]}]}`

// openKind opens an ask of a session whose person is away.
func (r *rig) openKind(id string, kind ask.Kind, tool, raw string) ask.Ask {
	r.Helper()
	_, err := r.core.See(session.Sighting{ID: "s1", Cwd: "/home/ann/shop", Hooked: true, Attended: true, KnowAtt: true})
	if err == nil {
		err = r.core.SetAway("", session.On, 0)
	}
	in, inputErr := hookinput.ReadTool(tool, []byte(raw))
	a := ask.Ask{
		ID:       ask.ID(id),
		Kind:     kind,
		Session:  "s1",
		Tool:     tool,
		Text:     in.Text(""),
		Hash:     in.Hash(),
		Cwd:      "/home/ann/shop",
		Attended: true,
	}
	if kind == ask.Questions && err == nil {
		a.Form, err = ask.NewForm(in.Questions)
	}
	if err == nil && inputErr == nil {
		a, err = r.core.OpenCovered(a, grant.Need{})
	}
	if err != nil || inputErr != nil {
		r.Fatal(err, inputErr)
	}
	return a
}

// labelled waits until a card has exactly these buttons.
func (r *rig) labelled(card int, labels ...string) botapi.Message {
	r.Helper()
	m, err := r.api.Await(r.ctx, func(m botapi.Message) bool {
		return m.ID == card && slices.Equal(m.Labels(), labels)
	})
	if err != nil {
		r.Fatalf("no buttons %q: %v\nlog:\n%s", labels, err, r.log)
	}
	return m
}

func TestQuestionByTaps(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a := r.openKind("a1", ask.Questions, "AskUserQuestion", twoQuestions)
	m := r.await("1/2 Which <store>?")
	m = r.labelled(m.ID, "SQLite", "Postgres")
	if !strings.Contains(m.Text, "1. SQLite: one & only\n2. Postgres") {
		t.Errorf("the card is\n%s", m.Text)
	}
	if text := r.awaitAnswer(r.tap(r.ann, m.ID, "SQLite")); text != "Noted. Question 2 of 2 is on the card." {
		t.Errorf("the tap was answered %q", text)
	}
	r.labelled(m.ID, "lint", "fuzz", "Done ➡️")
	text := r.awaitAnswer(r.tap(r.ann, m.ID, "Postgres"))
	if text != "That question is answered already; the card shows the next one." {
		t.Errorf("a late tap on the first question was answered %q", text)
	}
	text = r.awaitAnswer(r.tap(r.ann, m.ID, "Done"))
	if text != "Choose at least one first, or reply with your own words." {
		t.Errorf("done with nothing was answered %q", text)
	}
	r.awaitAnswer(r.tap(r.ann, m.ID, "lint"))
	r.labelled(m.ID, "lint ✅", "fuzz", "Done ➡️")
	r.restart() // what was chosen is kept
	r.awaitAnswer(r.tap(r.ann, m.ID, "fuzz"))
	r.labelled(m.ID, "lint ✅", "fuzz ✅", "Done ➡️")
	r.awaitAnswer(r.tap(r.ann, m.ID, "lint ✅"))
	r.labelled(m.ID, "lint", "fuzz ✅", "Done ➡️")
	if text := r.awaitAnswer(r.tap(r.ann, m.ID, "Done")); text != "Answered. The session gets it now." {
		t.Errorf("done was answered %q", text)
	}
	done := r.await("✅ Answered by Ann")
	if done.ID != m.ID || len(done.Labels()) != 0 ||
		!strings.Contains(done.Text, "Which <store>? → SQLite\nWhich checks? → fuzz") {
		t.Errorf("the settled card #%d is\n%s", done.ID, done.Text)
	}
	if got := r.state(a.ID); got.State != ask.Answered || !got.Decision.Allow || got.Decision.By != "Ann" {
		t.Errorf("the ask stands at %+v", got)
	}
	if text := r.awaitAnswer(r.tap(r.ann, m.ID, "fuzz")); !strings.HasPrefix(text, "Too late: answered by Ann at ") {
		t.Errorf("a late tap was answered %q", text)
	}
}

func TestQuestionByWords(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a := r.openKind("a1", ask.Questions, "AskUserQuestion", twoQuestions)
	m := r.await("1/2 Which <store>?")
	for _, text := range []string{"yes", "all"} { // answers, not a yes to anything
		if _, err := r.ann.Reply(m.ID, text); err != nil {
			t.Fatal(err)
		}
	}
	done := r.await("✅ Answered by Ann")
	if !strings.Contains(done.Text, "Which <store>? → yes\nWhich checks? → all") {
		t.Errorf("the settled card is\n%s", done.Text)
	}
	if q := r.state(a.ID).Form.Questions; q[0].Said != "yes" || q[1].Said != "all" || len(q[1].Picked) != 0 {
		t.Errorf("the answers are %+v", q)
	}
}

// A yes that is not an answer changes nothing, whichever button it came from.
func TestQuestionTakesNoBareYes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a := r.openKind("a1", ask.Questions, "AskUserQuestion", twoQuestions)
	m := r.await("1/2 Which <store>?")
	for i, data := range []string{
		"a:%s:y", "p:%s:y", "p:%s:e", "o:%s:0:9", "o:%s:0:-1", "o:%s:9:0", "o:%s:0:", "o:%s:x:0", "o:%s:0:0:0", "o:%s",
	} {
		_, err := r.api.Inject(fmt.Sprintf(`{"callback_query":{"id":"q%d","from":{"id":11,"first_name":"Ann"},"data":%q,
			"message":{"message_id":%d,"date":1,"chat":{"id":11,"type":"private"}}}}`, i,
			fmt.Sprintf(data, a.Nonce), m.ID))
		if err != nil {
			t.Fatal(err)
		}
	}
	r.settled()
	if got := r.state(a.ID); got.State != ask.Open || got.Form.At != 0 || got.Form.Questions[0].Answer() != "" {
		t.Errorf("the ask stands at %+v, %+v", got, got.Form)
	}
	r.tap(r.api.User(66, "Eve"), m.ID, "SQLite")
	r.settled()
	if got := r.state(a.ID); got.Form.At != 0 {
		t.Error("a stranger answered")
	}
}

func TestQuestionWithdrawn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a := r.openKind("a1", ask.Questions, "AskUserQuestion", twoQuestions)
	m := r.await("1/2 Which <store>?")
	r.awaitAnswer(r.tap(r.ann, m.ID, "SQLite"))
	if err := r.core.LocallySettled("s1", r.now()); err != nil {
		t.Fatal(err)
	}
	done := r.await("🖥 Answered at the terminal")
	if len(done.Labels()) != 0 || strings.Contains(done.Text, "→ SQLite") {
		t.Errorf("the settled card is\n%s", done.Text)
	}
	if text := r.awaitAnswer(r.tap(r.ann, m.ID, "lint")); text != "Too late: answered at the terminal." {
		t.Errorf("the late tap was answered %q", text)
	}
	if got := r.state(a.ID); got.State != ask.Withdrawn || got.Decision != nil {
		t.Errorf("the ask stands at %+v", got)
	}
}

// Telegram accepts the card, whatever the words are.
func TestQuestionOfAnyLength(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	for i, word := range []string{
		strings.Repeat("😀", 500), strings.Repeat("<b>&", 250), "\u202e\x00" + strings.Repeat("x ", 500),
	} {
		var options []string
		for n := range 8 {
			options = append(options, fmt.Sprintf(`{"label":%q,"description":%q}`, fmt.Sprint(n, word), word))
		}
		one := fmt.Sprintf(`{"question":%q,"multiSelect":true,"options":[%s]}`, word+"?", strings.Join(options, ","))
		a := r.openKind(fmt.Sprint("a", i), ask.Questions, "AskUserQuestion",
			`{"questions":[`+strings.ToValidUTF8(jsonable(one), "")+`]}`)
		r.eventually("the card is there", func() bool { cards, _ := r.core.Copies(Name, a.ID); return len(cards) == 1 })
		cards, _ := r.core.Copies(Name, a.ID)
		m, _ := r.api.Message(int(stampOf(cards[0]).id))
		if len(m.Labels()) != 9 || m.Mode != "HTML" {
			t.Errorf("card %d has %d buttons, mode %q", i, len(m.Labels()), m.Mode)
		}
		for _, row := range m.Keyboard {
			if len(row[0].Data) > 64 || units(row[0].Label) > maxLabel+2 {
				t.Errorf("the button %q carries %q", row[0].Label, row[0].Data)
			}
		}
	}
}

// jsonable turns Go's escapes into those of JSON.
func jsonable(text string) string {
	return strings.NewReplacer(`\x00`, `\u0000`).Replace(text)
}
