package markdown

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var testForm = Form{Noun: "a rule", Fields: []string{"on", "to", "missed"}, MaxBytes: 1 << 12}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, text  string
		title, body string
		fields      []Field
	}{
		{"title alone", "# Wake me", "Wake me", "", nil},
		{
			name:  "fields and body",
			text:  "\n# Wake me\n\n- on: every 2h\n* To:   person  \n\nLook.\n",
			title: "Wake me", body: "Look.",
			fields: []Field{{Name: "on", Value: "every 2h", Line: 4}, {Name: "to", Value: "person", Line: 5}},
		},
		{"a list of other things is body", "# Wake me\n\n- note: x\n", "Wake me", "- note: x", nil},
		{
			name:  "Windows line endings and a byte order mark",
			text:  "\ufeff# Wake me\r\n\r\n- on: manual\r\n\r\nLook.\r\nTwice.\r\n",
			title: "Wake me", body: "Look.\nTwice.",
			fields: []Field{{Name: "on", Value: "manual", Line: 3}},
		},
		{"an empty value", "# Wake me\n- on:\n", "Wake me", "", []Field{{Name: "on", Line: 2}}},
		{
			"spaces beyond ASCII",
			"# Wake me\n- on: \u00a0manual\u00a0\n",
			"Wake me",
			"",
			[]Field{{Name: "on", Value: "manual", Line: 2}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := testForm.Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if d.Title != c.title || d.Body() != c.body {
				t.Errorf("have title %q and body %q, want %q and %q", d.Title, d.Body(), c.title, c.body)
			}
			if diff := cmp.Diff(c.fields, d.Fields, cmpopts.IgnoreUnexported(Field{})); diff != "" {
				t.Errorf("fields (-want +have):\n%s", diff)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "line 1: the file is empty; a rule begins with a title: # TITLE"},
		{"blank", "\n\n", "line 2: the file is empty; a rule begins with a title: # TITLE"},
		{"no title", "\nWake me\n", "line 2: the first line must be the title: # TITLE"},
		{"too large", "# " + strings.Repeat("x", 1<<12), "line 1: the file has 4098 bytes; a rule has at most 4096"},
		{"not UTF-8", "# X\n\nsp\xe4t\n", "line 3: this is not UTF-8; save the file as UTF-8"},
		{"a NUL", "# X\nx\x00\n", "line 2: the line holds a NUL or a carriage return; want plain text"},
		{"half merged", "# X\n<<<<<<< a\n=======\n>>>>>>> b\n", "line 2: an unfinished merge starts here; resolve it"},
		{"unknown", "# X\n- on: a\n- off: b\n", `line 3: unknown field "off"; want on, to or missed`},
		{"twice", "# X\n- on: a\n- ON: b\n", "line 3: duplicate field on; line 2 has it already"},
		{
			"text in the list",
			"# X\n- on: a\nb\n",
			"line 3: want a field, on, to or missed; end the list with a blank line",
		},
		{
			"separated",
			"# X\n- on: a\n\n- to: b\n",
			"line 4: field to is separated from the list; move it into the list above",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := testForm.Parse(c.text)
			var at Error
			if !errors.As(err, &at) || err.Error() != c.want {
				t.Errorf("have %v, want %s", err, c.want)
			}
		})
	}
}

func TestWithField(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"replaced", "# X\n-  on :  a  \n- to: b\n\n\ttext", "# X\n-  on :  new  \n- to: b\n\n\ttext"},
		{"was empty", "# X\n- on:\n", "# X\n- on: new\n"},
		{"added to the list", "# X\r\n- to: b", "# X\r\n- to: b\r\n- on: new\r\n"},
		{"first of all", "# X\ntext", "# X\n\n- on: new\n\ntext"},
		{"title alone", "# X", "# X\n\n- on: new\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := testForm.Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if have := d.WithField("on", "new"); have != c.want {
				t.Errorf("have %q, want %q", have, c.want)
			}
		})
	}
}

func TestWithParagraph(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# X", "# X\n\na\n\nb\n"},
		{"# X\n", "# X\n\na\n\nb\n"},
		{"# X\r\n\r\n", "# X\r\n\r\na\r\n\r\nb\r\n"},
	} {
		d, err := testForm.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if have := d.WithParagraph("a\n\nb"); have != c.want {
			t.Errorf("%q: have %q, want %q", c.text, have, c.want)
		}
	}
}

