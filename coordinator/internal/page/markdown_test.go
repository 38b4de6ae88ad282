package page_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/wire"
)

// planned renders the page of a plan and returns how the plan is shown.
func planned(t testing.TB, plan string) string {
	t.Helper()
	q := wire.Ask{ID: "ask_1", Kind: "plan", State: "open", Token: "web-1a2b", Input: plan}
	sections, err := pages.Sections(page.Question{Card: page.Card{Asks: []wire.Ask{q}}}, now, "")
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(sections[0].HTML), `<blockquote class="prose">`)
	end := strings.LastIndex(after, "</blockquote>")
	if !ok || end < 0 {
		t.Fatalf("no plan in %s", sections[0].HTML)
	}
	return after[:end]
}

func TestPlan(t *testing.T) {
	for plan, want := range map[string]string{
		"# Move it\n\ntext":     "<h4>Move it</h4>\n<p>text</p>\n",
		"### c":                 "<h6>c</h6>\n",
		"1. one\n2. two":        "<ol>\n<li>one</li>\n<li>two</li>\n</ol>\n",
		"- a\n  - b":            "<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>\n",
		"**b** *i* ~~s~~ `<c>`": "<p><strong>b</strong> <em>i</em> <del>s</del> <code>&lt;c&gt;</code></p>\n",
		"two\nlines":            "<p>two<br>\nlines</p>\n",
		"snake_case_name":       "<p>snake_case_name</p>\n",
		"```sh\nrm -rf x\n```": `<p class="language">sh</p><pre class="code"><code><span class="t-cmd">rm</span> ` +
			`<span class="t-flag">-rf</span> x</code></pre>`,
		"|a|b|\n|-|:-:|\n|c|d|": "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n" +
			"<td>c</td>\n<td>d</td>\n</tr>\n</tbody>\n</table>\n",
		// A link shows where it leads, and only the address can be followed.
		"[docs](https://a.example/x?y=1&z)": `<p>docs (<a href="https://a.example/x?y=1&amp;z" ` +
			`rel="noreferrer noopener">https://a.example/x?y=1&amp;z</a>)</p>` + "\n",
		"[x](javascript:alert(1))":        "<p>x (javascript:alert(1))</p>\n",
		"[x](//a.example)":                "<p>x (//a.example)</p>\n",
		"[x](https://user@a.example/)":    "<p>x (https://user@a.example/)</p>\n",
		"![pic](https://a.example/p.png)": "<p>pic (https://a.example/p.png)</p>\n",
		"[x](https://a.example \"and then\")": `<p>x (<a href="https://a.example" rel="noreferrer noopener">` +
			`https://a.example</a> and then)</p>` + "\n",
		// Nothing of the text is hidden.
		"a <script>alert(1)</script> b":   "<p>a &lt;script&gt;alert(1)&lt;/script&gt; b</p>\n",
		"<div hidden>\nsecret\n</div>":    "<p>&lt;div hidden&gt;<br>\nsecret<br>\n&lt;/div&gt;</p>\n",
		"<!-- push --force -->":           "<p>&lt;!-- push --force --&gt;</p>\n",
		"[x]: https://a.example 'secret'": "<p>[x]: https://a.example 'secret'</p>\n",
		"|a|\n|-|\n|b|hidden|":            `<div class="plain">|a|` + "\n|-|\n|b|hidden|</div>",
		"&lt;b&gt;":                       `<div class="plain">&amp;lt;b&amp;gt;</div>`,
		"*\u202egnp.exe*":                 "<p><em>⟨U+202E⟩gnp.exe</em></p>\n",
	} {
		if got := planned(t, plan); got != want {
			t.Errorf("%q:\nhave %q\nwant %q", plan, got, want)
		}
	}
}

// TestPlanLong: a long plan is cut on the first page, and can be opened there; its own page
// shows all of it.
func TestPlanLong(t *testing.T) {
	q := wire.Ask{ID: "ask_1", Kind: "plan", State: "open", Input: strings.Repeat("- step\n", 100) + "the end"}
	card := page.Card{Asks: []wire.Ask{q}}
	sections, err := pages.Sections(page.Now{Cards: []page.Card{card}}, now, "")
	if err != nil {
		t.Fatal(err)
	}
	html := string(sections[1].HTML)
	if !strings.Contains(html, "<summary>Show all 101 lines</summary>") || !strings.Contains(html, "the end") {
		t.Errorf("the plan cannot be opened: %s", html)
	}
	if whole := planned(t, q.Input); strings.Contains(whole, "<summary>") || !strings.Contains(whole, "the end") {
		t.Errorf("the plan is not whole on its own page: %s", whole)
	}
}

// markup are the tags that a text can have. Each stands alone in its pattern.
var markup = regexp.MustCompile(
	`^<(/?(p|h[4-6]|[uo]l|li|strong|em|del|code|pre|table|thead|tbody|tr|th|td|blockquote|div|span)` +
		`|br|hr|ol start="\d+"|p class="language"|div class="plain"|pre class="code"|span class="t-[a-z]+"` +
		`|a href="https?://[^"<>\s]+" rel="noreferrer noopener"|/a)>`)

// FuzzPlan: whatever a model writes, no tag of it is a tag of the page, no word of it is
// hidden, and it takes no long time.
func FuzzPlan(f *testing.F) {
	for _, s := range []string{
		"# a\n\n- b **c**\n\n```sh\nrm\n```\n", "<b onclick=x>y</b>", "[a](https://x.example \"t\") ![b](c)",
		"|a|b|\n|-|-|\n|c|d|e|",
		"[a]: <https://x>\n[a]", "&lt;&#60;&amp;lt;", "\\<script\\>", "`<a href=\"x\">`", "<https://x.example>",
		"> > >\n1. x\n", "[x](<a b>)", "[x](https://a.example/\"onmouseover=\"x)", "```\"><script>\nx\n```",
		"~~~ a\n<b>\n~~~", "a\u202eb\u0000\xff", strings.Repeat("[", 300), strings.Repeat("> ", 300),
		strings.Repeat("*a ", 300), strings.Repeat("- ", 300),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, plan string) {
		if strings.TrimRight(plan, "\n") == "" {
			return
		}
		got := planned(t, plan)
		for i := strings.IndexByte(got, '<'); i >= 0; {
			m := markup.FindString(got[i:])
			if m == "" {
				t.Fatalf("%q: a strange tag: %q", plan, got[i:])
			}
			if href, ok := strings.CutPrefix(m, `<a href="`); ok {
				address, _, _ := strings.Cut(href, `"`)
				if !strings.HasPrefix(got[i+len(m):], address+"</a>") {
					t.Fatalf("%q: a link does not show its target: %q", plan, got[i:])
				}
			}
			next := strings.IndexByte(got[i+1:], '<')
			if next < 0 {
				break
			}
			i += 1 + next
		}
	})
}

// TestPlanTime: nesting and repetition do not hold the page up.
func TestPlanTime(t *testing.T) {
	for _, piece := range []string{"> ", "- ", "*a ", "[", "`", "**a", "|a", "1. ", "~~a ", "![", "\n    ",
		"#", "_a_"} {
		began := time.Now()
		planned(t, strings.Repeat(piece, 20_000/len(piece)))
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%q takes %v", piece, took)
		}
	}
}
