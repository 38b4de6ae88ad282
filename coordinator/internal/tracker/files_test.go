package tracker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

func TestFilesConform(t *testing.T) {
	conform(t, func(t *testing.T) Tracker { return openFiles(t, t.TempDir()) })
}

// openFiles returns a tracker whose clock advances by a second at each call.
func openFiles(t *testing.T, top string) *files {
	t.Helper()
	f, at := newFiles(top), time.Date(2026, 11, 21, 22, 43, 5, 0, time.UTC)
	var mu sync.Mutex
	f.now = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
		return at
	}
	return f
}

// project makes a repository's top with these files in the directory of issues.
func project(t *testing.T, issues map[string]string) string {
	t.Helper()
	top := t.TempDir()
	for name, text := range issues {
		writeIssue(t, top, name, text)
	}
	return top
}

func writeIssue(t *testing.T, top, name, text string) {
	t.Helper()
	path := filepath.Join(top, filepath.FromSlash(issuesDir), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readIssueFile(t *testing.T, top, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(issuesDir), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestOpenFindsTheTracker(t *testing.T) {
	top := t.TempDir()
	for _, c := range []struct{ dir, want string }{{"src", "files"}, {".afar/issues", "files"}} {
		if err := os.MkdirAll(filepath.Join(top, c.dir), 0o755); err != nil {
			t.Fatal(err)
		}
		got, err := Open(top, "")
		if err != nil || got.Name() != c.want {
			t.Errorf("with %s: %v, %v", c.dir, got, err)
		}
	}
	for _, c := range []struct{ top, name string }{{top, "jira"}, {".", ""}, {"", "files"}} {
		if got, err := Open(c.top, c.name); err == nil {
			t.Errorf("open %q %q: %v", c.top, c.name, got)
		}
	}
}

// TestFileOfANewIssue checks the text of a new issue's file.
func TestFileOfANewIssue(t *testing.T) {
	f := openFiles(t, t.TempDir())
	need, err := f.New(t.Context(), Draft{Title: "Ground"})
	if err != nil {
		t.Fatal(err)
	}
	i, err := f.New(
		t.Context(),
		Draft{Title: "Sessions die: why?", Body: "They do.\n", Priority: 1, Needs: []string{need.ID[:4]}},
	)
	if err != nil {
		t.Fatal(err)
	}
	if want := ".afar/issues/" + i.ID + "-sessions-die-why.md"; i.Path != want || len(i.ID) != idLen {
		t.Errorf("path %q, want %q", i.Path, want)
	}
	if err := f.Set(t.Context(), i.ID, StatusPaused, "Nobody\nknows."); err != nil {
		t.Fatal(err)
	}
	want := "# Sessions die: why?\n\n" +
		"- status: paused\n- priority: 1\n- needs: " + need.ID + "\n- created: 2026-11-21 22:43:07.000 UTC\n\n" +
		"They do.\n\n## 2026-11-21 22:43 UTC: paused\n\nNobody\nknows.\n"
	if got := readIssueFile(t, f.top, filepath.Base(i.Path)); got != want {
		t.Errorf("the file is:\n%s\nwant:\n%s", got, want)
	}
}

// TestWhatAPersonWroteStays changes the status in files that a person wrote. Only the
// value of the status may differ.
func TestWhatAPersonWroteStays(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"title alone", "# Fix it", "# Fix it\n\n- status: closed\n"},
		{"title and text", "# Fix it\nsoon\n", "# Fix it\n\n- status: closed\n\nsoon\n"},
		{"title, blank, text", "\n\n# Fix it  \n\n\n  soon", "\n\n# Fix it  \n\n- status: closed\n\n\n  soon"},
		{"a list that has no field", "# Fix it\n\n- a: b\n- c\n", "# Fix it\n\n- status: closed\n\n- a: b\n- c\n"},
		{
			"own order and bullets",
			"# X\n* Priority:4\n+  STATUS :  In Progress \t\n- needs:\n\nx",
			"# X\n* Priority:4\n+  STATUS :  closed \t\n- needs:\n\nx",
		},
		{"no value", "# X\n\n- status:\n", ""},
		{"priority alone", "# X\n\n- priority: 1\n\nx\n", "# X\n\n- priority: 1\n- status: closed\n\nx\n"},
		{"priority alone, no end of line", "# X\n\n- priority: 1", "# X\n\n- priority: 1\n- status: closed\n"},
		{"carriage returns", "# X\r\n\r\n- status: open\r\n\r\nx\r\n", "# X\r\n\r\n- status: closed\r\n\r\nx\r\n"},
		{"carriage returns, no field", "# X\r\n\r\nx\r\n", "# X\r\n\r\n- status: closed\r\n\r\nx\r\n"},
		{"byte order mark", "\ufeff# X\n\n- status: open\n", "\ufeff# X\n\n- status: closed\n"},
		{"closed by hand", "# X\n\n- status: Closed\n", "# X\n\n- status: Closed\n"},
		{
			"fields in the text are text",
			"# X\n\n- status: open\n\nSee:\n- status: paused\n",
			"# X\n\n- status: closed\n\nSee:\n- status: paused\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := openFiles(t, project(t, map[string]string{"x.md": c.before}))
			err := f.Set(t.Context(), "x", StatusClosed, "")
			if c.after == "" {
				if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), ".afar/issues/x.md: line 3: ") {
					t.Errorf("set: %v", err)
				}
				c.after = c.before
			} else if err != nil {
				t.Fatal(err)
			}
			if got := readIssueFile(t, f.top, "x.md"); got != c.after {
				t.Errorf("have %q\nwant %q", got, c.after)
			}
		})
	}
}