// TestShorten: an error quotes at most 41 characters of a text.
func TestShorten(t *testing.T) {
	for text, want := range map[string]string{
		"short": "short", strings.Repeat("é", 41): strings.Repeat("é", 41),
		strings.Repeat("é", 42): strings.Repeat("é", 40) + "…",
	} {
		if got := Shorten(text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestSections(t *testing.T) {
	text := "# X\n\nhead\n\n##  One \na\n### deeper\nb\n~~~ sh\n## not a heading\n```\n~~~\n## Two\r\n\r\n## \nc"
	want := []Section{
		{Line: 1, Text: "# X\n\nhead\n\n"},
		{Heading: "One", Line: 5, Text: "a\n### deeper\nb\n~~~ sh\n## not a heading\n```\n~~~\n"},
		{Heading: "Two", Line: 13, Text: "\r\n"},
		{Line: 15, Text: "c"},
	}
	have := Sections(text)
	if diff := cmp.Diff(want, have, cmpopts.IgnoreUnexported(Section{})); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	for i, s := range have[1:] {
		if cut, whole := s.CutFrom(text), text; len(cut) >= len(whole) || len(Sections(cut)) != len(have)-1 {
			t.Errorf("without section %d: %q", i, cut)
		}
		if same := s.ReplaceIn(text, s.Text); same != text {
			t.Errorf("with the same section %d: %q", i, same)
		}
	}
	if have := Sections(""); have != nil {
		t.Errorf("an empty text has %v", have)
	}
}

// FuzzParse checks that every text is read or refused with one of its lines, and
// that a changed field changes nothing else.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"# X\n\n- on: a\n- to: b\n\ntext\n", "\ufeff# X\r\n- On:a\r\n\r\n- x: y\r\n", "# X", "#", "",
		"# X\n- on:",
		"# X\n-on: a\n- on : b",
		"# X\n- on: \u00a0a\u2003\n",
		"<<<<<<< \n>>>>>>> \n",
		"# X\n## Y\n```\n## Z\n",
	} {
		f.Add(seed, "value")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		checkSections(t, text)
		d, err := testForm.Parse(text)
		if err != nil {
			var at Error
			if !errors.As(err, &at) || at.Line < 1 || at.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		value = strings.TrimSpace(strings.Join(strings.Fields(strings.ToValidUTF8(value, "")), " "))
		value = strings.ReplaceAll(value, "\x00", "")
		checkWithField(t, d, value)
	})
}

func checkWithField(t *testing.T, d Document, value string) {
	t.Helper()
	next, err := testForm.Parse(d.WithField("to", value))
	if err != nil {
		if len(d.Text)+len(value) > testForm.MaxBytes/2 {
			return
		}
		t.Fatalf("%q with to %q: %v", d.Text, value, err)
	}
	to, _ := next.Field("to")
	if to.Value != strings.TrimSpace(value) || next.Title != d.Title || next.Body() != d.Body() {
		t.Fatalf("%q became %q", d.Text, next.Text)
	}
	for _, f := range d.Fields {
		if after, _ := next.Field(f.Name); f.Name != "to" && after.Value != f.Value {
			t.Fatalf("field %s of %q became %q", f.Name, d.Text, after.Value)
		}
	}
}

// checkSections checks that the sections hold the whole text, in order.
func checkSections(t *testing.T, text string) {
	t.Helper()
	rest := text
	begins := strings.HasPrefix(text, "## ")
	for i, s := range Sections(text) {
		if i > 0 || begins {
			heading, below, _ := strings.Cut(rest, "\n")
			if !strings.Contains(heading, s.Heading) {
				t.Fatalf("%q has the heading %q at %q", text, s.Heading, heading)
			}
			rest = below
		}
		if !strings.HasPrefix(rest, s.Text) {
			t.Fatalf("%q has the section %q before %q", text, s.Text, rest)
		}
		rest = rest[len(s.Text):]
	}
	if rest != "" {
		t.Fatalf("%q has %q in no section", text, rest)
	}
}
