package config_test

import (
	"cmp"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/config"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"":              config.TelegramAPI,
		"# nothing\n\n": config.TelegramAPI,
		"[telegram]\n":  config.TelegramAPI,
		"[telegram]\napi = 'http://127.0.0.1:8081'\n": "http://127.0.0.1:8081",
		`telegram.api = "https://b.example/x"`:        "https://b.example/x",
		"telegram = { api = 'http://x' }":             "http://x",
	} {
		if c, err := config.Parse([]byte(text)); err != nil || c.Telegram.API != want {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"\n\nunknown = 1":                       `line 3: unknown key "unknown"`,
		"[telegram]\napi = 'http://x'\ntok = 1": `line 3: unknown key "telegram.tok"`,
		// a person types the check; no file may set it
		"[loop]\ncheck = 'make'": `line 2: unknown key "loop.check"`,
		"[tele]\nx = 1":          `line 1: unknown key "tele`,
		"[telegram]\n\napi = 7":  "line 3: telegram.api must be a text in quotes, not 7",
		"[checkin]\nhold = 5": `line 2: checkin.hold must be a time in quotes, ` +
			`such as "90s" or "2h", not 5`,
		"[checkin]\nhold = 1.5":               `not 1.5`,
		"[checkin]\nhold = true":              `such as "90s" or "2h", not true or false`,
		"[checkin]\nhold = 'soon'":            `line 2: checkin.hold: unknown time "soon"; want one such as "90s"`,
		"[checkin]\nhold = ":                  `line 2: "hold =" cannot be read: expected [table] or key = value`,
		"[checkin]\nhold = 90s":               `line 2: "hold = 90s" cannot be read`,
		"[checkin]\nhodl = '5s'":              `line 2: unknown key "checkin.hodl"; did you mean "checkin.hold"?`,
		"hold = '5s'":                         `line 1: unknown key "hold"; did you mean "checkin.hold"?`,
		"[check-in]\nhold = '5s'":             `line 1: unknown key "check-in"; did you mean "checkin"?`,
		"[loop]\nday_budget = '5'":            "line 2: loop.day_budget must be a number, not a text",
		"[escalation]\nchat = 1.5":            "line 2: escalation.chat must be a whole number, not 1.5",
		"[issues]\npush = 'yes'":              "line 2: issues.push must be true or false, not a text",
		"checkin = 5":                         "line 1: checkin must be a table of keys, not 5",
		"[[checkin]]\nhold = '5s'":            "checkin must be a table of keys, not a list",
		"[consult]\nprograms = ['claude', 7]": "line 2: each of consult.programs must be a text in quotes, not 7",
		"[consult]\ntimeout = 2026-01-01":     "not a date or a time",
		"[telegram]\napi = ":                  "line 2: ",
		"\nanswers_from = ['telegram', 'pager']": `line 2: answers_from names "pager", where nobody can answer; ` +
			`want telegram or web or terminal`,
		"answers_from = ['']":                    `line 1: answers_from names "", where nobody can answer`,
		"answers_from = 'telegram'":              "line 1: ",
		"answers_from = []":                      "nobody could answer; want telegram, web, terminal, or leave it out",
		"answers_from = ['terminal','terminal']": `answers_from names "terminal" twice`,
		"a\x00":                                  "line 1: ",
		"\xff\xfe":                               "line 1: ",
		"[telegram\n":                            "line 1: ",
		"[telegram]\napi = 'ftp://x'":            `telegram.api must be an http or https URL, not "ftp://x"`,
		"[telegram]\napi = ''":                   "must be an http or https URL",
		"[telegram]\napi = 'http://'":            "must be an http or https URL",
		"[telegram]\napi = 'a'\napi = 'b'":       "line 3: ",
		"[consult]\nprograms = []":               "must name at least one program",
		"[consult]\nprograms = ['gpt']":          `unknown program "gpt" in consult.programs; want codex,`,
		"[consult]\nprograms = ['./codex']":      `unknown program "./codex"`,
		"[consult]\ntimeout = '1s'":              "consult.timeout must be between 10s and 1h, not 1s",
		"[consult]\nprograms = 'codex'":          "line 2: ",
	} {
		if _, err := config.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: want %q, have %v", text, want, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("[telegram]\napi = 'http://x'\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if c, err := config.Parse(raw); err == nil && config.CheckAPI(c.Telegram.API) != nil {
			t.Fatalf("%q: %+v", raw, c)
		}
	})
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	if c, err := config.Load(path); err != nil || !reflect.DeepEqual(c, config.Default()) {
		t.Errorf("no file: %+v, %v", c, err)
	}
	write(t, path, "nonsense = 1\n")
	if _, err := config.Load(path); err == nil || !strings.Contains(err.Error(), path+": line 1") {
		t.Errorf("the error names file and line: %v", err)
	}
	if _, err := config.Load(filepath.Dir(path)); err == nil {
		t.Error("a directory was read")
	}
}