// TestBrokenFiles checks that a broken file is listed and named with its line, is never
// ready, is never changed, and hides no other issue.
func TestBrokenFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "line 1: the file is empty"},
		{"blank", "\n \n\n", "line 3: the file is empty"},
		{"no title", "Fix it\n", "line 1: the first line must be the title"},
		{"front matter", "---\ntitle: x\n---\n", "line 1: the first line must be the title"},
		{"empty title", "\n#  \n", "line 2: the first line must be the title"},
		{
			"no status",
			"# X\n\n- status: someday\n",
			`line 3: unknown status "someday"; want open, in_progress, paused, duplicate or closed`,
		},
		{"no priority", "# X\n\n- status: open\n- priority: high\n", `line 4: unknown priority "high"`},
		{"priority out of range", "# X\n- priority: 0\n", `line 2: unknown priority "0"`},
		{"no moment", "# X\n- created: yesterday\n", `line 2: unknown time "yesterday"`},
		{
			"misspelt",
			"# X\n\n- stauts: closed\n- priority: 1\n",
			`line 3: unknown field "stauts"; want status, priority, needs or created`,
		},
		{"twice", "# X\n- status: open\n- status: closed\n", "line 3: duplicate field status; line 2 has it already"},
		{"cut off", "# X\n\n- priority: 1\n\n- status: closed\n", "line 5: field status is separated from the list"},
		{
			"text in the list",
			"# X\n- status: open\ngo on\n",
			"line 3: want a field, status, priority, needs or created; end the list with a blank line",
		},
		{"needs on two lines", "# X\n- needs: a,\n  b\n", "line 3: want a field"},
		{"needs a way out", "# X\n- needs: ../../etc/passwd\n", `line 2: invalid id "../../etc/passwd"`},
		{
			"half merged",
			"# X\n\n<<<<<<< HEAD\n- status: open\n=======\n- status: closed\n>>>>>>> b\n",
			"line 3: an unfinished merge starts here",
		},
		{"not UTF-8", "# X\n\nsp\xe4ter\n", "line 3: this is not UTF-8"},
		{"UTF-16", "\xff\xfe#\x00 \x00X\x00\n\x00", "line 1: this is not UTF-8"},
		{"NUL", "# X\n\n\n\x00", "line 4: the line holds a NUL"},
		{"lone carriage return", "# X\r- status: open\n", "line 1: the line holds a NUL or a carriage return"},
		{"huge", "# X\n" + strings.Repeat("x", largest), "line 1: the file has 1048580 bytes"},
		{"needs nothing there", "# X\n- needs: nobody\n", "needs nobody: no such issue"},
		{"needs many", "# X\n- needs: o\n", "needs o: more than one issue begins like that"},
		{"needs itself", "# X\n- needs: broken\n", "issues need each other in a circle: broken → broken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := project(
				t,
				map[string]string{
					"broken.md": c.text,
					"one.md":    "# one\n",
					"over.md":   "# over\n- status: duplicate\n",
					"two.md":    "# two\n- needs: over\n",
				},
			)
			f := openFiles(t, top)
			listed, err := f.List(t.Context())
			if err != nil || len(listed) != 3 {
				t.Fatalf("listed %+v, %v", listed, err)
			}
			got, err := pick(listed, "broken")
			if err != nil || !strings.Contains(got.Broken, c.want) ||
				!strings.HasPrefix(got.Broken, ".afar/issues/broken.md: ") {
				t.Errorf("have %q, %v, want %q", got.Broken, err, c.want)
			}
			if ready, err := f.Ready(t.Context()); err != nil || titles(ready) != "one two" {
				t.Errorf("ready: %q, %v", titles(ready), err)
			}
			if err := f.Set(t.Context(), "broken", StatusPaused, "x"); strings.HasPrefix(
				c.want,
				"line ",
			) != errors.Is(
				err,
				errBroken,
			) {
				t.Errorf("set: %v", err)
			} else if err != nil && readIssueFile(t, top, "broken.md") != c.text {
				t.Error("a file that cannot be understood was changed")
			}
		})
	}
}

