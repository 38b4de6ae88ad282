package botapi

import (
	"errors"
	"fmt"
	"html"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseHTML(t *testing.T) {
	for _, tt := range []struct {
		src, text, entities string
	}{
		{"plain", "plain", ""},
		{"a < b", "", "Unsupported start tag"},
		{"<b>x</b>", "x", "bold 0+1"},
		{"<B>x</b >", "x", "bold 0+1"},
		{"<strong>a</strong><em>b</em><ins>c</ins><del>d</del><strike>e</strike>", "abcde",
			"bold 0+1, italic 1+1, underline 2+1, strikethrough 3+2"},
		{"<b>a<i>b</i></b>", "ab", "bold 0+2, italic 1+1"},
		{"<b>x</>", "x", "bold 0+1"},
		{"<b></b>x", "x", ""},
		{"👍<b>é</b>", "👍é", "bold 2+1"},
		{"&lt;b&gt; &amp;&quot; &#65;&#x42; &#128077;", "<b> &\" AB 👍", ""},
		{"&lt &amp", "< &", ""},
		{"&nbsp; &apos; & &; &# &#x; &#0; &#1114111;", "&nbsp; &apos; & &; &# &#x; &#0; &#1114111;", ""},
		{"<span class=\"tg-spoiler\">x</span><tg-spoiler>y</tg-spoiler>", "xy", "spoiler 0+2"},
		{"<span class=tg-spoiler>x</span>", "x", "spoiler 0+1"},
		{"<pre>x</pre>", "x", "pre 0+1"},
		{"<pre><code class=\"language-go\">x</code></pre>", "x", "pre 0+1 go"},
		{"<code class=\"language-go\"><pre>x</pre></code>", "x", "pre 0+1 go"},
		{"<code class=\"language-go\">x</code>", "x", "code 0+1"},
		{"<b>a<code>b</code>c</b>", "abc", "bold 0+1, code 1+1, bold 2+1"},
		{"<code><b>x</b></code>", "x", "code 0+1"},
		{"<blockquote>a<b>b</b></blockquote>", "ab", "blockquote 0+2, bold 1+1"},
		{"<blockquote expandable>a</blockquote>", "a", "expandable_blockquote 0+1"},
		{"<a href=\"https://Example.com?a=1&amp;b=2\">x</a>", "x", "text_link 0+1 https://example.com/?a=1&b=2"},
		{"<a href='tg://user?id=42'>x</a>", "x", "text_mention 0+1 42"},
		{"<a>example.com/x</a>", "example.com/x", "text_link 0+13 http://example.com/x"},
		{"<a href=\"http://localhost/\">x</a>", "x", ""},
		{"<a href=\"javascript:alert(1)\">x</a>", "x", ""},
		{"<tg-emoji emoji-id=\"5368324170671202286\">👍</tg-emoji>", "👍", "custom_emoji 0+2 5368324170671202286"},
		{"\r\n a\u202eb\tc \x01", "ab c", ""},
		{" <b> x </b> ", " x", "bold 0+2"},

		{"ab<div>x</div>", "", `Unsupported start tag "div" at byte offset 2`},
		{"<", "", "Unclosed start tag at byte offset 0"},
		{"a<b", "", "Unclosed start tag at byte offset 1"},
		{"<b/>", "", `Unsupported start tag "b/" at byte offset 0`},
		{"<!-- x -->", "", `Unsupported start tag "!--" at byte offset 0`},
		{"é<b>x", "", `Can't find end tag corresponding to start tag "b"`},
		{"<b><i>x</b></i>", "", `Unmatched end tag at byte offset 7, expected "</i>", found "</b>"`},
		{"x</b>", "", "Unexpected end tag at byte offset 1"},
		{"<b>x</b", "", "Unclosed end tag at byte offset 4"},
		{"<b>x</b y>", "", "Unclosed end tag at byte offset 4"},
		{"<span>x</span>", "", `Tag "span" must have class "tg-spoiler" at byte offset 0`},
		{"<a href>x</a>", "", `Expected equal sign in declaration of an attribute of the tag "a" at byte offset 0`},
		{"<a =x>y</a>", "", `Empty attribute name in the tag "a" at byte offset 0`},
		{"<a href=x/y>y</a>", "", "Unexpected end of name token at byte offset 8"},
		{"<a href=\"x>y</a>", "", "Unclosed start tag at byte offset 0"},
		{"<a href", "", `Unclosed start tag`},
		{"<a href=", "", `Unclosed start tag "a" at byte offset 0`},
		{"<tg-emoji emoji-id=\"x\">y</tg-emoji>", "", "Invalid custom emoji identifier specified"},
		{"&#xD83D;&#xDE00;", "", "Text contains invalid Unicode characters after decoding HTML entities"},
	} {
		text, entities, err := read(tt.src)
		if err != nil {
			var refused *apiError
			if !errors.As(err, &refused) || refused.code != 400 || tt.text != "" ||
				!strings.HasPrefix(
					err.Error(), "Bad Request: can't parse entities: "+tt.entities,
				) || tt.entities == "" {
				t.Errorf("%q: %v, want %q", tt.src, err, tt.entities)
			}
			continue
		}
		if got := list(entities); text != tt.text || got != tt.entities {
			t.Errorf("%q: %q with %s, want %q with %s", tt.src, text, got, tt.text, tt.entities)
		}
	}
}

func TestEntitiesParameter(t *testing.T) {
	for _, tt := range []struct {
		raw, text, want string
	}{
		{`[{"type":"bold","offset":0,"length":3}]`, "👍x", "bold 0+3"},
		{`[{"type":"pre","offset":0,"length":1,"language":"go"}]`, "x", "pre 0+1 go"},
		{
			`[{"type":"text_mention","offset":0,"length":1,"user":{"id":42,"first_name":"A"}}]`,
			"x",
			"text_mention 0+1 42",
		},
		{`[{"type":"text_link","offset":0,"length":1,"url":"example.com"}]`, "x", "text_link 0+1 http://example.com/"},
		{
			`[{"type":"bold","offset":0,"length":3},{"type":"italic","offset":2,"length":3}]`,
			"abcde",
			"bold 0+3, italic 2+3",
		},
		{
			`[{"type":"bold","offset":0,"length":2},{"type":"bold","offset":2,"length":2},` +
				`{"type":"hashtag","offset":0,"length":1}]`,
			"abcd",
			"bold 0+4",
		},
		{`[{"type":"pre","offset":0,"length":3},{"type":"code","offset":2,"length":3}]`, "abcde", "pre 0+3"},
		{`[{"type":"bold","offset":0,"length":4}]`, "abc",
			"entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 4"},
		{`[{"type":"bold","offset":1,"length":1}]`, "👍",
			"entity begins in a middle of a UTF-16 symbol at UTF-16 offset 1"},
		{`[{"type":"bold","offset":0,"length":1}]`, "👍",
			"entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at UTF-16 offset 1"},
		{`[{"type":"bold","offset":-1,"length":1}]`, "x", "receive an entity with incorrect offset -1"},
		{`[{"type":"bold","offset":0,"length":-1}]`, "x", "receive an entity with incorrect length -1"},
		{`[{"type":"glitter","offset":0,"length":1}]`, "x", "can't parse MessageEntity: Unsupported type specified"},
		{`[{"type":"text_link","offset":0,"length":1,"url":"localhost"}]`, "x",
			`entity URL "http://localhost/" is invalid: Wrong HTTP URL`},
		{`{}`, "x", "can't parse entities JSON object"},
		{`[{"type":7}]`, "x", "can't parse entities JSON object"},
	} {
		c, err := request{params: params{"text": tt.text, "entities": tt.raw}}.content("text", "entities")
		got := list(c.entities)
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "Bad Request: ")
		}
		if got != tt.want {
			t.Errorf("%s on %q: got %s, want %s", tt.raw, tt.text, got, tt.want)
		}
	}
}

