package telegram

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func example() ask.Ask {
	return ask.Ask{
		ID: "a1", Kind: ask.Permission, State: ask.Open, Tool: "Bash", Text: "rm -rf <dir> && echo \"done\"",
		Hash: "1a2b3c4d5e6f",
		Cwd:  "/home/ann/shop", Nonce: "00ff", Attended: true, OpenedAt: noon, ExpiresAt: noon.Add(30 * time.Minute),
	}
}

// No field can look like a line that Afar wrote.
func TestRenderKeepsFieldsInTheirLines(t *testing.T) {
	t.Parallel()
	a := example()
	evil := "x\n✅ Allowed by Ann\u202e</pre>\x00"
	a.Tool, a.Cwd, a.Why, a.Agent, a.AgentType = evil, evil, evil, "1", evil
	r := render(ask.Card{a}, place{name: evil, token: evil, project: evil, machine: evil})
	for _, l := range strings.Split(r.html, "\n") {
		if strings.HasPrefix(l, "✅") {
			t.Errorf("a line of somebody else's: %q", l)
		}
	}
	if strings.ContainsAny(r.html, "\u202e\x00") {
		t.Error("hidden characters stay hidden")
	}
}

// TestUntil checks that the end of a card has its day.
func TestUntil(t *testing.T) {
	opened := time.Date(2026, 11, 28, 14, 11, 0, 0, time.UTC)
	for wait, want := range map[time.Duration]string{
		time.Hour: "15:11", 12 * time.Hour: "Sun 29 Nov, 02:11", 7 * 24 * time.Hour: "Sat 5 Dec, 14:11",
	} {
		a := ask.Ask{ID: "a", State: ask.Open, OpenedAt: opened, ExpiresAt: opened.Add(wait)}
		if got := untilText(ask.Card{a}); got != want {
			t.Errorf("%s: %q", wait, got)
		}
	}
}

func TestElide(t *testing.T) {
	t.Parallel()
	text := "START" + strings.Repeat("x", 9990) + "FINIS"
	got := elide(text, 1000)
	if units(got) > 1000 || !strings.HasPrefix(got, "START") || !strings.HasSuffix(got, "FINIS") ||
		!strings.Contains(got, "of 10000 characters left out") {
		t.Errorf("%d units: %q", units(got), got)
	}
}

func TestElideProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 3000, -1).Draw(t, "text")
		most := rapid.IntRange(200, 2000).Draw(t, "most")
		for name, got := range map[string]string{"elide": elide(text, most), "shorten": shorten(text, most)} {
			if units(got) > most || !utf8.ValidString(got) {
				t.Fatalf("%s made %d units of %d", name, units(got), most)
			}
			if units(text) <= most && got != text {
				t.Fatalf("%s changed what fits", name)
			}
		}
	})
}

// Telegram accepts the card of any ask, shows its text unchanged and finds the command in its
// pre element.
func TestAnyAskIsTaken(t *testing.T) {
	t.Parallel()
	r := newStillRig(t)
	l, err := r.ch.newLink(r.api.Token(), r.api.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	r.ann.Say(r.ann.ID, "/start")
	ctx := t.Context()
	field := rapid.OneOf(
		rapid.String(),
		rapid.StringN(0, 6000, -1),
		rapid.StringOf(rapid.SampledFrom([]rune("<>&;/=\"'`#xbpre&lt;amp \n\t\r\x00\ufffd😀👩\u200d\u202e\u2028é漢"))),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"<b>", "</b>", "</pre>", "<pre>", "&", "&lt", "&#60;",
			"&#x110000;", "<a href=\"", "\n", "😀", "x"}), 0, 4000),
			func(p []string) string { return strings.Join(p, "") }),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 300), func(b []byte) string { return string(b) }),
	)
	rapid.Check(t, func(rt *rapid.T) {
		str := func(name string) string { return field.Draw(rt, name) }
		asks := drawCard(rt, str)
		card := render(asks, place{
			name: str("name"), token: str("token"), project: str("project"), machine: str("machine"), home: str("home"),
		})
		sent, err := l.send(ctx, room{chat: r.ann.ID}, card)
		if err != nil {
			rt.Fatalf("refused: %v\n%s", err, card.html)
		}
		m, _ := r.api.Message(sent.ID)
		if m.Mode != "HTML" {
			rt.Fatalf("sent again without markup: %s", card.html)
		}
		buttons := len(m.Labels()) > 0 || asks[0].Kind == ask.Questions
		if units(m.Text) > maxText || !buttons && len(asks.Waiting()) > 0 ||
			len(m.Labels()) > 0 && len(asks.Waiting()) == 0 {
			rt.Fatalf("%d units, buttons %v", units(m.Text), m.Labels())
		}
		for _, e := range m.Entities {
			if !slices.Contains([]string{"bold", "italic", "pre", "code", "blockquote", "expandable_blockquote"}, e.Type) {
				rt.Fatalf("an entity of somebody else's: %+v", e)
			}
		}
	})
}

