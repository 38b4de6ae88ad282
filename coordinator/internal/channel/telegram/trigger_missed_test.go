package telegram

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
)

// TestRenderMissed: the card of a missed time says what would be sent, and what was decided.
func TestRenderMissed(t *testing.T) {
	a := ask.NewMissed(ask.About{Trigger: "night", Firing: "fir_1"}, "Sum up the <day>.",
		"send this to run, as was due on 2 January at 15:04")
	a.State, a.Nonce = ask.Open, "0123456789abcdef"
	at := place{name: "Trigger night", machine: "laptop", link: "http://127.0.0.1/q"}
	want := "⏰ <b>Trigger night</b>: was due when nothing ran\n" +
		"⚙️ would send this to run, as was due on 2 January at 15:04\n" +
		"<blockquote>Sum up the &lt;day&gt;.</blockquote>\n" +
		"<blockquote expandable>http://127.0.0.1/q\nlaptop</blockquote>"
	got := render(ask.Card{a}, at)
	if got.html != want {
		t.Errorf("%s\nwant\n%s", got.html, want)
	}
	if len(got.rows) != 1 || got.rows[0][0].label != "Run ▶️" || got.rows[0][1].label != "Skip ⏭" {
		t.Errorf("buttons %+v", got.rows)
	}
	a.State, a.Text = ask.Delivered, strings.Repeat("x", 5000)
	for allow, want := range map[bool]string{
		true: "▶️ Run by Ann at 12:00:00 · the trigger fires", false: "⏭ Skipped by Ann at 12:00:00 · it does not fire",
	} {
		a.Decision = &ask.Decision{
			Allow: allow, By: "Ann", Channel: Name, At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		}
		if got = render(ask.Card{a}, at); len(got.rows) != 0 || !got.cut || !strings.Contains(got.html, "\n"+want+"\n") {
			t.Errorf("%+v: %s", got.rows, got.html[len(got.html)-200:])
		}
	}
}

// TestNoticeIsLiteral checks that markup counts only in Afar's own part of a notice.
func TestNoticeIsLiteral(t *testing.T) {
	for text, want := range map[string]string{
		"say `afar log`": "say <code>afar log</code>",
		"⏰ " + channel.Verbatim("`a` [b](https://c.example) <b>\x1e"):          "⏰ `a` [b](https://c.example) &lt;b&gt;",
		"📚 " + channel.Verbatim("one `") + " `x` " + channel.Verbatim("` two"): "📚 one ` <code>x</code> ` two",
	} {
		if got := noticeText(channel.Notice{Text: text}); got != want {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}

// TestRenderWakeUp: the card of a wake-up shows the command of its check.
func TestRenderWakeUp(t *testing.T) {
	a := ask.NewWakeUp("s1", ask.About{Trigger: "wake-1", Rule: "r"}, "gh run watch <1>", "deploy it", "/w/shop")
	a.Does = "run it every 5m without asking again, until 2 January at 15:04 at the latest"
	a.State, a.Nonce = ask.Open, "0123456789abcdef"
	got := render(ask.Card{a}, place{name: "shop", machine: "laptop", token: "shop-1a2b", project: "/w/shop"})
	for _, want := range []string{
		"⏰ <b>shop</b>: Wake me when this succeeds: gh run watch &lt;1&gt;\n",
		`<code class="language-bash">gh run watch &lt;1&gt;</code>`, "📝 “deploy it”",
		"⚙️ would run it every 5m without asking again",
	} {
		if !strings.Contains(got.html, want) {
			t.Errorf("no %q in\n%s", want, got.html)
		}
	}
	if len(got.rows) != 1 || got.rows[0][0].label != "Allow ✅" {
		t.Errorf("buttons %+v", got.rows)
	}
}