// TestCircles checks circles of needs, as a merge of two branches can make them.
func TestCircles(t *testing.T) {
	f := openFiles(t, project(t, map[string]string{
		"a.md":     "# a\n- needs: b\n",
		"b.md":     "# b\n- needs: c, free\n",
		"c.md":     "# c\n- needs: a\n",
		"free.md":  "# free\n",
		"after.md": "# after\n- needs: a\n",
	}))
	listed, err := f.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for id, way := range map[string]string{
		"a":     "a → b → c → a",
		"b":     "a → b → c → a",
		"c":     "a → b → c → a",
		"free":  "",
		"after": "",
	} {
		i, err := pick(listed, id)
		if err != nil || !strings.HasSuffix(i.Broken, way) || way == "" && i.Broken != "" {
			t.Errorf("%s: %q, %v, want %q", id, i.Broken, err, way)
		}
	}
	if ready, err := f.Ready(t.Context()); err != nil || titles(ready) != "free" {
		t.Errorf("ready %q, %v", titles(ready), err)
	}
	if _, err := f.New(t.Context(), Draft{Title: "x", Needs: []string{"b"}}); !errors.Is(err, errCycle) ||
		!strings.Contains(err.Error(), "a → b → c → a") {
		t.Errorf("new: %v", err)
	}
	if err := f.Set(t.Context(), "c", StatusClosed, ""); err != nil {
		t.Fatal(err)
	}
	if ready, err := f.Ready(t.Context()); err != nil || titles(ready) != "free" {
		t.Errorf("ready %q, %v", titles(ready), err)
	}
	if got, err := f.Show(t.Context(), "a"); err != nil || got.Broken != "" {
		t.Errorf("the circle is cut, but: %q, %v", got.Broken, err)
	}
}

