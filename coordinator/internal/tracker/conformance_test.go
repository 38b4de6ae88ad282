package tracker

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// slow is the time between two issues that a tool needs to order them by age.
var slow time.Duration

// conform checks what every tracker must do. open returns an empty one.
func conform(t *testing.T, open func(t *testing.T) Tracker) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, bench)
	}{
		{"an empty tracker", conformEmpty},
		{"a new issue is found again", conformNew},
		{"the order of what is ready", conformOrder},
		{"a need holds an issue up until it is over", conformNeeds},
		{"every status", conformStatus},
		{"set twice writes once", conformTwice},
		{"ids that name nothing", conformUnknown},
		{"text that is hard to carry", conformHostile},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, bench{t, open(t)}) })
	}
}

// A bench is a tracker under test.
type bench struct {
	t *testing.T
	Tracker
}

func (b bench) make(title string, priority int, needs ...string) Issue {
	b.t.Helper()
	i, err := b.New(b.t.Context(), Draft{Title: title, Body: "About " + title, Priority: priority, Needs: needs})
	if err != nil {
		b.t.Fatalf("new %q: %v", title, err)
	}
	return i
}

func (b bench) set(id string, s Status, note string) {
	b.t.Helper()
	if err := b.Set(b.t.Context(), id, s, note); err != nil {
		b.t.Fatal(err)
	}
}

