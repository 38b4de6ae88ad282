package module_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/module"
)

const mail = `title = "Mail"

[source]
command = ["./watch", "--folder", "INBOX"]
env_file = "~/keys/mail"

[mcp.imap]
command = ["node", "server.js"]

[mcp.search]
url = "https://mcp.example.com/v1"
`

func TestParse(t *testing.T) {
	got, err := module.Parse([]byte(mail))
	want := module.Manifest{
		Title:  "Mail",
		Source: module.Source{Command: []string{"./watch", "--folder", "INBOX"}, EnvFile: "~/keys/mail"},
		Servers: []module.Server{
			{Name: "imap", Command: []string{"node", "server.js"}},
			{Name: "search", URL: "https://mcp.example.com/v1"},
		},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if name := module.Name("mail").FullName(got.Servers[0]); name != "mail_imap" {
		t.Errorf("the name of the server: %q", name)
	}
}

// TestParseRefuses: what is not understood, or hides something, is refused with the reason.
func TestParseRefuses(t *testing.T) {
	source := func(words string) string { return "[source]\ncommand = [" + words + "]\n" }
	for _, c := range []struct{ file, want string }{
		{"", "it brings nothing"},
		{"title = \"x\"", "it brings nothing"},
		{"[source]\n", "it brings nothing"},
		{"[source]\nenv_file = \"~/k\"\n", "source.command is missing"},
		{"[source]\ncomand = [\"x\"]\n", `line 2: unknown key "source.comand"; did you mean "source.command"?`},
		{"[source]\ncommand = \"./watch\"\n", "line 2: source.command must be a list"},
		{source(`1`), "line 2: each of source.command must be a text in quotes, not 1"},
		{source(`""`), "source.command has no program"},
		{source(`"../watch"`), `"../watch" leads out of the folder`},
		{source(`"a/../../watch"`), "leads out of the folder"},
		{source(`"./a\u0000b"`), `invisible character '\x00'`},
		{source(`"./a\u202eb"`), `invisible character '\u202e'`},
		{source(`"./a", "b\nc"`), `invisible character '\n'`},
		{source(`"` + strings.Repeat("x", 5000) + `"`), "longer than 4096 bytes"},
		{source(strings.Repeat(`"x",`, 200)), "more than 100 words"},
		{"[source]\ncommand = [\"x\"]\nenv_file = \"keys\"\n", "must be an absolute path"},
		{"[mcp.a]\n", "mcp.a has neither command nor url"},
		{"[mcp.a]\ncommand = [\"x\"]\nurl = \"https://h/\"\n", "mcp.a has command and url"},
		{"[mcp.A_b]\ncommand = [\"x\"]\n", `unknown form of server "A_b"`},
		{"[mcp.\"../x\"]\ncommand = [\"x\"]\n", `unknown form of server "../x"`},
		{"[mcp.a]\nurl = \"http://example.com/\"\n", "mcp.a.url is not encrypted"},
		{"[mcp.a]\nurl = \"https://u:p@h/\"\n", "has a password in it"},
		{"[mcp.a]\nurl = \"file:///etc\"\n", "mcp.a.url is no address"},
		{"[mcp.a]\nurl = \"https://h/${KEY}\"\n", "mcp.a has ${"},
		{"[mcp.a]\ncommand = [\"x\", \"${KEY}\"]\n", "mcp.a has ${"},
		{"[mcp.a]\nurl = \"https://h/\"\nenv_file = \"~/k\"\n", "env_file is for a command"},
		{"[source]\ncommand = [\"x\"]\n[source]\n", "line 3"},
		{"title = \"\xff\"", "line 1: not UTF-8"},
		{"title", "cannot be read"},
		{strings.Repeat("#", 70_000), "longer than 65536 bytes"},
	} {
		if got, err := module.Parse([]byte(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q: %+v, %v; want %q", c.file, got, err, c.want)
		}
	}
}

// FuzzParse: whatever a file says, what comes out of it is safe to start and to show.
func FuzzParse(f *testing.F) {
	f.Add([]byte(mail))
	f.Add([]byte("[mcp.a]\nurl = \"http://127.0.0.1:1/\"\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := module.Parse(raw)
		if err != nil {
			return
		}
		commands := [][]string{m.Source.Command}
		for _, s := range m.Servers {
			if module.CheckName(s.Name) != nil || (s.URL == "") == (len(s.Command) == 0) {
				t.Fatalf("%+v", s)
			}
			commands = append(commands, s.Command)
		}
		for _, words := range commands {
			if strings.ContainsAny(strings.Join(words, ""), "\x00\n\x1b\u202e") || len(words) > 0 && words[0] == "" {
				t.Fatalf("%q", words)
			}
		}
	})
}

func TestCheckName(t *testing.T) {
	for _, name := range []string{"", "..", "a/b", "A", "a_b", ".git", strings.Repeat("a", 41), "a\x00"} {
		if module.CheckName(name) == nil {
			t.Errorf("%q is accepted", name)
		}
	}
	if err := module.CheckName("mail-2"); err != nil {
		t.Error(err)
	}
}

func folder() []module.Entry {
	return []module.Entry{
		{Path: "bin", Mode: fs.ModeDir | 0o755},
		{Path: "bin/watch", Mode: 0o755, Sum: "aa"},
		{Path: ".env", Mode: 0o600, Sum: "bb"},
		{Path: "bin/latest", Mode: fs.ModeSymlink | 0o777, Link: "watch"},
	}
}

// TestHash: each change of a folder changes its hash; the order of its entries does not.
func TestHash(t *testing.T) {
	first, err := module.Hash(folder())
	if err != nil || len(first) != 64 {
		t.Fatal(first, err)
	}
	turned := folder()
	turned[0], turned[3] = turned[3], turned[0]
	if again, _ := module.Hash(turned); again != first {
		t.Error("the order changes the hash")
	}
	for what, change := range map[string]func([]module.Entry) []module.Entry{
		"a content":         func(e []module.Entry) []module.Entry { e[1].Sum = "ab"; return e },
		"a hidden file":     func(e []module.Entry) []module.Entry { e[2].Sum = "ab"; return e },
		"a permission":      func(e []module.Entry) []module.Entry { e[2].Mode = 0o700; return e },
		"setuid":            func(e []module.Entry) []module.Entry { e[1].Mode |= fs.ModeSetuid; return e },
		"a folder's mode":   func(e []module.Entry) []module.Entry { e[0].Mode = fs.ModeDir | 0o777; return e },
		"a name":            func(e []module.Entry) []module.Entry { e[1].Path = "bin/watch2"; return e },
		"a link":            func(e []module.Entry) []module.Entry { e[3].Link = "../.env"; return e },
		"a link for a file": func(e []module.Entry) []module.Entry { e[1] = e[3]; e[1].Path = "bin/watch"; return e },
		"one more":          func(e []module.Entry) []module.Entry { return append(e, module.Entry{Path: "x"}) },
		"one less":          func(e []module.Entry) []module.Entry { return e[:3] },
		"an empty folder": func(e []module.Entry) []module.Entry {
			return append(e, module.Entry{Path: "x", Mode: fs.ModeDir})
		},
		"a border of a field": func(e []module.Entry) []module.Entry { e[2].Path, e[2].Sum = ".en", "vbb"; return e },
	} {
		got, err := module.Hash(change(folder()))
		if err != nil || got == first {
			t.Errorf("%s: %v, the hash is the same: %v", what, err, got == first)
		}
	}
}

// TestHashRefuses: nothing in a folder may stand for something outside it.
func TestHashRefuses(t *testing.T) {
	link := func(to string) module.Entry {
		return module.Entry{Path: "bin/l", Mode: fs.ModeSymlink | 0o777, Link: to}
	}
	for _, e := range []module.Entry{
		link("/bin/sh"), link("../../x"), link("../.."), link("deep/../../../x"), link("deep/../watch"), link(""),
		link(`C:\x`), link(`..\..\x`),
		{Path: "p", Mode: fs.ModeNamedPipe | 0o600}, {Path: "s", Mode: fs.ModeSocket}, {Path: "d", Mode: fs.ModeDevice},
	} {
		if sum, err := module.Hash([]module.Entry{e}); err == nil {
			t.Errorf("%+v is accepted: %s", e, sum)
		}
	}
	if _, err := module.Hash(make([]module.Entry, module.MaxEntries+1)); err == nil {
		t.Error("too many files are accepted")
	}
}

func TestParseEvent(t *testing.T) {
	for _, c := range []struct{ line, id, text, err string }{
		{`{"id": "7", "text": "A mail came."}`, "7", "A mail came.", ""},
		{`{"id": 7, "text": "x"}`, "7", "x", ""},
		{`{"text": "x"}`, "", "x", ""},
		{`{"id": null, "text": "x"}`, "", "x", ""},
		{`{"id": "a", "from": "ann", "text": "<hi>"}`, "a", `{"from":"ann","text":"<hi>"}`, ""},
		{`{"text": 5}`, "", `{"text":5}`, ""},
		{`{"text": "x"} `, "", "x", ""},
		{`{"id": "7"}`, "", "", "says nothing"},
		{`{"text": " "}`, "", "", "says nothing"},
		{`{}`, "", "", "says nothing"},
		{``, "", "", "no JSON object"},
		{`null`, "", "", "no JSON object"},
		{`[1]`, "", "", "no JSON object"},
		{`"x"`, "", "", "no JSON object"},
		{`{"text": "cut`, "", "", "no JSON object"},
		{`{"text": "x"}{"text": "y"}`, "", "", "no JSON object"},
		{`{"id": 1.5, "text": "x"}`, "", "", "neither a text nor a whole number"},
		{`{"id": {}, "text": "x"}`, "", "", "neither a text nor a whole number"},
		{`{"id": "", "text": "x"}`, "", "", "1 to 200 bytes"},
		{`{"id": "` + strings.Repeat("x", 201) + `", "text": "x"}`, "", "", "1 to 200 bytes"},
		{"{\"text\": \"\xff\"}", "", "", "not UTF-8"},
		{`{"text": "` + strings.Repeat("x", module.MaxLine) + `"}`, "", "", "longer than"},
	} {
		e, err := module.ParseEvent([]byte(c.line))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%.60q: %+v, %v; want %q", c.line, e, err, c.err)
			}
			continue
		}
		if err != nil || e.ID != c.id || e.Text != c.text {
			t.Errorf("%.60q: %+v, %v", c.line, e, err)
		}
	}
}

