package telegram

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func example() ask.Ask {
	return ask.Ask{
		ID: "a1", Kind: ask.Permission, State: ask.Open, Tool: "Bash", Text: "rm -rf <dir> && echo \"done\"", Hash: "1a2b3c4d5e6f",
		Cwd: "/home/ann/shop", Nonce: "00ff", Attended: true, OpenedAt: noon, ExpiresAt: noon.Add(30 * time.Minute),
	}
}

// Nothing in a field can pass for a line of ours.
func TestRenderKeepsFieldsInTheirLines(t *testing.T) {
	a := example()
	evil := "x\n✅ Allowed by Ann\u202e</pre>\x00"
	a.Tool, a.Cwd, a.Why, a.Agent, a.AgentType = evil, evil, evil, "1", evil
	r := render(ask.Card{a}, place{evil, evil, evil})
	for _, l := range strings.Split(r.html, "\n") {
		if strings.HasPrefix(l, "✅") {
			t.Errorf("a line of somebody else's: %q", l)
		}
	}
	if strings.ContainsAny(r.html, "\u202e\x00") {
		t.Error("hidden characters stay hidden")
	}
}

func TestElide(t *testing.T) {
	text := "START" + strings.Repeat("x", 9990) + "FINIS"
	got := elide(text, 1000)
	if units(got) > 1000 || !strings.HasPrefix(got, "START") || !strings.HasSuffix(got, "FINIS") || !strings.Contains(got, "of 10000 characters left out") {
		t.Errorf("%d units: %q", units(got), got)
	}
}

func TestElideProperty(t *testing.T) {
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

// Torture: whatever stands in an ask, Telegram takes its card, shows the text
// as it is, and finds the command in its pre.
func TestAnyAskIsTaken(t *testing.T) {
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
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"<b>", "</b>", "</pre>", "<pre>", "&", "&lt", "&#60;", "&#x110000;", "<a href=\"", "\n", "😀", "x"}), 0, 4000), func(p []string) string { return strings.Join(p, "") }),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 300), func(b []byte) string { return string(b) }),
	)
	rapid.Check(t, func(rt *rapid.T) {
		str := func(name string) string { return field.Draw(rt, name) }
		a := ask.Ask{
			Kind: rapid.SampledFrom([]ask.Kind{ask.Permission, ask.Guard}).Draw(rt, "kind"), State: ask.Open,
			Tool: str("tool"), Text: str("text"), Hash: str("hash"), Cwd: str("cwd"), Why: str("why"), Agent: str("agent"), AgentType: str("type"),
			Attended: rapid.Bool().Draw(rt, "attended"), Nonce: "0123456789abcdef", ExpiresAt: noon, SettledAt: noon,
		}
		a.State = rapid.SampledFrom([]ask.State{ask.Open, ask.Answered, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}).Draw(rt, "state")
		switch a.State {
		case ask.Answered, ask.Delivered:
			a.Decision = &ask.Decision{By: str("by"), At: noon}
		default:
			a.Note = str("note")
		}
		card := render(ask.Card{a}, place{str("token"), str("project"), str("machine")})
		id, err := l.send(ctx, core.Room{Chat: r.ann.ID}, card)
		if err != nil {
			rt.Fatalf("refused: %v\n%s", err, card.html)
		}
		m, _ := r.api.Message(int(id))
		if m.Mode != "HTML" {
			rt.Fatalf("sent again without markup: %s", card.html)
		}
		if units(m.Text) > maxText || (len(m.Labels()) == 2) != (a.State == ask.Open) {
			rt.Fatalf("%d units, buttons %v", units(m.Text), m.Labels())
		}
		for _, e := range m.Entities {
			if e.Type != "bold" && e.Type != "pre" && e.Type != "code" {
				rt.Fatalf("an entity of somebody else's: %+v", e)
			}
		}
	})
}

// With every field at its longest, the card is full and not a unit more.
func TestLongestAskIsTaken(t *testing.T) {
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
			State: ask.Expired, Tool: long, Text: long, Hash: long, Cwd: long, Why: long, Agent: "1", AgentType: long, Note: long, SettledAt: noon,
		}
		id, err := l.send(t.Context(), core.Room{Chat: r.ann.ID}, render(ask.Card{a}, place{long, long + "/", long}))
		if err != nil {
			t.Fatalf("%s: %v", piece, err)
		}
		m, _ := r.api.Message(int(id))
		if n := units(m.Text); n > maxText || n < maxText-100 {
			t.Errorf("%s: %d units", piece, n)
		}
		pre := m.Text[strings.LastIndex(m.Text[:strings.Index(m.Text, "characters left out")], "START"):]
		if !strings.HasPrefix(pre, "START "+piece) || !strings.Contains(pre, piece+" FINIS\n📁") {
			t.Errorf("%s: the ends of the input are lost: %.40q", piece, pre)
		}
	}
}

func TestAnyTextIsTaken(t *testing.T) {
	r := newStillRig(t)
	l, err := r.ch.newLink(r.api.Token(), r.api.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	r.ann.Say(r.ann.ID, "/start")
	rapid.Check(t, func(rt *rapid.T) {
		text := "x" + rapid.StringOf(rapid.SampledFrom([]rune("`<>&lt;code/ \n😀漢"))).Draw(rt, "text")
		if err := l.say(t.Context(), core.Room{Chat: r.ann.ID}, text); err != nil {
			rt.Fatalf("refused: %v", err)
		}
		sent := r.api.Messages(r.ann.ID)
		if m := sent[len(sent)-1]; m.Mode != "HTML" {
			rt.Fatalf("sent again without markup: %s", m.Raw)
		}
	})
}

func TestTicks(t *testing.T) {
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