// FuzzParseHTML checks that the parser does not panic, that its entities are in bounds, and
// that its result, written as HTML, parses to the same.
func FuzzParseHTML(f *testing.F) {
	for _, seed := range []string{
		"<b>a<i>b</i></b>",
		"<pre><code class=\"language-go\">x</code></pre>",
		"&lt;&#x41;&",
		"<a href=\"https://e.x?a&amp;b\">👍</a>",
		"<blockquote expandable> <code>x</code> y</blockquote>",
		"<b>a<code>b</code>c</b>",
		" <u> x\r\u202e</u> ",
		"<tg-emoji emoji-id='5'>x</tg-emoji>",
		"<code><a>e.x</a></code><a href=\"tg://user?id=4\">z</a>",
		"<span class=tg-spoiler>x</span",
		"<blockquote><pre>x</pre>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if !utf8.ValidString(src) {
			return // refused before it gets here
		}
		text, entities, err := read(src)
		if err != nil {
			return
		}
		if err := checkBounds(text, entities); err != nil {
			t.Fatalf("%q makes %+v of %q: %v", src, entities, text, err)
		}
		again := write(text, entities)
		text2, entities2, err := read(again)
		if err != nil || text2 != text || !reflect.DeepEqual(entities, entities2) {
			t.Fatalf(
				"%q makes\n%q %+v; written as %q it makes\n%q %+v, %v",
				src,
				text,
				entities,
				again,
				text2,
				entities2,
				err,
			)
		}
	})
}