// FuzzParseEvent: a line is an event with a text, or an error.
func FuzzParseEvent(f *testing.F) {
	f.Add([]byte(`{"id": "7", "text": "x", "more": [1]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := module.ParseEvent(line)
		if err == nil && (e.Text == "" || len(e.ID) > 200 || len(e.Text) > 6*len(line)) {
			t.Fatalf("%+v", e)
		}
	})
}

func TestSeen(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	s := module.Seen{Key: module.KeyOf("mail", "7"), At: now}
	if !s.Covers(now) || !s.Covers(now.Add(7*24*time.Hour-1)) || s.Covers(now.Add(7*24*time.Hour)) {
		t.Error("an id does not count for exactly 7 days")
	}
	if !s.Covers(now.Add(-time.Hour)) {
		t.Error("a clock that was set back lets an event come again")
	}
	if (module.Seen{}).Covers(now) || module.KeyOf("a", "b") == module.KeyOf("ab", "") {
		t.Error("two events share a key")
	}
}

func TestBackoff(t *testing.T) {
	var b module.Backoff
	var got []string
	for range 11 {
		var pause time.Duration
		b, pause = b.Ended(time.Second)
		got = append(got, pause.String())
	}
	if s := fmt.Sprint(got); s != "[1s 2s 4s 8s 16s 32s 1m4s 2m8s 4m16s 5m0s 5m0s]" {
		t.Error(s)
	}
	if b, pause := b.Ended(time.Minute); pause != time.Second || b.Ends != 1 {
		t.Errorf("after a minute: %v %v", b, pause)
	}
}

// TestPace: the first lines come at once, the others one a second, and a rest lets a new burst come.
func TestPace(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	var p module.Pace
	var wait time.Duration
	for i := range 102 {
		p, wait = p.Next(now)
		if want := max(0, time.Duration(i-99)*time.Second); wait != want {
			t.Fatalf("line %d waits %s, want %s", i, wait, want)
		}
	}
	if _, wait := p.Next(now.Add(time.Hour)); wait != 0 {
		t.Errorf("after an hour: %s", wait)
	}
}

// TestLife: what was wrong with a source counts from when its module was enabled, and its events go on.
func TestLife(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	m := module.Module{Name: "mail"}.Enable("h", "Ann", now).Garbled("no JSON").Came(now)
	again := m.Enable("h2", "Ann", now)
	if !again.Live() || again.Hash != "h2" || again.Bad != 0 || again.BadLine != "" || again.Events != 1 {
		t.Errorf("%+v", again)
	}
	if off := again.Disable("Bob", now); off.On || off.By != "Bob" || off.Held != "" {
		t.Errorf("%+v", off)
	}
}
