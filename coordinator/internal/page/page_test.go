package page_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/wire"
)

var update = flag.Bool("update", false, "write the golden pages anew")

var pages = page.Parse()

// render returns a whole page.
func render(t testing.TB, v page.View, f page.Frame) string {
	t.Helper()
	var b bytes.Buffer
	if err := pages.Render(&b, v, f, now); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// versions are the hashes in the addresses of files; they change with each byte of style.
var versions = regexp.MustCompile(`\?v=[0-9a-f]+`)

// TestGolden compares each page with the one that was looked at: go test -update writes
// them anew.
func TestGolden(t *testing.T) {
	for set, views := range map[string]map[string]page.View{"full": full(), "empty": empty()} {
		for name, v := range views {
			t.Run(set+"/"+name, func(t *testing.T) {
				f := frameOf(name)
				f.SignedIn = name != "signin"
				got := versions.ReplaceAllString(render(t, v, f), "")
				path := filepath.Join("testdata", set+"-"+name+".html")
				if *update {
					if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		}
	}
}

// TestSections: a page has the same sections whatever it shows, each once and each with its
// own id, and a partial names its place.
func TestSections(t *testing.T) {
	first := empty()
	for name, v := range full() {
		sections, err := pages.Sections(v, now, "")
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, s := range sections {
			ids = append(ids, s.ID)
			if !strings.HasPrefix(string(s.HTML), `<section id="`+s.ID+`">`) {
				t.Errorf("%s: section %s begins with %.40s", name, s.ID, s.HTML)
			}
			var b bytes.Buffer
			if err := page.Partial(&b, s); err != nil ||
				!strings.HasPrefix(b.String(), `<hx-partial hx-target="#`+s.ID+`"`) {
				t.Errorf("%s: partial of %s: %.60s, %v", name, s.ID, b.String(), err)
			}
		}
		if other := first[name]; other != nil {
			have, err := pages.Sections(other, now, "")
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range have {
				if s.ID != ids[i] {
					t.Errorf("%s: the empty page has section %s where the full one has %s", name, s.ID, ids[i])
				}
			}
		}
		doc := render(t, v, frame())
		for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(doc, -1) {
			if n := strings.Count(doc, ` id="`+m[1]+`"`); n > 1 {
				t.Errorf("%s: id %q is there %d times", name, m[1], n)
			}
		}
	}
}

// hostile are texts that want to be more than text.
var hostile = []string{
	`"><script>alert(1)</script><img src=x onerror=alert(1)>`,
	`' onmouseover='alert(1)' x='`,
	"<hx-partial hx-target=\"#main\"><h1>mine</h1></hx-partial>",
	"</textarea></pre></code></section><section id=\"questions\">",
	"javascript:alert(1)",
	"\u202egnp.exe\u202c \u2066hidden\u2069 \u200bzero\u200d \x00\x1b[31m \ufeff \U000e0041",
	strings.Repeat("a", 100_000),
	strings.Repeat("line\n", 20_000),
	"{{.}} ${alert(1)} `\xff\xfe",
}

// poison returns a copy of a view in which every text is replaced. Texts that the templates
// compare with a fixed word keep it, so that each branch is rendered.
func poison(v reflect.Value, text string) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		if !fixedWords[v.String()] {
			out.SetString(text)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(poison(v.Elem(), text))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		}
		for i := range v.Len() {
			out.Index(i).Set(poison(v.Index(i), text))
		}
	case reflect.Map:
		out.Set(reflect.MakeMap(v.Type()))
		for _, k := range v.MapKeys() {
			out.SetMapIndex(k, poison(v.MapIndex(k), text))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out.Field(i).Set(poison(v.Field(i), text))
		}
	}
	return out
}

var fixedWords = func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields("open question permission guard plan elicitation denied check-in ready working " +
		"unprotected ended idle waiting ok bad off auto on Bash Edit " +
		"queued starting failed taken done stopped pending text result thinking tool_start tool_result init " +
		"error raw compacting usage WAITING BLOCKED COMPLETED ARCHIVED " + page.ToolPrompt) {
		all[w] = true
	}
	all["IN PROGRESS"] = true
	return all
}()

// quotedText finds the values of attributes.
var quotedText = regexp.MustCompile(`"[^"]*"|'[^']*'`)

// shapes returns the tags of a page with their attributes, without values. It finds them by hand, because the pages of
// TestHostileTexts are large.
func shapes(doc string) map[string]bool {
	out, seen := map[string]bool{}, map[string]bool{}
	for at := strings.IndexByte(doc, '<'); at >= 0; at = strings.IndexByte(doc, '<') {
		doc = doc[at:]
		tag, rest, closed := strings.Cut(doc, ">")
		if !closed {
			break
		}
		if c := doc[1]; c != '!' && c != '/' && (c|0x20 < 'a' || c|0x20 > 'z') {
			doc = doc[1:]
			continue
		}
		if doc = rest; !seen[tag] {
			seen[tag], out[quotedText.ReplaceAllString(tag+">", "")] = true, true
		}
	}
	return out
}

// TestHostileTexts puts hostile text into every field of every page: no element and no
// attribute appears that a harmless text does not have, nothing invisible is left, and no
// page grows without bound.
func TestHostileTexts(t *testing.T) {
	for name, v := range full() {
		plain := shapes(render(t, poison(reflect.ValueOf(v), "harmless").Interface().(page.View), frame()))
		maps.Copy(plain, shapes(render(t, v, frame())))
		for i, text := range hostile {
			f := poison(reflect.ValueOf(frame()), text).Interface().(page.Frame)
			doc := render(t, poison(reflect.ValueOf(v), text).Interface().(page.View), f)
			if len(text) > 10_000 && len(doc) > 3<<19 {
				t.Errorf("%s, text %d: the page has %d bytes", name, i, len(doc))
			}
			for tag := range shapes(doc) {
				if !plain[tag] && !wide[tag] {
					t.Errorf("%s, text %d: %s came out of a text", name, i, tag)
				}
			}
			for _, r := range doc {
				if r == '\u202e' || r == '\u2066' || r == '\u200b' || r == '\u200d' || r == 0 || r == '\x1b' ||
					r == '\ufeff' ||
					r > 0xe0000 {
					t.Errorf("%s, text %d: %U is left", name, i, r)
					break
				}
			}
			if strings.Contains(doc, `href="javascript:`) || strings.Contains(doc, `action="javascript:`) {
				t.Errorf("%s, text %d: a link runs a script", name, i)
			}
		}
	}
}

// wide are tags that only a long text has: what can be opened, and what is coloured.
var wide = map[string]bool{
	`<details class=>`: true, `</details>`: true, `<summary>`: true, `</summary>`: true, `<p class=>`: true,
	`<span class=>`: true, `</span>`: true, `<br>`: true, `<blockquote>`: true, `<pre class=>`: true, `</pre>`: true,
	`<code>`: true, `</code>`: true,
}

var forms = regexp.MustCompile(`(?s)<form ([^>]*)>(.*?)</form>`)

// TestForms: each form says how and where it is sent, each POST comes back to its page, each
// field has a label and each button a text.
func TestForms(t *testing.T) {
	seen := 0
	for name, v := range full() {
		for _, form := range forms.FindAllStringSubmatch(render(t, v, frame()), -1) {
			seen++
			open, inside := form[1], form[2]
			if strings.Contains(open, `method="dialog"`) {
				continue
			}
			if !strings.Contains(open, `method="`) || !strings.Contains(open, `action="/`) {
				t.Errorf("%s: form %s", name, open)
			}
			if strings.Contains(open, `method="post"`) && !strings.Contains(inside, `name="back" value="/`) {
				t.Errorf("%s: the form %s does not come back", name, open)
			}
			if strings.Contains(open, `action="/ask/`) &&
				!regexp.MustCompile(`name="nonce" value="\w+\.\d\.\w*"`).MatchString(inside) {
				t.Errorf("%s: the form %s has no nonce", name, open)
			}
			for _, field := range regexp.MustCompile(`<(?:textarea|input) [^>]*>`).FindAllString(inside, -1) {
				id := regexp.MustCompile(` id="([^"]*)"`).FindStringSubmatch(field)
				hidden := strings.Contains(field, `type="hidden"`) || strings.Contains(field, `type="checkbox"`)
				if !hidden && (id == nil || !strings.Contains(inside, `for="`+id[1]+`"`)) {
					t.Errorf("%s: no label: %s", name, field)
				}
			}
			if !strings.Contains(inside, "<button") {
				t.Errorf("%s: the form %s has no button", name, open)
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d forms were seen", seen)
	}
}

// TestNoInlineScript: the pages obey their own policy: no script, no style and no handler in
// their text.
func TestNoInlineScript(t *testing.T) {
	bad := regexp.MustCompile(`(?i)<script>|<style|\sstyle=|\son[a-z]+=|javascript:|https?://[^"]*\.(?:js|css|png)`)
	for name, v := range full() {
		if m := bad.FindString(render(t, v, frame())); m != "" {
			t.Errorf("%s: %s", name, m)
		}
	}
}

// TestAssets: all files together, compressed, stay below 150 kB, and the licence of the
// library is among them.
func TestAssets(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	err := fs.WalkDir(page.Static, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := page.Static.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(z, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	z.Close()
	if b.Len() > 150_000 {
		t.Errorf("the files have %d bytes compressed", b.Len())
	}
	t.Logf("%d bytes compressed", b.Len())
	if _, err := fs.Stat(page.Static, "htmx-LICENSE.txt"); err != nil {
		t.Error(err)
	}
}

// colours reads the variables of the style: those of light, then those of dark.
func colours(t *testing.T) (out []map[string]string) {
	t.Helper()
	css, err := fs.ReadFile(page.Static, "afar.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile(`(?s):root \{(.*?)\n\s*\}`).FindAllStringSubmatch(string(css), 2) {
		all := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6})`).FindAllStringSubmatch(block[1], -1) {
			all[m[1]] = m[2]
		}
		out = append(out, all)
	}
	if len(out) != 2 || len(out[0]) < 20 || len(out[1]) != len(out[0]) {
		t.Fatalf("have %d sets of colours: %v", len(out), out)
	}
	return out
}

// luminance is the relative luminance of a colour, as WCAG 2 has it.
func luminance(colour string) (l float64) {
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, _ := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		c := float64(n) / 255
		if c <= 0.03928 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		l += weight * c
	}
	return l
}

func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestContrast: each text can be read on each ground that it stands on, light and dark.
func TestContrast(t *testing.T) {
	pairs := map[string]string{
		"text": "back panel sunk", "soft": "back panel sunk", "link": "back panel", "ok": "panel ok-back",
		"bad": "panel bad-back", "ask": "panel ask-back", "yes-text": "yes", "panel": "link",
		"cmd": "sunk", "flag": "sunk", "string": "sunk", "var": "sunk", "comment": "sunk", "op": "sunk",
	}
	for i, c := range colours(t) {
		for text, grounds := range pairs {
			for _, ground := range strings.Fields(grounds) {
				if have := contrast(c[text], c[ground]); have < 4.5 {
					t.Errorf(
						"%s: %s on %s has a contrast of %.2f, want 4.5",
						[]string{"light", "dark"}[i],
						text,
						ground,
						have,
					)
				}
			}
		}
	}
}

// TestLongLists: with 10,000 loops and as many questions and entries, each page
// stays small and quick.
func TestLongLists(t *testing.T) {
	const n = 10_000
	now1 := fullNow()
	for i := range n {
		token := fmt.Sprintf("many-%04x", i)
		now1.Status.Loops = append(now1.Status.Loops, wire.Loop{ID: token, Session: fmt.Sprint("s", i), Active: true})
		now1.News = append(now1.News, entry("loop.ended", token, "ended", time.Hour))
	}
	many := fullReport()
	for len(many.Report.Asks) < n {
		many.Report.Asks = append(many.Report.Asks, reported()...)
	}
	guarded := fullGuard()
	for len(guarded.Denied) < n {
		guarded.Denied = append(guarded.Denied, fullGuard().Denied...)
	}
	for _, v := range []page.View{
		now1, page.Runs{List: slices.Repeat(runs(), n/9)},
		page.Sessions{Running: page.Running{Loops: now1.Status.Loops}}, page.Loops{Loops: now1.Status.Loops},
		many, guarded, page.Questions{Past: slices.Clone(many.Report.Asks)},
	} {
		begin := time.Now()
		doc := render(t, v, frame())
		if len(doc) > 400_000 {
			t.Errorf("%T has %d bytes", v, len(doc))
		}
		if took := time.Since(begin); took > 10*time.Second { // the benchmark measures; this only catches the absurd
			t.Errorf("%T took %v", v, took)
		}
	}
}

func BenchmarkRender(b *testing.B) {
	for name, v := range full() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				render(b, v, frame())
			}
		})
	}
}

// TestAwayText: the phone is named only where one is paired.
func TestAwayText(t *testing.T) {
	phone := wire.Channel{ID: "telegram", State: "ready"}
	for _, tt := range []struct {
		mode  string
		phone string
		want  string
	}{
		{"off", "ready", "Questions stay in the terminal."},
		{"on", "off", "Questions leave the terminal at once and wait here."},
		{"on", "ready", "Questions leave the terminal at once and wait here and on your phone."},
		{"auto", "unpaired", "Questions wait in the terminal first. Without an answer there they also appear here."},
	} {
		phone.State = tt.phone
		n := page.Now{Status: wire.StatusReply{Settings: wire.Settings{Away: tt.mode}, Channels: []wire.Channel{phone}}}
		if got := n.AwayText(); got != tt.want {
			t.Errorf("%s, phone %s: %q, want %q", tt.mode, tt.phone, got, tt.want)
		}
	}
}
