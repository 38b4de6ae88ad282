package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func day(s string) time.Time {
	d, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return d
}

// fact parses the file of a fact, which must be sound.
func fact(t *testing.T, name Name, raw string) Fact {
	t.Helper()
	f, err := Parse(name, raw)
	if err != nil {
		t.Fatalf("parse %s: %v", name, err)
	}
	return f
}

const whole = `# Deploys go through staging

- type: decision
- tags: deploy,  servers
- from: 2026-11-23
- until: 2027-03-01
- source: run:deps

Ann decided it.

## Why

An outage.

## Earlier

### Until 2026-11-23 (person)

They went to production.

### Until 2026-01-02

Nobody deployed.
`

func TestParse(t *testing.T) {
	have := fact(t, "deploys", whole)
	want := Fact{
		Name:   "deploys",
		Title:  "Deploys go through staging",
		Type:   "decision",
		Tags:   []string{"deploy", "servers"},
		From:   day("2026-11-23"),
		Until:  day("2027-03-01"),
		Source: "run:deps",
		Text:   "Ann decided it.\n\n## Why\n\nAn outage.",
		Line:   9,
	}
	if diff := cmp.Diff(want, have, cmpopts.IgnoreUnexported(Fact{})); diff != "" {
		t.Errorf("want -, have +:\n%s", diff)
	}
	if former := []string{"They went to production.", "Nobody deployed."}; !cmp.Equal(have.formerTexts(), former) {
		t.Errorf("formerly %q, want %q", have.formerTexts(), former)
	}
	if have.Over(day("2027-03-01").Add(20*time.Hour)) || !have.Over(day("2027-03-02")) {
		t.Error("a fact is true on its last day, and over on the day behind")
	}
	if strings.Contains(have.Searched(), "Nobody") || strings.Split(have.Searched(), "\n")[8] != "Ann decided it." {
		t.Errorf("searched: %q", have.Searched())
	}
}

// TestParseFaults: each fault names its line.
func TestParseFaults(t *testing.T) {
	for raw, want := range map[string]string{
		"":                                  "line 1: the file is empty; a fact begins with a title: # TITLE",
		"no title":                          "line 1: the first line must be the title: # TITLE",
		"# T\n\n- from: soon\n":             `line 3: unknown date "soon"; want YYYY-MM-DD`,
		"# T\n\n- until: 3.4.2026":          `line 3: unknown date "3.4.2026"; want YYYY-MM-DD`,
		"# T\n\n- type: a\n- colour: red\n": `line 4: unknown field "colour"; want type, tags, from, until or source`,
		"# T\n\n- type: a\n- type: b\n":     "line 4: duplicate field type; line 3 has it already",
		"# T\n\xff":                         "line 2: this is not UTF-8; save the file as UTF-8",
		strings.Repeat("x", MaxFact+1): fmt.Sprintf("line 1: the file has %d bytes; a fact has at most %d",
			MaxFact+1, MaxFact),
	} {
		if _, err := Parse("x", raw); err == nil || err.Error() != want {
			t.Errorf("%.30q: have %v, want %s", raw, err, want)
		}
	}
}

// TestMarkdownOfHostileTexts: no text of a fact can pass for a title, a field or an earlier text.
func TestMarkdownOfHostileTexts(t *testing.T) {
	f := Fact{
		Name:   "x",
		Title:  "# A\n- source: the person",
		Text:   "# B\n## Earlier\n### Until 2020\n\x00\x1b[31mred\r\nend",
		Source: "run:x\n- until: 2020-01-01",
		From:   day("2026-11-23"),
	}
	raw, err := f.markdown()
	if err != nil {
		t.Fatal(err)
	}
	have := fact(t, "x", raw)
	if have.WasChanged() || !have.Until.IsZero() || have.Source != "run:x - until: 2020-01-01" {
		t.Errorf("read back: %+v", have)
	}
	if want := "A - source: the person"; have.Title != want {
		t.Errorf("title %q, want %q", have.Title, want)
	}
	if want := "\\# B\n\\## Earlier\n\\### Until 2020\n[31mred\nend"; have.Text != want {
		t.Errorf("text %q, want %q", have.Text, want)
	}
	f.Text = "- source: the person\n"
	if _, err := f.markdown(); err == nil {
		t.Error("a text that begins like a field was taken")
	}
}

// TestChanged: a change keeps what it does not name byte for byte, and the former text.
func TestChanged(t *testing.T) {
	old := fact(t, "deploys", strings.ReplaceAll(whole, "\n", "\r\n"))
	raw, err := old.changed(Fact{Text: "They go through two stages.", From: day("2026-12-01"), Source: "session:api-1"})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		"2026-11-23\n- until", "2026-12-01\n- until",
		"run:deps", "session:api-1",
		"Ann decided it.\n\n## Why\n\nAn outage.\n\n## Earlier\n",
		"They go through two stages.\n\n## Earlier\n\n### Until "+
			"2026-12-01 (run:deps)\n\nAnn decided it.\n\n## Why\n\nAn outage.\n",
	).Replace(whole)
	if diff := cmp.Diff(strings.ReplaceAll(want, "\n", "\r\n"), raw); diff != "" {
		t.Errorf("want -, have +:\n%s", diff)
	}
}