func (b bench) show(id string) Issue {
	b.t.Helper()
	i, err := b.Show(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return i
}

// wantTitles checks the titles of the listed and of the ready issues, each as "a b c".
func (b bench) wantTitles(listed, ready string) {
	b.t.Helper()
	l, err := b.List(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := b.Ready(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	if got := titles(l); got != listed {
		b.t.Errorf("listed: %q, want %q", got, listed)
	}
	if got := titles(r); got != ready {
		b.t.Errorf("ready: %q, want %q", got, ready)
	}
}

func titles(issues []Issue) string {
	var out []string
	for _, i := range issues {
		out = append(out, i.Title)
	}
	return strings.Join(out, " ")
}

func conformEmpty(t *testing.T, b bench) { b.wantTitles("", "") }

func conformNew(t *testing.T, b bench) {
	made := b.make("one", 3)
	if made.ID == "" || made.Title != "one" || made.Status != StatusOpen || made.Priority != 3 || made.Broken != "" {
		t.Errorf("made %+v", made)
	}
	got := b.show(made.ID)
	if got.Title != "one" || got.Body != "About one" || got.Status != StatusOpen || got.Priority != 3 ||
		got.Created.IsZero() {
		t.Errorf("shown %+v", got)
	}
	if (got.Path != "") != InTree(b) {
		t.Errorf("path %q", got.Path)
	}
	usual := b.make("two", 0)
	if usual.Priority < firstPriority || usual.Priority > lastPriority {
		t.Errorf("an issue without a priority has %d", usual.Priority)
	}
}

func conformOrder(t *testing.T, b bench) {
	for _, d := range []struct {
		title    string
		priority int
	}{{"old", 3}, {"last", 5}, {"young", 3}, {"first", 1}} {
		time.Sleep(slow)
		b.make(d.title, d.priority)
	}
	b.wantTitles("first old young last", "first old young last")
}

func conformNeeds(t *testing.T, b bench) {
	ground := b.make("ground", 4)
	wall := b.make("wall", 3, ground.ID)
	roof := b.make("roof", 1, wall.ID, ground.ID)
	b.wantTitles("roof wall ground", "ground")
	if got := b.show(roof.ID); !same(got.Needs, wall.ID, ground.ID) || !same(got.Waits, wall.ID, ground.ID) {
		t.Errorf("the roof needs %v and waits for %v", got.Needs, got.Waits)
	}
	b.set(ground.ID, StatusInProgress, "")
	b.wantTitles("roof wall ground", "")
	b.set(ground.ID, StatusClosed, "landed as 1234")
	b.wantTitles("roof wall", "wall")
	if got := b.show(roof.ID); !same(got.Waits, wall.ID) {
		t.Errorf("the roof waits for %v", got.Waits)
	}
	b.set(wall.ID, StatusDuplicate, "")
	b.wantTitles("roof", "roof")
}

func same(have []string, want ...string) bool {
	slices.Sort(have)
	slices.Sort(want)
	return slices.Equal(have, want)
}

func conformStatus(t *testing.T, b bench) {
	i := b.make("one", 2)
	for _, c := range []struct {
		to            Status
		listed, ready string
	}{
		{StatusInProgress, "one", ""}, {StatusPaused, "one", ""}, {StatusOpen, "one", "one"},
		{StatusClosed, "", ""}, {StatusOpen, "one", "one"}, {StatusDuplicate, "", ""}, {StatusPaused, "one", ""},
	} {
		b.set(i.ID, c.to, "because of "+string(c.to))
		b.wantTitles(c.listed, c.ready)
		got := b.show(i.ID)
		if got.Status != c.to || !strings.Contains(got.Body, "because of "+string(c.to)) ||
			!strings.Contains(got.Body, "About one") {
			t.Errorf("after %s: %+v", c.to, got)
		}
	}
}

func conformTwice(t *testing.T, b bench) {
	i := b.make("one", 2)
	for range 3 {
		b.set(i.ID, StatusPaused, "the review said no")
	}
	if got := b.show(i.ID); strings.Count(got.Body, "the review said no") != 1 {
		t.Errorf("the note stands more than once: %q", got.Body)
	}
	b.set(i.ID, StatusOpen, "")
	b.set(i.ID, StatusPaused, "something else")
	b.set(i.ID, StatusPaused, "the review said no")
	if got := b.show(i.ID); strings.Count(got.Body, "the review said no") != 2 {
		t.Errorf("a later note like an earlier one is lost: %q", got.Body)
	}
}

func conformUnknown(t *testing.T, b bench) {
	b.make("one", 2)
	for _, id := range []string{"nothing", "../x", "", "--help", "-h", "one two", "x\x00y", strings.Repeat("x", 5000)} {
		if i, err := b.Show(t.Context(), id); !errors.Is(err, ErrNotFound) {
			t.Errorf("show %.20q: %+v, %v", id, i, err)
		}
		if err := b.Set(t.Context(), id, StatusClosed, "x"); !errors.Is(err, ErrNotFound) {
			t.Errorf("set %.20q: %v", id, err)
		}
		if _, err := b.New(t.Context(), Draft{Title: "two", Needs: []string{id}}); !errors.Is(err, ErrNotFound) {
			t.Errorf("new that needs %.20q: %v", id, err)
		}
	}
	if err := b.Set(t.Context(), b.make("two", 2).ID, "someday", ""); err == nil {
		t.Error("an unknown status was accepted")
	}
	for _, d := range []Draft{
		{Title: " \n "},
		{Title: strings.Repeat("x", 300)},
		{Title: "x", Priority: 6},
		{Title: "x", Priority: -1},
	} {
		if i, err := b.New(t.Context(), d); err == nil {
			t.Errorf("new %+v: %+v", d, i)
		}
	}
	b.wantTitles("one two", "one two")
}

func conformHostile(t *testing.T, b bench) {
	for _, text := range []string{
		`back\nslash \t and \\ two`,
		"$(touch /tmp/x) `id` ; rm -rf x",
		"--status closed",
		"-p 1",
		"<b>&amp;</b>",
		"quote ' and \"",
		"später ✓ 日本",
		"@here #1 [x](y)",
	} {
		note := "note: " + text
		i, err := b.New(t.Context(), Draft{Title: text, Body: text + "\n\n- status: closed\n"})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		b.set(i.ID, StatusPaused, note)
		got := b.show(i.ID)
		if got.Title != text || !strings.Contains(got.Body, text+"\n\n- status: closed") ||
			!strings.Contains(got.Body, note) ||
			got.Status != StatusPaused {
			t.Errorf("%q became %q, %q", text, got.Title, got.Body)
		}
	}
	i, err := b.New(t.Context(), Draft{Title: "two\nlines\x00and\r\nmore\xff", Body: "a\x00b\xffc\r\nd"})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.show(i.ID); got.Title != "two lines�and more�" || got.Body != "a�b�c\nd" {
		t.Errorf("%q %q", got.Title, got.Body)
	}
}