func read(src string) (string, []Entity, error) {
	text, entities, err := parseHTML(src)
	if err != nil {
		return "", nil, err
	}
	return fix(text, entities)
}

func list(entities []Entity) string {
	var all []string
	for _, e := range entities {
		s := fmt.Sprintf("%s %d+%d", e.Type, e.Offset, e.Length)
		if extra := e.URL + e.Language + e.CustomEmoji; extra != "" {
			s += " " + extra
		}
		if e.User != 0 {
			s += fmt.Sprint(" ", e.User)
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

// write renders a text with its entities as HTML. It writes the tags of splittable
// entities on each part between two borders, and the other tags around them.
func write(text string, entities []Entity) string {
	borders := map[int]bool{}
	for _, e := range entities {
		borders[e.Offset], borders[e.end()] = true, true
	}
	var b, run strings.Builder
	n, from := 0, 0
	flush := func() {
		b.WriteString(dress(run.String(), from, entities))
		run.Reset()
		from = n
	}
	for _, r := range text {
		if borders[n] {
			flush()
			writeBorder(&b, n, entities)
		}
		run.WriteRune(r)
		n += unitsOf(r)
	}
	flush()
	writeBorder(&b, n, entities)
	return b.String()
}

// dress wraps one part in its splittable tags.
func dress(run string, at int, entities []Entity) string {
	out := html.EscapeString(run)
	out = strings.NewReplacer("&#39;", "'", "&#34;", "&quot;").Replace(out)
	for _, e := range entities {
		if run != "" && class(e.Type) == splittable && e.Offset <= at && at < e.end() {
			open, end := tags(e)
			out = open + out + end
		}
	}
	return out
}

// writeBorder closes the tags that end at a position, inner first, and opens those that
// begin there.
func writeBorder(b *strings.Builder, at int, entities []Entity) {
	for _, e := range slices.Backward(entities) {
		if _, end := tags(e); class(e.Type) != splittable && e.end() == at {
			b.WriteString(end)
		}
	}
	for _, e := range entities {
		if open, _ := tags(e); class(e.Type) != splittable && e.Offset == at {
			b.WriteString(open)
		}
	}
}

func tags(e Entity) (open, end string) {
	value := html.EscapeString(e.URL + e.Language)
	value = strings.NewReplacer("&#39;", "'", "&#34;", "&quot;").Replace(value)
	switch e.Type {
	case "bold":
		return "<b>", "</b>"
	case "italic":
		return "<i>", "</i>"
	case "underline":
		return "<u>", "</u>"
	case "strikethrough":
		return "<s>", "</s>"
	case "spoiler":
		return "<tg-spoiler>", "</tg-spoiler>"
	case "code":
		return "<code>", "</code>"
	case "pre":
		if e.Language != "" {
			return `<pre><code class="language-` + value + `">`, "</code></pre>"
		}
		return "<pre>", "</pre>"
	case "blockquote":
		return "<blockquote>", "</blockquote>"
	case "expandable_blockquote":
		return "<blockquote expandable>", "</blockquote>"
	case "text_link":
		return `<a href="` + value + `">`, "</a>"
	case "text_mention":
		return fmt.Sprintf(`<a href="tg://user?id=%d">`, e.User), "</a>"
	case "custom_emoji":
		return `<tg-emoji emoji-id="` + e.CustomEmoji + `">`, "</tg-emoji>"
	}
	return "", ""
}