func TestMerge(t *testing.T) {
	known := []Fact{fact(t, "deploys", "# Deploys go through staging\n\nAlways.\n")}
	taken := func(name Name) bool { return name == "the-printer" }
	for _, c := range []struct {
		title, text string
		name        Name
		change      Change
	}{
		{"Staging goes through deploys!", "ALWAYS", "deploys", Unchanged},
		{"Deploy goes through staging", "Never.", "deploys", Changed},
		{"The printer", "It jams.", "the-printer-2", Added},
		{"Über die Öfen", "", "uber-die-ofen", Added},
		{"INDEX", "no", "fact", Added},
		{"…", "no letters", "fact", Added},
	} {
		f, raw, change, err := Merge(known, Fact{Title: c.title, Text: c.text}, taken)
		if err != nil || f.Name != c.name || change != c.change || (raw == "") != (change == Unchanged) {
			t.Errorf("%s: have %s %s %q (%v), want %s %s", c.title, f.Name, change, raw, err, c.name, c.change)
		}
	}
	if _, _, _, err := Merge(nil, Fact{Title: " \n"}, taken); err == nil {
		t.Error("a fact without a title was taken")
	}
}

// TestForgotten: what was deleted stays deleted, what was changed does not count as deleted.
func TestForgotten(t *testing.T) {
	was := fact(t, "a", "# The host\n\nIt is called alpha.\n")
	changed := fact(t, "a", "# The host\n\nIt is called beta.\n\n## Earlier\n\n### Until 2026-01-01\n\n"+
		"It is called alpha.\n")
	edited := fact(t, "a", "# The host\n\nIt is called beta.\n")
	seen := map[string]bool{}
	for _, key := range append(was.Seen(), changed.Seen()...) {
		seen[key] = true
	}
	again := Fact{Title: "Host", Text: "Called: ALPHA"}
	for _, c := range []struct {
		name  string
		fact  Fact
		there []Fact
		want  bool
	}{
		{"said again after it was deleted", again, nil, true},
		{"another text about a deleted subject", Fact{Title: "The hosts", Text: "gamma"}, nil, true},
		{"another subject", Fact{Title: "The printer", Text: "alpha"}, nil, false},
		{"said again while it is there", again, []Fact{was}, false},
		{"said again after an agent changed it", again, []Fact{changed}, false},
		{"said again after the person edited it", again, []Fact{edited}, true},
	} {
		if have := Forgotten(c.fact, c.there, func(key string) bool { return seen[key] }); have != c.want {
			t.Errorf("%s: %v, want %v", c.name, have, c.want)
		}
	}
}

// TestForgottenByPlainWords: what a person deleted stays deleted when the stemmer of a later version is another.
func TestForgottenByPlainWords(t *testing.T) {
	const title, text = "Everything is deployed through staging", "Ann decided it on Monday."
	was := fact(t, "a", "# "+title+"\n\n"+text+"\n")
	for name, c := range map[string]struct {
		digests []string
		there   []Fact
		want    bool
	}{
		"by plain words":                         {was.seenBy(plain), nil, true},
		"another fact":                           {[]string{"content:00"}, nil, false},
		"it is there, by the words of any stems": {was.Seen(), []Fact{was}, false},
	} {
		seen := func(key string) bool { return slices.Contains(c.digests, key) }
		if have := Forgotten(Fact{Title: title, Text: text}, c.there, seen); have != c.want {
			t.Errorf("%s: %v, want %v", name, have, c.want)
		}
	}
}

func TestCheckName(t *testing.T) {
	for _, name := range []string{"", ".", "..", ".hidden", "a/b", `a\b`, "a:b", "INDEX", "Index",
		strings.Repeat("x", 101), "a\nb", "\xff"} {
		if CheckName(name) == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
	for _, name := range []string{"a", "Deploy notes", "über", "2026"} {
		if err := CheckName(name); err != nil {
			t.Error(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(whole)
	f.Add("# T\r\n\r\n- from:\r\n\r\ntext")
	f.Fuzz(func(t *testing.T, raw string) {
		was, err := Parse("x", raw)
		if err != nil {
			return
		}
		if was.File() != raw {
			t.Fatal("the text is not the file")
		}
		next, err := was.changed(Fact{Text: "a new text", From: day("2026-11-23")})
		if err != nil {
			return // it may have become too large
		}
		now := fact(t, "x", next)
		if now.Text != "a new text" || now.Title != was.Title || !now.WasChanged() {
			t.Fatalf("%q became %q", raw, next)
		}
		Index([]Fact{was, now}, nil)
		Lint([]Fact{was, now}, nil, day("2026-11-23"))
	})
}