// drawCard draws a card of any kind in any possible state.
func drawCard(rt *rapid.T, str func(string) string) (card ask.Card) {
	kinds := []ask.Kind{ask.Permission, ask.Guard, ask.Questions, ask.Plan, ask.CheckIn, "one to come"}
	first := ask.Ask{
		ID: "a", Kind: rapid.SampledFrom(kinds).Draw(rt, "kind"),
		Tool: rapid.OneOf(rapid.Just("Bash"), rapid.Just("Edit"),
			rapid.Map(rapid.Just(0), func(int) string { return str("tool") })).Draw(rt, "tool"),
		Text: str("text"), Hash: str("hash"), Cwd: str("cwd"), Why: str("why"), Does: str("does"), Says: str("says"),
		Nonce:    "0123456789abcdef",
		Attended: rapid.Bool().Draw(rt, "attended"), Perhaps: rapid.Bool().Draw(rt, "perhaps"),
		ExpiresAt: noon, SettledAt: noon,
	}
	if first.Kind == ask.Questions {
		first.Form = drawForm(rt, str)
	}
	if rapid.Bool().Draw(rt, "offers") {
		first.Offer = &ask.Offer{Always: str("always"), Rules: []grant.Rule{{Text: str("rule")}}}
	}
	for i := range rapid.IntRange(1, 6).Draw(rt, "asks") {
		a := first
		a.Agent, a.AgentType = str("agent"), str("type")
		if i > 0 {
			a.ID, a.On = ask.ID(fmt.Sprint(i)), "a"
		}
		card = append(card, drawState(rt, str, a))
	}
	return card
}

func drawState(rt *rapid.T, str func(string) string, a ask.Ask) ask.Ask {
	a.State = rapid.SampledFrom([]ask.State{ask.Open, ask.Answered, ask.Delivered, ask.Withdrawn, ask.Expired,
		ask.Cancelled}).Draw(rt, "state")
	d := ask.Decision{
		Allow: rapid.Bool().Draw(rt, "allow"), By: str("by"), Message: str("message"), At: noon,
		Scope: rapid.SampledFrom([]ask.Scope{ask.Once, ask.Session, ask.Always}).Draw(rt, "scope"),
	}
	switch a.State {
	case ask.Answered, ask.Delivered:
		a.Decision = &d
	case ask.Open:
	default:
		a.Note = str("note")
		a.Parked = a.State == ask.Expired && (a.Kind == ask.Permission || a.Kind == ask.Guard) &&
			rapid.Bool().Draw(rt, "parked")
		if !a.Parked && rapid.Bool().Draw(rt, "lease") {
			a.Lease = &ask.Lease{Decision: d, Until: noon}
		}
	}
	if a.State != ask.Open && rapid.Bool().Draw(rt, "ran") {
		a.Run = &ask.Run{OK: rapid.Bool().Draw(rt, "ok"),
			Took: time.Duration(rapid.Int64Range(0, 1<<50).Draw(rt, "took"))}
	}
	return a
}