func TestSetTelegramAPI(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"no file", "-", "[telegram]\napi = \"http://new\"\n"},
		{"empty", "", "[telegram]\napi = \"http://new\"\n"},
		{"comments stay", "# mine\n\n[telegram] # bot\n# here\napi = 'http://old' \n# end\n",
			"# mine\n\n[telegram] # bot\n# here\napi = \"http://new\"\n# end\n"},
		{"no key yet", "# mine\n[telegram]\n# here\n", "# mine\n[telegram]\napi = \"http://new\"\n# here\n"},
		{"no table yet", "# mine\n", "# mine\n[telegram]\napi = \"http://new\"\n"},
		{"no last line break", "[telegram]\n  api='http://old'", "[telegram]\napi = \"http://new\"\n"},
		{"blanks in the header", "[ telegram ]\napi = 'http://old'\n", "[ telegram ]\napi = \"http://new\"\n"},
		{"the same already", "[telegram]\napi = 'http://new'   # keep\n\n\n",
			"[telegram]\napi = 'http://new'   # keep\n\n\n"},
		{"a comment that looks like it", "[telegram]\n# api = 'http://no'\napi = 'http://old'\n",
			"[telegram]\n# api = 'http://no'\napi = \"http://new\"\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.toml")
			if c.before != "-" {
				write(t, path, c.before)
			}
			if err := config.SetTelegramAPI(path, "http://new"); err != nil {
				t.Fatal(err)
			}
			if got := read(t, path); got != c.after {
				t.Errorf("have %q\nwant %q", got, c.after)
			}
			info, err := os.Stat(path)
			if err != nil || c.before != c.after && info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
				t.Errorf("something was left: %v, %v", entries, err)
			}
		})
	}
}

// TestSet: keys are written as the file has them, checked like the file, with its comments kept. A value in force is
// not written again, and "" takes a key out.
func TestSet(t *testing.T) {
	const before = "# mine\n[loop]\nday_budget = 25.0 # a week\ntrace = true\n\n[asks] # times\ngrace = '20s'\n" +
		"unattended = \"9h\" # over \"night\"\n"
	for _, c := range []struct {
		name   string
		values map[string]string
		after  string // "" for no change
		says   string // of the error
	}{
		{"in force", map[string]string{"loop.day_budget": "25.00", "asks.grace": "20s", "quiet.from": ""}, "", ""},
		{
			"each way", map[string]string{
				"loop.day_budget": "30", "asks.unattended": "", "quiet.from": "22:00", "quiet.to": "07:30",
				"report.daily": "08:00", "escalation.after": "10m", "asks.grace": "1m",
			},
			"# mine\n[loop]\nday_budget = 30 # a week\ntrace = true\n\n[asks] # times\ngrace = \"1m\"\n" +
				"# over \"night\"\n[quiet]\nto = \"07:30\"\nfrom = \"22:00\"\n[report]\ndaily = \"08:00\"\n" +
				"[escalation]\nafter = \"10m\"\n", "",
		},
		{"half", map[string]string{"quiet.from": "22:00"}, "", "quiet hours need both"},
		{"no time", map[string]string{"asks.grace": "soon"}, "", "line 7"},
		{"no amount", map[string]string{"runs.day_budget": "much"}, "", "line 10"},
		{"out of range", map[string]string{"asks.grace": "3h"}, "", "asks.grace must be"},
		{"one of the others", map[string]string{"web.addr": "off"}, "", "web.addr cannot be set here"},
		{"breaks out", map[string]string{"report.daily": "08:00\"\n[web]\naddr = \"off"}, "", "stays as it is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.toml")
			write(t, path, before)
			_, err := config.Set(path, c.values)
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
			if got := read(t, path); got != cmp.Or(c.after, before) {
				t.Errorf("have %q\nwant %q", got, cmp.Or(c.after, before))
			}
		})
	}
}

// TestSetTelegramAPIDefault: a value that is already in force is not written.
func TestSetTelegramAPIDefault(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := config.SetTelegramAPI(path, config.TelegramAPI); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("it created a file: %v", err)
	}
}

// TestSetTelegramAPIRefuses: if the value cannot be written, the file is unchanged.
func TestSetTelegramAPIRefuses(t *testing.T) {
	for _, c := range []struct{ name, before, api, says string }{
		{"a file with an error", "oops = 1\n", "http://new", "line 1"},
		{"a form that it does not know", "telegram.api = 'http://old'\n", "http://new", "stays as it is"},
		{"not a URL", "# mine\n", "nonsense", "stays as it is"},
		{"a value that breaks out", "# mine\n", "http://x\"\n[evil]\n", "stays as it is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.toml")
			write(t, path, c.before)
			if err := config.SetTelegramAPI(path, c.api); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("have %v", err)
			}
			if got := read(t, path); got != c.before {
				t.Errorf("the file became %q", got)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
