package telegram

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain <text> & more":                           "plain &lt;text&gt; &amp; more",
		"# The *plan* for `x`\nthen":                    "<b>The *plan* for x</b>\nthen",
		"#hashtag":                                      "#hashtag",
		"- one\n  * two\n+ three":                       "• one\n  • two\n• three",
		"- [ ] one\n  - [x] two\n- [three]":             "☐ one\n  ☑ two\n• [three]",
		"**bold** and __init__, not * this *":           "<b>bold</b> and __init__, not * this *",
		"snake_case_name":                               "snake_case_name",
		"run `a**b**c` now":                             "run <code>a&#42;&#42;b&#42;&#42;c</code> now",
		"**`main.go`** changed":                         "<b>main.go</b> changed",
		"see [the docs](https://a.example/x?y=1&z)":     "see the docs (https://a.example/x?y=1&amp;z)",
		"[x](javascript:alert(1))":                      "[x](javascript:alert(1))",
		"```go\nif a < b {\n```\nafter":                 "<pre>if a &lt; b {</pre>\nafter",
		"before\n```\nnever ended **x**":                "before\n<pre>never ended **x**</pre>",
		"one ` alone **b**":                             "one ` alone <b>b</b>",
		"**<b>x</b>**":                                  "<b>&lt;b&gt;x&lt;/b&gt;</b>",
		"":                                              "",
		"see\n|a|**b**|\n|-|:-:|\n|long|`c\\|d`|\nthen": "see\n<pre>a     b\nlong  c|d</pre>\nthen",
		"|a|b|\n|-|\n|c|d|":                             "|a|b|\n|-|\n|c|d|",
		"a | b\n---|---":                                "<pre>a  b</pre>",
		"```\n|a|\n|-|\n```":                            "<pre>|a|\n|-|</pre>",
		"| Step | Why it is done | Risk |\n|---|---|---|\n| move `x` | the old store is lost at each **restart** | |\n" +
			"| 二 | y | high | more |": "• move <code>x</code>\n   Why it is done: the old store is lost at each <b>restart</b>\n" +
			"• 二\n   Why it is done: y\n   Risk: high\n   more",
	} {
		if got := markdown(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// Telegram accepts the text, also in a quotation, whatever a model writes.
func TestAnyMarkdownIsTaken(t *testing.T) {
	t.Parallel()
	r := newStillRig(t)
	l, err := r.ch.newLink(r.api.Token(), r.api.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	r.ann.Say(r.ann.ID, "/start")
	piece := rapid.SampledFrom([]string{
		"**", "__", "*", "_", "`", "```", "\n", "# ", "- ", "[", "](https://x.example/a)", "]", "<b>", "</b>", "&lt;",
		"x", "snake_case", " ", "😀", "|", "|---", "|a|b|\n|-|-|\n|",
	})
	rapid.Check(t, func(rt *rapid.T) {
		text := "x" + strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(rt, "pieces"), "")
		html := markdown(text)
		if units(plain(html)) > units(text) && !strings.Contains(text, "|") {
			rt.Fatalf("it is longer than its source: %q", html)
		}
		const most = 120
		if shown, _ := quotedIn(text, most); units(plain(shown)) > most {
			rt.Fatalf("it is longer than its room: %q", shown)
		}
		for _, whole := range []string{html, "<blockquote>" + html + "</blockquote>"} {
			if _, err := l.send(t.Context(), room{chat: r.ann.ID}, rendered{html: whole}); err != nil {
				rt.Fatalf("refused: %v", err)
			}
			sent := r.api.Messages(r.ann.ID)
			if m := sent[len(sent)-1]; m.Mode != "HTML" {
				rt.Fatalf("sent again without markup: %s", m.Raw)
			}
		}
	})
}
