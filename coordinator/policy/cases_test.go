package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/policy"
)

func TestCases(t *testing.T) {
	cases, err := policy.Cases([]byte(`
[[case]]
command = '''git push
--force'''
want = "ask"
rule = "git.push-force"
branch = "topic"
clean = true

[[case]]
tool = "mcp__db__run"
input = { sql = "DROP DATABASE x", opts = ["a", { b = "c" }] }
want = "deny"

[[case]]
command = "ls"
dir = "sub"
want = "pass"
reads-only = true
`))
	if err != nil {
		t.Fatal(err)
	}
	want := `[{2 {Bash [{command git push
--force}]}  ask git.push-force false {true false false topic  false}} ` +
		`{10 {mcp__db__run [{sql DROP DATABASE x} {opts.0 a} {opts.1.b c}]}  ` +
		`deny  false {false false false   false}} ` +
		`{15 {Bash [{command ls}]} sub   true {false false false   false}}]`
	type plain policy.Case
	var all []plain
	for _, c := range cases {
		all = append(all, plain(c))
	}
	if got := fmt.Sprint(all); got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
}

func TestCasesRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "line 1: the file has no [[case]]",
		"[case]\ncommand='x'":    `line 1: "case" is a list of tables`,
		"[[cases]]":              `line 1: unknown key "cases"; did you mean "case"?`,
		"[[case]]\nwant='deny'":  "line 1: a case needs a command",
		"[[case]]\ncommand='x'":  "line 1: a case needs want",
		"[[case]]\ncommand=''":   "line 2: command is a text",
		"[[case]]\nwant='allow'": `line 2: want is "deny", "ask" or "pass", not "allow"`,
		"[[case]]\nwant=1":       "line 2: want is",
		"[[case]]\ncomand='x'":   `line 2: unknown key "comand"; did you mean "command"?`,
		"[[case]]\ncommand='x'\ntool='y'\nwant='ask'":                "line 1: a case needs a command, or",
		"[[case]]\ncommand='x'\ninput.a='y'\nwant='ask'":             "line 1: input goes with tool",
		"[[case]]\ntool='x'\ninput='y'\nwant='ask'":                  "line 3: input is a table",
		"[[case]]\ncommand='x'\nwant='pass'\nrule='y'":               "line 1: a case that passes has no rule",
		"[[case]]\ncommand='x'\nwant='ask'\nbranch='y'":              "line 1: branch goes with clean",
		"[[case]]\ncommand='x'\nwant='ask'\n[[case]]\ncommand='y'\n": "line 4: a case needs want",
	} {
		if _, err := policy.Cases([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: want %q, have %v", text, want, err)
		}
	}
}

func FuzzCases(f *testing.F) {
	f.Add([]byte("[[case]]\ncommand='x'\nwant='ask'\n[[case]]\ntool='x'\ninput.a=['b']\nwant='pass'"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		cases, err := policy.Cases(raw)
		if err == nil && len(cases) == 0 || err != nil && !strings.HasPrefix(err.Error(), "line ") {
			t.Fatalf("%q: %d cases, %v", raw, len(cases), err)
		}
	})
}