// TestLinksLeadNowhere checks that nothing outside the repository is read or written.
func TestLinksLeadNowhere(t *testing.T) {
	outside := project(t, map[string]string{"x.md": "# secret\n"})
	there := filepath.Join(outside, filepath.FromSlash(issuesDir))
	t.Run("directory", func(t *testing.T) {
		top := t.TempDir()
		if err := os.Mkdir(filepath.Join(top, ".afar"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(there, filepath.Join(top, ".afar", "issues")); err != nil {
			t.Fatal(err)
		}
		f := openFiles(t, top)
		if listed, err := f.List(t.Context()); err == nil {
			t.Errorf("listed %+v", listed)
		}
		if made, err := f.New(t.Context(), Draft{Title: "x"}); err == nil {
			t.Errorf("made %+v", made)
		}
	})
	t.Run("file", func(t *testing.T) {
		top := project(t, map[string]string{"one.md": "# one\n"})
		link := filepath.Join(top, filepath.FromSlash(issuesDir), "link.md")
		if err := os.Symlink(filepath.Join(there, "x.md"), link); err != nil {
			t.Fatal(err)
		}
		f := openFiles(t, top)
		i, err := f.Show(t.Context(), "link")
		if err != nil || i.Broken != ".afar/issues/link.md: want a regular file" || i.Body != "" {
			t.Errorf("shown %+v, %v", i, err)
		}
		if err := f.Set(t.Context(), "link", StatusClosed, "x"); !errors.Is(err, errBroken) {
			t.Errorf("set: %v", err)
		}
	})
	if got := readIssueFile(t, outside, "x.md"); got != "# secret\n" {
		t.Errorf("outside stands %q", got)
	}
}

// TestNames checks which files are issues, and which ids their names give.
func TestNames(t *testing.T) {
	f := openFiles(t, project(t, map[string]string{
		"README.md": "How we work", ".hidden.md": "x", "notes.txt": "x", "old/x.md": "# x\n", ".new": "half",
		"bcd234-fix-login.md": "# made\n",
		"bcd23-fix.md":        "# short\n",
		"Fix the door.md":     "# door\n",
		"later.lock.md":       "# lock\n",
		"BIG.md":              "# big\n", "big.md": "# small\n",
	}))
	listed, err := f.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range listed {
		got = append(got, fmt.Sprintf("%s %s %.30s", i.ID, i.Title, strings.TrimPrefix(i.Broken, i.Path+": ")))
	}
	want := []string{
		"BIG big .afar/issues/big.md has the sa",
		`Fix the door Fix the door invalid id "Fix the door"; wan`,
		"bcd23-fix short ",
		"bcd234 made ",
		"big small .afar/issues/BIG.md has the sa",
		`later.lock later.lock invalid id "later.lock"; want `,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestPrefixes(t *testing.T) {
	f := openFiles(
		t,
		project(t, map[string]string{"login.md": "# a\n", "login-page.md": "# b\n", "logout.md": "# c\n"}),
	)
	for _, c := range []struct {
		id, want string
		err      error
	}{
		{"login", "a", nil},
		{"LOGIN-", "b", nil},
		{"logo", "c", nil},
		{"log", "", errAmbiguous},
		{"logi", "", errAmbiguous},
		{"x", "", ErrNotFound},
	} {
		i, err := f.Show(t.Context(), c.id)
		if i.Title != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v", c.id, i.Title, err)
		}
	}
	if _, err := f.Show(t.Context(), "log"); !strings.HasSuffix(err.Error(), `"log" may be login-page, login, logout`) {
		t.Error(err)
	}
}

// TestNamedByFile checks that the name of a file, as a shell completes it, is accepted as
// an id.
func TestNamedByFile(t *testing.T) {
	b := bench{t, openFiles(t, project(t, map[string]string{
		"bcd234-fix-login.md": "# fix\n", "by-hand.md": "# hand\n- needs: bcd234-fix-login.md, bcd234\n",
	}))}
	for _, id := range []string{
		"bcd234",
		"bcd",
		"bcd234-fix-login",
		"bcd234-fix-login.md",
		".afar/issues/bcd234-fix-login.md",
	} {
		if got := b.show(id); got.ID != "bcd234" {
			t.Errorf("%s is %+v", id, got)
		}
	}
	b.set(".afar/issues/by-hand.md", StatusPaused, "")
	b.wantTitles("fix hand", "fix")
	for _, id := range []string{"../issues/by-hand.md", "/by-hand.md", ".afar/issues/../issues/by-hand.md"} {
		if _, err := b.Show(t.Context(), id); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// TestAge checks that a file without a date is the youngest.
func TestAge(t *testing.T) {
	b := bench{t, openFiles(t, project(t, map[string]string{
		"a.md": "# undated\n",
		"b.md": "# day\n- created: 2026-11-21\n",
		"c.md": "# minute\n- created: 2026-11-21 07:00 UTC\n",
		"d.md": "# zone\n- created: 2026-11-21T09:00:00+03:00\n", "e.md": "# first\n- priority: 1\n",
	}))}
	b.wantTitles("first day zone minute undated", "first day zone minute undated")
}

// TestManyAtOnce checks that no writer loses the work of another.
func TestManyAtOnce(t *testing.T) {
	long.InCI(t)
	top := t.TempDir()
	i, err := newFiles(top).New(t.Context(), Draft{Title: "one"})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			f := newFiles(top)
			if err := f.Set(t.Context(), i.ID, StatusOpen, fmt.Sprintf("note %d.", n)); err != nil {
				t.Error(err)
			}
			if _, err := f.New(t.Context(), Draft{Title: fmt.Sprint("new ", n)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got, err := newFiles(top).Show(t.Context(), i.ID)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 20 {
		if !strings.Contains(got.Body, fmt.Sprintf("note %d.", n)) {
			t.Errorf("note %d is lost", n)
		}
	}
	if listed, err := newFiles(top).List(t.Context()); err != nil || len(listed) != 21 {
		t.Errorf("%d issues, %v", len(listed), err)
	}
}

// TestSameID checks that two files with the same id are both named, and never changed.
func TestSameID(t *testing.T) {
	f := openFiles(t, project(t, map[string]string{"bcd234-old.md": "# old\n", "bcd234-new.md": "# new\n"}))
	if err := f.Set(t.Context(), "bcd234", StatusClosed, "x"); !errors.Is(err, errBroken) ||
		!strings.Contains(err.Error(), "has the same id; rename one") {
		t.Errorf("set: %v", err)
	}
	old := readIssueFile(t, f.top, "bcd234-old.md")
	young := readIssueFile(t, f.top, "bcd234-new.md")
	if old != "# old\n" ||
		young != "# new\n" {
		t.Errorf("%q %q", old, young)
	}
}

// TestEditedMeanwhile checks that a file that a person saves meanwhile is not overwritten.
func TestEditedMeanwhile(t *testing.T) {
	top := project(t, map[string]string{"x.md": "# new\n"})
	root, err := os.OpenRoot(top)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, was := range []string{"# old\n", ""} {
		if err := replace(root, issuesDir+"/x.md", was, "# ours\n"); !errors.Is(err, errEdited) {
			t.Errorf("over %q: %v", was, err)
		}
	}
	if got := readIssueFile(t, top, "x.md"); got != "# new\n" {
		t.Errorf("the file is %q", got)
	}
	if _, err := os.Lstat(filepath.Join(top, filepath.FromSlash(issuesDir), ".new")); err == nil {
		t.Error("what was not finished is left")
	}
}

// TestManyIssues checks that the time for a long chain of needs, and for a large circle,
// grows only as their length does.
func TestManyIssues(t *testing.T) {
	long.InCI(t)
	const many = 20000
	for _, last := range []string{"", "i00000"} {
		all := make([]Issue, many)
		for n := range all {
			all[n] = Issue{ID: fmt.Sprintf("i%05d", n), Status: StatusOpen}
			if n+1 < many {
				all[n].Needs = []string{fmt.Sprintf("i%05d", n+1)}
			} else if last != "" {
				all[n].Needs = []string{last}
			}
		}
		begun := time.Now()
		settle(all)
		if took := time.Since(begun); took > 30*time.Second {
			t.Errorf("it took %v", took)
		}
		want := "issues need each other in a circle: i00000 → i00001 → i00002 → i00003 → i00004 → " +
			"i00005 → i00006 → i00007 → i00008 → i00009 → … → i00000"
		if last == "" {
			want = ""
		}
		if all[0].Broken != want || all[many/2].Broken != want {
			t.Errorf("%q", all[many/2].Broken)
		}
	}
}

// TestCirclesThatTouch checks that one of two circles that share an issue is named, and
// that an issue that only needs one of them waits.
func TestCirclesThatTouch(t *testing.T) {
	f := openFiles(t, project(t, map[string]string{
		"a.md": "# a\n- needs: x, b\n",
		"b.md": "# b\n- needs: a, c\n",
		"c.md": "# c\n- needs: b\n",
		"x.md": "# x\n- needs: y\n",
		"y.md": "# y\n",
	}))
	listed, err := f.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	broken := 0
	for _, i := range listed {
		if i.Broken != "" {
			broken++
		}
	}
	if got, _ := pick(listed, "a"); broken != 2 || !strings.HasSuffix(got.Broken, "a → b → a") {
		t.Errorf("%d, %q", broken, got.Broken)
	}
	if r, err := f.Ready(t.Context()); err != nil || titles(r) != "y" {
		t.Errorf("ready %q, %v", titles(r), err)
	}
}

// FuzzDocument checks that every text is read or refused with one of its lines, and that
// a change of the status changes nothing else.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{
		"# X\n\n- status: open\n- priority: 1\n- needs: a, b\n- created: 2026-11-21\n\ntext\n",
		"\ufeff# X\r\n- Status:In Progress\r\n\r\n- a: b\r\n",
		"# X",
		"#",
		"# X\n- status:",
		"# X\n-status: open\n- status : open",
		"# X\n\n\n- a\n- priority: 3\n\n\nx",
		"# X\n- needs: ,, a  ,b\n\n\n- status: closed",
		"<<<<<<< \n>>>>>>> \n",
	} {
		f.Add(seed, "a note\n\n- status: closed")
	}
	f.Fuzz(func(t *testing.T, text, note string) {
		d, err := parse(text)
		if err != nil {
			var at markdown.Error
			if !errors.As(err, &at) || at.Line < 1 || at.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if d.Text != text || d.Title == "" {
			t.Fatalf("%q became %+v", text, d)
		}
		s := StatusPaused
		if d.status == s {
			s = StatusClosed
		}
		once, err := updatedText(text, time.UnixMilli(0), s, "")
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		wantKept(t, d, once, s)
		note = asNote(note)
		twice, err := updatedText(once, time.UnixMilli(0), s, note)
		if err != nil {
			return // it became too long
		}
		if note == "" && twice != once || !strings.HasPrefix(twice, once) {
			t.Fatalf("a note changed %q to %q", once, twice)
		}
		if again, err := updatedText(twice, time.UnixMilli(0), s, note); err != nil || again != twice {
			t.Fatalf("the same again changed %q to %q, %v", twice, again, err)
		}
	})
}

// wantKept compares a document with its text after the status was changed.
func wantKept(t *testing.T, d document, text string, s Status) {
	t.Helper()
	now, err := parse(text)
	if err != nil {
		t.Fatalf("%q became %q: %v", d.Text, text, err)
	}
	if now.status != s || now.Title != d.Title || now.priority != d.priority || !now.created.Equal(d.created) ||
		strings.Join(now.needs, " ") != strings.Join(d.needs, " ") || now.Body() != d.Body() {
		t.Fatalf("%q became %q", d.Text, text)
	}
	if _, ok := d.Field(fieldStatus); ok && text != d.WithField(fieldStatus, string(s)) {
		t.Fatalf("%q became %q", d.Text, text)
	}
}
