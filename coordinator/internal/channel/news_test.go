package channel

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestNewsHasWords checks that each kind of news has a sentence that names its fields alone, and that the value of a
// field is shown as it is.
func TestNewsHasWords(t *testing.T) {
	for kind := range sentences {
		text := News{Kind: kind, Of: "{why}", What: "{of}", Why: "{n}", N: 3}.Words()
		for _, field := range []string{"{of}", "{why}", "{n}"} {
			text = strings.ReplaceAll(text, field, "")
		}
		if strings.ContainsAny(text, "{}") || strings.TrimSpace(text) == "" {
			t.Errorf("%s: %q", kind, text)
		}
	}
	held := News{Kind: TriggerHeld, Of: "mail", Why: "its file has changed {of}"}
	want := "⏸ Trigger mail does not fire any more: its file has changed {of}. " +
		"If that is what you want: afar trigger on mail"
	if got := held.Words(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestReadNotice checks the text of a notice: of values, of texts that an earlier program kept, and of an action that
// an earlier program wrote.
func TestReadNotice(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"one":       {`{"news":[{"kind":"halted","of":"web-1"}]}`, "⏹ web-1 has stopped."},
		"an older":  {`{"news":["kept",{"kind":"halted","of":"web-1"}]}`, "📚 2 at once:\n\nkept\n\n⏹ web-1 has stopped."},
		"after":     {`{"quiet":true,"left":2,"news":["a"]}`, "🌅 While it was quiet:\n\na\n\n2 older ones are left out: `afar log` has them all."},
		"by itself": {`{"text":"written before"}`, "written before"},
	} {
		n, err := ReadNotice(c.data)
		if err != nil || n.Text != c.want {
			t.Errorf("%s: %q, %v; want %q", name, n.Text, err, c.want)
		}
	}
	if _, err := ReadNotice(`{"news":[3]}`); err == nil {
		t.Error("a number is read as news")
	}
}

func FuzzReadNotice(f *testing.F) {
	f.Add(`{"news":["kept",{"kind":"halted","of":"web-1"},null]}`)
	f.Fuzz(func(t *testing.T, data string) {
		n, err := ReadNotice(data)
		if err != nil {
			return
		}
		again, _ := json.Marshal(Notice{News: n.News, Left: n.Left, Quiet: n.Quiet})
		if next, err := ReadNotice(string(again)); err != nil || len(n.News) > 0 && next.Text != n.Text {
			t.Errorf("%q is %q again, %v", n.Text, next.Text, err)
		}
	})
}