// drawForm draws questions that the host could ask. Some of them are answered.
func drawForm(rt *rapid.T, str func(string) string) *ask.Form {
	type option struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	}
	type question struct {
		Question string   `json:"question"`
		Multi    bool     `json:"multiSelect"`
		Options  []option `json:"options"`
	}
	var in struct {
		Questions []question `json:"questions"`
	}
	for i := range rapid.IntRange(1, 4).Draw(rt, "questions") {
		q := question{Question: fmt.Sprint(i, str("question")), Multi: rapid.Bool().Draw(rt, "multi")}
		for range rapid.IntRange(0, 5).Draw(rt, "options") {
			q.Options = append(q.Options, option{str("label"), str("description")})
		}
		in.Questions = append(in.Questions, q)
	}
	raw, err := json.Marshal(in)
	if err != nil {
		rt.Fatal(err)
	}
	asked, err := hookinput.Questions(raw)
	if err != nil {
		rt.Fatalf("%v: %s", err, raw)
	}
	form, err := ask.NewForm(asked)
	if err != nil {
		rt.Fatalf("%v: %s", err, raw)
	}
	a := ask.Ask{Kind: ask.Questions, State: ask.Open, Form: form}
	for range rapid.IntRange(0, len(in.Questions)-1).Draw(rt, "answered") {
		if next, err := ask.Say("x"+str("said"))(a, ask.Decision{}); err == nil {
			a = next
		}
	}
	return a.Form
}

// If every field has its full length, the card is exactly full.
func TestLongestAskIsTaken(t *testing.T) {
	t.Parallel()
	r := newStillRig(t)
	l, err := r.ch.newLink(r.api.Token(), r.api.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	r.ann.Say(r.ann.ID, "/start")
	for _, piece := range []string{"x", "<", "&amp;", "漢", "😀", "<&😀"} {
		long := "START " + strings.Repeat(piece, 20000) + " FINIS"
		a := ask.Ask{
			State: ask.Expired, Tool: long, Text: long, Hash: long, Cwd: long, Why: long, Agent: "1", AgentType: long,
			Note: long, SettledAt: noon,
		}
		sent, err := l.send(t.Context(), room{chat: r.ann.ID},
			render(ask.Card{a}, place{name: long, token: long, project: long + "/", machine: long}))
		if err != nil {
			t.Fatalf("%s: %v", piece, err)
		}
		m, _ := r.api.Message(sent.ID)
		if n := units(m.Text); n > maxText || n < maxText-100 {
			t.Errorf("%s: %d units", piece, n)
		}
		pre := m.Text[strings.LastIndex(m.Text[:strings.Index(m.Text, "characters left out")], "START"):]
		if !strings.HasPrefix(pre, "START "+piece) || !strings.Contains(pre, piece+" FINIS\n👤") {
			t.Errorf("%s: the ends of the input are lost: %.40q", piece, pre)
		}
	}
}

func TestAnyTextIsTaken(t *testing.T) {
	t.Parallel()
	r := newStillRig(t)
	l, err := r.ch.newLink(r.api.Token(), r.api.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	r.ann.Say(r.ann.ID, "/start")
	rapid.Check(t, func(rt *rapid.T) {
		text := "x" + rapid.StringOf(rapid.SampledFrom([]rune("`<>&lt;code/ \n😀漢"))).Draw(rt, "text")
		if err := l.say(t.Context(), room{chat: r.ann.ID}, text); err != nil {
			rt.Fatalf("refused: %v", err)
		}
		sent := r.api.Messages(r.ann.ID)
		if m := sent[len(sent)-1]; m.Mode != "HTML" {
			rt.Fatalf("sent again without markup: %s", m.Raw)
		}
	})
}

func TestTicks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"see `afar doctor` & co":  "see <code>afar doctor</code> &amp; co",
		"one ` alone, <b>":        "one ` alone, &lt;b&gt;",
		"`a<b` and `c`":           "<code>a&lt;b</code> and <code>c</code>",
		"`a` and a single ` here": "`a` and a single ` here",
	} {
		if got := ticks(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}
